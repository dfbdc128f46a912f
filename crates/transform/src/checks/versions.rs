//! Forms and loops whose checks cannot move before them, in two versions.
//!
//! ```text
//! for i < n {                                        let t = n <= m      -- the condition at i = 0 and at i = n - 1
//!   let odd = i % 2 == 1                             let ys = choose t {
//!   if odd {                                           for i < n { ..; if odd { let x = xs[i]; emit => x } }
//!     let c = assert (i < m) else R001(i, m)    =>   } or {
//!     let <c> x: f64 = xs[i]                           for i < n { ..; if odd { let c = assert ..; let <c> x = xs[i]; emit => x } }
//!     emit => x                                      }
//!   }
//! }
//! ```
//!
//! A turn makes such a check only where a condition holds, or other checks come first. Whether it would hold in every turn is
//! known before: an index that goes up or down by one with each counter is inside if it is so at the corners of the nest. It cannot
//! leave the range of `i64` and come back, which would take more turns than there can be: of an index with one limit it is asked
//! that it is not far away on the other side. If it is not inside, the form runs as it is.
//!
//! Limits: a condition around a check that asks for the same limit of the same index is there because not all indices are inside,
//! so the check stays. The numbers of turns must be known before the form. The form must be small, since there are two of it then, and one
//! of its innermost loops must lose all its checks.

use super::apply;
use super::likely::Scalars;
use super::proved::Proved;
use base::{Map, Name, Set, Span};
use ir::rename::{Substitution, copies, copy_block};
use ir::traverse::{ListMut, Part};
use ir::{Atom, Block, Emit, Exp, FunId, LoopForm, Program, SiteId, Step, Stm, Type, Var, VarInfo};
use scalar::{BinOp, Prim, Scalar, eval_bin};
use std::collections::{BTreeMap, BTreeSet};

/// Larger forms have one version.
const LARGEST: usize = 120;
/// Nor are more checks than this left away.
const MOST: usize = 24;
/// Checks that depend on more counters than this stay.
const DEEPEST: usize = 2;
/// No index of an array is this far from zero.
const FAR: i64 = 1 << 62;

/// What was done.
#[derive(Default)]
pub(super) struct Versions {
    /// Checks that one version does without.
    pub left_away: Vec<Var>,
    /// What a form binds in that version, with the names of the same outside.
    pub names: Map<Var, Var>,
}

/// Makes two versions of forms of a function, which are to keep some checks.
pub(super) fn versions(program: &mut Program, function: FunId, kept: &Set<Var>) -> Versions {
    let mut body = std::mem::take(&mut program.functions[function].body);
    let scalars = Scalars::of(program, &body);
    let mut making = Making { program, kept, scalars, done: Versions::default() };
    making.block(&mut body);
    let done = making.done;
    program.functions[function].body = body;
    done
}

struct Making<'p> {
    program: &'p mut Program,
    kept: &'p Set<Var>,
    scalars: Scalars,
    done: Versions,
}

