//! Recursive arrays under construction, as their readers see them.

use super::expr::{self, ExprBuilder};
use super::rep::{Array, Desc, Offsets, Rep};
use base::bug;
use ir::Dim;
use kernel::{Expr, Op, Var as K};
use scalar::{BinOp, Prim};

/// The number of recursive bulk forms that may run inside one another: the value of a stop contains the depth. The
/// stack overflows long before.
pub(crate) const DEPTHS: i64 = 1 << 20;

/// The state of an instance that is being computed; a new one is 0.
pub(crate) const RUNNING: u8 = 1;
/// The state of an instance that is computed.
pub(crate) const DONE: u8 = 2;

/// A recursive array under construction.
#[derive(Clone, Debug)]
pub(crate) struct RecArray {
    /// Where its cells are.
    pub array: Array,
    /// All its dimensions.
    pub dims: Vec<Dim>,
    /// How many of them lead to a cell; `None` if it was reshaped: then elements are counted to find the cell.
    pub cell_dims: Option<usize>,
    /// How many elements a cell has.
    pub row: Expr,
    /// How many cells there are.
    pub cells: Expr,
    /// The number of its first cell.
    pub base: Expr,
    /// For each cell, the instance that defines it; negative if none does.
    pub owner: K,
    /// For each instance, its state.
    pub states: K,
    /// If elements differ in size, the number of each cell's value: values are stored in the order in which they came.
    pub number: Option<K>,
    /// The number of recursive bulk forms that it is made in, its own included, as far as their arrays can be demanded
    /// in it.
    pub depth: Expr,
}

impl RecArray {
    /// Where the cells of a recursive array are.
    pub fn memory(rep: &Rep) -> Array {
        match rep {
            Rep::Array(array) => array.clone(),
            Rep::Desc(Desc { offsets: Offsets::Memory(offsets), .. }) => Array::at(*offsets, expr::int(0)),
            Rep::Scalar(_) | Rep::Vector(..) | Rep::Desc(_) | Rep::Cert | Rep::Box(_) => {
                bug!("{rep:?} is no recursive array")
            }
        }
    }
}

/// Whether an instance is in this state.
pub(crate) fn state_is(exprs: &ExprBuilder, states: K, instance: Expr, state: u8) -> Expr {
    exprs.op(Op::Bin(BinOp::Eq, Prim::U8, exprs.load(states, instance), expr::byte(state)))
}

/// Whether an instance is not computed yet.
pub(crate) fn is_open(exprs: &ExprBuilder, states: K, instance: Expr) -> Expr {
    exprs.not(state_is(exprs, states, instance, DONE))
}
