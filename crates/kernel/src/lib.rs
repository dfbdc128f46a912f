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
//! - Expressions are copied like numbers: their operations lie in an arena ([`exprs`]).
//! - Where the memory of a buffer is stands in one place ([`Home`]): a local array on the stack, memory that is new in
//!   the function and has a name, or any other. Buffers with different homes never are the same memory.
//! - Loops have a mode ([`Mode`]). The iterations of a `simd` loop are independent, those of an `unrolled` one have a
//!   constant number. [`facts`] says when a mark is right; the verifier checks each.
//!
//! # GPUs
//!
//! They need four things, which have their places. An address space (global, shared by a group of threads, private) is
//! a matter of where memory is, so it becomes part of [`Home`]; private arrays are local arrays already. A launch is a
//! loop with a mode of its own, whose body is outlined as that of a parallel loop is, and whose lanes are iterations. A
//! barrier is a statement that the body of a launch may contain outside of choices. An atomic update is a statement
//! like [`Stm::Store`] with an operator; it is what iterations may do to one place in common, so the rules of
//! [`facts::dependence`] and of parallel loops let it pass.

pub mod data;
pub mod exprs;
pub mod facts;
pub mod text;
pub mod verify;
pub mod walk;

pub use data::*;
pub use exprs::{Expr, Exprs, Op, OpId};