impl Making<'_> {
    fn block(&mut self, block: &mut Block) {
        for stm in std::mem::take(&mut block.stms) {
            let stms = self.stm(stm);
            block.stms.extend(stms);
        }
    }

    fn stm(&mut self, mut stm: Stm) -> Vec<Stm> {
        match &mut stm.exp {
            Exp::Bulk(_) | Exp::Loop { form: LoopForm::For(..), .. } => {}
            // The other version has checks for what is rare anyway.
            Exp::Choose(_, one, _) => {
                self.block(one);
                return vec![stm];
            }
            Exp::Ensure { .. } => return vec![stm],
            exp => {
                exp.for_each_list_mut(&mut |list| match list {
                    ListMut::Block(block) => self.block(block),
                    ListMut::Steps(_) => {}
                });
                return vec![stm];
            }
        }
        match self.checks(&stm) {
            Some(checks) if !checks.is_empty() => self.two(stm, &checks),
            Some(_) | None => {
                // A loop whose turns cannot be weighed may have forms that can.
                if let Exp::Loop { body, .. } = &mut stm.exp {
                    self.block(body);
                }
                vec![stm]
            }
        }
    }

    /// The checks in loops of a statement that its sizes decide; none if it is too large.
    fn checks(&self, stm: &Stm) -> Option<Vec<Check>> {
        let (mut size, mut inside) = (0, Set::default());
        stm.walk(&mut |part| match part {
            Part::Bind(var) => _ = inside.insert(*var),
            Part::Stm(_) => size += 1,
            Part::Atom(_) | Part::Use(_) | Part::Block(_) => {}
        });
        let mut finder = Finder {
            program: self.program,
            inside,
            loops: Vec::new(),
            conds: Vec::new(),
            outer: Set::default(),
            others: Set::default(),
            defs: Map::default(),
            found: Vec::new(),
        };
        finder.exp(&stm.exp);
        let is_new = |check: &Check| !self.kept.contains(&check.cert);
        let (outer, others) = (finder.outer, finder.others);
        let (found, kept): (Vec<Check>, Vec<Check>) = finder.found.into_iter().partition(is_new);
        let stay = |within: Var| others.contains(&within) || kept.iter().any(|check| check.within == within);
        // A loop that has other checks anyway gains little.
        let pays = found.iter().any(|check| !outer.contains(&check.within) && !stay(check.within));
        (size <= LARGEST && found.len() <= MOST && pays).then_some(found)
    }

    fn two(&mut self, mut stm: Stm, checks: &[Check]) -> Vec<Stm> {
        let (span, certs) = (stm.span, stm.certs.clone());
        let mut before =
            Before { program: self.program, stms: Vec::new(), known: Map::default(), conds: Vec::new(), span };
        checks.iter().for_each(|check| before.at_corners(check));
        let cond = before.all();
        let mut stms = before.stms;
        // A version that never runs only hides what the other one does.
        if !self.scalars.may_hold(self.program, &stms, cond) {
            return vec![stm];
        }
        let own = copies(&mut self.program.vars, &stm.vars);
        self.done.names.extend(own.iter().copied().zip(stm.vars.iter().copied()));
        let vars = std::mem::replace(&mut stm.vars, own);
        let mut plain = Block { result: stm.vars.iter().copied().map(Atom::Var).collect(), stms: vec![stm] };
        // The version with all checks gets new names: the proofs are about the other one.
        let checked = copy_block(&mut self.program.vars, &plain, Substitution::default());
        let gone: Proved = checks.iter().map(|check| (check.cert, Vec::new())).collect();
        apply::remove(&mut plain, &gone);
        self.done.left_away.extend(checks.iter().map(|check| check.cert));
        stms.push(Stm { vars, certs, exp: Exp::Choose(cond, plain, checked), span });
        stms
    }
}

/// A check in a loop.
struct Check {
    cert: Var,
    /// The counter of the loop that makes it.
    within: Var,
    /// The loops that it depends on: counters and numbers of turns.
    loops: Vec<(Var, Atom)>,
    condition: Block,
    /// What has a limit on one side only, and whether that is the upper one.
    open: Vec<(Var, bool)>,
}

/// Looks for checks that sizes decide.
struct Finder<'a> {
    program: &'a Program,
    /// What the statement binds inside.
    inside: Set<Var>,
    /// The loops around the current place.
    loops: Vec<(Var, Atom)>,
    /// The conditions around the current place.
    conds: Vec<Atom>,
    /// Counters of loops with loops inside.
    outer: Set<Var>,
    /// Counters of loops with checks that sizes do not decide.
    others: Set<Var>,
    defs: Map<Var, &'a Stm>,
    found: Vec<Check>,
}

impl<'a> Finder<'a> {
    fn exp(&mut self, exp: &'a Exp) {
        match exp {
            Exp::Bulk(bulk) => self.steps(&bulk.steps),
            Exp::Loop { form: LoopForm::For(var, count), body, .. } => {
                self.inside_loop((*var, *count), |finder| finder.block(body));
            }
            Exp::If(cond, then, otherwise) => {
                self.conds.push(*cond);
                self.block(then);
                self.block(otherwise);
                self.conds.pop();
            }
            _ => {}
        }
    }

    fn inside_loop(&mut self, around: (Var, Atom), look: impl FnOnce(&mut Self)) {
        self.outer.extend(self.loops.last().map(|(var, _)| *var));
        self.loops.push(around);
        look(self);
        self.loops.pop();
    }

    fn block(&mut self, block: &'a Block) {
        block.stms.iter().for_each(|stm| self.stm(stm));
    }

    fn steps(&mut self, steps: &'a [Step]) {
        for step in steps {
            match step {
                Step::For { var, count, body, .. } => {
                    self.inside_loop((*var, *count), |finder| finder.steps(body));
                }
                Step::Guard(cond, body) => {
                    self.conds.push(*cond);
                    self.steps(body);
                    self.conds.pop();
                }
                Step::Let(stm) => self.stm(stm),
                Step::Emit(Emit { value, .. }) => self.block(value),
                Step::Scan(scan) => self.block(&scan.value),
            }
        }
    }

