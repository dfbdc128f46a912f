//! A call of an operation of the implementation.

use crate::code::TypeCode;
use base::Span;

/// A call of an operation: its arguments lie in the first slots of the frame.
#[derive(Clone, Copy)]
pub(super) struct Call<'c> {
    /// The type of the result.
    pub ty: &'c TypeCode,
    pub span: Span,
}
