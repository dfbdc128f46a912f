//! One check before a loop in place of one in every turn.
//!
//! ```text
//! for j < n {                                let ... = the condition at j = 0 and at j = n - 1
//!   let t: i64 = from + j                    let e: cert = ensure (n <= 0 || both) else { for j < n { .. assert u .. } }
//!   let u: bool = 0 <= t && t < m    =>      for j < n {
//!   let c: cert = assert u else R001(t, m)     let t: i64 = from + j
//!   let <c> x: f64 = xs[t]                     let <e> x: f64 = xs[t]
//!   emit => x                                  emit => x
//! }                                          }
//! ```
//!
//! The index goes up or down by one from turn to turn, and is checked against two limits that do not change. So it is
//! between them in all turns exactly if it is in the first and in the last one: it cannot leave the range of `i64` and come
//! back, which would take more turns than there can be. Where the condition fails, the loop's checks, all of them, are
//! made in their order ([`replay`](super::replay)), so the same one is reported as before.
//!
//! Only innermost loops are looked at, and only checks that every turn makes. A loop with a check that depends on what
//! earlier turns computed keeps its checks.

use super::affine::Body;
use super::replay::{Turns, makes_checks};
use super::{apply, proved::Proved};
use base::{Name, Span};
use ir::rename::{Substitution, copy_block};
use ir::traverse::ListMut;
use ir::{Atom, Block, Bulk, Exp, FunId, LoopForm, Mark, Program, Step, Stm, Type, Var, VarInfo};
use scalar::{BinOp, Prim};

/// Moves checks of a function out of its innermost loops.
pub(super) fn hoist(program: &mut Program, function: FunId) {
    let mut body = std::mem::take(&mut program.functions[function].body);
    Hoist { program }.block(&mut body);
    program.functions[function].body = body;
}

struct Hoist<'p> {
    program: &'p mut Program,
}

/// A loop: its counter and how many turns it takes.
#[derive(Clone, Copy)]
struct Counted {
    var: Var,
    count: Atom,
    span: Span,
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

    /// Moves checks inside of a statement; what is to be done before it.
    fn stm(&mut self, stm: &mut Stm) -> Vec<Stm> {
        let span = stm.span;
        // Elements of recursive arrays can be read only where their values are computed.
        let recursive =
            matches!(&stm.exp, Exp::Bulk(bulk) if bulk.outputs.iter().any(|output| !output.rec().is_empty()));
        if recursive || matches!(stm.exp, Exp::Ensure { .. }) {
            return Vec::new();
        }
        stm.exp.for_each_list_mut(&mut |list| match list {
            ListMut::Block(block) => self.block(block),
            ListMut::Steps(steps) => self.steps(steps, span),
        });
        match &mut stm.exp {
            Exp::Loop { params, form: LoopForm::For(var, count), body } => {
                let changing: Vec<Var> = params.iter().map(|(param, _)| *param).collect();
                self.before_loop(Counted { var: *var, count: *count, span }, &changing, body)
            }
            Exp::Bulk(bulk) => self.before_bulk(bulk, span),
            _ => Vec::new(),
        }
    }

    /// Statements among steps, and loops inside of loops. The outermost loop belongs to what is around the bulk form.
    fn steps(&mut self, steps: &mut Vec<Step>, span: Span) {
        let mut out = Vec::with_capacity(steps.len());
        for mut step in std::mem::take(steps) {
            match &mut step {
                Step::For { body, .. } => self.nested(body, span),
                Step::Guard(_, body) => self.steps(body, span),
                Step::Let(stm) => out.extend(self.stm(stm).into_iter().map(Step::Let)),
                Step::Scan(scan) => {
                    self.block(&mut scan.op.body);
                    self.block(&mut scan.value);
                }
                Step::Emit(emit) => self.block(&mut emit.value),
            }
            out.push(step);
        }
        *steps = out;
    }

    /// The body of a loop, which may hold loops.
    fn nested(&mut self, body: &mut Vec<Step>, span: Span) {
        self.steps(body, span);
        let mut out = Vec::with_capacity(body.len());
        for mut step in std::mem::take(body) {
            if let Step::For { var, count, body, .. } = &mut step {
                let around = Counted { var: *var, count: *count, span };
                out.extend(self.before_steps(around, body).into_iter().map(Step::Let));
            }
            out.push(step);
        }
        *body = out;
    }

