//! Which checks hold wherever they stand.

use super::sizes::Asked;
use base::{Map, Set};
use ir::facts::walk::{Around, Visitor, walk};
use ir::facts::{Fact, Facts};
use ir::traverse::Part;
use ir::{Atom, Block, Exp, FunId, Kind, Output, Program, Stm, Type, Var};
use scalar::BinOp;
use std::borrow::Cow;

/// How many other checks are tried as the reason for one.
const REASONS: usize = 8;

/// The checks that need not be made: for each, the checks that imply it; none if its surroundings do.
pub(super) type Proved = Map<Var, Vec<Var>>;

/// Which checks are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    /// All.
    All,
    /// Those in loops with a counter, and in operators. Others may follow from the sizes of arrays that fusion removes.
    InLoops,
}

/// Finds those of a function, apart from `kept` ones, and what checks in loops ask of sizes.
pub(super) fn proved(program: &Program, function: FunId, which: Which, kept: &Set<Var>) -> (Proved, Asked) {
    let mut pinned = pinned(program, &program.functions[function].body);
    pinned.extend(kept.iter().copied());
    let mut proofs = Proofs {
        program,
        which,
        pinned,
        proved: Map::default(),
        asked: Asked::default(),
        made: Vec::new(),
        by_condition: Map::default(),
        outer: Vec::new(),
        operators: Vec::new(),
    };
    walk(program, function, &mut proofs);
    (proofs.proved, proofs.asked)
}

struct Proofs<'p> {
    program: &'p Program,
    which: Which,
    /// Certificates that stay: they are values themselves, for example.
    pinned: Set<Var>,
    proved: Proved,
    asked: Asked,
    /// The checks in scope that are made, with their conditions.
    made: Vec<(Var, Atom)>,
    /// The first check of a condition in scope.
    by_condition: Map<Atom, Var>,
    /// Each block that the walk is in: how many checks were in scope around it, and whether it is in a loop.
    outer: Vec<(usize, bool)>,
    /// The operators of forms: they run in each turn.
    operators: Vec<&'p Block>,
}

impl<'p> Visitor<'p> for Proofs<'p> {
    fn stm(&mut self, facts: &mut Facts<'p>, stm: &'p Stm) {
        if let Exp::Bulk(bulk) = &stm.exp {
            self.operators.extend(bulk.outputs.iter().filter_map(operator));
        }
        let (Exp::Assert { cond, .. } | Exp::Ensure { cond, .. }, [cert]) = (&stm.exp, &stm.vars[..]) else { return };
        let stays = self.stays(*cert, &stm.exp) || rests_on_checks(facts, *cond);
        let reasons = if stays { None } else { self.reasons(facts, *cond) };
        match reasons {
            Some(reasons) => {
                self.proved.insert(*cert, reasons);
            }
            None => {
                if !stays && self.in_loop() && matches!(stm.exp, Exp::Assert { .. }) {
                    self.asked.look_at(facts, *cert, *cond);
                }
                self.made.push((*cert, *cond));
                self.by_condition.entry(*cond).or_insert(*cert);
            }
        }
    }

    fn certs<'a>(&self, certs: &'a [Var]) -> Cow<'a, [Var]> {
        if certs.iter().any(|cert| self.proved.contains_key(cert)) {
            Cow::Owned(in_place_of(&self.proved, certs))
        } else {
            Cow::Borrowed(certs)
        }
    }

    fn enter(&mut self, _: &mut Facts<'p>, around: Around<'p>) {
        let in_turns = match around {
            Around::For(..) | Around::Count(..) => true,
            Around::Block(block) => self.operators.iter().any(|operator| std::ptr::eq(*operator, block)),
            Around::While | Around::If(..) | Around::Steps(_) => false,
        };
        let in_loop = self.in_loop() || in_turns;
        self.outer.push((self.made.len(), in_loop));
    }

    fn leave(&mut self) {
        let (outer, _) = self.outer.pop().unwrap_or_default();
        for (cert, cond) in self.made.drain(outer..) {
            if self.by_condition.get(&cond) == Some(&cert) {
                self.by_condition.remove(&cond);
            }
        }
    }
}

/// What an output does with each of its values and those before.
fn operator(output: &Output) -> Option<&Block> {
    match &output.kind {
        Kind::Reduce { op, .. } | Kind::Accum { op, .. } => Some(&op.body),
        Kind::Gen { .. } | Kind::Update { .. } | Kind::Keep => None,
    }
}

