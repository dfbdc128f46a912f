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
//! A turn makes such a check only where a condition holds, or other checks come first. If it would hold in every turn, that is
//! known before: it compares sums of the counters, so it holds everywhere if it holds at the corners of the nest. Whether that is a proof
//! the verifier says. Otherwise the form runs as it is. Limits: the numbers of turns must be known before the form, and it
//! must be small, since there are two of it then.

use super::apply;
use super::proved::Proved;
use base::{Map, Name, Set, Span};
use ir::rename::{Substitution, copies, copy_block};
use ir::traverse::{ListMut, Part};
use ir::{Atom, Block, Emit, Exp, FunId, LoopForm, Program, Step, Stm, Type, Var, VarInfo};
use scalar::{BinOp, Prim};

/// Larger forms have one version.
const LARGEST: usize = 120;
/// Nor are more checks than this left away.
const MOST: usize = 24;
/// Checks that depend on more counters than this stay.
const DEEPEST: usize = 2;

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
    let mut making = Making { program, kept, done: Versions::default() };
    making.block(&mut body);
    let done = making.done;
    program.functions[function].body = body;
    done
}

struct Making<'p> {
    program: &'p mut Program,
    kept: &'p Set<Var>,
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
        let mut finder =
            Finder { inside, loops: Vec::new(), outer: Set::default(), defs: Map::default(), found: Vec::new() };
        finder.exp(&stm.exp);
        let is_new = |check: &Check| !self.kept.contains(&check.cert);
        let outer = finder.outer;
        let found: Vec<Check> = finder.found.into_iter().filter(is_new).collect();
        let innermost = found.iter().any(|check| !outer.contains(&check.within));
        (size <= LARGEST && found.len() <= MOST && innermost).then_some(found)
    }

    fn two(&mut self, mut stm: Stm, checks: &[Check]) -> Vec<Stm> {
        let (span, certs) = (stm.span, stm.certs.clone());
        let mut before = Before { program: self.program, stms: Vec::new(), all: None, span };
        checks.iter().for_each(|check| before.at_corners(check));
        let Before { mut stms, all, .. } = before;
        let own = copies(&mut self.program.vars, &stm.vars);
        self.done.names.extend(own.iter().copied().zip(stm.vars.iter().copied()));
        let vars = std::mem::replace(&mut stm.vars, own);
        let mut plain = Block { result: stm.vars.iter().copied().map(Atom::Var).collect(), stms: vec![stm] };
        // The version with all checks gets new names: the proofs are about the other one.
        let checked = copy_block(&mut self.program.vars, &plain, Substitution::default());
        let gone: Proved = checks.iter().map(|check| (check.cert, Vec::new())).collect();
        apply::remove(&mut plain, &gone);
        self.done.left_away.extend(checks.iter().map(|check| check.cert));
        let cond = all.unwrap_or(Atom::bool(true));
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
}

/// Looks for checks that sizes decide.
struct Finder<'a> {
    /// What the statement binds inside.
    inside: Set<Var>,
    /// The loops around the current place.
    loops: Vec<(Var, Atom)>,
    /// Counters of loops with loops inside.
    outer: Set<Var>,
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
            Exp::If(_, then, otherwise) => {
                self.block(then);
                self.block(otherwise);
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
                Step::Guard(_, body) => self.steps(body),
                Step::Let(stm) => self.stm(stm),
                Step::Emit(Emit { value, .. }) => self.block(value),
                Step::Scan(scan) => self.block(&scan.value),
            }
        }
    }

    fn stm(&mut self, stm: &'a Stm) {
        self.defs.extend(stm.vars.iter().map(|var| (*var, stm)));
        match (&stm.exp, &stm.vars[..]) {
            (Exp::Assert { cond, .. }, [cert]) => self.found.extend(self.check(*cert, *cond)),
            (exp, _) => self.exp(exp),
        }
    }

    fn check(&self, cert: Var, cond: Atom) -> Option<Check> {
        let (within, _) = *self.loops.last()?;
        let mut needed = Needed { finder: self, seen: Set::default(), stms: Vec::new(), loops: Vec::new() };
        needed.atom(cond)?;
        let known = |(_, count): &(Var, Atom)| count.var().is_none_or(|count| !self.inside.contains(&count));
        let fits = needed.loops.len() <= DEEPEST && needed.loops.iter().all(known);
        let condition = Block { stms: needed.stms, result: vec![cond] };
        fits.then_some(Check { cert, within, loops: needed.loops, condition })
    }
}

