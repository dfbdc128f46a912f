//! Marks every loop of a bulk form: on threads, or sequential.
//!
//! ```text
//! for i < n {                      for i < n threads {
//!   let r = bulk { .. for j < m {    let r = bulk { .. for j < m sequential {
//! ```
//!
//! The outermost loop of a bulk form runs on threads if its outputs allow it ([`analysis::ways`]). Everything inside of such
//! a loop is sequential: its threads are at work already. `lower` obeys the marks.
//!
//! The pass comes last: no later pass makes or moves loops.

use analysis::ways::{Way, way};
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
        mark(&mut bulk.steps, if threads { Mark::Threads } else { Mark::Sequential });
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

/// Marks the outermost loops of steps; those inside are sequential.
fn mark(steps: &mut [Step], as_: Mark) {
    for step in steps {
        match step {
            Step::For { mark: own, body, .. } => {
                *own = as_;
                mark(body, Mark::Sequential);
            }
            Step::Guard(_, body) => mark(body, as_),
            Step::Let(_) | Step::Scan(_) | Step::Emit(_) => {}
        }
    }
}
