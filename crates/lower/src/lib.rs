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
//! # The algorithm
//!
//! One walk over each function, callees first, statement by statement.
//!
//! - **Values.** A Core variable is represented by Kernel variables ([`data::rep::Rep`]). An array is a buffer, an
//!   offset and strides, so that rows, slices and transposes cost nothing; an array that is known to be in row-major
//!   order needs no strides. A short vector of known length, such as a shape, has no memory until something needs it.
//! - **Memory.** A buffer has one owner, a Kernel variable of the block that made it. It is released after the last
//!   statement of that block that mentions it through any Core variable ([`scope`]). A buffer that leaves a block is
//!   moved or shared. Updates happen in place, so the walk knows which buffers may be the same memory
//!   ([`builder::alias`]).
//! - **Functions** take and give buffer, offset and strides ([`data::convention`]); entry points have the plain
//!   convention of [`kernel::Entry`].
//! - **Bulk forms** become loops by one of several ways ([`bulk`]). Reductions and scans go by blocks of fixed size, so
//!   results do not depend on the number of threads.
//! - **Recursive arrays** are computed by demand ([`bulk::rec`]): an attempt that needs an element which is missing
//!   stops, the element is computed first, and the attempt starts again.
//!
//! # The modules, each of which imports only those above it
//!
//! | Module | Step | Works on |
//! |---|---|---|
//! | [`data`] | how values are represented; scalar expressions | nothing |
//! | [`builder`] | the Kernel program under construction, homes of variables, aliases; loops and branches | `Builder` |
//! | [`arrays`] | sizes, places, views, copies, descriptors, messages: code that reads and makes arrays | `Builder` |
//! | [`scope`], [`places`] | blocks of Core as blocks of Kernel; results that are made where they are needed | `Lower` |
//! | [`bulk`] | bulk forms, one way a file | `Lower` |
//! | [`statements`] | all other statements | `Lower` |
//! | [`function`], [`entry`] | functions and entry points | `Lower` |
//! | [`moves`] | references that are handed over instead of counted | the Kernel program |
//! | [`locals`] | small buffers that become local arrays | the Kernel program |
//! | [`recycle`] | memory that later turns of a loop use again | the Kernel program |
//! | [`marks`] | which buffers are different, which loops are for vector instructions or unrolled | the Kernel program |
//! | [`transposes`], [`ahead`] | rows that become columns, places that are read soon | the Kernel program |
//! | [`carried`] | elements that the turns before stored | the Kernel program |
//!
//! [`builder::Builder`] is enough for everything that concerns arrays. [`context::Lower`] adds what statements need.
//! Statements contain blocks and blocks contain statements, so `Lower` carries the function that lowers a statement.
//!
//! # Limits
//!
//! A construct that has no translation yet is an error that names its [`ir::Limitation`]. A program that breaks the
//! rules of Core is a bug of an earlier pass and ends with `bug!`.

mod ahead;
mod arrays;
mod builder;
mod bulk;
mod carried;
mod context;
mod data;
mod entry;
mod function;
mod locals;
mod marks;
mod moves;
mod places;
mod recycle;
mod scope;
mod statements;
mod transposes;

use base::Diagnostic;

/// Lowers a program.
pub fn lower(program: &ir::Program) -> Result<kernel::Program, Box<Diagnostic>> {
    let exprs = data::expr::ExprBuilder::default();
    let mut lower = context::Lower::new(program, &exprs, statements::stm::stm);
    function::all(&mut lower)?;
    entry::all(&mut lower)?;
    let mut program = lower.finish();
    moves::hand_over(&mut program);
    locals::make(&mut program);
    recycle::recycle(&mut program);
    marks::mark(&mut program);
    transposes::find(&mut program);
    ahead::look(&mut program);
    carried::find(&mut program);
    Ok(program)
}
