//! A recursive array while its elements are computed: data only. [`crate::letrec`] fills it, [`crate::rec_read`] reads it.

use crate::column::Array;
use crate::rtype::RtType;
use crate::val::Value;
use base::{Name, Span};
use std::cell::RefCell;
use std::rc::Rc;

/// In the list of owners: no clause defines the cell.
pub(crate) const NOBODY: u32 = u32::MAX;

/// A recursive array while its elements are computed.
pub(crate) struct RecArray {
    pub name: Name,
    pub span: Span,
    pub layout: Layout,
    /// How many subscripts lead to a cell.
    pub depth: usize,
    /// The instance that defines each cell, or [`NOBODY`].
    pub owner: RefCell<Vec<u32>>,
    /// How many subscripts each instance has: fewer than `depth` if it defines a subarray.
    pub subscripts: RefCell<Vec<u32>>,
    /// The values of instances; unset until they are there.
    pub values: RefCell<Vec<Value>>,
    /// What a cell's value is, where no value shows it.
    pub elem: Rc<RtType>,
}

/// How cells are arranged.
pub(crate) enum Layout {
    /// An `array` of these extents.
    Dense(Vec<usize>),
    /// An `update` of this array.
    Like(Rc<Array>),
}
