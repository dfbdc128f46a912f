//! What the pass works with: types, values, forms and drafts of steps. None of it writes statements.

pub(crate) mod draft;
pub(crate) mod form;
pub(crate) mod tree;
pub(crate) mod types;
pub(crate) mod value;
