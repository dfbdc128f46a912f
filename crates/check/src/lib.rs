//! Ast to Typed: names, types, sizes and shapes, uniqueness, and what can be said of `array` clauses.
//!
//! The passes, in order, definition by definition:
//! 1. `modules`, `infer`: modules are evaluated away, names resolved, types inferred with sizes erased.
//! 2. `sizes`: sizes, size functions and shapes by constraints; writes them into the types of pass 1's tree.
//! 3. `unique`: consumption and aliasing.
//! 4. `clauses`: certain collisions, gaps, cycles and out-of-range subscripts of `array` with constant bounds.

mod checker;
mod clauses;
mod errors;
mod exhaustive;
mod infer;
mod metas;
mod modules;
mod scope;
mod sizes;
mod subst;
mod type_exp;
mod unify;
mod unique;
mod zonk;

pub(crate) use checker::Checker;

use base::{Diagnostic, Map, Sources};
use syntax::ast;
use typed::Program;

/// One parsed file.
#[derive(Debug)]
pub struct Unit {
    /// Its tree.
    pub ast: ast::File,
    /// The files it imports: path as written to index in the list of units, always an earlier one.
    pub imports: Map<String, usize>,
}

/// The files that every program stands on, as indices into the list of units.
#[derive(Clone, Copy, Debug)]
pub struct Std {
    /// `std/intrinsics.rv`: one module type whose `val`s the implementation provides, visible in std as `intrinsics`.
    pub intrinsics: usize,
    /// `std/prelude.rv`: open in every file.
    pub prelude: usize,
    /// `std/library.rv`: open in `.rv` files.
    pub library: usize,
}

/// What checking gives.
#[derive(Debug)]
pub struct Checked {
    /// The program; complete only if no diagnostic is an error.
    pub program: Program,
    /// Errors and warnings, in source order.
    pub diagnostics: Vec<Diagnostic>,
}

/// Checks the program whose main file is `units[main]`. Imports come before their importers, and the files of std
/// (those up to `std.library`) before all others.
pub fn check(sources: &Sources, units: &[Unit], std: Std, main: usize) -> Checked {
    let mut checker = Checker::new(sources, units, std, main);
    for index in 0..units.len() {
        checker.unit(index);
    }
    checker.finish()
}
