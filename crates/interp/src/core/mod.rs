//! The interpreter of Core. It judges the passes of the compiler: what a program gives before a pass and after it must
//! be the same, and the same as what compiled code gives.
//!
//! Plain rather than fast. An array is its dimensions and its elements in row-major order; a view is a copy. Every
//! binding is compared with the type of its variable, so that a pass which breaks a promise of the types is caught
//! where it does so: such mistakes of the compiler are errors with code `R099`, never a panic.

mod block;
mod bulk;
mod columns;
mod combine;
mod entry;
mod exp;
mod finish;
mod levels;
mod machine;
mod rec;
mod rec_read;
mod sink;
mod stop;
mod val;
mod view;

use crate::error::RuntimeError;
use crate::faults;
use crate::stack::with_stack;
use crate::tracer::Tracer;
use ir::Program;
use machine::Machine;
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
