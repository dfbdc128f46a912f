//! References to array elements from within loop nests.

use crate::linear::Linear;
use crate::space::{Loop, LoopVar};

/// A reference to an array element from within a loop nest (outermost loop first). A subscript
/// shorter than another's refers to the whole subarray.
#[derive(Clone, Copy, Debug)]
pub struct Access<'a> {
    /// The loops around the reference.
    pub loops: &'a [Loop],
    /// The reference happens only in iterations where all of these are at least zero.
    pub guards: &'a [Linear<LoopVar>],
    /// The subscript in each dimension.
    pub subscript: &'a [Linear<LoopVar>],
}

impl<'a> Access<'a> {
    /// A reference that happens in every iteration.
    pub fn new(loops: &'a [Loop], subscript: &'a [Linear<LoopVar>]) -> Self {
        Access { loops, guards: &[], subscript }
    }
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
