//! Recursive arrays.

use super::Bound;
use crate::Low;
use crate::context::Lower;
use ir::Bulk;

/// A recursive array under construction.
#[derive(Clone, Debug)]
pub(crate) struct RecArray {}

impl Lower<'_> {
    /// Lowers a bulk form whose values read the arrays that it makes.
    pub fn recursive(&mut self, _bound: &[Bound], _bulk: &Bulk) -> Low<()> {
        self.unsupported("recursive arrays")
    }
}
