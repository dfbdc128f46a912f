//! The interpreter of Core. It judges the passes of the compiler: what a program gives before a pass and after it must be
//! the same, and the same as what compiled code gives.
//!
//! Plain rather than fast. An array is its dimensions and its elements in row-major order; a view is a copy. Every
//! binding is compared with the type of its variable, so that a pass which breaks a promise of the types is caught where
//! it does so: such mistakes of the compiler are errors with code `R099`, never a panic.

mod block;
mod bulk;
mod columns;
mod combine;
mod entry;
mod exp;
mod finish;
mod levels;
mod rec;
mod rec_read;
mod sink;
mod stop;
mod val;
mod view;

use crate::Tracer;
use crate::error::RuntimeError;
use crate::faults;
use crate::stack::{Limit, with_stack};
use base::{IdVec, Map, Name, Span};
use ir::{Emit, FunId, Program, Var};
use std::rc::Rc;
use stop::{Run, Stop};
use val::Val;
use value::components::{Component, join_all, split_all};

/// Runs an entry point of a Core program on the components of its arguments; gives the components of its results.
/// `tracer` gets what `trace` prints.
pub fn run_core(
    program: &Program,
    entry: &str,
    args: Vec<Component>,
    tracer: &Tracer<'_>,
) -> Result<Vec<Component>, Box<RuntimeError>> {
    with_stack(|| {
        let mut machine = Machine::new(program, tracer);
        machine.entry(entry, args).map_err(|stop| machine.error_of(stop))
    })
}

/// Like [`run_core`] on whole values: splits them into components, and joins those of the results.
pub fn run_core_values(
    program: &Program,
    entry: &str,
    args: Vec<value::Value>,
    tracer: &Tracer<'_>,
) -> Result<Vec<value::Value>, Box<RuntimeError>> {
    let known = program.entries.iter().find(|known| known.name.as_str() == entry);
    let Some(known) = known else { return Err(Box::new(stop::no_entry(entry))) };
    let span = program.functions.get(known.function).map_or(stop::nowhere(), |f| f.span);
    if args.len() != known.params.len() {
        return Err(Box::new(stop::argument_count(entry, known.params.len(), args.len(), span)));
    }
    let layouts = known.params.iter().map(|(_, layout)| layout);
    let components =
        split_all(args.into_iter().zip(layouts)).map_err(|why| Box::new(faults::argument(&why.0, span)))?;
    let results = run_core(program, entry, components, tracer)?;
    join_all(results, &known.results).map_err(|why| Box::new(stop::argument(&why.0, span)))
}

/// A run of a program.
struct Machine<'p> {
    program: &'p Program,
    tracer: &'p Tracer<'p>,
    /// The place of each variable in the frames of its function.
    slots: IdVec<Var, u32>,
    /// How many variables each function has.
    sizes: IdVec<FunId, usize>,
    /// The variables of the call that is under way.
    frame: Vec<Val>,
    /// Recursive arrays whose elements are being computed, the innermost last.
    recs: Vec<rec::Recursive<'p>>,
    /// For each value of recursive arrays, the variables of the steps around that it needs.
    needed: Map<*const Emit, Rc<[Var]>>,
    limit: Limit,
    /// The function that is running.
    function: Name,
    /// Where that was called.
    called: Span,
    /// What to say when the stack is full, as far as the functions that are running say it.
    deep: Option<ir::SiteId>,
    /// The place in the source.
    span: Span,
}

impl<'p> Machine<'p> {
    fn new(program: &'p Program, tracer: &'p Tracer<'p>) -> Machine<'p> {
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
            limit: Limit::current(),
            function: Name::new("main"),
            called: stop::nowhere(),
            deep: None,
            span: stop::nowhere(),
        }
    }

    /// The error that ended a run.
    fn error_of(&self, stop: Stop) -> Box<RuntimeError> {
        match stop {
            Stop::Error(error) => error,
            Stop::Need(_) => Box::new(stop::internal("an element is needed that nothing computes", self.span)),
        }
    }

    fn internal<T>(&self, what: impl AsRef<str>) -> Run<T> {
        Err(stop::internal(what.as_ref(), self.span).into())
    }
}
