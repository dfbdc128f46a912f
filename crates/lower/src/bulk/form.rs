//! What all ways of lowering a bulk form have in common.

use ir::{Dim, Var};
use kernel::Expr;
use scalar::{Prim, Scalar};

/// How many turns of a cheap loop make a piece of work for a thread.
pub(super) const CHEAP_BLOCK: i64 = 4096;

/// One component of an output's values.
#[derive(Clone, Debug)]
pub(crate) struct Elem {
    /// The type of its elements.
    pub prim: Prim,
    /// The dimensions of one value; none for a scalar.
    pub dims: Vec<Dim>,
    /// How many elements one value has, if that is the same for all.
    pub row: Expr,
}

/// The variables that a bulk form binds for an output.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    /// The number of values that were kept.
    pub count: Option<Var>,
    /// Descriptors.
    pub sizes: Vec<Var>,
    /// Arrays or scalars.
    pub elems: Vec<Var>,
}

/// A constant byte.
pub(super) fn byte(n: u8) -> Expr {
    Expr::Const(Scalar::U8(n))
}

/// Whether a byte is not 0.
pub(super) fn not_zero(e: Expr) -> Expr {
    Expr::Bin(scalar::BinOp::Ne, Prim::U8, Box::new(e), Box::new(byte(0)))
}
