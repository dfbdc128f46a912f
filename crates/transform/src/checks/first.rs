//! The first check of a loop's turns, if it is the same in all of them, is made once before the loop.
//!
//! ```text
//! let xs: [n][k]f64 = bulk {               let none: bool = n <= 0
//!   out gen [n][k] of (x: f64)             let some: bool = none || t
//!   for i < n {                            let e: cert = assert some else R006(m)
//!     let t: bool = m >= 0           =>    let xs: [n][k]f64 = bulk {
//!     let c: cert = assert t else R006(m)    out gen [n][k] of (x: f64)
//!     for j < m { emit <c> [i, j] => .. }    for i < n { for j < m { emit <e> [i, j] => .. } }
//!   }                                      }
//! }
//! ```
//!
//! Nothing that can fail comes before it in a turn, and its condition and message do not change, so it fails in the first turn or in
//! none. Loops of any depth are looked at, the innermost first: what leaves an inner loop is then the first check of the turn
//! around it. So loops over arrays whose sizes are numbers that the program is given need no checks and can be fused.
//!
//! Conditions are copied as far as they are arithmetic. What reads an array, or relies on other checks of the loop, stays.

use super::hoist::leading;
use super::replay::may_fail;
use super::{apply, proved};
use base::{Name, Set, Span};
use ir::rename::{Substitution, copy_block};
use ir::traverse::{ListMut, Part};
use ir::{Atom, Block, Bulk, Exp, FunId, LoopForm, Program, SiteId, Step, Stm, Type, Var, VarInfo};
use scalar::{BinOp, Prim};

/// Moves first checks of a function out of loops, apart from `kept` ones. Gives their certificates.
pub(super) fn hoist(program: &mut Program, function: FunId, kept: &Set<Var>) -> Vec<Var> {
    let mut body = std::mem::take(&mut program.functions[function].body);
    let mut stay = proved::pinned(program, &body);
    stay.extend(kept.iter().copied());
    let mut hoist = Hoist { program, stay, moved: Vec::new() };
    hoist.block(&mut body);
    let moved = hoist.moved;
    program.functions[function].body = body;
    moved
}

struct Hoist<'p> {
    program: &'p mut Program,
    /// Checks that are not moved.
    stay: Set<Var>,
    moved: Vec<Var>,
}

impl Hoist<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut out = Vec::with_capacity(block.stms.len());
        for mut stm in std::mem::take(&mut block.stms) {
            out.extend(self.stm(&mut stm));
            out.push(stm);
        }
        block.stms = out;
    }

    /// Moves checks inside of a statement; those that are to be made before it.
    fn stm(&mut self, stm: &mut Stm) -> Vec<Stm> {
        let span = stm.span;
        // Which elements of a recursive array are computed first is not known.
        let recursive =
            matches!(&stm.exp, Exp::Bulk(bulk) if bulk.outputs.iter().any(|output| !output.rec().is_empty()));
        if recursive || matches!(stm.exp, Exp::Ensure { .. }) {
            return Vec::new();
        }
        stm.exp.for_each_list_mut(&mut |list| match list {
            ListMut::Block(block) => self.block(block),
            ListMut::Steps(steps) => self.steps(steps, span),
        });
        let mut before = leading(stm);
        before.extend(self.before_loops(stm));
        before
    }

    fn before_loops(&mut self, stm: &mut Stm) -> Vec<Stm> {
        let span = stm.span;
        match &mut stm.exp {
            Exp::Loop { params, form: LoopForm::For(var, count), body, .. } => {
                let changing = params.iter().map(|(param, _)| *param).chain([*var]).collect();
                let mut turn = Turn::new(&self.stay, changing);
                turn.block(body);
                let (stms, names) = self.before(*count, span, turn.first);
                apply::remove(body, &names);
                stms
            }
            Exp::Bulk(bulk) => self.before_bulk(bulk, span),
            _ => Vec::new(),
        }
    }

    /// Checks of the loops of a bulk form, up to the first step that may fail itself.
    fn before_bulk(&mut self, bulk: &mut Bulk, span: Span) -> Vec<Stm> {
        let hands_over_with_checks = bulk.outputs.iter().any(|output| output.is_checked());
        let mut before = Vec::new();
        for step in &mut bulk.steps {
            before.extend(self.before_step(step, span));
            if hands_over_with_checks || may_fail(step) {
                break;
            }
        }
        before
    }

    /// Checks of loops inside of loops come before those.
    fn steps(&mut self, steps: &mut [Step], span: Span) {
        for step in steps {
            match step {
                Step::For { body, .. } => self.nested(body, span),
                Step::Guard(..) | Step::Let(_) | Step::Scan(_) | Step::Emit(_) => {}
            }
        }
    }

    fn nested(&mut self, body: &mut Vec<Step>, span: Span) {
        let mut out = Vec::with_capacity(body.len());
        for mut step in std::mem::take(body) {
            match &mut step {
                Step::For { body, .. } | Step::Guard(_, body) => self.nested(body, span),
                Step::Let(stm) => out.extend(self.stm(stm).into_iter().map(Step::Let)),
                Step::Scan(scan) => self.block(&mut scan.value),
                Step::Emit(emit) => self.block(&mut emit.value),
            }
            out.extend(self.before_step(&mut step, span).into_iter().map(Step::Let));
            out.push(step);
        }
        *body = out;
    }

    fn before_step(&mut self, step: &mut Step, span: Span) -> Vec<Stm> {
        let Step::For { var, count, body, .. } = step else { return Vec::new() };
        let mut turn = Turn::new(&self.stay, [*var].into_iter().collect());
        turn.steps(body);
        let (stms, names) = self.before(*count, span, turn.first);
        apply::remove_from_steps(body, &names);
        stms
    }

    /// The checks before a loop with so many turns, and that they take the place of those in the loop.
    fn before(&mut self, count: Atom, span: Span, first: Vec<First>) -> (Vec<Stm>, proved::Proved) {
        let mut stms = Vec::new();
        let mut names = proved::Proved::default();
        if first.is_empty() {
            return (stms, names);
        }
        let none = self.binary(&mut stms, span, (BinOp::Le, Prim::I64), count, Atom::size(0));
        for First { cert, site, certs, span, value } in first {
            let value = copy_block(&mut self.program.vars, &value, Substitution::default());
            stms.extend(value.stms);
            let Some((cond, args)) = value.result.split_first() else { base::bug!("a check has a condition") };
            let cond = self.binary(&mut stms, span, (BinOp::LogOr, Prim::Bool), none, *cond);
            let earlier = self.program.vars.push(VarInfo::new(Name::new("c"), Type::Cert));
            let exp = Exp::Assert { cond, site, args: args.to_vec() };
            stms.push(Stm { vars: vec![earlier], certs, exp, span });
            names.insert(cert, vec![earlier]);
            self.moved.push(cert);
        }
        (stms, names)
    }

    fn binary(&mut self, stms: &mut Vec<Stm>, span: Span, (op, prim): (BinOp, Prim), a: Atom, b: Atom) -> Atom {
        let var = self.program.vars.push(VarInfo::new(Name::new("t"), Type::Scalar(Prim::Bool)));
        stms.push(Stm { vars: vec![var], certs: Vec::new(), exp: Exp::Bin(op, prim, a, b), span });
        var.into()
    }
}

