//! How many checks the turns of each loop make.
//!
//! Loops are those of bulk forms and sequential ones. What a failed check in place of many replays is not counted: it runs
//! once, before the program ends.

use base::Span;
use ir::{Block, Exp, Kind, LoopForm, Program, Step, Stm};

/// A loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LoopChecks {
    /// The place in the source of the statement that it belongs to.
    pub span: Span,
    /// Whether there is no loop inside.
    pub innermost: bool,
    /// How many checks are in it, and in no loop inside.
    pub checks: usize,
}

/// The loops of a program, those inside of others after them.
pub fn loops(program: &Program) -> Vec<LoopChecks> {
    let mut count = Count { found: Vec::new(), open: Vec::new() };
    program.functions.values().for_each(|function| count.block(&function.body));
    count.found
}

/// How many checks are in innermost loops.
pub fn in_innermost_loops(program: &Program) -> usize {
    loops(program).iter().filter(|found| found.innermost).map(|found| found.checks).sum()
}

struct Count {
    found: Vec<LoopChecks>,
    /// The loops around, by their place among those found.
    open: Vec<usize>,
}

impl Count {
    fn repeated(&mut self, span: Span, look: impl FnOnce(&mut Self)) {
        if let Some(outer) = self.open.last() {
            self.found[*outer].innermost = false;
        }
        self.open.push(self.found.len());
        self.found.push(LoopChecks { span, innermost: true, checks: 0 });
        look(self);
        self.open.pop();
    }

    fn block(&mut self, block: &Block) {
        block.stms.iter().for_each(|stm| self.stm(stm));
    }

    fn stm(&mut self, stm: &Stm) {
        match &stm.exp {
            Exp::Assert { .. } | Exp::Ensure { .. } => {
                if let Some(around) = self.open.last() {
                    self.found[*around].checks += 1;
                }
            }
            Exp::Loop { form, body, .. } => self.repeated(stm.span, |count| {
                if let LoopForm::While(cond) = form {
                    count.block(cond);
                }
                count.block(body);
            }),
            Exp::Bulk(bulk) => {
                for output in &bulk.outputs {
                    match &output.kind {
                        Kind::Gen { otherwise, .. } => otherwise.iter().for_each(|block| self.block(block)),
                        Kind::Accum { op, .. } | Kind::Reduce { op, .. } => self.block(&op.body),
                        Kind::Update { .. } | Kind::Keep => {}
                    }
                }
                self.steps(&bulk.steps, stm.span);
            }
            exp => exp.blocks().into_iter().for_each(|block| self.block(block)),
        }
    }

    fn steps(&mut self, steps: &[Step], span: Span) {
        for step in steps {
            match step {
                Step::For { body, .. } => self.repeated(span, |count| count.steps(body, span)),
                Step::Guard(_, body) => self.steps(body, span),
                Step::Let(stm) => self.stm(stm),
                Step::Scan(scan) => {
                    self.block(&scan.op.body);
                    self.block(&scan.value);
                }
                Step::Emit(emit) => self.block(&emit.value),
            }
        }
    }
}