    fn stm(&mut self, stm: &'a Stm) {
        self.defs.extend(stm.vars.iter().map(|var| (*var, stm)));
        match (&stm.exp, &stm.vars[..]) {
            (Exp::Assert { cond, site, .. }, [cert]) => match self.check(*cert, *cond, *site) {
                Some(check) => self.found.push(check),
                None => self.others.extend(self.loops.last().map(|(counter, _)| *counter)),
            },
            (exp, _) => self.exp(exp),
        }
    }

    fn check(&self, cert: Var, cond: Atom, site: SiteId) -> Option<Check> {
        let (within, _) = *self.loops.last()?;
        let mut needed = Needed { finder: self, stms: Vec::new(), sums: Map::default(), compared: Map::default() };
        needed.condition(cond)?;
        let in_memory = self.program.sites[site].message.fault.is_of_element();
        let counters: BTreeSet<Var> = needed.compared.values().flat_map(|(sum, _)| sum.0.keys().copied()).collect();
        let loops: Vec<(Var, Atom)> = self.loops.iter().filter(|(var, _)| counters.contains(var)).copied().collect();
        let known = |(_, count): &(Var, Atom)| count.var().is_none_or(|count| !self.inside.contains(&count));
        let few = loops.len() <= usize::from(in_memory) * (DEEPEST - 1) + 1 && loops.iter().all(known);
        let open = needed.compared.iter().filter(|(_, (_, sides))| *sides != [true; 2]);
        let mut open: Vec<(Var, bool)> = open.map(|(var, (_, [_, from_above]))| (*var, *from_above)).collect();
        open.sort_unstable();
        let condition = Block { stms: needed.stms, result: vec![cond] };
        let may_hold = !fails_at_first(&loops, &condition) && !self.is_foreseen(&condition);
        (few && may_hold).then_some(Check { cert, within, loops, condition, open })
    }
}

impl Finder<'_> {
    /// Whether a condition around the current place compares the index with a limit of the check: who asks for it expects other
    /// indices, too.
    fn is_foreseen(&self, condition: &Block) -> bool {
        let limits: Set<[Var; 2]> = condition.stms.iter().filter_map(|stm| compared(&stm.exp)).collect();
        let meets = |exp: &Exp| compared(exp).is_some_and(|vars| limits.contains(&vars));
        let mut open: Vec<Var> = self.conds.iter().filter_map(|cond| cond.var()).collect();
        let (mut seen, mut found): (Set<Var>, bool) = (Set::default(), false);
        while let Some(var) = open.pop() {
            let Some(stm) = self.defs.get(&var).filter(|_| seen.insert(var)) else { continue };
            found |= meets(&stm.exp);
            stm.walk(&mut |part| match part {
                Part::Atom(Atom::Var(var)) => open.push(*var),
                Part::Stm(inner) => found |= meets(&inner.exp),
                _ => {}
            });
        }
        found
    }
}

/// The integers that an expression compares, in any order.
fn compared(exp: &Exp) -> Option<[Var; 2]> {
    let Exp::Bin(BinOp::Le | BinOp::Lt | BinOp::Ge | BinOp::Gt, Prim::I64, a, b) = exp else { return None };
    let (a, b) = (a.var()?, b.var()?);
    Some([a.min(b), a.max(b)])
}

/// Whether a condition certainly does not hold in the first turns of these loops.
fn fails_at_first(loops: &[(Var, Atom)], condition: &Block) -> bool {
    let mut known: Map<Var, Scalar> = loops.iter().map(|(counter, _)| (*counter, Scalar::I64(0))).collect();
    let value = |known: &Map<Var, Scalar>, atom: &Atom| match atom {
        Atom::Var(var) => known.get(var).copied(),
        Atom::Const(constant) => Some(*constant),
    };
    for stm in &condition.stms {
        let computed = match &stm.exp {
            Exp::Atom(a) => value(&known, a),
            Exp::Bin(op, _, a, b) => match (value(&known, a), value(&known, b)) {
                (Some(a), Some(b)) => eval_bin(*op, a, b).ok(),
                (Some(one), None) | (None, Some(one)) if *op == BinOp::LogAnd => {
                    Some(one).filter(|one| *one == Scalar::Bool(false))
                }
                (_, _) => None,
            },
            _ => None,
        };
        known.extend(computed.map(|value| (stm.vars[0], value)));
    }
    value(&known, &condition.result[0]) == Some(Scalar::Bool(false))
}

