//! Pass `sizes`: sizes, size functions and shapes, by constraints.
//!
//! The types that come in have the right structure; the dimensions that nobody wrote are unknown. Every such dimension
//! gets a variable (`vars`), and walking the program brings them together (`unify`, `link`, `verdict`), as in
//! Hindley-Milner inference.
//! - `expr`, `uses`, `apply`, `join`, `index`, `loops`, `clauses`, `rec_arrays`, `pattern`, `function`: the walk, by
//!   construct.
//! - `instantiate`: uses of polymorphic definitions. `exist`: sizes that leave their scope become existential.
//! - `generalise`, `depths`: what a finished definition's type looks like from outside.
//! - `fixpoint`: what is assumed of loops and recursion at first, and taken back where it does not hold.
//! - `finish` writes what was found into the tree; `causality` looks for sizes needed before they are known; `blank` makes
//!   the values of `#[blank] e`.
//! - `canon`, `names`, `sums`, `walk`: size expressions and types as data. `report`: the messages.
//!
//! `.fut` files follow Futhark: sizes that are not equal by type are an error. `.rv` files know size functions too:
//! an extent that differs from row to row; what cannot be shown equal there is remembered and checked at run time.

mod apply;
pub mod blank;
mod canon;
mod causality;
mod clauses;
mod depths;
mod exist;
mod expr;
mod finish;
mod fixpoint;
mod function;
mod generalise;
mod index;
mod instantiate;
mod join;
mod link;
mod loops;
mod names;
mod pattern;
mod rec_arrays;
mod report;
mod sums;
mod unify;
mod uses;
mod vars;
mod verdict;
mod written;

use base::{Diagnostic, Map, Set, Severity, Span};
use std::cell::Cell;
use syntax::ast::{Dialect, Lifted};
use typed::{AbstractId, DefId, Dim, LocalId, Program, Size, Type, TypeParam, TypeVarId};

/// How much freedom type parameters and abstract types have.
#[derive(Clone, Copy)]
pub struct Kinds<'a> {
    /// Of type parameters.
    pub vars: &'a Map<TypeVarId, Lifted>,
    /// Of abstract types.
    pub abstracts: &'a Map<AbstractId, Lifted>,
}

/// A type with its parameters.
#[derive(Clone, Debug)]
struct Scheme {
    params: Vec<TypeParam>,
    ty: Type,
}

impl Scheme {
    fn plain(ty: Type) -> Scheme {
        Scheme { params: Vec::new(), ty }
    }
}

/// Everything known while a group of definitions is checked.
struct Cx<'p> {
    program: &'p mut Program,
    diagnostics: &'p mut Vec<Diagnostic>,
    kinds: Kinds<'p>,
    /// Applications whose function comes before its argument.
    function_first: &'p Set<Span>,
    /// Whether the file is `.rv`.
    ravel: bool,
    vars: Map<LocalId, vars::Var>,
    /// The variables in the order they were made.
    order: Vec<LocalId>,
    /// Types of locals.
    types: Map<LocalId, Scheme>,
    /// The level at which a local is bound.
    bound_at: Map<LocalId, u32>,
    /// What `let`-bound sizes stand for (`.rv` only: Futhark does not look through them).
    definitions: Map<LocalId, Size>,
    /// The dimensions that `let`-bound vectors hold.
    shapes: Map<LocalId, Vec<Dim>>,
    /// The definitions of the group that are not finished: the declared type, if the result was written.
    open: Map<DefId, Option<Type>>,
    /// Row lengths that are what a function's parameter of this name is, row after row.
    named_rows: Vec<(LocalId, LocalId)>,
    /// Names bound inside types that type parameters stand for.
    template_binders: Vec<LocalId>,
    /// Rows that were selected: the row lengths, the index as text, and the unknown size that stands for it.
    selected: Vec<(LocalId, String, LocalId)>,
    occurrences: u32,
    /// How many functions with parameters there were so far.
    functions: u32,
    level: u32,
    /// Whether a `[~]` that is written now stands for row lengths that a caller gives.
    params_are_given: bool,
    /// How deep we are in sizes inside types inside sizes.
    depth: Cell<u32>,
    assumptions: fixpoint::Assumptions,
    /// Whether this definition has an error already, so that what follows from it is not reported.
    failed: bool,
}

/// Finds the sizes of a group of definitions whose types are known but for their sizes.
pub fn run(
    program: &mut Program,
    group: &[DefId],
    kinds: Kinds,
    function_first: &Set<Span>,
    dialect: Dialect,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut cx = Cx {
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
        occurrences: 0,
        functions: 0,
        level: 0,
        params_are_given: false,
        depth: Cell::new(0),
        assumptions: fixpoint::Assumptions::default(),
        failed: false,
    };
    cx.group(group);
}

impl Cx<'_> {
    fn report(&mut self, diagnostic: Diagnostic) {
        if diagnostic.severity == Severity::Error {
            // One mistake gives one message: what comes after the first is likely to follow from it.
            if std::mem::replace(&mut self.failed, true) {
                return;
            }
        }
        self.diagnostics.push(diagnostic);
    }
}
