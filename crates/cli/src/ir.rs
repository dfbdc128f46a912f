//! `ravel ir`: a program as the compiler sees it.

use crate::args::{IrArgs, Stage};
use crate::{backend, check, out};
use base::Diagnostic;
use driver::{Compiled, render, signature};
use std::process::ExitCode;
use typed::{DefId, Program};

/// Translates the program up to a stage and shows it.
pub fn run(options: &IrArgs) -> ExitCode {
    let compiled = check::compile(&options.file);
    let Some(program) = backend::accepted(&compiled) else { return ExitCode::from(crate::FAULT) };
    let entries: Vec<DefId> = match &options.entry {
        None => program.entries.clone(),
        Some(name) => match signature::find_entry(program, name) {
            Some(entry) => vec![entry],
            None => {
                out::error(format_args!("there is no entry point `{name}`"));
                return ExitCode::from(crate::FAULT);
            }
        },
    };
    match show(options, &compiled, program, &entries) {
        Ok(text) => {
            out::line(text.trim_end());
            ExitCode::SUCCESS
        }
        Err(error) => {
            out::complain(&render::render(&compiled.sources, &error, out::color()));
            ExitCode::from(crate::FAULT)
        }
    }
}

fn show(
    options: &IrArgs,
    compiled: &Compiled,
    program: &Program,
    entries: &[DefId],
) -> Result<String, Box<Diagnostic>> {
    let core = driver::core(compiled, program, entries)?;
    if options.verify
        && let Err(violations) = ir::verify(&core)
    {
        for violation in violations {
            out::error(violation);
        }
    }
    if options.stage == Stage::Core {
        return Ok(ir::print(&core));
    }
    let kernel = driver::kernel(&core)?;
    if options.stage == Stage::Kernel {
        return Ok(format!("{kernel:#?}"));
    }
    Ok(driver::c(&kernel, true).text)
}
