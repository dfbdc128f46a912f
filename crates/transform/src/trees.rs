//! Chooses the order in which values are combined ([`ir::tree`]).
//!
//! ```text
//! out reduce of (x: i64) from (0) by + ..              out reduce of (x: i64) from (0) in any order by + ..
//! out accum (h) of (x: f64) by + ..               ==>  out accum (h) of (x: f64) in parts 16 by + ..
//! out reduce of (x: f64) from (0.0) by + ..            out reduce of (x: f64) from (0.0) by + ..
//! ```
//!
//! Where loops stand directly inside of each other, all their points are turns: a matrix with one long row has as many as
//! one with many short rows. A running combination in the innermost of them counts the points as well.
//!
//! Exact operators are free: each back end takes the order that is fastest there. Sums of floating-point numbers into few
//! elements are cut into parts, so that threads need not wait for one another; bits depend on the number of parts, which
//! is a constant, and not on that of threads. Everything else keeps the tree of the source program.
//!
//! The pass comes last among those that build and fuse bulk forms: a tree that a loop got earlier need not fit what the
//! loop becomes.

use analysis::ways;
use ir::tree::{is_exact, may_have_parts};
use ir::{Block, Bulk, Exp, Kind, Program, Step, Tree};

/// In how many parts values are combined with elements.
const PARTS: u32 = 16;

/// Chooses the trees of all bulk forms.
pub fn trees(program: &mut Program) {
    for id in program.functions.ids() {
        let mut body: Block = std::mem::take(&mut program.functions[id].body);
        body.for_each_stm_mut(&mut |stm| {
            if let Exp::Bulk(bulk) = &mut stm.exp {
                choose(program, bulk);
            }
        });
        program.functions[id].body = body;
    }
}

fn choose(program: &Program, bulk: &mut Bulk) {
    let in_parts = may_have_parts(program, bulk);
    ways::cut(bulk);
    for output in &mut bulk.outputs {
        match &mut output.kind {
            Kind::Reduce { op, tree, .. } if is_exact(op) => *tree = Tree::Free,
            Kind::Accum { op, tree, .. } if is_exact(op) => *tree = Tree::Free,
            Kind::Accum { tree, .. } if in_parts => *tree = Tree::Parts(PARTS),
            Kind::Reduce { .. } | Kind::Accum { .. } | Kind::Gen { .. } | Kind::Update { .. } | Kind::Keep => {}
        }
    }
    choose_running(&mut bulk.steps);
}

fn choose_running(steps: &mut [Step]) {
    for step in steps {
        match step {
            Step::For { body, .. } | Step::Guard(_, body) => choose_running(body),
            Step::Scan(scan) if is_exact(&scan.op) => scan.tree = Tree::Free,
            Step::Scan(_) | Step::Let(_) | Step::Emit(_) => {}
        }
    }
}
