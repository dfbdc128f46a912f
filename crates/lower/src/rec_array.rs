//! Recursive arrays under construction, for those who read them.

use crate::rep::Array;
use ir::Dim;
use kernel::{Expr, Var as K};

/// A recursive array under construction, as its readers see it.
#[derive(Clone, Debug)]
pub(crate) struct RecArray {
    /// Where its cells are.
    pub array: Array,
    /// All its dimensions.
    pub dims: Vec<Dim>,
    /// How many of them lead to a cell; none if it was reshaped, and then elements are counted to find the cell.
    pub cell_dims: Option<usize>,
    /// How many elements a cell has.
    pub row: Expr,
    /// How many cells there are.
    pub cells: Expr,
    /// The number of its first cell.
    pub base: Expr,
    /// For each cell, the instance that defines it; negative if none does.
    pub owner: K,
    /// For each instance, how far it is.
    pub states: K,
    /// If elements differ in size, the number of each cell's value: values lie in the order in which they came.
    pub number: Option<K>,
    /// How many recursive bulk forms it stands in, itself counted, as far as they can be asked for in it.
    pub depth: Expr,
}
