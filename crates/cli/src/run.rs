//! `ravel run`.

use crate::args::{self, RunArgs};
use crate::{backend, check, inputs, out, outputs};
use base::spell;
use driver::{Compiled, render, signature};
use std::process::ExitCode;
use typed::{DefId, Program};
use value::{Value, ValueType};

/// Compiles the program, reads the arguments, runs the entry point and shows its results.
pub fn run(options: &RunArgs) -> ExitCode {
    let compiled = check::compile(&options.file);
    let Some(program) = backend::accepted(&compiled) else { return ExitCode::from(crate::FAULT) };
    match execute(options, &compiled, program) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            out::complain(&message);
            ExitCode::from(crate::FAULT)
        }
    }
}

fn execute(options: &RunArgs, compiled: &Compiled, program: &Program) -> Result<(), String> {
    let plain = |message: String| format!("ravel: {message}\n");
    let entry = choose_entry(program, options.entry.as_deref()).map_err(plain)?;
    let values = arguments(options, program, entry).map_err(plain)?;
    let results = options
        .backend
        .run(compiled, program, entry, values)
        .map_err(|error| render::render(&compiled.sources, &error, out::color()))?;
    match &options.output {
        Some(path) => outputs::write(path, &results).map_err(plain),
        None => {
            outputs::print(&results);
            Ok(())
        }
    }
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
        Err(format!("`{}` takes {} values ({takes}), but {from} {n}", def.name, types.len()))
    };
    if given.is_empty() && !types.is_empty() {
        let values = inputs::from_standard_input(&types)?;
        count(values.len(), "standard input has")?;
        return Ok(values);
    }
    count(given.len(), "the command line has")?;
    inputs::from_arguments(&given, &types)
}
