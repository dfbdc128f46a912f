//! Running native code: translate, compile, load, call.

use base::{Diagnostic, Span};
use driver::Compiled;
use native::{Failure, Settings};
use scalar::Layout;
use std::sync::Once;
use typed::{DefId, Program};
use value::Value;
use value::components;

/// Runs a definition of a checked program as native code.
pub fn run(
    compiled: &Compiled,
    program: &Program,
    entry: DefId,
    args: Vec<Value>,
    parallel: bool,
) -> Result<Vec<Value>, Diagnostic> {
    let span = program.defs[entry].span;
    let core = driver::core(compiled, program, &[entry])?;
    let kernel = driver::kernel(&core, compiled.verify)?;
    run_kernel(&kernel, 0, span, args, parallel)
}

/// Runs an entry point of Kernel, by its number, as native code.
pub fn run_kernel(
    kernel: &kernel::Program,
    entry: usize,
    span: Span,
    args: Vec<Value>,
    parallel: bool,
) -> Result<Vec<Value>, Diagnostic> {
    let c = driver::c(kernel, parallel);
    let options = native::Options { parallel, ..Default::default() };
    let code = native::compile(&c.text, &options).map_err(|error| trouble(error.to_string(), span))?;
    tell_once(&code.notes);
    let signature = &kernel.entries[entry];
    let arguments = args.into_iter().zip(signature.params.iter().map(|p| &p.1));
    let mut inputs = components::split_all(arguments).map_err(|error| unfit(error.to_string(), span))?;
    let settings = Settings { threads: None, memory: None };
    let mut context = code.library.context(settings).map_err(|error| trouble(error.to_string(), span))?;
    if !c.traces.is_empty() {
        let layouts = c.traces.clone();
        context.on_trace(&c.traces, Box::new(move |number, parts| trace(&layouts[number], parts)));
    }
    let outputs = context.call(entry, &mut inputs, &signature.results).map_err(|failure| match failure {
        Failure::Check { site, args } => {
            let site = &kernel.sites[kernel::SiteId(site as u32)];
            site.diagnostic(&args)
        }
        Failure::Memory { place, count } => {
            let at = c.places.get(place).copied().unwrap_or(span);
            let title = format!("not enough memory for an array of {count} elements");
            Diagnostic::error(driver::OUT_OF_MEMORY, title, at, "made here")
        }
    })?;
    components::join_all(outputs, &signature.results).map_err(|error| unfit(error.to_string(), span))
}

/// What the user should know about the C compiler or the cache: said once, however often the process runs programs.
fn tell_once(notes: &[String]) {
    static TOLD: Once = Once::new();
    if !notes.is_empty() {
        TOLD.call_once(|| notes.iter().for_each(crate::out::error));
    }
}

fn trace(layout: &Layout, parts: Vec<components::Component>) {
    match components::join(parts, layout) {
        Ok(value) => crate::out::trace(&value.to_string()),
        Err(error) => crate::out::trace(&error.to_string()),
    }
}

fn trouble(what: String, span: Span) -> Diagnostic {
    Diagnostic::error("E0802", what, span, "this entry point was to be compiled")
        .help("`--backend interp` runs programs without a C compiler")
}

fn unfit(what: String, span: Span) -> Diagnostic {
    Diagnostic::error("R022", what, span, "this entry point")
}
