//! Tests of operators and functions on numbers.

mod math;
mod operators;
