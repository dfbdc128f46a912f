//! Typed to Core.
//!
//! The pass runs the program symbolically: it walks expressions in the order of evaluation, writes statements of Core as
//! it goes, and keeps for every name what its value is made of ([`value::Val`]). What is known while it walks goes away:
//! - polymorphism: type parameters are bound to types ([`mono::Mono`]) in the environment;
//! - functions as values: they are applied where they are known. Where recursion makes ever larger ones they go into
//!   boxes, and are applied by a function that knows all cases ([`function_boxes`]);
//! - records, sums and tuples: trees of components; an array of tuples is a tuple of arrays;
//! - shapes and index vectors of known length;
//! - implicit checks: they are written as `assert`, with the interpreter's words ([`faults`]).
//!
//! Calls of small definitions and of definitions that take functions are unfolded. Recursive definitions and larger ones
//! become functions of Core, one for each form of their arguments ([`instance`]).
//!
//! - `expr`, `control`, `apply`, `instance`: expressions, branches and loops, calls. `matching`: sizes.
//! - `index`, `replace`: parts of arrays. `arrays`, `form`, `rows`, `convert`: arrays and how values are put into them and brought into one form.
//! - `intrinsics/`: what the implementation provides. `clauses`, `quals`: comprehensions and arrays by clauses.
//! - `constants`: what is left to do on Core: constants become parameters.
//!
//! What comes out still has statements that nothing needs, and may consume memory that somebody else still reads: the
//! passes `sweep` and `copies` put that right.

mod abstraction;
mod apply;
mod arrays;
mod boxes;
mod callers;
mod clauses;
mod constants;
mod control;
mod convert;
mod counting;
mod entry;
mod expr;
mod faults;
mod form;
mod free;
mod function_boxes;
mod hidden;
mod index;
mod instance;
mod intrinsics;
mod lengths;
mod matching;
mod mono;
mod operators;
mod patterns;
mod quals;
mod ranges;
mod ranks;
mod rebuild;
mod rec_arrays;
mod replace;
mod rows;
mod sharing;
mod sums;
mod value;
mod vectors;

use base::{Diagnostic, FileId, Map, Name, Set, Span};
use ir::Limitation;
use ir::build::Builder;
use std::rc::Rc;
use typed::{DefId, Program};
use value::{Env, Val};

/// What stops the pass: something that the compiler cannot translate, with the reason.
pub(crate) type Made<T> = Result<T, Box<Diagnostic>>;

/// Translates all entry points of a checked program, or the definitions in `entries`. Errors in files of the library
/// are shown where the user's text calls it.
pub fn desugar(program: &Program, entries: &[DefId], library: &Set<FileId>) -> Result<ir::Program, Diagnostic> {
    let mut desugar = Desugar {
        typed: program,
        library,
        b: Builder::default(),
        env: Rc::new(Env::default()),
        calls: Vec::new(),
        chains: Map::default(),
        instances: Map::default(),
        recursive: typed::recursion::recursive_defs(program),
        constants: Map::default(),
        global_vars: Set::default(),
        rec_vars: Map::default(),
        rec_boxes: Map::default(),
        boxes: function_boxes::Boxes::default(),
        making: Vec::new(),
        weights: Map::default(),
        given: None,
        whole: None,
        entry: None,
        looks_into_sums: false,
    };
    for entry in entries {
        desugar.at(program.defs[*entry].span, |d| d.entry(*entry)).map_err(|error| *error)?;
    }
    desugar.finish_boxes().map_err(|error| *error)?;
    let mut program = desugar.b.program;
    callers::complete(&mut program, &desugar.chains);
    constants::lift(&mut program, desugar.constants);
    Ok(program)
}

pub(crate) struct Desugar<'t> {
    typed: &'t Program,
    library: &'t Set<FileId>,
    b: Builder,
    env: Rc<Env<'t>>,
    /// Calls that are being unfolded: the definition's name and where it is called.
    calls: Vec<(Name, Span)>,
    /// The calls under way at each call of a function of Core, by the first of its results.
    chains: Map<ir::Var, callers::Chain>,
    instances: Map<instance::Key, instance::Instance>,
    recursive: Set<DefId>,
    constants: Map<DefId, instance::Constant<'t>>,
    /// The variables of constants, which are visible everywhere.
    global_vars: Set<ir::Var>,
    /// Names of recursive arrays: they can be indexed and sliced, and nothing else.
    rec_vars: Map<ir::Var, rec_arrays::RecVar>,
    /// The forms of the elements of recursive arrays that have parts of unknown rank, by their first variable.
    rec_boxes: Map<ir::Var, form::Form>,
    /// Functions in boxes.
    boxes: function_boxes::Boxes<'t>,
    /// The definitions of which instances are being made, the innermost last.
    making: Vec<DefId>,
    /// How much code comes of definitions, as far as somebody asked.
    weights: Map<DefId, usize>,
    /// The arrays among the arguments of the call whose parameters are being bound: messages show them.
    given: Option<Given<'t>>,
    /// The value that is being matched against a type, of which parts are looked at: messages show the whole.
    whole: Option<Val<'t>>,
    /// The entry point whose parameters are being bound.
    entry: Option<Name>,
    /// Whether sums among its arguments are looked into: when all sizes are known.
    looks_into_sums: bool,
}

/// Arguments of a call.
#[derive(Clone)]
pub(crate) struct Given<'t> {
    /// The function.
    name: Name,
    /// Whether it is called from outside.
    outside: bool,
    /// The arrays, with the names of their parameters.
    arrays: Vec<(Name, Val<'t>)>,
}

impl<'t> Desugar<'t> {
    /// Gives a name a value.
    pub(crate) fn set(&mut self, local: typed::LocalId, val: Val<'t>) {
        Rc::make_mut(&mut self.env).vals.insert(local, val);
    }

    /// Forgets a name, so that it can be bound anew.
    pub(crate) fn unset(&mut self, local: typed::LocalId) {
        Rc::make_mut(&mut self.env).forget(local);
    }

    /// Runs `f`: its statements and checks stand at this place.
    pub(crate) fn at<T>(&mut self, span: Span, f: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.b.span, span);
        let made = f(self);
        self.b.span = outer;
        made
    }

    /// Runs `f`: its statements rely on these checks.
    pub(crate) fn under<T>(&mut self, certs: &[ir::Var], f: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.b.rely_on(certs.to_vec());
        let made = f(self);
        self.b.rely_on(outer);
        made
    }

    /// The error for what the compiler cannot translate.
    pub(crate) fn unsupported<T>(&self, what: Limitation) -> Made<T> {
        Err(Box::new(what.diagnostic(self.b.span)))
    }
}
