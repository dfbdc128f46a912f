//! Running native code: translate, compile, load, call.

use crate::recipe::Recipe;
use base::{Diagnostic, Span};
use driver::Compiled;
use native::{Failure, Options, Settings};
use scalar::Layout;
use std::sync::Once;
use typed::{DefId, Program};
use value::Value;
use value::components;

/// An entry point as C text, and what explains its failures.
pub struct Translated {
    kernel: kernel::Program,
    entry: usize,
    c: driver::CProgram,
    span: Span,
}

/// Loaded code of an entry point.
pub struct Ready {
    library: native::Library,
    entry: usize,
    recipe: Recipe,
}

/// Why a call gave no results.
pub enum Stopped {
    /// The arguments or results are not what they should be, in words.
    Unfit(String),
    /// The code could not be called, in words.
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
    translate(compiled, program, entry, parallel)?.run(args, parallel)
}

/// Translates an entry point to C.
pub fn translate(
    compiled: &Compiled,
    program: &Program,
    entry: DefId,
    parallel: bool,
) -> Result<Translated, Diagnostic> {
    let core = driver::core(compiled, program, &[entry])?;
    let kernel = driver::kernel(&core, compiled.verify)?;
    Ok(Translated::new(kernel, 0, program.defs[entry].span, parallel))
}

impl Translated {
    /// The entry point of this number.
    pub fn new(kernel: kernel::Program, entry: usize, span: Span, parallel: bool) -> Translated {
        let c = driver::c(&kernel, parallel);
        Translated { kernel, entry, c, span }
    }

    /// Compiles and runs it.
    pub fn run(&self, args: Vec<Value>, parallel: bool) -> Result<Vec<Value>, Diagnostic> {
        self.compile(parallel)?.call(args).map_err(|stopped| self.explain(stopped))
    }

    /// Compiles the C text, or finds what was compiled earlier.
    pub fn compile(&self, parallel: bool) -> Result<Ready, Diagnostic> {
        let options = Options { parallel, ..Default::default() };
        let code = native::compile(&self.c.text, &options).map_err(|error| trouble(error.to_string(), self.span))?;
        tell_once(&code.notes);
        let entry = &self.kernel.entries[self.entry];
        let recipe = Recipe {
            entry: entry.name.to_string(),
            params: entry.params.iter().map(|p| p.1.clone()).collect(),
            results: entry.results.clone(),
            traces: self.c.traces.clone(),
            code: code.kept,
        };
        Ok(Ready { library: code.library, entry: self.entry, recipe })
    }

    /// Says in the words of the program why it stopped.
    pub fn explain(&self, stopped: Stopped) -> Diagnostic {
        match stopped {
            Stopped::Unfit(what) => Diagnostic::error("R022", what, self.span, "this entry point"),
            Stopped::Trouble(what) => trouble(what, self.span),
            Stopped::Failed(Failure::Check { site, args }) => {
                self.kernel.sites[kernel::SiteId(site as u32)].diagnostic(&args)
            }
            Stopped::Failed(Failure::Memory { place, count }) => {
                let at = self.c.places.get(place).copied().unwrap_or(self.span);
                let title = format!("not enough memory for an array of {count} elements");
                Diagnostic::error(driver::OUT_OF_MEMORY, title, at, "made here")
            }
        }
    }
}

impl Ready {
    /// The code that a recipe names, if it is still there.
    pub fn again(recipe: Recipe, parallel: bool, folder: &std::path::Path) -> Option<Ready> {
        let code = native::load_kept(recipe.code.as_deref()?, parallel, folder)?;
        tell_once(&code.notes);
        Some(Ready { library: code.library, entry: 0, recipe })
    }

    /// How to run it again.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// Calls it.
    pub fn call(&self, args: Vec<Value>) -> Result<Vec<Value>, Stopped> {
        let Recipe { params, results, traces, .. } = &self.recipe;
        let unfit = |error: components::ComponentError| Stopped::Unfit(error.to_string());
        let mut inputs = components::split_all(args.into_iter().zip(params)).map_err(unfit)?;
        let settings = Settings { threads: None, memory: None };
        let mut context = self.library.context(settings).map_err(|error| Stopped::Trouble(error.to_string()))?;
        if !traces.is_empty() {
            let layouts = traces.clone();
            context.on_trace(traces, Box::new(move |number, parts| trace(&layouts[number], parts)));
        }
        let outputs = context.call(self.entry, &mut inputs, results).map_err(Stopped::Failed)?;
        components::join_all(outputs, results).map_err(unfit)
    }
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
