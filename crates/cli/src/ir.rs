//! `ravel ir`: the intermediate forms of a program.

use crate::args::{IrArgs, Stage};
use crate::{backend, bug, check, out};
use base::Diagnostic;
use driver::{Compiled, signature};
use std::process::ExitCode;
use typed::{DefId, Program};

/// Translates the program up to a stage and shows it.
pub fn run(options: &IrArgs) -> ExitCode {
    let mut compiled = check::compile(&options.file);
    compiled.verify = options.verify;
    compiled.math = options.math;
    let Some(program) = backend::accepted(&compiled) else { return ExitCode::from(crate::status::FAULT) };
    let entries: Vec<DefId> = match &options.entry {
        None => program.entries.clone(),
        Some(name) => match signature::find_entry(program, name) {
            Some(entry) => vec![entry],
            None => {
                out::error(format_args!("there is no entry point `{name}`"));
                return ExitCode::from(crate::status::FAULT);
            }
        },
    };
    match show(options, &compiled, program, &entries) {
        Ok(text) => {
            out::line(text.trim_end());
            if options.timings {
                out::complain(&compiled.timings.table());
            }
            ExitCode::SUCCESS
        }
        Err(error) => bug::tell(&compiled, &error),
    }
}

fn show(
    options: &IrArgs,
    compiled: &Compiled,
    program: &Program,
    entries: &[DefId],
) -> Result<String, Box<Diagnostic>> {
    let core = driver::core(compiled, program, entries)?;
    if options.stage == Stage::Core {
        return Ok(ir::print(&core));
    }
    let kernel = compiled.timings.measure("lower", || driver::kernel(&core, compiled.math, compiled.verify))?;
    if options.stage == Stage::Kernel {
        return Ok(kernel::text::print_with(&kernel, false));
    }
    Ok(compiled.timings.measure("c", || driver::c(&kernel)).text)
}
