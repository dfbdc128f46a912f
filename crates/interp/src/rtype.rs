//! Types as they are at run time: sizes are numbers, type parameters are replaced.
//!
//! They are needed where no value shows them: rows of empty arrays, whether rows may differ in length, and numbers
//! whose type only the context knows.

use base::Name;
use scalar::Prim;
use std::rc::Rc;

/// A type at run time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum RtType {
    Prim(Prim),
    /// Fields in order.
    Record(Vec<Rc<RtType>>),
    Array(RtDim, Rc<RtType>),
    /// The first constructor, with the types of its parts. Columns hold sums boxed.
    Sum(Name, Vec<Rc<RtType>>),
    /// Functions, which columns hold boxed; also what no value can be had of.
    Boxed,
}

/// A dimension at run time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RtDim {
    Known(i64),
    /// Of an extent that no name tells.
    Unknown,
    Jagged,
}

impl RtType {
    /// The type of an array's elements.
    pub fn elem(&self) -> &RtType {
        match self {
            RtType::Array(_, elem) => elem,
            RtType::Prim(_) | RtType::Record(_) | RtType::Sum(..) | RtType::Boxed => &RtType::Boxed,
        }
    }

    /// The type of what an array has below so many dimensions. Dimensions of a shape that no name tells are not there; the
    /// elements are.
    pub fn below(&self, dims: usize) -> &RtType {
        (0..dims).fold(self, |ty, _| if let RtType::Array(_, elem) = ty { elem } else { ty })
    }

    pub fn prim(&self) -> Option<Prim> {
        match self {
            RtType::Prim(prim) => Some(*prim),
            RtType::Record(_) | RtType::Array(..) | RtType::Sum(..) | RtType::Boxed => None,
        }
    }
}
