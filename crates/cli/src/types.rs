//! `ravel types`.

use crate::args::TypesArgs;
use crate::{backend, check, out};
use base::spell;
use std::process::ExitCode;
use typed::{DefId, Program};

/// Shows the types of a file's definitions, one on each line.
pub fn run(options: &TypesArgs) -> ExitCode {
    let compiled = check::compile(&options.file);
    let Some(program) = backend::accepted(&compiled) else { return ExitCode::from(crate::status::FAULT) };
    let mut fine = true;
    if options.names.is_empty() {
        program.main_defs.iter().for_each(|def| out::line(driver::signature::show(program, *def)));
    }
    for name in &options.names {
        match find(program, name) {
            Some(def) => out::line(driver::signature::show(program, def)),
            None => {
                fine = false;
                let known = program.main_defs.iter().map(|def| program.defs[*def].name.as_str());
                let hint = spell::closest(name, known).map(|k| format!("; did you mean `{k}`?")).unwrap_or_default();
                out::error(format_args!("{}: there is no definition `{name}`{hint}", options.file.display()));
            }
        }
    }
    if fine { ExitCode::SUCCESS } else { ExitCode::from(crate::status::FAULT) }
}

/// The last definition of that name in the file, or else one of the library.
fn find(program: &Program, name: &str) -> Option<DefId> {
    let named = |def: &DefId| program.defs[*def].name.as_str() == name;
    let own = program.main_defs.iter().rev().copied().find(named);
    own.or_else(|| program.defs.ids().rev().find(named))
}