/// What a condition is computed from.
struct Needed<'f, 'a> {
    finder: &'f Finder<'a>,
    seen: Set<Var>,
    stms: Vec<Stm>,
    loops: Vec<(Var, Atom)>,
}

impl Needed<'_, '_> {
    /// Adds what computes an atom: comparisons of sums of counters, and of what is known before the loops.
    fn atom(&mut self, atom: Atom) -> Option<()> {
        let Some(var) = atom.var().filter(|var| self.finder.inside.contains(var)) else { return Some(()) };
        if !self.seen.insert(var) {
            return Some(());
        }
        if let Some(around) = self.finder.loops.iter().find(|(counter, _)| *counter == var) {
            self.loops.push(*around);
            return Some(());
        }
        let stm = *self.finder.defs.get(&var)?;
        match &stm.exp {
            Exp::Atom(a) => self.atom(*a)?,
            Exp::Bin(BinOp::Add | BinOp::Sub, Prim::I64, a, b) => self.both(*a, *b)?,
            Exp::Bin(BinOp::Mul, Prim::I64, a, b) if a.as_size().is_some() || b.as_size().is_some() => {
                self.both(*a, *b)?
            }
            Exp::Bin(BinOp::Le | BinOp::Lt | BinOp::Ge | BinOp::Gt, Prim::I64, a, b) => self.both(*a, *b)?,
            Exp::Bin(BinOp::LogAnd, _, a, b) => self.both(*a, *b)?,
            _ => return None,
        }
        self.stms.push(Stm { certs: Vec::new(), ..stm.clone() });
        Some(())
    }

    fn both(&mut self, a: Atom, b: Atom) -> Option<()> {
        self.atom(a)?;
        self.atom(b)
    }
}

/// The statements before a form.
struct Before<'p> {
    program: &'p mut Program,
    stms: Vec<Stm>,
    /// Whether all conditions so far hold.
    all: Option<Atom>,
    span: Span,
}

impl Before<'_> {
    /// Adds the condition of a check at the corners of its loops.
    fn at_corners(&mut self, check: &Check) {
        let counters: Vec<Var> = check.loops.iter().map(|(var, _)| *var).collect();
        let lasts: Vec<Atom> =
            check.loops.iter().map(|(_, count)| self.bind(Prim::I64, BinOp::Sub, *count, Atom::size(1))).collect();
        for corner in 0..1_usize << counters.len() {
            let turn = |(place, last): (usize, &Atom)| if corner >> place & 1 == 1 { *last } else { Atom::size(0) };
            let turns: Vec<Atom> = lasts.iter().enumerate().map(turn).collect();
            let there = Substitution::new(&counters, &turns);
            let copy = copy_block(&mut self.program.vars, &check.condition, there);
            self.stms.extend(copy.stms);
            let holds = copy.result[0];
            self.all = Some(match self.all {
                Some(all) => self.bind(Prim::Bool, BinOp::LogAnd, all, holds),
                None => holds,
            });
        }
    }

    fn bind(&mut self, prim: Prim, op: BinOp, a: Atom, b: Atom) -> Atom {
        let var = self.program.vars.push(VarInfo::new(Name::new("t"), Type::Scalar(prim)));
        self.stms.push(Stm { vars: vec![var], certs: Vec::new(), exp: Exp::Bin(op, prim, a, b), span: self.span });
        var.into()
    }
}
