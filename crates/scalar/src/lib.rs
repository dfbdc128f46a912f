//! Primitive types, their operators and what those operators compute.
//!
//! The only definition of scalars: the checker asks here which operator exists at which type, the
//! interpreters and constant folding evaluate with it, and generated code must agree with it.

mod convert;
mod eval;
mod float;
mod layout;
mod math;
mod math_eval;
mod op;
mod prim;
mod text;
mod value;

pub use convert::convert;
pub use eval::{eval_bin, eval_un};
pub use half::f16;
pub use layout::{Component, DimKind, Layout};
pub use math::{Math, MathOp, MathType};
pub use math_eval::eval_math;
pub use op::{BinOp, ScalarError, UnOp};
pub use prim::Prim;
pub use text::Plain;
pub use value::Scalar;
