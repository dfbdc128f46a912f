//! Which reductions gain if the values of several turns are computed before they are combined.
//!
//! ```text
//! for k < 10 { emit { let (d) = sum of 16 values; => d, k } }      by "the smaller one and its number"
//! ```
//!
//! Values that do not depend on each other are computed as vectors, but only in a loop that does nothing else: one
//! that also combines them by more than one operation runs one turn after the other. A *strip* of values, on the
//! stack, separates the two. It pays where a value is itself a short loop of constant length, which C compilers unfold.

use crate::emits;
use ir::{Atom, Block, Exp, Kind, Output, Program, Step, Stm};
use scalar::Scalar;

/// Inner loops of at most this many turns are unfolded.
const SHORT: i64 = 32;

/// Whether the reductions of a loop with this body gain from strips.
pub fn pay(program: &Program, outputs: &[Output], body: &[Step]) -> bool {
    let mut loops = 0;
    outputs.iter().enumerate().all(|(number, output)| is_composed(program, output) && emits::exactly_one(body, number))
        && body.iter().all(|step| match step {
            Step::Let(stm) => is_plain(program, stm, &mut loops),
            Step::Emit(emit) => emit.value.stms.iter().all(|stm| is_plain(program, stm, &mut loops)),
            Step::For { .. } | Step::Guard(..) | Step::Scan(_) => false,
        })
        && loops > 0
}

/// Whether an output combines numbers by more than one operation: C compilers know simple sums.
fn is_composed(program: &Program, output: &Output) -> bool {
    let is_number = |var: &ir::Var| program.ty(*var).dims().is_empty() && program.ty(*var).prim().is_some();
    match &output.kind {
        Kind::Reduce { op, .. } => op.body.stms.len() > 1 && output.elems.iter().all(is_number),
        Kind::Gen { .. } | Kind::Update { .. } | Kind::Accum { .. } | Kind::Keep => false,
    }
}

/// Whether a statement computes a number, without checks, branches or long loops. Counts its loops.
fn is_plain(program: &Program, stm: &Stm, loops: &mut usize) -> bool {
    let is_number = |var: &ir::Var| program.ty(*var).dims().is_empty() && program.ty(*var).prim().is_some();
    stm.vars.iter().all(is_number)
        && match &stm.exp {
            Exp::Atom(_) | Exp::Bin(..) | Exp::Un(..) | Exp::Convert(..) | Exp::Select(..) | Exp::Index(..) => true,
            Exp::Bulk(bulk) => {
                *loops += 1;
                bulk.outputs.iter().all(is_plain_sum) && bulk.steps.iter().all(|step| is_short(program, step, loops))
            }
            _ => false,
        }
}

fn is_plain_sum(output: &Output) -> bool {
    matches!(&output.kind, Kind::Reduce { op, .. } if is_simple(&op.body))
}

fn is_simple(block: &Block) -> bool {
    block.stms.len() == 1 && matches!(block.stms[0].exp, Exp::Bin(..))
}

fn is_short(program: &Program, step: &Step, loops: &mut usize) -> bool {
    let plain = |stms: &[Stm], loops: &mut usize| stms.iter().all(|stm| is_plain(program, stm, loops));
    match step {
        Step::Let(stm) => is_plain(program, stm, loops),
        Step::Emit(emit) => plain(&emit.value.stms, loops),
        Step::For { count: Atom::Const(Scalar::I64(count)), body, .. } => {
            *count <= SHORT && body.iter().all(|step| is_short(program, step, loops))
        }
        Step::For { .. } | Step::Guard(..) | Step::Scan(_) => false,
    }
}