    fn before_loop(&mut self, around: Counted, changing: &[Var], body: &mut Block) -> Vec<Stm> {
        let mut found = Body::new(around.var, changing);
        found.stms(&body.stms);
        let checks = found.checks();
        if checks.is_empty() {
            return Vec::new();
        }
        let Some(replayed) = Turns::of_block(self.program, body, changing) else { return Vec::new() };
        let (stms, moved) = self.ensure(around, &checks, replayed);
        apply::remove(body, &moved);
        stms
    }

    /// The first loop of a bulk form, if handing values over cannot fail before a check does.
    fn before_bulk(&mut self, bulk: &mut Bulk, span: Span) -> Vec<Stm> {
        if makes_checks(&bulk.outputs) {
            return Vec::new();
        }
        match &mut bulk.steps[..] {
            [Step::For { var, count, body, .. }, ..] => {
                self.before_steps(Counted { var: *var, count: *count, span }, body)
            }
            _ => Vec::new(),
        }
    }

    fn before_steps(&mut self, around: Counted, body: &mut Vec<Step>) -> Vec<Stm> {
        let mut found = Body::new(around.var, &[]);
        found.steps(body);
        let checks = found.checks();
        if checks.is_empty() {
            return Vec::new();
        }
        let Some(replayed) = Turns::of_steps(self.program, body) else { return Vec::new() };
        let (stms, moved) = self.ensure(around, &checks, replayed);
        apply::remove_from_steps(body, &moved);
        stms
    }

    /// The check before a loop, and that it takes the place of those in the loop.
    fn ensure(&mut self, around: Counted, checks: &[(Var, Block)], replayed: Vec<Step>) -> (Vec<Stm>, Proved) {
        let (mut stms, span) = (Vec::new(), around.span);
        let last = self.bind(&mut stms, Prim::I64, Exp::Bin(BinOp::Sub, Prim::I64, around.count, Atom::size(1)), span);
        let mut all = None;
        for (_, condition) in checks {
            for turn in [Atom::size(0), last] {
                let turn = Substitution::new(&[around.var], &[turn]);
                let result = condition.result.iter().map(|atom| turn.atom(*atom)).collect();
                let copy = copy_block(&mut self.program.vars, &Block { result, ..condition.clone() }, turn);
                stms.extend(copy.stms);
                all = match (all, copy.result[0]) {
                    (Some(all), next) => {
                        let both = Exp::Bin(BinOp::LogAnd, Prim::Bool, all, next);
                        Some(self.bind(&mut stms, Prim::Bool, both, span))
                    }
                    (None, next) => Some(next),
                };
            }
        }
        let none = Exp::Bin(BinOp::Le, Prim::I64, around.count, Atom::size(0));
        let none = self.bind(&mut stms, Prim::Bool, none, span);
        let either = Exp::Bin(BinOp::LogOr, Prim::Bool, none, all.unwrap_or(Atom::bool(true)));
        let cond = self.bind(&mut stms, Prim::Bool, either, span);
        let cert = self.program.vars.push(VarInfo::new(Name::new("c"), Type::Cert));
        let otherwise = self.replay(around, replayed);
        stms.push(Stm { vars: vec![cert], certs: Vec::new(), exp: Exp::Ensure { cond, otherwise }, span });
        (stms, checks.iter().map(|(old, _)| (*old, vec![cert])).collect())
    }

    /// The loop's checks, turn after turn.
    fn replay(&mut self, around: Counted, body: Vec<Step>) -> Block {
        let steps = vec![Step::For { var: around.var, count: around.count, mark: Mark::Sequential, body }];
        let bulk = Bulk { outputs: Vec::new(), steps, scheduled: false };
        let stm = Stm { vars: Vec::new(), certs: Vec::new(), exp: Exp::Bulk(bulk), span: around.span };
        copy_block(&mut self.program.vars, &Block { stms: vec![stm], result: Vec::new() }, Substitution::default())
    }

    fn bind(&mut self, stms: &mut Vec<Stm>, prim: Prim, exp: Exp, span: Span) -> Atom {
        let var = self.program.vars.push(VarInfo::new(Name::new("t"), Type::Scalar(prim)));
        stms.push(Stm { vars: vec![var], certs: Vec::new(), exp, span });
        var.into()
    }
}
