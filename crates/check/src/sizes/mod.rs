//! Pass `sizes`: sizes, size functions and shapes, by constraints.

use base::{Diagnostic, Map};
use syntax::ast::{Dialect, Lifted};
use typed::{AbstractId, DefId, Program, TypeVarId};

/// How much freedom type parameters and abstract types have.
#[derive(Clone, Copy)]
pub(crate) struct Kinds<'a> {
    /// Of type parameters.
    pub vars: &'a Map<TypeVarId, Lifted>,
    /// Of abstract types.
    pub abstracts: &'a Map<AbstractId, Lifted>,
}

/// Finds the sizes of a group of definitions whose types are known but for their sizes.
pub(crate) fn run(
    program: &mut Program,
    group: &[DefId],
    kinds: Kinds,
    dialect: Dialect,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let _ = (program, group, kinds.vars, kinds.abstracts, dialect, diagnostics);
}
