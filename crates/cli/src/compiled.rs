//! Running native code: translate, compile, load, call.

use crate::recipe::Recipe;
use base::{Diagnostic, Span};
use driver::Compiled;
use fault::{Argument, message};
use native::{Failure, Options, Settings};
use scalar::Layout;
use std::rc::Rc;
use std::sync::Once;
use typed::{DefId, Program};
use value::Value;
use value::components;

/// Entry points as C text, with the Kernel program that explains their failures.
pub struct Translated {
    kernel: kernel::Program,
    c: driver::CProgram,
    span: Span,
    /// The types of the values that they trace, and the places.
    traces: Vec<(Layout, String)>,
}

/// Loaded code of an entry point.
pub struct Ready {
    library: Rc<native::Library>,
    entry: usize,
    recipe: Recipe,
}

/// Why a call gave no results.
pub enum Stopped {
    /// A message: the arguments or results do not have the expected form.
    Unfit(String),
    /// A message: the code could not be called.
    Trouble(String),
    /// A check failed, or memory ran out.
    Failed(Failure),
}

/// Runs a definition of a checked program as native code.
pub fn run(
    compiled: &Compiled,
    program: &Program,
    entry: DefId,
    args: Vec<Value>,
    parallel: bool,
) -> Result<Vec<Value>, Diagnostic> {
    translate(compiled, program, &[entry])?.run(0, args, parallel)
}

/// Translates entry points to C.
pub fn translate(compiled: &Compiled, program: &Program, entries: &[DefId]) -> Result<Translated, Diagnostic> {
    let core = driver::core(compiled, program, entries)?;
    let kernel = driver::kernel(&core, compiled.math, compiled.verify)?;
    Ok(Translated::new(kernel, program.defs[entries[0]].span, compiled))
}

/// Translates entry points to C that counts what it does.
pub fn translate_measured(compiled: &Compiled, program: &Program, entries: &[DefId]) -> Result<Translated, Diagnostic> {
    let core = driver::core(compiled, program, entries)?;
    let kernel = driver::kernel(&core, compiled.math, compiled.verify)?;
    let c = driver::measured_c(&kernel);
    Ok(Translated::of(kernel, c, program.defs[entries[0]].span, compiled))
}

impl Translated {
    /// The entry points of a program of Kernel.
    pub fn new(kernel: kernel::Program, span: Span, compiled: &Compiled) -> Translated {
        let c = driver::c(&kernel);
        Translated::of(kernel, c, span, compiled)
    }

    fn of(kernel: kernel::Program, c: driver::CProgram, span: Span, compiled: &Compiled) -> Translated {
        let trace = |(layout, span): &(Layout, Span)| (layout.clone(), driver::place(compiled, *span));
        let traces = c.traces.iter().map(trace).collect();
        Translated { kernel, c, span, traces }
    }

    /// Compiles them and runs the one with this number.
    pub fn run(&self, entry: usize, args: Vec<Value>, parallel: bool) -> Result<Vec<Value>, Diagnostic> {
        let all = self.compile(parallel)?;
        all[entry].call(args, None).map_err(|stopped| self.explain(stopped))
    }

    /// Compiles the C text, or finds it in the cache. Returns all entry points.
    pub fn compile(&self, parallel: bool) -> Result<Vec<Ready>, Diagnostic> {
        let options = Options { parallel, units: self.c.units, linked: self.c.linked, ..Default::default() };
        let code = native::compile(&self.c.text, &options).map_err(|error| trouble(error.to_string(), self.span))?;
        tell_once(&code.notes);
        let library = Rc::new(code.library);
        let ready = self.kernel.entries.iter().enumerate().map(|(number, entry)| Ready {
            library: library.clone(),
            entry: number,
            recipe: Recipe {
                entry: entry.name.to_string(),
                params: entry.params.iter().map(|p| p.1.clone()).collect(),
                results: entry.results.clone(),
                traces: self.traces.clone(),
                code: code.kept.clone(),
            },
        });
        Ok(ready.collect())
    }

    /// The places that loops and allocations refer to.
    pub fn places(&self) -> &[Span] {
        &self.c.places
    }

    /// The message for a failure.
    pub fn explain(&self, stopped: Stopped) -> Diagnostic {
        match stopped {
            Stopped::Unfit(what) => message::argument(&what).diagnostic(self.span, &[]),
            Stopped::Trouble(what) => trouble(what, self.span),
            Stopped::Failed(Failure::Check { site, args }) => {
                self.kernel.sites[kernel::SiteId(site as u32)].diagnostic(&args)
            }
            Stopped::Failed(Failure::Memory { place, count, limit }) => {
                let at = self.c.places.get(place).copied().unwrap_or(self.span);
                let error = message::memory().diagnostic(at, &[Argument::Word(count.to_string())]);
                match limit.map(base::memory::note) {
                    Some(Some(note)) => error.note(note).help(base::memory::HELP),
                    Some(None) => error,
                    None => error.note("the system has no more memory"),
                }
            }
        }
    }

