//! `ravel run`.

use crate::args::{self, RunArgs};
use crate::backend;
use crate::compiled::{self, Ready};
use crate::outputs::{Target, Typed};
use crate::recipe::Shelf;
use crate::{bug, check, inputs, memory, out, stats};
use base::{Diagnostic, spell};
use driver::{Compiled, signature};
use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::Instant;
use typed::{DefId, Program};
use value::{Value, ValueType};

/// Compiles the program, reads the arguments, runs the entry point and shows its results.
pub fn run(options: &RunArgs) -> ExitCode {
    let target = match &options.output {
        Some(name) => Target::parse(name, options.text),
        None => Ok(Target::terminal(options.text)),
    };
    let target = match target {
        Ok(target) => target,
        Err(message) => {
            out::error(message);
            return ExitCode::from(crate::status::USAGE);
        }
    };
    memory::set_limit(options.memory);
    let backend = options.backend.unwrap_or_else(backend::default);
    let outcome = match backend.native() {
        Some(parallel) if options.stats => measured(options, parallel),
        None if options.stats => {
            let name = backend.name();
            out::error(format_args!("`--stats` is not available for `{name}`: use --backend c or multicore"));
            return ExitCode::from(crate::status::USAGE);
        }
        Some(parallel) => native(options, parallel),
        None => checked(options, &compile(options), |compiled, program, entry, args| {
            backend.run(compiled, program, entry, args)
        }),
    };
    let outcome = outcome.and_then(|results| target.write(&results).map_err(Trouble::Input));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Trouble::Told(status)) => status,
        Err(Trouble::Input(message)) => {
            out::error(message);
            ExitCode::from(crate::status::FAULT)
        }
    }
}

/// Why there is no result.
enum Trouble {
    /// A message about the arguments or files.
    Input(String),
    /// The message has been shown already; the exit status.
    Told(ExitCode),
}

impl From<String> for Trouble {
    fn from(message: String) -> Trouble {
        Trouble::Input(message)
    }
}

/// Shows why the program failed.
fn tell(compiled: &Compiled, error: &Diagnostic) -> Trouble {
    Trouble::Told(bug::tell(compiled, error))
}

/// Reads and checks the program.
fn compile(options: &RunArgs) -> Compiled {
    let mut compiled = check::compile(&options.file);
    compiled.verify = options.verify;
    compiled.math = options.math;
    compiled
}

/// Chooses the entry point, reads its arguments and runs it with the given function.
fn checked(
    options: &RunArgs,
    compiled: &Compiled,
    run: impl FnOnce(&Compiled, &Program, DefId, Vec<Value>) -> Result<Vec<Value>, Diagnostic>,
) -> Result<Vec<Typed>, Trouble> {
    let program = backend::accepted(compiled).ok_or(Trouble::Told(ExitCode::from(crate::status::FAULT)))?;
    let entry = choose_entry(program, options.entry.as_deref())?;
    let def = &program.defs[entry];
    let values = arguments(options, def.name.as_str(), &signature::parameters(program, def)?)?;
    let results = run(compiled, program, entry, values).map_err(|error| tell(compiled, &error))?;
    Ok(results.into_iter().zip(signature::results(program, def)).collect())
}

/// Runs the program as native code, from the cache if nothing has changed.
fn native(options: &RunArgs, parallel: bool) -> Result<Vec<Typed>, Trouble> {
    let shelf = Shelf::new(&options.file, options.entry.as_deref(), parallel, options.math);
    let kept = shelf.as_ref().and_then(|shelf| Ready::again(shelf.find()?, shelf.folder()));
    // With `--verify` the passes must run, so the cache is not used.
    if let (Some(ready), false) = (kept, options.verify) {
        return again(options, &ready);
    }
    let compiled = compile(options);
    checked(options, &compiled, |compiled, program, entry, args| {
        let translated = compiled::translate(compiled, program, &[entry])?;
        let ready = &translated.compile(parallel)?[0];
        // Warnings are shown in every run, so a program with warnings is not started from a recipe.
        if let (Some(shelf), true) = (&shelf, compiled.diagnostics.is_empty()) {
            shelf.keep(ready.recipe(), &compiled.sources, &compiled.library);
        }
        ready.call(args, threads(options)).map_err(|stopped| translated.explain(stopped))
    })
}

