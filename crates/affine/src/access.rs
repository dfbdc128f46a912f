//! References to array elements from within loop nests.

use crate::linear::Linear;
use crate::space::{Loop, LoopVar};

/// A reference to an array element from within a loop nest (outermost loop first). A subscript
/// shorter than another's stands for the whole subarray.
#[derive(Clone, Copy, Debug)]
pub struct Access<'a> {
    /// The loops around the reference.
    pub loops: &'a [Loop],
    /// The subscript in each dimension.
    pub subscript: &'a [Linear<LoopVar>],
}

/// How a loop variable at the source stands to the same variable at the sink.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// The source's value is smaller: an earlier iteration.
    Less,
    /// Both are in the same iteration.
    Equal,
    /// The source's value is greater: a later iteration.
    Greater,
    /// No constraint.
    Any,
}
