//! What every other crate stands on: source positions, interned names, typed ids and diagnostics.
//!
//! Nothing here knows the language. The crate has no opinion about files or terminals: sources are
//! handed in as text, and diagnostics are data that a face (command line, language server) renders.

pub mod bug;
pub mod diagnostic;
pub mod id;
pub mod memory;
pub mod name;
pub mod source;
pub mod spell;

pub use diagnostic::{Diagnostic, Label, Severity};
pub use id::IdVec;
pub use name::Name;
pub use rustc_hash::{FxHashMap as Map, FxHashSet as Set};
pub use source::{FileId, Sources, Span};
