//! Everything known while a group of definitions is checked.

use super::assumptions::Assumptions;
use super::scheme::Scheme;
use super::vars::Var;
use base::{Diagnostic, Map, Set, Severity, Span};
use std::cell::Cell;
use syntax::ast::{Dialect, Lifted};
use typed::{AbstractId, DefId, Dim, LocalId, Program, Size, Type, TypeVarId};

/// How much freedom type parameters and abstract types have.
#[derive(Clone, Copy)]
pub struct Kinds<'a> {
    /// Of type parameters.
    pub vars: &'a Map<TypeVarId, Lifted>,
    /// Of abstract types.
    pub abstracts: &'a Map<AbstractId, Lifted>,
}

/// Everything known while a group of definitions is checked.
pub(super) struct Cx<'p> {
    pub program: &'p mut Program,
    pub diagnostics: &'p mut Vec<Diagnostic>,
    pub kinds: Kinds<'p>,
    /// Applications whose function comes before its argument.
    pub function_first: &'p Set<Span>,
    /// Whether the file is `.rv`.
    pub ravel: bool,
    pub vars: Map<LocalId, Var>,
    /// The variables in the order they were made.
    pub order: Vec<LocalId>,
    /// Types of locals.
    pub types: Map<LocalId, Scheme>,
    /// The level at which a local is bound.
    pub bound_at: Map<LocalId, u32>,
    /// The values of `let`-bound sizes (`.rv` only: Futhark does not look through them).
    pub definitions: Map<LocalId, Size>,
    /// The dimensions that `let`-bound vectors hold.
    pub shapes: Map<LocalId, Vec<Dim>>,
    /// The definitions of the group that are not finished: the declared type, if the result was written.
    pub open: Map<DefId, Option<Type>>,
    /// Row lengths that are what a function's parameter of this name is, row after row.
    pub named_rows: Vec<(LocalId, LocalId)>,
    /// Names bound inside types that type parameters are instantiated to.
    pub template_binders: Vec<LocalId>,
    /// Rows that were selected: the row lengths, the index as text, and the unknown size of that row.
    pub selected: Vec<(LocalId, String, LocalId)>,
    /// Sizes of uses that only functions among the arguments show.
    pub only_functions_show: Vec<LocalId>,
    pub occurrences: u32,
    /// How many functions with parameters there were so far.
    pub functions: u32,
    pub level: u32,
    /// Whether a `[~]` that is read now means row lengths that the caller chooses.
    pub params_are_given: bool,
    /// How deep we are in sizes inside types inside sizes.
    pub depth: Cell<u32>,
    pub assumptions: Assumptions,
    /// Whether this definition has an error already, so that what follows from it is not reported.
    pub failed: bool,
}

impl<'p> Cx<'p> {
    pub(super) fn new(
        program: &'p mut Program,
        kinds: Kinds<'p>,
        function_first: &'p Set<Span>,
        dialect: Dialect,
        diagnostics: &'p mut Vec<Diagnostic>,
    ) -> Cx<'p> {
        Cx {
            program,
            diagnostics,
            kinds,
            function_first,
            ravel: dialect == Dialect::Ravel,
            vars: Map::default(),
            order: Vec::new(),
            types: Map::default(),
            bound_at: Map::default(),
            definitions: Map::default(),
            shapes: Map::default(),
            open: Map::default(),
            named_rows: Vec::new(),
            template_binders: Vec::new(),
            selected: Vec::new(),
            only_functions_show: Vec::new(),
            occurrences: 0,
            functions: 0,
            level: 0,
            params_are_given: false,
            depth: Cell::new(0),
            assumptions: Assumptions::default(),
            failed: false,
        }
    }

    /// Reports a problem. One mistake gives one message: what comes after the first error is likely to follow from it.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if diagnostic.severity == Severity::Error && std::mem::replace(&mut self.failed, true) {
            return;
        }
        self.diagnostics.push(diagnostic);
    }
}
