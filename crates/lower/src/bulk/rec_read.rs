//! Reading recursive arrays.

use crate::Low;
use crate::context::Lower;
use ir::{Range, Var};
use kernel::Expr;

impl Lower<'_> {
    /// An element of a recursive array.
    pub fn rec_index(&mut self, _var: Var, _array: Var, _at: &[Expr]) -> Low<()> {
        self.unsupported("recursive arrays")
    }

    /// An element of a recursive array.
    pub fn rec_index_vector(&mut self, _var: Var, _array: Var, _at: Var) -> Low<()> {
        self.unsupported("recursive arrays")
    }

    /// A slice of a recursive array.
    pub fn rec_slice(&mut self, _var: Var, _array: Var, _ranges: &[Range]) -> Low<()> {
        self.unsupported("recursive arrays")
    }
}
