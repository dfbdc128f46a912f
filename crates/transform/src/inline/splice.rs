//! Replaces calls by copies of bodies.

use super::cost::{Costs, repeats};
use base::Span;
use ir::rename::{Substitution, copy_block};
use ir::traverse::ListMut;
use ir::{Block, Exp, FunId, Program, Step, Stm};

/// Replaces the calls in the body of a function that cost little.
pub(super) fn inline_calls(program: &mut Program, costs: &mut Costs, caller: FunId, body: &mut Block) {
    let mut splice = Splice { program, costs, caller, loops: 0, results: Substitution::default() };
    splice.block(body);
    let Splice { program, results, .. } = splice;
    results.block(&mut program.vars, body);
}

struct Splice<'p> {
    program: &'p mut Program,
    costs: &'p mut Costs,
    caller: FunId,
    /// How many loops are around.
    loops: usize,
    /// What inlined calls bound, and the atoms that the bodies give instead. No such atom is among those bound: it is an
    /// argument or belongs to the copy.
    results: Substitution,
}

impl Splice<'_> {
    fn block(&mut self, block: &mut Block) {
        for stm in std::mem::take(&mut block.stms) {
            self.stm(stm, &mut block.stms);
        }
    }

    fn steps(&mut self, steps: &mut Vec<Step>) {
        for mut step in std::mem::take(steps) {
            match &mut step {
                Step::For { body, .. } | Step::Guard(_, body) => self.steps(body),
                Step::Scan(scan) => {
                    self.block(&mut scan.op.body);
                    self.block(&mut scan.value);
                }
                Step::Emit(emit) => self.block(&mut emit.value),
                Step::Let(_) => {}
            }
            match step {
                Step::Let(stm) => {
                    let mut stms = Vec::new();
                    self.stm(stm, &mut stms);
                    steps.extend(stms.into_iter().map(Step::Let));
                }
                step => steps.push(step),
            }
        }
    }

    /// Appends a statement, or what it is replaced by.
    fn stm(&mut self, mut stm: Stm, out: &mut Vec<Stm>) {
        match &stm.exp {
            Exp::Call(callee, _) if self.costs.inlines(self.caller, *callee, self.loops > 0) => {
                out.extend(self.copied_body(stm));
            }
            _ => {
                let repeats = repeats(&stm.exp);
                self.loops += usize::from(repeats);
                stm.exp.for_each_list_mut(&mut |list| match list {
                    ListMut::Block(block) => self.block(block),
                    ListMut::Steps(steps) => self.steps(steps),
                });
                self.loops -= usize::from(repeats);
                out.push(stm);
            }
        }
    }

    /// The body of the function that a statement calls, with the arguments for the parameters.
    fn copied_body(&mut self, call: Stm) -> Vec<Stm> {
        let Exp::Call(callee, args) = &call.exp else { base::bug!("only calls are inlined") };
        let args: Vec<_> = args.iter().map(|arg| self.results.atom(*arg)).collect();
        let function = &self.program.functions[*callee];
        let arguments = Substitution::new(&function.params, &args);
        let body = function.body.clone();
        let mut copy = copy_block(&mut self.program.vars, &body, arguments);
        for (var, atom) in call.vars.iter().zip(&copy.result) {
            self.results.insert(*var, *atom);
        }
        show_at_call(&mut copy, call.span);
        self.copy_remarks(*callee, call.span);
        copy.stms.iter_mut().for_each(|stm| rely_on(stm, &call));
        copy.stms
    }

    fn copy_remarks(&mut self, callee: FunId, call: Span) {
        let remarks: Vec<_> =
            self.program.functions[callee].remarks.iter().map(|remark| remark.at_call(call)).collect();
        remarks.into_iter().for_each(|remark| self.program.functions[self.caller].remark(remark));
    }
}

/// Gives statements that are shown at their caller the place of the call.
fn show_at_call(body: &mut Block, call: Span) {
    body.for_each_stm_mut(&mut |stm| {
        place(&mut stm.span, call);
        if let Exp::Bulk(bulk) = &mut stm.exp {
            show_steps_at_call(&mut bulk.steps, call);
        }
    });
}

fn show_steps_at_call(steps: &mut [Step], call: Span) {
    for step in steps {
        match step {
            Step::For { body, .. } | Step::Guard(_, body) => show_steps_at_call(body, call),
            Step::Scan(scan) => place(&mut scan.span, call),
            Step::Emit(emit) => place(&mut emit.span, call),
            Step::Let(_) => {}
        }
    }
}

fn place(span: &mut Span, call: Span) {
    if *span == Span::OF_CALLER {
        *span = call;
    }
}

/// A statement of the body relies on the checks that the call relied on, unless it cannot go wrong.
fn rely_on(stm: &mut Stm, call: &Stm) {
    if stm.exp.is_partial() {
        stm.rely_on(&call.certs);
    }
}
