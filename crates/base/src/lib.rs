//! The foundation of all other crates: source positions, interned names, typed ids and diagnostics.
//!
//! Nothing here depends on the language, on files or on terminals: sources are passed in as text, and
//! diagnostics are data that the caller (the command line, a language server) renders.

pub mod bug;
pub mod diagnostic;
pub mod id;
pub mod memory;
pub mod name;
pub mod source;
pub mod spell;

pub use diagnostic::{Diagnostic, Label, Severity};
pub use id::{IdSet, IdVec};
pub use name::Name;
pub use rustc_hash::{FxHashMap as Map, FxHashSet as Set};
pub use source::{FileId, Sources, Span};
