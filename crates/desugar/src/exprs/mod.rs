//! Expressions, one kind a file; `entry` makes entry points.

mod clauses;
mod control;
pub(crate) mod entry;
mod expr;
pub(crate) mod index;
mod quals;
mod ranges;
mod rec_arrays;
mod replace;
mod updates;
