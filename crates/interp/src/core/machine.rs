//! The state of a run.

use super::sink::Recursive;
use super::stop::{self, Run, Stop};
use super::val::Val;
use crate::error::RuntimeError;
use crate::stack::Limit;
use crate::tracer::Tracer;
use base::{IdVec, Map, Name, Span};
use ir::{Emit, FunId, Program, Var};
use std::rc::Rc;

/// A run of a program.
pub(super) struct Machine<'p> {
    pub program: &'p Program,
    pub tracer: &'p Tracer<'p>,
    /// The place of each variable in the frames of its function.
    pub slots: IdVec<Var, u32>,
    /// How many variables each function has.
    pub sizes: IdVec<FunId, usize>,
    /// The variables of the call that is under way.
    pub frame: Vec<Val>,
    /// Recursive arrays whose elements are being computed, the innermost last.
    pub recs: Vec<Recursive<'p>>,
    /// For each value of recursive arrays, the variables of the steps around that it needs.
    pub needed: Map<*const Emit, Rc<[Var]>>,
    /// Whether versions of a computation are being compared: those inside are not, or recursion would take forever.
    pub comparing: bool,
    pub limit: Limit,
    /// The function that is running.
    pub function: Name,
    /// Where that was called.
    pub called: Span,
    /// What to say when the stack is full, as far as the functions that are running say it.
    pub deep: Option<ir::SiteId>,
    /// The place in the source.
    pub span: Span,
}

impl<'p> Machine<'p> {
    pub fn new(program: &'p Program, tracer: &'p Tracer<'p>) -> Machine<'p> {
        let mut slots: IdVec<Var, u32> = IdVec::new();
        program.vars.ids().for_each(|_| {
            slots.push(0);
        });
        let mut sizes = IdVec::new();
        for function in program.functions.values() {
            let vars = function.params.iter().copied().chain(function.body.bound());
            let mut size = 0;
            for var in vars.filter(|var| program.vars.get(*var).is_some()) {
                slots[var] = size as u32;
                size += 1;
            }
            sizes.push(size);
        }
        Machine {
            program,
            tracer,
            slots,
            sizes,
            frame: Vec::new(),
            recs: Vec::new(),
            needed: Map::default(),
            comparing: false,
            limit: Limit::current(),
            function: Name::new("main"),
            called: stop::nowhere(),
            deep: None,
            span: stop::nowhere(),
        }
    }

    /// The error that ended a run.
    pub fn error_of(&self, stop: Stop) -> Box<RuntimeError> {
        match stop {
            Stop::Error(error) => error,
            Stop::Need(_) => Box::new(stop::internal("an element is needed that nothing computes", self.span)),
        }
    }

    pub fn internal<T>(&self, what: impl AsRef<str>) -> Run<T> {
        Err(stop::internal(what.as_ref(), self.span).into())
    }
}
