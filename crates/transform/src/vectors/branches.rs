//! Short nests of reductions and loops in branches of a loop become the operations that they make.
//!
//! ```text
//! let x: f32 = if inside {                                   let x: f32 = if inside {
//!   let s: f32 = bulk {                                        let w: f32 = weights[0, 0]
//!     out reduce of (y: f32) from (0.0) by + ..                let y: f32 = a[i, j]
//!     for k < 3 { for l < 3 {                          =>      let z: f32 = w * y
//!       emit { .. => weights[k, l] * a[i + k, j + l] }         ..
//!     } }                                                      => s
//!   }                                                        } else { .. }
//!   => s
//! } else { .. }
//! ```
//!
//! Stencils that are written as sums over neighbours have this form. The pass `lanes` cannot compute such points side by side,
//! because it would read outside of the array where the other branch is taken. C compilers can, with masks, if there is no
//! loop. Values are combined in order before and after: reductions whose outermost loop is as short as this get no lanes.

use super::unroll::{self, Limits};
use ir::traverse::ListMut;
use ir::{Block, Exp, Program, Step, Stm};

/// The neighbours of a point in three dimensions.
const NEIGHBOURS: Limits = Limits { values: 27, turns: 16, statements: 192 };

/// Where statements are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Not inside of a form.
    Outside,
    /// In each turn of a form.
    Turn,
    /// In a branch of a turn.
    Branch,
}

/// Unrolls the reductions and loops of a block.
pub(super) fn unroll(program: &mut Program, body: &mut Block) {
    block(program, body, Place::Outside);
}

fn block(program: &mut Program, list: &mut Block, place: Place) {
    for mut stm in std::mem::take(&mut list.stms) {
        inside(program, &mut stm, place);
        let unrolled = match place {
            Place::Branch => unroll::unroll(program, &stm, &NEIGHBOURS),
            Place::Outside | Place::Turn => None,
        };
        list.stms.extend(unrolled.unwrap_or_else(|| vec![stm]));
    }
}

fn inside(program: &mut Program, stm: &mut Stm, place: Place) {
    let inner = match (&stm.exp, place) {
        (Exp::If(..), Place::Turn) => Place::Branch,
        (_, place) => place,
    };
    stm.exp.for_each_list_mut(&mut |list| match list {
        ListMut::Block(list) => block(program, list, inner),
        ListMut::Steps(list) => steps(program, list),
    });
}

fn steps(program: &mut Program, list: &mut [Step]) {
    for step in list {
        match step {
            Step::For { body, .. } | Step::Guard(_, body) => steps(program, body),
            Step::Let(stm) => inside(program, stm, Place::Turn),
            Step::Scan(scan) => {
                block(program, &mut scan.op.body, Place::Turn);
                block(program, &mut scan.value, Place::Turn);
            }
            Step::Emit(emit) => block(program, &mut emit.value, Place::Turn),
        }
    }
}
