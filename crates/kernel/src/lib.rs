//! Kernel: loops, buffers and scalars. What machines do, before it is written down as C.
//!
//! - A variable is a scalar or a buffer. A buffer is a counted reference to a block of memory with elements of one
//!   primitive type; index arithmetic is spelt out.
//! - Every block of statements is a scope. A buffer that owns a count ([`Stm::Alloc`], [`Stm::Share`], results of
//!   calls) is released exactly once on every path, by [`Stm::Release`], by [`Stm::Move`] or by [`Stm::Return`].
//! - A box ([`Stm::Pack`]) is a buffer that keeps counted references to others. What is fetched from it
//!   ([`Stm::Fetch`]) is lent by it, and not used once the box is released.
//! - Parameters are lent: a function does not release its parameters. Results are owned by the caller.
//! - [`Stm::Fail`] ends the run (in a [`Stm::Try`], [`Stm::Stop`] ends the attempt) and memory is given back by the
//!   run-time system, so nothing is released on that way.
//! - The body of a parallel loop assigns no variable from outside of it. It may store into buffers from outside, where
//!   no two iterations store to one place, and reads none of those places; it shares and releases its own buffers
//!   alone.

pub mod data;
pub mod exprs;
pub mod facts;
pub mod text;
pub mod verify;
pub mod walk;

pub use data::*;
pub use exprs::{Expr, Exprs, Op, OpId};
