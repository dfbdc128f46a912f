//! What the pass works with: types, values, forms and drafts of steps. None of it writes statements.
//!
//! Values and forms are [`tree::Tree`]s: they differ only in what stands at their leaves, so one set of walks serves both.
//! Types ([`types::Mono`]) have walks of the same names, but are an enum of their own:
//!
//! - Their fields have names, which layouts and patterns need; values know fields by their numbers.
//! - An array type has one dimension a node, so that the element type is a part of it and can be borrowed. An array value
//!   has all its dimensions in one node, because its leaves are variables that have all of them.
//! - The constructors of a [`tree::Sum`] refer to the types of their parts; a type that were such a tree would contain
//!   everything twice.

pub(crate) mod draft;
pub(crate) mod form;
pub(crate) mod tree;
pub(crate) mod types;
pub(crate) mod value;
