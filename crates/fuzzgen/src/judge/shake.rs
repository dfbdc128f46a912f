//! Combination trees as large programs have them, in the small programs that are generated: blocks of a few turns.

use ir::tree::{identities, is_exact};
use ir::{Bulk, Chunks, Exp, Kind, Program, Region, Step, Tree};

/// The name of the stage.
pub(super) const SHAKEN: &str = "other trees";

/// Gives reductions and scans other trees, each in its turn.
pub(super) fn shake(program: &mut Program) {
    let mut turn = 0;
    for id in program.functions.ids() {
        program.functions[id].body.for_each_stm_mut(&mut |stm| {
            if let Exp::Bulk(bulk) = &mut stm.exp {
                turn += 1;
                shake_bulk(bulk, turn);
            }
        });
    }
}

fn shake_bulk(bulk: &mut Bulk, turn: usize) {
    let ops = bulk.outputs.iter().filter_map(|output| match &output.kind {
        Kind::Reduce { op, .. } => Some(op),
        Kind::Gen { .. } | Kind::Update { .. } | Kind::Accum { .. } | Kind::Keep => None,
    });
    let lanes = if ops.clone().all(|op| identities(op).is_some()) { 2 } else { 1 };
    // All reductions of a form are cut alike.
    let chunks = [Chunks { block: 2, lanes: 1, chains: 1 }, Chunks { block: 4, lanes, chains: lanes }][turn % 2];
    for output in &mut bulk.outputs {
        if let Kind::Reduce { op, tree, .. } = &mut output.kind {
            *tree = other(op, turn, chunks);
        }
    }
    shake_scans(&mut bulk.steps, turn);
}

fn shake_scans(steps: &mut [Step], turn: usize) {
    for step in steps {
        match step {
            Step::For { body, .. } | Step::Guard(_, body) => shake_scans(body, turn),
            Step::Scan(scan) => scan.tree = other(&scan.op, turn, Chunks { block: 2, lanes: 1, chains: 1 }),
            Step::Let(_) | Step::Emit(_) => {}
        }
    }
}

fn other(op: &Region, turn: usize, chunks: Chunks) -> Tree {
    match turn % 5 {
        0 => Tree::InOrder,
        1 if is_exact(op) => Tree::Free,
        _ => Tree::Chunks(chunks),
    }
}
