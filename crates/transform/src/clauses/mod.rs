//! Arrays by clauses without checks, and recursive arrays in an order that needs no search.
//!
//! ```text
//! out gen [n] of (x: f64) rec (u: [n]f64) checked (..)        out gen [n] of (x: f64) rec (u: [n]f64)
//! for i < min(n, 1) { emit [0] => .. }                  =>    .. the same steps, in order:
//! for i < max(n - 1, 0) { emit [i + 1] => .. u[i] .. }        bulk scheduled { .. }
//! ```
//!
//! - [`coverage`]: which arrays have exactly one value for each element, by [`ir::facts::places`]. Where that depends on
//!   sizes (`[0, j]` and `[n - 1, j]` are the same row if `n` is 1) there are two versions, and sizes decide between them;
//! - [`versions`]: makes these;
//! - [`bounds`]: moves the bounds of clauses before the form, where they can be asked for.
//!
//! The pass runs after `checks`: subscripts that are inside have no check any more.

mod bounds;
mod coverage;
mod versions;

use base::Map;
use coverage::Exact;
use ir::facts::walk::walk;
use ir::traverse::ListMut;
use ir::{Block, Program, Remark, Step, Stm, Topic, Var};

/// Lets go of checks that elements are defined once.
pub fn clauses(program: &mut Program) {
    for function in program.functions.ids() {
        if !coverage::has_checked(&program.functions[function].body) {
            continue;
        }
        bounds::before_forms(&mut program.functions[function].body);
        let mut finder = coverage::Finder::default();
        walk(program, function, &mut finder);
        let exact = finder.exact;
        if exact.is_empty() {
            continue;
        }
        for Exact { span, if_all, .. } in exact.values() {
            let text = match if_all.is_empty() {
                true => "each element is defined exactly once, which needs no check",
                false => {
                    "whether each element is defined once is checked only for small sizes, in a version of its own"
                }
            };
            program.functions[function].remark(Remark::not_done(Topic::Checked, *span, text));
        }
        let mut body = std::mem::take(&mut program.functions[function].body);
        Apply { program, exact }.block(&mut body);
        program.functions[function].body = body;
    }
}

struct Apply<'p> {
    program: &'p mut Program,
    /// By the first variable that a form binds.
    exact: Map<Var, Exact>,
}

impl Apply<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut out = Vec::with_capacity(block.stms.len());
        for stm in std::mem::take(&mut block.stms) {
            self.stm(stm, &mut out);
        }
        block.stms = out;
    }

    fn stm(&mut self, mut stm: Stm, out: &mut Vec<Stm>) {
        stm.exp.for_each_list_mut(&mut |list| match list {
            ListMut::Block(block) => self.block(block),
            ListMut::Steps(steps) => self.steps(steps),
        });
        let found = stm.vars.first().and_then(|var| self.exact.remove(var));
        match found {
            Some(exact) if exact.if_all.is_empty() => {
                versions::set_exact(&mut stm, &exact.outputs);
                out.push(stm);
            }
            Some(exact) => out.extend(versions::of(self.program, stm, &exact)),
            None => out.push(stm),
        }
    }

    fn steps(&mut self, steps: &mut Vec<Step>) {
        let mut out = Vec::with_capacity(steps.len());
        for mut step in std::mem::take(steps) {
            match step {
                Step::Let(stm) => {
                    let mut stms = Vec::new();
                    self.stm(stm, &mut stms);
                    out.extend(stms.into_iter().map(Step::Let));
                    continue;
                }
                Step::For { ref mut body, .. } | Step::Guard(_, ref mut body) => self.steps(body),
                Step::Scan(ref mut scan) => {
                    self.block(&mut scan.op.body);
                    self.block(&mut scan.value);
                }
                Step::Emit(ref mut emit) => self.block(&mut emit.value),
            }
            out.push(step);
        }
        *steps = out;
    }
}
