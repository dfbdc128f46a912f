//! Marks every loop of a bulk form: on threads, or sequential.
//!
//! ```text
//! for i < n {                      for i < n threads {
//!   let r = bulk { .. for j < m {    let r = bulk { .. for j < m sequential {
//! ```
//!
//! The outermost loop of a bulk form runs on threads if its outputs allow it ([`analysis::ways`]), together with the loops
//! directly inside of it: threads share the points of the whole nest. Everything else inside is sequential: the threads are
//! at work already. `lower` obeys the marks.
//!
//! The pass comes last: no later pass makes or moves loops.

use analysis::ways::{self, Way, way};
use ir::traverse::PartMut;
use ir::{Block, Bulk, Exp, Mark, Program, Step, Stm};

/// Marks the loops of all functions.
pub fn schedule(program: &mut Program) {
    for id in program.functions.ids() {
        let mut body: Block = std::mem::take(&mut program.functions[id].body);
        Schedule { program, inside: false }.block(&mut body);
        program.functions[id].body = body;
    }
}

struct Schedule<'p> {
    program: &'p Program,
    /// Whether a loop around runs on threads.
    inside: bool,
}

impl Schedule<'_> {
    fn block(&mut self, block: &mut Block) {
        block.stms.iter_mut().for_each(|stm| self.stm(stm));
    }

    fn stm(&mut self, stm: &mut Stm) {
        if let Exp::Bulk(bulk) = &mut stm.exp {
            return self.bulk(bulk);
        }
        stm.exp.for_each_part_mut(&mut |part| self.part(part));
    }

    fn part(&mut self, part: PartMut<'_>) {
        match part {
            PartMut::Block(block) => self.block(block),
            PartMut::Stm(stm) => self.stm(stm),
            PartMut::Atom(_) | PartMut::Use(_) | PartMut::Bind(_) => {}
        }
    }

    fn bulk(&mut self, bulk: &mut Bulk) {
        let way = way(self.program, bulk, !self.inside);
        let threads = !self.inside && way.is_parallel();
        let loops: Vec<usize> = bulk.steps.iter().map(|step| shared(bulk, step, way)).collect();
        for (step, loops) in bulk.steps.iter_mut().zip(loops) {
            mark(std::slice::from_mut(step), if threads { loops } else { 0 });
        }
        // Values of recursive arrays are computed on demand, one by one.
        let outer = self.inside;
        self.inside |= threads || way == Way::Recursive;
        let mut whole =
            Exp::Bulk(std::mem::replace(bulk, Bulk { outputs: Vec::new(), steps: Vec::new(), scheduled: false }));
        whole.for_each_part_mut(&mut |part| self.part(part));
        if let Exp::Bulk(marked) = whole {
            *bulk = marked;
        }
        self.inside = outer;
    }
}

/// How many loops threads share, beginning with an outermost one.
fn shared(bulk: &Bulk, step: &Step, way: Way) -> usize {
    match way {
        Way::Blocks | Way::Places => ways::loops(bulk, step, true),
        Way::Parts | Way::Scatter | Way::Rows | Way::Recursive | Way::InOrder => 1,
    }
}

/// Marks so many loops, the outermost first, to run on threads; those inside are sequential.
fn mark(steps: &mut [Step], threads: usize) {
    for step in steps {
        match step {
            Step::For { mark: own, body, .. } => {
                *own = if threads > 0 { Mark::Threads } else { Mark::Sequential };
                mark(body, threads.saturating_sub(1));
            }
            Step::Guard(_, body) => mark(body, threads),
            Step::Let(_) | Step::Scan(_) | Step::Emit(_) => {}
        }
    }
}
