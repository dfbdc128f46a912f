//! The messages of names and types: what is wrong, where, why, and what to do. One function each.

mod arrays;
mod declarations;
mod habits;
mod hints;
mod names;
mod types;

pub(crate) use hints::{IN_ARRAY, SHAPE_IS_VECTOR};
