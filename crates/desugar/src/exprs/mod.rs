//! Expressions, one kind a file; `entry` makes entry points.

mod blank;
mod clauses;
mod control;
pub(crate) mod entry;
mod expr;
pub(crate) mod index;
mod patterns;
mod quals;
mod ranges;
mod rec_arrays;
mod replace;
mod updates;
