//! How the values of Core are represented by Kernel variables.

use super::expr::{self, ExprBuilder};
use kernel::{Expr, Var as K};
use scalar::Prim;

/// The Kernel representation of a Core variable. All expressions are constants or variables.
#[derive(Clone, Debug)]
pub(crate) enum Rep {
    /// A scalar.
    Scalar(Expr),
    /// A short vector whose elements are scalars: it has no memory until something needs it to.
    Vector(Prim, Vec<Expr>),
    /// An array in memory.
    Array(Array),
    /// A descriptor.
    Desc(Desc),
    /// A certificate: nothing.
    Cert,
    /// A box.
    Box(K),
}

/// An array in memory.
///
/// If all dimensions are regular, element `(i, j, ..)` lies at `offset + i * s0 + j * s1 ..`. Below a jagged dimension,
/// and if the rank is unknown, elements lie in row-major order, and the numbers that descriptors give are added to
/// `offset`: so `offset` itself may lie before the first element.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Array {
    /// The memory.
    pub buffer: K,
    /// Where it begins.
    pub offset: Expr,
    /// The distances between elements.
    pub strides: Strides,
    /// Whether it is all there is in the buffer, in some order.
    pub whole: bool,
}

/// The distances between elements.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Strides {
    /// Row-major, one after the other.
    RowMajor,
    /// For each dimension.
    Explicit(Vec<Expr>),
}

/// A descriptor: a window of offsets. Row `i` of the dimensions around it (counted as descriptors outside of it count)
/// is `offsets[start + i] .. offsets[start + i + 1]` of what lies inside.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Desc {
    /// Offsets.
    pub offsets: Offsets,
    /// Where the window begins.
    pub start: Expr,
}

/// A row that was looked up.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Row {
    /// The descriptor.
    pub desc: Desc,
    /// The number of the row.
    pub number: Expr,
    /// Where it begins.
    pub begin: Expr,
}

/// The offsets of rows. Where a descriptor is decided at run time, or leaves the function, they are in memory.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Offsets {
    /// In memory, `i64`.
    Memory(K),
    /// Multiples of the length that all rows have: they take no memory.
    Uniform(Expr),
}

impl Desc {
    /// A window of offsets in memory.
    pub fn in_memory(offsets: K, start: Expr) -> Desc {
        Desc { offsets: Offsets::Memory(offsets), start }
    }

    /// Where a row begins.
    pub fn offset(&self, exprs: &ExprBuilder, row: Expr) -> Expr {
        let number = exprs.add(self.start, row);
        match self.offsets {
            Offsets::Memory(offsets) => exprs.load(offsets, number),
            Offsets::Uniform(length) => exprs.mul(number, length),
        }
    }
}

impl Array {
    /// Row-major elements from a place on.
    pub fn at(buffer: K, offset: Expr) -> Array {
        Array { buffer, offset, strides: Strides::RowMajor, whole: false }
    }

    /// All of a buffer, in row-major order.
    pub fn whole(buffer: K) -> Array {
        Array { whole: true, ..Array::at(buffer, expr::int(0)) }
    }

    /// Whether it is known to be in row-major order.
    pub fn is_row_major(&self) -> bool {
        self.strides == Strides::RowMajor
    }
}

impl Rep {
    /// The buffer, if there is one.
    pub fn buffer(&self) -> Option<K> {
        match self {
            Rep::Array(array) => Some(array.buffer),
            Rep::Desc(Desc { offsets: Offsets::Memory(offsets), .. }) => Some(*offsets),
            Rep::Box(k) => Some(*k),
            Rep::Scalar(_) | Rep::Vector(..) | Rep::Desc(_) | Rep::Cert => None,
        }
    }
}