/// A check that leaves its loop.
struct First {
    cert: Var,
    site: SiteId,
    /// What it relies on itself.
    certs: Vec<Var>,
    span: Span,
    /// Computes its condition and what its message shows.
    value: Block,
}

/// A turn of a loop, from its beginning to the first check that stays.
struct Turn<'a> {
    stay: &'a Set<Var>,
    /// What differs from turn to turn, or is there only in one.
    inner: Set<Var>,
    /// Arithmetic that gives the same in each turn.
    same: Vec<Stm>,
    first: Vec<First>,
    /// Whether a check was passed that stays.
    ended: bool,
}

impl Turn<'_> {
    fn new(stay: &Set<Var>, inner: Set<Var>) -> Turn<'_> {
        Turn { stay, inner, same: Vec::new(), first: Vec::new(), ended: false }
    }

    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Let(stm) => self.stm(stm),
                Step::Emit(emit) => self.block(&emit.value),
                Step::For { .. } | Step::Guard(..) | Step::Scan(_) => {
                    self.ended |= may_fail(step);
                    step.walk(&mut |part| self.bind(&part));
                }
            }
            if self.ended {
                break;
            }
        }
    }

    fn block(&mut self, block: &Block) {
        for stm in &block.stms {
            self.stm(stm);
            if self.ended {
                break;
            }
        }
    }

    fn stm(&mut self, stm: &Stm) {
        if let (Exp::Assert { cond, site, args }, [cert]) = (&stm.exp, &stm.vars[..]) {
            let atoms: Vec<Atom> = [*cond].into_iter().chain(args.iter().copied()).collect();
            let is_same = atoms.iter().all(|atom| self.is_same(*atom)) && self.is_outer(&stm.certs);
            if is_same && !self.stay.contains(cert) {
                let value = self.value(atoms);
                let (site, certs, span) = (*site, stm.certs.clone(), stm.span);
                self.first.push(First { cert: *cert, site, certs, span, value });
                return;
            }
        }
        if is_arithmetic(&stm.exp) && stm.certs.is_empty() && self.operands(stm).all(|atom| self.is_same(atom)) {
            self.same.push(stm.clone());
        } else {
            self.ended |= stm.can_fail();
            stm.walk(&mut |part| self.bind(&part));
        }
    }

    fn bind(&mut self, part: &Part<'_>) {
        if let Part::Bind(var) = part {
            self.inner.insert(**var);
        }
    }

    fn operands(&self, stm: &Stm) -> impl Iterator<Item = Atom> + use<> {
        let mut atoms = Vec::new();
        stm.walk(&mut |part| {
            if let Part::Atom(atom) = part {
                atoms.push(*atom);
            }
        });
        atoms.into_iter()
    }

    fn is_same(&self, atom: Atom) -> bool {
        atom.var().is_none_or(|var| !self.inner.contains(&var))
    }

    fn is_outer(&self, certs: &[Var]) -> bool {
        certs.iter().all(|cert| !self.inner.contains(cert) && self.first.iter().all(|first| first.cert != *cert))
    }

    /// These atoms, with what computes them.
    fn value(&self, result: Vec<Atom>) -> Block {
        let mut needed: Set<Var> = result.iter().filter_map(|atom| atom.var()).collect();
        let mut stms: Vec<Stm> = Vec::new();
        for stm in self.same.iter().rev() {
            if stm.vars.iter().any(|var| needed.contains(var)) {
                needed.extend(self.operands(stm).filter_map(|atom| atom.var()));
                stms.push(stm.clone());
            }
        }
        stms.reverse();
        Block { stms, result }
    }
}

/// Whether an expression computes a number from others, and always has a result.
fn is_arithmetic(exp: &Exp) -> bool {
    let computes =
        matches!(exp, Exp::Atom(_) | Exp::Bin(..) | Exp::Un(..) | Exp::Convert(..) | Exp::Select(..) | Exp::Math(..));
    computes && !exp.is_partial()
}
