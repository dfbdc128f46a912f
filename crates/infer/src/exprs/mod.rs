//! Type inference with sizes erased: Hindley-Milner with overloading, record and sum constraints, and questions that
//! wait until more of the definition is known (is this operand an array? is this index a vector?).

mod apply;
pub(crate) mod clauses;
mod control;
mod def;
pub(crate) mod deferred;
mod expr;
mod generalise;
mod generators;
mod habits;
mod index;
mod literal;
mod ops;
mod otherwise;
mod own_operator;
mod pattern;
mod recursive_lets;
mod sections;
mod solve;
mod var;
pub(crate) mod vectors;