impl Proofs<'_> {
    /// Whether a check is made whatever is known.
    fn stays(&self, cert: Var, exp: &Exp) -> bool {
        let of_many = matches!(exp, Exp::Assert { site, .. } if self.program.sites[*site].message.fault.is_of_many());
        let is_left = self.which == Which::InLoops && !self.in_loop();
        of_many || is_left || self.pinned.contains(&cert)
    }

    fn in_loop(&self) -> bool {
        self.outer.last().is_some_and(|(_, in_loop)| *in_loop)
    }

    /// The checks in scope that imply a condition, if it holds.
    fn reasons(&self, facts: &mut Facts<'_>, cond: Atom) -> Option<Vec<Var>> {
        if let Some(same) = self.by_condition.get(&cond) {
            return Some(vec![*same]);
        }
        let mut reasons = Vec::new();
        for goal in facts.meaning(cond, true) {
            if !facts.follows(&goal) {
                reasons.extend(self.reason(facts, &goal)?);
            }
        }
        reasons.sort_unstable();
        reasons.dedup();
        Some(reasons)
    }

    /// A check in scope that implies a fact, or a few that do so together.
    fn reason(&self, facts: &mut Facts<'_>, goal: &Fact) -> Option<Vec<Var>> {
        let about = self.about(facts, goal);
        let mut suffice = |certs: &[Var]| {
            let mark = facts.mark();
            facts.rely_on(certs);
            let suffice = facts.follows(goal);
            facts.forget(mark);
            suffice
        };
        // What does not follow from all of them follows from none, and most that does not follow is asked of each of them in vain.
        if about.is_empty() || !suffice(&about) {
            return None;
        }
        let single = about.iter().find(|cert| about.len() > 1 && suffice(&[**cert])).map(|cert| vec![*cert]);
        single.or(Some(about))
    }

    /// The checks in scope that say something about what a fact is about, the last one first.
    fn about(&self, facts: &Facts<'_>, goal: &Fact) -> Vec<Var> {
        let about = facts.certs_like(goal);
        if about.is_empty() {
            return Vec::new();
        }
        self.made.iter().rev().map(|(cert, _)| *cert).filter(|cert| about.contains(cert)).take(REASONS).collect()
    }
}

/// Whether a condition is computed where something else is checked: who relies on it relies on those checks, too.
fn rests_on_checks(facts: &Facts<'_>, cond: Atom) -> bool {
    let Some(exp) = cond.var().and_then(|var| facts.terms.def(var)) else { return false };
    match exp {
        Exp::Atom(a) | Exp::Un(_, _, a) => rests_on_checks(facts, *a),
        Exp::Bin(BinOp::LogAnd | BinOp::LogOr, _, a, b) => rests_on_checks(facts, *a) || rests_on_checks(facts, *b),
        exp => {
            let mut found = false;
            exp.for_each_part(&mut |part| match part {
                Part::Stm(stm) => found |= stm.can_fail(),
                Part::Block(block) => found |= block.stms.iter().any(Stm::can_fail),
                Part::Atom(_) | Part::Use(_) | Part::Bind(_) => {}
            });
            found
        }
    }
}

/// What a statement relies on, after checks were removed.
pub(super) fn in_place_of(proved: &Proved, certs: &[Var]) -> Vec<Var> {
    let mut all = Vec::new();
    for cert in certs {
        let named = proved.get(cert).map_or(std::slice::from_ref(cert), Vec::as_slice);
        for cert in named {
            if !all.contains(cert) {
                all.push(*cert);
            }
        }
    }
    all
}

/// Certificates that are results of blocks or arguments, or that make up for what the verifier cannot prove by itself:
/// ranges, row lengths and shapes as a whole.
pub(super) fn pinned(program: &Program, body: &Block) -> Set<Var> {
    let mut found = Set::default();
    body.walk(&mut |part| match part {
        Part::Atom(Atom::Var(var)) if *program.ty(*var) == Type::Cert => {
            found.insert(*var);
        }
        Part::Stm(stm) if is_of_many(&stm.exp) => found.extend(stm.certs.iter().copied()),
        Part::Atom(_) | Part::Use(_) | Part::Bind(_) | Part::Block(_) | Part::Stm(_) => {}
    });
    found
}

/// Whether an expression relies on what holds of many integers at once.
fn is_of_many(exp: &Exp) -> bool {
    matches!(
        exp,
        Exp::Slice(..)
            | Exp::DescSlice(..)
            | Exp::DescOf(_)
            | Exp::DescUniform(_)
            | Exp::Reshape(_)
            | Exp::IndexVector(..)
            | Exp::Unrank { .. }
    )
}
