//! Types and sizes.
//!
//! - `types`: questions about types of the source, and types as they are in an environment.
//! - `matching`: a value against its type. Sizes that are unknown are bound, known ones are checked. `lengths`: the same
//!   for row lengths.
//! - `hidden`: sizes that only constructors mention are looked for where they are read.
//! - `sums`: arrays in constructors, and dummies for constructors that a value does not have.

mod hidden;
mod lengths;
pub(crate) mod matching;
pub(crate) mod sums;
pub(crate) mod types;