    /// The same message from another translation of the program: that of the check with the same text, whatever calls it
    /// lists. None if there is no such check, or several.
    pub fn explain_as(&self, stopped: Stopped, other: &Translated) -> Option<Diagnostic> {
        let (site, args) = match stopped {
            Stopped::Failed(Failure::Check { site, args }) => (site, args),
            Stopped::Failed(Failure::Memory { .. }) => return Some(self.explain(stopped)),
            // The other translation has another entry point to show.
            Stopped::Unfit(_) | Stopped::Trouble(_) => return Some(other.explain(stopped)),
        };
        let site = &self.kernel.sites[kernel::SiteId(site as u32)];
        let without_calls = |site: &fault::Site| fault::Site { calls: Vec::new(), ..site.clone() };
        let wanted = without_calls(site);
        let mut fitting = other.kernel.sites.iter().map(|(_, site)| site).filter(|site| without_calls(site) == wanted);
        let found = fitting.next()?;
        fitting.all(|more| more.calls == found.calls).then(|| found.diagnostic(&args))
    }
}

impl Ready {
    /// The code that a recipe names, if it is still in the cache.
    pub fn again(recipe: Recipe, folder: &std::path::Path) -> Option<Ready> {
        let code = native::load_kept(recipe.code.as_deref()?, folder)?;
        tell_once(&code.notes);
        Some(Ready { library: Rc::new(code.library), entry: 0, recipe })
    }

    /// A recipe for running it again.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// Calls it, on this many threads if a number is given.
    pub fn call(&self, args: Vec<Value>, threads: Option<usize>) -> Result<Vec<Value>, Stopped> {
        self.call_counting(args, threads).0
    }

    /// Calls it; also returns the number of memory blocks that it leaked.
    pub fn call_counting(&self, args: Vec<Value>, threads: Option<usize>) -> (Result<Vec<Value>, Stopped>, usize) {
        let (outcome, left) = self.call_with(args, threads, |context| context.left());
        (outcome, left.unwrap_or(0))
    }

    /// Calls it; also returns what the call took, if the code counts it and has so many places.
    pub fn call_measuring(
        &self,
        args: Vec<Value>,
        threads: Option<usize>,
        places: usize,
    ) -> (Result<Vec<Value>, Stopped>, Option<native::Stats>) {
        let (outcome, stats) = self.call_with(args, threads, |context| context.stats(places));
        (outcome, stats.flatten())
    }

    /// Gets ready to call it many times. Memory that one call gave back is used by the next, as in a library.
    pub fn session(&self, threads: Option<usize>) -> Result<Session<'_>, Stopped> {
        let settings = Settings { threads, memory: Some(base::memory::limit()) };
        let context = self.library.context(settings).map_err(|error| Stopped::Trouble(error.to_string()))?;
        Ok(Session { ready: self, context })
    }

    /// Calls it; `afterwards` asks the context about the call.
    fn call_with<T>(
        &self,
        args: Vec<Value>,
        threads: Option<usize>,
        afterwards: impl FnOnce(&native::Context<'_>) -> T,
    ) -> (Result<Vec<Value>, Stopped>, Option<T>) {
        let Recipe { params, results, traces, .. } = &self.recipe;
        let unfit = |error: components::ComponentError| Stopped::Unfit(error.to_string());
        let mut inputs = match components::split_all(args.into_iter().zip(params)) {
            Ok(inputs) => inputs,
            Err(error) => return (Err(unfit(error)), None),
        };
        let settings = Settings { threads, memory: Some(base::memory::limit()) };
        let mut context = match self.library.context(settings) {
            Ok(context) => context,
            Err(error) => return (Err(Stopped::Trouble(error.to_string())), None),
        };
        if !traces.is_empty() {
            let layouts: Vec<Layout> = traces.iter().map(|trace| trace.0.clone()).collect();
            let traces = traces.clone();
            context.on_trace(&layouts, Box::new(move |number, parts| trace(&traces[number], parts)));
        }
        let outputs = context.call(self.entry, &mut inputs, results).map_err(Stopped::Failed);
        let found = afterwards(&context);
        (outputs.and_then(|outputs| components::join_all(outputs, results).map_err(unfit)), Some(found))
    }
}

/// Calls of one entry point whose time is measured.
pub struct Session<'a> {
    ready: &'a Ready,
    context: native::Context<'a>,
}

impl Session<'_> {
    /// Calls it and returns how long it ran, without the transfer of arguments and results. Traces are not shown.
    pub fn time(&mut self, args: Vec<Value>) -> Result<std::time::Duration, Stopped> {
        let Recipe { params, results, .. } = &self.ready.recipe;
        let inputs = components::split_all(args.into_iter().zip(params));
        let mut inputs = inputs.map_err(|error| Stopped::Unfit(error.to_string()))?;
        self.context.call(self.ready.entry, &mut inputs, results).map_err(Stopped::Failed)?;
        Ok(self.context.took())
    }
}

/// Prints notes about the C compiler or the cache, each only once in a process.
fn tell_once(notes: &[String]) {
    static TOLD: Once = Once::new();
    if !notes.is_empty() {
        TOLD.call_once(|| notes.iter().for_each(crate::out::error));
    }
}

fn trace((layout, place): &(Layout, String), parts: Vec<components::Component>) {
    let shown = components::join(parts, layout).map_or_else(|error| error.to_string(), |value| value.to_string());
    crate::out::trace(place, &shown);
}

fn trouble(what: String, span: Span) -> Diagnostic {
    Diagnostic::error("E0802", what, span, "this entry point could not be compiled")
        .help("`--backend interp` runs programs without a C compiler")
}
