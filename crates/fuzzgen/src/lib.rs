//! A generator of well-typed programs, and a judge that runs them in every way there is.
//!
//! [`generate`] makes a program with several entry points from a seed; [`corpus`] changes a program that people wrote.
//! [`judge`] runs each entry point on its inputs:
//! on the interpreter, which defines the meaning, on the interpreter of Core, and as native code on one thread and on
//! many. [`reduce`] shrinks a program on which they disagree. [`crew`] does all that in processes of their own, because
//! wrong native code does not always end politely.

pub mod campaign;
pub mod corpus;
pub mod coverage;
pub mod crew;
pub mod generate;
pub mod judge;
pub mod random;
pub mod reduce;
pub mod tree;

pub use generate::generate;
pub use tree::Program;
