//! Core to Kernel: every array gets a home in memory, every bulk form becomes loops.
//!
//! - An array variable becomes a buffer, an offset and strides ([`rep::Rep`]), so that rows, slices and transposes cost
//!   nothing. What is known to lie in row-major order needs no strides.
//! - A buffer has one owner, a Kernel variable of the block that made it, and is released after the last statement of
//!   that block that mentions it through any Core variable ([`scope`]). What leaves a block is moved or shared.
//! - Functions take and give buffer, offset and strides; entry points have the plain convention of [`kernel::Entry`].
//! - A bulk form walks its index space once and hands values to *sinks*, one for each output ([`bulk`]). Reductions and
//!   scans go by blocks of fixed size, so results do not depend on the number of threads.

mod boxes;
mod call;
mod context;
mod control;
mod copying;
mod desc;
mod dims;
mod entry;
mod expr;
mod function;
mod index;
mod mentions;
mod order;
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
