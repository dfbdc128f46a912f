//! What can be seen in the statements of a program. A pass that marks loops and buffers asks here, and the verifier
//! asks again whether the marks are right.

mod aliases;
mod dependence;
mod form;
mod turns;

pub use aliases::{Aliases, Link};
pub use dependence::{Stores, dependence};
pub use turns::Turns;

use crate::Expr;
use scalar::{BinOp, Prim, Scalar};

/// Whether the run-time system has running combinations by an operator on such numbers ([`crate::Stm::Prefix`]).
pub fn has_prefix(op: BinOp, prim: Prim) -> bool {
    matches!(op, BinOp::Add | BinOp::And | BinOp::Or | BinOp::Xor)
        && matches!(prim, Prim::I32 | Prim::U32 | Prim::I64 | Prim::U64)
}

/// The number of iterations of a loop with these bounds, if they are constants.
pub fn constant_count(from: Expr, to: Expr) -> Option<i64> {
    match (from, to) {
        (Expr::Const(Scalar::I64(from)), Expr::Const(Scalar::I64(to))) => Some(to.saturating_sub(from).max(0)),
        _ => None,
    }
}
