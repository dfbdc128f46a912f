//! Which parts of a program may take long: they decide how loops are cut into pieces of work, and what may be computed
//! twice.

use ir::{Block, Exp, Step, Stm};

/// Whether evaluating the steps once may take long: they loop or call.
pub fn heavy_steps(steps: &[Step]) -> bool {
    steps.iter().any(|step| match step {
        Step::For { .. } => true,
        Step::Let(stm) => heavy_stm(stm),
        Step::Guard(_, body) => heavy_steps(body),
        Step::Scan(scan) => heavy_block(&scan.op.body) || heavy_block(&scan.value),
        Step::Emit(emit) => heavy_block(&emit.value),
    })
}

/// Whether the bindings before values may take long.
pub fn heavy_lets(steps: &[Step]) -> bool {
    steps.iter().any(|step| match step {
        Step::Let(stm) => heavy_stm(stm),
        Step::For { body, .. } | Step::Guard(_, body) => heavy_lets(body),
        Step::Scan(scan) => heavy_block(&scan.op.body) || heavy_block(&scan.value),
        Step::Emit(_) => false,
    })
}

/// Whether evaluating the block may take long.
pub fn heavy_block(block: &Block) -> bool {
    block.stms.iter().any(heavy_stm)
}

fn heavy_stm(stm: &Stm) -> bool {
    match &stm.exp {
        Exp::Call(..) | Exp::Loop { .. } | Exp::Bulk(_) | Exp::Sort(..) | Exp::Copy(_) => true,
        // What is cheap may be computed twice, but shown once.
        Exp::Trace(..) => true,
        Exp::If(_, then, otherwise) | Exp::Choose(_, then, otherwise) => heavy_block(then) || heavy_block(otherwise),
        Exp::Ensure { .. } => false,
        Exp::Open(_, cases) => cases.iter().any(|case| heavy_block(&case.body)),
        _ => false,
    }
}
