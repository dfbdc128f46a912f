//! Tests of the passes as they are run one after the other.

mod checks;
mod intrinsics;
mod passes;
mod render;
