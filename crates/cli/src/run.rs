//! `ravel run`.

use crate::args::{self, RunArgs};
use crate::{backend, bug, check, inputs, out, outputs};
use base::{Diagnostic, spell};
use driver::{Compiled, signature};
use std::io::IsTerminal;
use std::process::ExitCode;
use typed::{DefId, Program};
use value::{Value, ValueType};

/// Compiles the program, reads the arguments, runs the entry point and shows its results.
pub fn run(options: &RunArgs) -> ExitCode {
    let mut compiled = check::compile(&options.file);
    compiled.verify = options.verify;
    let Some(program) = backend::accepted(&compiled) else { return ExitCode::from(crate::FAULT) };
    match execute(options, &compiled, program) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Trouble::Input(message)) => {
            out::error(message);
            ExitCode::from(crate::FAULT)
        }
        Err(Trouble::Program(error)) => bug::tell(&compiled, &error),
    }
}

/// Why there is no result.
enum Trouble {
    /// The arguments or the files are wrong, in words.
    Input(String),
    /// The program stopped with an error.
    Program(Box<Diagnostic>),
}

impl From<String> for Trouble {
    fn from(message: String) -> Trouble {
        Trouble::Input(message)
    }
}

fn execute(options: &RunArgs, compiled: &Compiled, program: &Program) -> Result<(), Trouble> {
    let entry = choose_entry(program, options.entry.as_deref())?;
    let values = arguments(options, program, entry)?;
    let results = options.backend.run(compiled, program, entry, values).map_err(|e| Trouble::Program(Box::new(e)))?;
    match &options.output {
        Some(path) => outputs::write(path, &results)?,
        None => outputs::print(&results),
    }
    Ok(())
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
            (None, _) => Err(format!("which entry point? Choose one with --entry; {}", listed())),
        },
    }
}

fn arguments(options: &RunArgs, program: &Program, entry: DefId) -> Result<Vec<Value>, String> {
    let def = &program.defs[entry];
    let types = signature::parameters(program, def)?;
    let given: Vec<String> = options.args.iter().map(|arg| args::unprotect(arg)).collect();
    let count = |n: usize, from: &str| {
        if n == types.len() {
            return Ok(());
        }
        let takes: Vec<String> = types.iter().map(ValueType::to_string).collect();
        let takes = if takes.is_empty() { "nothing".into() } else { takes.join(" and ") };
        let values = if types.len() == 1 { "value" } else { "values" };
        Err(format!("`{}` takes {} {values} ({takes}), but {from} {n}", def.name, types.len()))
    };
    if given.is_empty() && !types.is_empty() {
        if std::io::stdin().is_terminal() {
            let names: Vec<String> = types.iter().map(ValueType::to_string).collect();
            out::error(format_args!("reading from standard input: {}", names.join(" and ")));
        }
        let values = inputs::from_standard_input(&types)?;
        count(values.len(), "standard input has")?;
        return Ok(values);
    }
    count(given.len(), "the command line has")?;
    inputs::from_arguments(&given, &types)
}
