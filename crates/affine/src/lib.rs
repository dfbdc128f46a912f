//! Reasoning about integers that are linear in unknowns: sizes in types, subscripts, iteration spaces.
//!
//! - [`linear`]: canonical linear forms over any symbol type, with checked arithmetic;
//! - [`range`]: integer intervals, and the interval of a linear form;
//!
//! Every function works on mathematical integers. Where a computation would leave the machine's
//! range the answer is "unknown" (or `None`), never a wrapped number.

pub mod linear;
pub mod range;

pub use linear::Linear;
pub use range::Range;
