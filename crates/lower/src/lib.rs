//! Core to Kernel: every array gets a home in memory, every bulk form becomes loops.
//!
//! ```text
//! def f [n] (xs: [n]i64): [n]i64 = map (+ 1) xs            Core: let ys: [n]i64 = bulk { for x in xs { gen ys: x + 1 } } in ys
//!
//! function f(n: i64, xs: buffer i64, at: i64, stride: i64) {
//!   declare ys: buffer i64
//!   ys = alloc n                                            a buffer for the result, owned by the block
//!   for i < n parallel { ys[i] = xs[at + i * stride] + 1 }
//!   return ys, 0                                            the buffer leaves the block, so it is not released
//! }
//! ```
//!
//! One walk over each function, callees first, statement by statement. What it knows is in three places with an
//! interface of their own, and [`context::Lower`] holds them:
//!
//! - [`homes`]: what stands for each Core variable. An array is a buffer, an offset and strides ([`rep::Rep`]), so that rows,
//!   slices and transposes cost nothing; an array that is known to lie in row-major order needs no strides.
//! - [`code`]: the Kernel program under construction, with open blocks of statements and the buffers they own.
//! - [`alias`]: which buffers may be the same memory, for updates in place.
//!
//! A buffer has one owner, a Kernel variable of the block that made it, and is released after the last statement of that
//! block that mentions it through any Core variable ([`scope`]). A buffer that leaves a block is moved or shared.
//! Before the walk, [`mentions`] finds which variables statements mention, [`needs_memory`] which short vectors need
//! memory at all, and [`order`] the order of functions.
//!
//! Functions take and give buffer, offset and strides ([`convention`]); entry points have the plain convention of
//! [`kernel::Entry`]. A bulk form walks its index space once and hands values to *sinks*, one for each output ([`bulk`]).
//! Reductions and scans go by blocks of fixed size, so results do not depend on the number of threads.
//!
//! Limits: a construct that has no translation yet is an error that names its [`ir::Limitation`]. A program that breaks the
//! rules of Core is a bug of an earlier pass and ends with `bug!`.

mod alias;
mod boxes;
mod call;
mod code;
mod context;
mod control;
mod convention;
mod copying;
mod desc;
mod dims;
mod entry;
mod expr;
mod function;
mod homes;
mod index;
mod mentions;
mod needs_memory;
mod order;
mod rec_array;
mod rep;
mod reshape;
mod scope;
mod slot;
mod sort;
mod stm;
mod vector;

mod bulk;

use base::Diagnostic;

/// A result, or the error that names a limitation ([`ir::Limitation`]).
pub(crate) type Low<T> = Result<T, Box<Diagnostic>>;

/// Lowers a program.
pub fn lower(program: &ir::Program) -> Result<kernel::Program, Box<Diagnostic>> {
    let mut lower = context::Lower::new(program);
    lower.functions()?;
    lower.entries()?;
    Ok(lower.finish())
}