/// Runs the program as native code that counts what it does, and shows that.
fn measured(options: &RunArgs, parallel: bool) -> Result<Vec<Typed>, Trouble> {
    let compiled = compile(options);
    checked(options, &compiled, |compiled, program, entry, args| {
        let translated = compiled::translate_measured(compiled, program, &[entry])?;
        let ready = &translated.compile(parallel)?[0];
        let places = translated.places();
        let start = Instant::now();
        let (outcome, stats) = ready.call_measuring(args, threads(options), places.len());
        let took = start.elapsed();
        let results = outcome.map_err(|stopped| translated.explain(stopped))?;
        stats.iter().for_each(|stats| out::complain(&stats::text(compiled, stats, places, took)));
        Ok(results)
    })
}

/// Runs cached code. The program's text is needed only if it fails, to find the place.
fn again(options: &RunArgs, ready: &Ready) -> Result<Vec<Typed>, Trouble> {
    let recipe = ready.recipe();
    let types: Option<Vec<ValueType>> = recipe.params.iter().map(ValueType::of_layout).collect();
    let types = types.ok_or_else(|| "an argument cannot have an unknown rank".to_string())?;
    let args = arguments(options, &recipe.entry, &types)?;
    let results = ready.call(args, threads(options)).map_err(|stopped| {
        let compiled = compile(options);
        let Some(program) = backend::accepted(&compiled) else {
            return Trouble::Told(ExitCode::from(crate::status::FAULT));
        };
        let entry = match choose_entry(program, options.entry.as_deref()) {
            Ok(entry) => entry,
            Err(message) => return Trouble::Input(message),
        };
        let error = match compiled::translate(&compiled, program, &[entry]) {
            Ok(translated) => translated.explain(stopped),
            Err(error) => error,
        };
        tell(&compiled, &error)
    })?;
    Ok(results.into_iter().zip(recipe.results.iter().map(ValueType::of_layout)).collect())
}

fn threads(options: &RunArgs) -> Option<usize> {
    options.threads.map(std::num::NonZero::get)
}

/// The entry point asked for; else `main`; else the only one.
fn choose_entry(program: &Program, wanted: Option<&str>) -> Result<DefId, String> {
    let names = || program.entries.iter().map(|id| program.defs[*id].name.as_str());
    let listed = || match names().collect::<Vec<_>>().as_slice() {
        [] => "the program has no entry points: write `entry` in place of `def` in front of one".to_string(),
        known => format!("the entry points are {}", known.join(", ")),
    };
    match wanted {
        Some(name) => signature::find_entry(program, name).ok_or_else(|| match spell::closest(name, names()) {
            Some(known) => format!("there is no entry point `{name}`; did you mean `{known}`?"),
            None => format!("there is no entry point `{name}`; {}", listed()),
        }),
        None => match (signature::find_entry(program, "main"), program.entries.as_slice()) {
            (Some(main), _) => Ok(main),
            (None, [only]) => Ok(*only),
            (None, []) => Err(no_entry(program)),
            (None, _) => Err(format!("which entry point? Choose one with --entry; {}", listed())),
        },
    }
}

/// The message for a program without entry points; it proposes the last definition.
pub fn no_entry(program: &Program) -> String {
    let last = program.main_defs.last().map_or("main", |def| program.defs[*def].name.as_str());
    format!(
        "the program has no entry point: write `entry {last}` in place of `def {last}`, or add `entry main ... = ...`"
    )
}

fn arguments(options: &RunArgs, entry: &str, types: &[ValueType]) -> Result<Vec<Value>, String> {
    let given: Vec<String> = options.args.iter().map(|arg| args::unprotect(arg)).collect();
    let count = |n: usize, more: bool, from: &str| {
        if n == types.len() && !more {
            return Ok(());
        }
        let takes: Vec<String> = types.iter().map(ValueType::to_string).collect();
        let takes = if takes.is_empty() { "nothing".into() } else { takes.join(" and ") };
        let values = if types.len() == 1 { "value" } else { "values" };
        let n = if more { "more".into() } else { n.to_string() };
        Err(format!("`{entry}` takes {} {values} ({takes}), but {from} {n}", types.len()))
    };
    if given.is_empty() && !types.is_empty() {
        if std::io::stdin().is_terminal() {
            let names: Vec<String> = types.iter().map(ValueType::to_string).collect();
            out::error(format_args!("reading from standard input: {}", names.join(" and ")));
        }
        let (values, more) = inputs::from_standard_input(types)?;
        count(values.len(), more, "standard input has")?;
        return Ok(values);
    }
    count(given.len(), false, "the command line has")?;
    inputs::from_arguments(&given, types)
}
