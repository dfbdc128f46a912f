//! How the values of Core are represented in Kernel, and scalar expressions. Pure data.

pub(crate) mod convention;
pub(crate) mod expr;
pub(crate) mod forms;
pub(crate) mod rec_array;
pub(crate) mod rep;

use base::Diagnostic;

/// A result, or the error that names a limitation ([`ir::Limitation`]).
pub(crate) type Low<T> = Result<T, Box<Diagnostic>>;