/// How many times an integer goes up with each counter: once, or down once.
#[derive(Clone, Default)]
struct Sum(BTreeMap<Var, i64>);

impl Sum {
    /// The sum, or the difference.
    fn with(mut self, other: Sum, sign: i64) -> Option<Sum> {
        for (counter, times) in other.0 {
            *self.0.entry(counter).or_default() += sign * times;
        }
        self.0.retain(|_, times| *times != 0);
        self.0.values().all(|times| times.abs() == 1).then_some(self)
    }
}

/// What a condition is computed from: comparisons of sums of counters with what is known before the loops.
struct Needed<'f, 'a> {
    finder: &'f Finder<'a>,
    stms: Vec<Stm>,
    sums: Map<Var, Sum>,
    /// The sums that are compared: how they change, and whether they are compared from below and from above.
    compared: Map<Var, (Sum, [bool; 2])>,
}

impl Needed<'_, '_> {
    fn condition(&mut self, cond: Atom) -> Option<()> {
        let Some(var) = self.inner(cond) else { return Some(()) };
        let stm = *self.finder.defs.get(&var)?;
        match &stm.exp {
            Exp::Atom(a) => self.condition(*a)?,
            Exp::Bin(BinOp::LogAnd, _, a, b) => {
                self.condition(*a)?;
                self.condition(*b)?;
            }
            Exp::Bin(BinOp::Le | BinOp::Lt, Prim::I64, a, b) => self.comparison(*a, *b)?,
            Exp::Bin(BinOp::Ge | BinOp::Gt, Prim::I64, a, b) => self.comparison(*b, *a)?,
            _ => return None,
        }
        self.take(stm);
        Some(())
    }

    /// One side is known before the loops.
    fn comparison(&mut self, low: Atom, high: Atom) -> Option<()> {
        let (below, above) = (self.sum(low)?, self.sum(high)?);
        let (moving, sum, from_above) = match (below.0.is_empty(), above.0.is_empty()) {
            (true, true) => return Some(()),
            (true, false) => (high, above, false),
            (false, true) => (low, below, true),
            (false, false) => return None,
        };
        let (_, sides) = self.compared.entry(moving.var()?).or_insert((sum, [false; 2]));
        sides[usize::from(from_above)] = true;
        Some(())
    }

    fn sum(&mut self, atom: Atom) -> Option<Sum> {
        let Some(var) = self.inner(atom) else { return Some(Sum::default()) };
        if self.finder.loops.iter().any(|(counter, _)| *counter == var) {
            return Some(Sum([(var, 1)].into_iter().collect()));
        }
        if let Some(known) = self.sums.get(&var) {
            return Some(known.clone());
        }
        let stm = *self.finder.defs.get(&var)?;
        let sum = match &stm.exp {
            Exp::Atom(a) => self.sum(*a)?,
            Exp::Bin(BinOp::Add, Prim::I64, a, b) => self.sum(*a)?.with(self.sum(*b)?, 1)?,
            Exp::Bin(BinOp::Sub, Prim::I64, a, b) => self.sum(*a)?.with(self.sum(*b)?, -1)?,
            _ => return None,
        };
        self.sums.insert(var, sum.clone());
        self.take(stm);
        Some(sum)
    }

    fn take(&mut self, stm: &Stm) {
        if !self.stms.iter().any(|known| known.vars == stm.vars) {
            self.stms.push(Stm { certs: Vec::new(), ..stm.clone() });
        }
    }

    /// The variable, if the statement binds it inside.
    fn inner(&self, atom: Atom) -> Option<Var> {
        atom.var().filter(|var| self.finder.inside.contains(var))
    }
}

/// The statements before a form.
struct Before<'p> {
    program: &'p mut Program,
    stms: Vec<Stm>,
    /// What they compute: nothing is computed twice.
    known: Map<(BinOp, Atom, Atom), Atom>,
    /// What must hold if these loops have turns.
    conds: Vec<(Vec<Atom>, Vec<Atom>)>,
    span: Span,
}

