//! Reasoning about integers that are linear in unknowns: sizes in types, subscripts, iteration spaces.
//!
//! - [`linear`]: canonical linear forms over any symbol type, with checked arithmetic;
//! - [`range`]: integer intervals, and the interval of a linear form;
//! - [`space`]: loops with constant bounds and nests of them;
//! - [`progression`], [`boxes`]: strided index sets, their overlap and what they leave uncovered;
//! - [`access`], [`depend`]: do two subscripts in loop nests ever meet, and in which directions;
//! - [`graph`]: cycles among elements that read one another;
//! - [`clauses`]: certain faults of arrays defined by clauses (collisions, gaps, cycles, bad subscripts).
//!
//! Every function works on mathematical integers. Where a computation would leave the machine's
//! range the answer is "unknown" (or `None`), never a wrapped number.

pub mod access;
pub mod boxes;
pub mod clauses;
pub mod depend;
pub mod graph;
mod instances;
pub mod linear;
pub mod progression;
mod quick;
pub mod range;
mod solve;
pub mod space;

pub use access::{Access, Direction};
pub use boxes::{Coverage, StridedBox, first_gap, first_overlap};
pub use depend::{Answer, Test, Verdict, Witness, depends, direction_vectors};
pub use linear::Linear;
pub use progression::Progression;
pub use range::Range;
pub use space::{Loop, LoopVar};
