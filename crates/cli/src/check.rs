//! `ravel check`.

use crate::args::CheckArgs;
use crate::disk::Disk;
use crate::{backend, json, out};
use driver::Compiled;
use std::path::Path;
use std::process::ExitCode;

/// Checks each file separately; fails if one of them is rejected.
pub fn run(options: &CheckArgs) -> ExitCode {
    let mut fine = true;
    for file in &options.files {
        let compiled = compile(file);
        if options.json {
            for diagnostic in driver::render::in_order(&compiled.diagnostics) {
                out::line(json::diagnostic(&compiled.sources, diagnostic));
            }
            fine &= compiled.program.is_some();
        } else {
            fine &= backend::accepted(&compiled).is_some();
        }
        // Dropping a large program takes time, and the process ends soon.
        std::mem::forget(compiled);
    }
    if fine { ExitCode::SUCCESS } else { ExitCode::from(crate::status::FAULT) }
}

/// Compiles a file on disk.
pub fn compile(file: &Path) -> Compiled {
    driver::compile(&Disk, &file.to_string_lossy())
}
