//! `ravel dev`: tools for work on the compiler.

use crate::args::{self, DevCommand, PassesArgs};
use crate::compiled::Translated;
use crate::{check, inputs, out, outputs};
use base::{FileId, Span};
use driver::stages::{Stage, Trouble};
use driver::{Compiled, InMemory, render};
use std::process::ExitCode;
use value::{Value, ValueType};

/// Runs a subcommand.
pub fn run(command: &DevCommand) -> ExitCode {
    match command {
        DevCommand::Passes(options) => passes(options),
    }
}

fn passes(options: &PassesArgs) -> ExitCode {
    let compiled = match source(options) {
        Ok(compiled) => compiled,
        Err(code) => return code,
    };
    match all_steps(options, &compiled) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Trouble::Usage(words)) => {
            out::error(words);
            ExitCode::from(crate::status::USAGE)
        }
        Err(Trouble::Rules(broken)) => {
            broken.iter().for_each(out::error);
            ExitCode::from(crate::status::FAULT)
        }
        // The text of Core or Kernel has no source to show.
        Err(Trouble::Program(error)) if is_text(options) => {
            out::error(render::words(&error));
            ExitCode::from(crate::status::FAULT)
        }
        Err(Trouble::Program(error)) => crate::bug::tell(&compiled, &error),
    }
}

/// The checked program; for texts of Core and Kernel an empty one.
fn source(options: &PassesArgs) -> Result<Compiled, ExitCode> {
    if is_text(options) {
        return Ok(driver::compile(&InMemory::new([("empty.rv", "")]), "empty.rv"));
    }
    let compiled = check::compile(&options.file);
    match crate::backend::accepted(&compiled) {
        Some(_) => Ok(compiled),
        None => Err(ExitCode::from(crate::status::FAULT)),
    }
}

fn is_text(options: &PassesArgs) -> bool {
    options.file.extension().is_some_and(|ending| ending == "core" || ending == "kernel")
}

/// The contents of the file.
fn first_stage<'a>(options: &PassesArgs, compiled: &'a Compiled) -> Result<Stage<'a>, Trouble> {
    if !is_text(options) {
        return Ok(Stage::Source(compiled));
    }
    let shown = options.file.display();
    let bytes = inputs::read(&options.file).map_err(Trouble::Usage)?;
    let text = String::from_utf8(bytes).map_err(|_| Trouble::Usage(format!("{shown}: this is not text")))?;
    let wrong = |why: String| Trouble::Usage(format!("{shown}:{why}"));
    match options.file.extension().is_some_and(|ending| ending == "core") {
        true => ir::parse(&text).map(Stage::Core).map_err(|error| wrong(error.to_string())),
        false => kernel::text::parse(&text).map(Stage::Kernel).map_err(|error| wrong(error.to_string())),
    }
}

fn all_steps(options: &PassesArgs, compiled: &Compiled) -> Result<(), Trouble> {
    let mut stage = first_stage(options, compiled)?;
    let names: Vec<&str> = options.passes.split(',').collect();
    for name in &names {
        match *name {
            "print" => out::text(&stage.text()),
            "run" => execute(options, compiled, &stage)?,
            name => stage = stage.step(name)?,
        }
    }
    if !names.last().is_some_and(|last| ["verify", "run", "print"].contains(last)) {
        out::text(&stage.text());
    }
    Ok(())
}

fn execute(options: &PassesArgs, compiled: &Compiled, stage: &Stage) -> Result<(), Trouble> {
    let results = match stage {
        Stage::Core(core) => {
            let index = entry_index(options, core.entries.iter().map(|entry| entry.name.as_str()))?;
            let entry = &core.entries[index];
            let args = arguments(options, &entry.params)?;
            driver::interpret_core(compiled, core, entry.name.as_str(), args, &out::trace)?
        }
        Stage::Kernel(kernel) => {
            let index = entry_index(options, kernel.entries.iter().map(|entry| entry.name.as_str()))?;
            let args = arguments(options, &kernel.entries[index].params)?;
            Translated::new(kernel.clone(), Span::new(FileId(0), 0, 0), compiled).run(index, args, true)?
        }
        Stage::Source(_) | Stage::C(_) => return Err(Trouble::Usage("`run` works on Core and on Kernel".into())),
    };
    let results: Vec<outputs::Typed> = results.into_iter().map(|value| (value, None)).collect();
    outputs::Target::terminal(false).write(&results).map_err(Trouble::Usage)?;
    Ok(())
}

/// The entry point asked for, or `main`, or the first.
fn entry_index<'a>(options: &PassesArgs, names: impl Iterator<Item = &'a str>) -> Result<usize, Trouble> {
    let names: Vec<&str> = names.collect();
    let find = |wanted: &str| names.iter().position(|name| *name == wanted);
    let found = match &options.entry {
        Some(wanted) => find(wanted),
        None => find("main").or((!names.is_empty()).then_some(0)),
    };
    found.ok_or_else(|| Trouble::Usage(format!("no such entry point; there are: {}", names.join(", "))))
}

fn arguments(options: &PassesArgs, params: &[(base::Name, scalar::Layout)]) -> Result<Vec<Value>, Trouble> {
    let types: Option<Vec<ValueType>> = params.iter().map(|(_, layout)| ValueType::of_layout(layout)).collect();
    let types = types.ok_or_else(|| Trouble::Usage("no value of such a type can be given".into()))?;
    let given: Vec<String> = options.args.iter().map(|arg| args::unprotect(arg)).collect();
    if given.len() != types.len() {
        return Err(Trouble::Usage(format!("{} values are given, {} are needed", given.len(), types.len())));
    }
    inputs::from_arguments(&given, &types).map_err(Trouble::Usage)
}