impl Before<'_> {
    /// Adds the condition of a check at the corners of its loops.
    fn at_corners(&mut self, check: &Check) {
        let last = |count: &Atom, before: &mut Self| before.bind(BinOp::Sub, Prim::I64, *count, Atom::size(1));
        let lasts: Vec<Atom> = check.loops.iter().map(|(_, count)| last(count, self)).collect();
        for corner in 0..1_usize << lasts.len() {
            let turn = |(place, last): (usize, &Atom)| if corner >> place & 1 == 1 { *last } else { Atom::size(0) };
            let turns = lasts.iter().enumerate().map(turn);
            let mut values: Map<Var, Atom> = check.loops.iter().map(|(counter, _)| *counter).zip(turns).collect();
            for stm in &check.condition.stms {
                self.stm(stm, &mut values);
            }
            self.must_hold(value(&values, check.condition.result[0]), check, &values);
            for (index, from_above) in &check.open {
                let far = if *from_above { (BinOp::Ge, Atom::size(-FAR)) } else { (BinOp::Le, Atom::size(FAR)) };
                let near = self.bind(far.0, Prim::I64, value(&values, (*index).into()), far.1);
                self.ask(check, near);
            }
        }
    }

    /// Adds a condition for the loops of a check.
    fn ask(&mut self, check: &Check, cond: Atom) {
        if cond == Atom::bool(true) {
            return;
        }
        let counts: Vec<Atom> = check.loops.iter().map(|(_, count)| *count).collect();
        match self.conds.iter_mut().find(|(loops, _)| *loops == counts) {
            Some((_, conds)) if conds.contains(&cond) => {}
            Some((_, conds)) => conds.push(cond),
            None => self.conds.push((counts, vec![cond])),
        }
    }

    fn stm(&mut self, stm: &Stm, values: &mut Map<Var, Atom>) {
        let computed = match &stm.exp {
            Exp::Atom(a) => value(values, *a),
            // What both sides say is asked for by itself.
            Exp::Bin(BinOp::LogAnd, ..) => stm.vars[0].into(),
            Exp::Bin(op, prim, a, b) => self.bind(*op, *prim, value(values, *a), value(values, *b)),
            _ => base::bug!("a condition of sizes has another operation"),
        };
        values.insert(stm.vars[0], computed);
    }

    /// Asks for both sides of an `&&`, for each only once.
    fn must_hold(&mut self, cond: Atom, check: &Check, values: &Map<Var, Atom>) {
        let def = check.condition.stms.iter().find(|stm| Atom::Var(stm.vars[0]) == cond);
        match def.map(|stm| &stm.exp) {
            Some(Exp::Bin(BinOp::LogAnd, _, a, b)) => {
                self.must_hold(value(values, *a), check, values);
                self.must_hold(value(values, *b), check, values);
            }
            _ => self.ask(check, cond),
        }
    }

    fn all(&mut self) -> Atom {
        let mut all = None;
        for (counts, conds) in std::mem::take(&mut self.conds) {
            let mut holds = conds.into_iter().reduce(|a, b| self.bind(BinOp::LogAnd, Prim::Bool, a, b));
            for count in counts {
                let none = self.bind(BinOp::Le, Prim::I64, count, Atom::size(0));
                holds = holds.map(|holds| self.bind(BinOp::LogOr, Prim::Bool, none, holds));
            }
            all = match (all, holds) {
                (Some(all), Some(holds)) => Some(self.bind(BinOp::LogAnd, Prim::Bool, all, holds)),
                (one, other) => one.or(other),
            };
        }
        all.unwrap_or(Atom::bool(true))
    }

    fn bind(&mut self, op: BinOp, prim: Prim, a: Atom, b: Atom) -> Atom {
        match (a, b) {
            (Atom::Const(x), Atom::Const(y)) if eval_bin(op, x, y).is_ok() => {
                return eval_bin(op, x, y).map_or(a, Atom::Const);
            }
            (a, zero) if zero == Atom::size(0) && matches!(op, BinOp::Add | BinOp::Sub) => return a,
            (zero, b) if zero == Atom::size(0) && op == BinOp::Add => return b,
            (_, _) => {}
        }
        if let Some(known) = self.known.get(&(op, a, b)) {
            return *known;
        }
        let result = if matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul) { prim } else { Prim::Bool };
        let var = self.program.vars.push(VarInfo::new(Name::new("t"), Type::Scalar(result)));
        self.stms.push(Stm { vars: vec![var], certs: Vec::new(), exp: Exp::Bin(op, prim, a, b), span: self.span });
        self.known.insert((op, a, b), var.into());
        var.into()
    }
}

/// What stands for an atom.
fn value(values: &Map<Var, Atom>, atom: Atom) -> Atom {
    atom.var().and_then(|var| values.get(&var).copied()).unwrap_or(atom)
}
