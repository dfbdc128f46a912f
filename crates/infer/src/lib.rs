//! Pass `infer`: names, modules and types. Ast to Typed, with sizes erased.
//!
//! Modules are evaluated away (`modules`, `scope`), type expressions read (`type_exp`), and the types of definitions
//! inferred as in Hindley-Milner (`exprs`, `unify`, `metas`, `instantiate`). `zonk` writes what inference found into
//! the tree, `exhaustive` looks at patterns, `errors` has the messages.
//!
//! Definitions are finished one group after the other: later definitions see the sizes of earlier ones in their types,
//! so the caller's later passes run on each group as soon as its types are known ([`FinishGroup`]).

mod checker;
mod errors;
mod exhaustive;
mod exprs;
mod instantiate;
mod metas;
mod modules;
mod scope;
mod shape_exprs;
mod size_exp;
mod type_exp;
mod unify;
mod zonk;

pub(crate) use checker::Checker;

use base::{Diagnostic, Map, Set, Sources, Span};
use syntax::ast::{self, Dialect, Lifted};
use typed::{AbstractId, DefId, Diet, LocalId, Program, TypeVarId};

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

/// A group of definitions (one, or several that are recursive together) whose types are known but for their sizes, and
/// what was written about them that types do not say.
#[derive(Debug)]
pub struct Group<'a> {
    /// The definitions.
    pub defs: &'a [DefId],
    /// Which language's rules they follow.
    pub dialect: Dialect,
    /// How much freedom type parameters have.
    pub type_vars: &'a Map<TypeVarId, Lifted>,
    /// How much freedom abstract types have.
    pub abstracts: &'a Map<AbstractId, Lifted>,
    /// Applications written as `f <| x`, where the function comes before its argument.
    pub function_first: &'a Set<Span>,
    /// Places of `#[blank] e`.
    pub blanks: &'a Set<Span>,
    /// The diets of names in patterns whose types are written.
    pub written_diets: &'a Map<LocalId, Diet>,
}

/// Runs the later passes on a group. False if its types are not to be relied on.
pub type FinishGroup<'a> = dyn FnMut(&mut Program, &Group, &mut Vec<Diagnostic>) -> bool + 'a;

/// Finds the types of the program whose main file is `units[main]`. Imports come before their importers, and the files
/// of std (those up to `std.library`) before all others.
pub fn infer<'a>(
    sources: &'a Sources,
    units: &'a [Unit],
    std: Std,
    main: usize,
    finish_group: &'a mut FinishGroup<'a>,
) -> Checked {
    let mut checker = Checker::new(sources, units, std, main, finish_group);
    for index in 0..units.len() {
        checker.unit(index);
    }
    checker.finish()
}
