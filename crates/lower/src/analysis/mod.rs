//! Questions about the Core program that are answered before or beside the walk.

pub(crate) mod cost;
pub(crate) mod mentions;
pub(crate) mod needs_memory;
