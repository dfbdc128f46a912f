//! The message for a bug in Ravel itself.

use crate::out;
use base::Diagnostic;
use driver::{Compiled, render};
use fault::Fault;
use std::io::Write;
use std::panic;
use std::process::ExitCode;

/// Replaces the message of a panic. A panic is a bug in the compiler, whether it comes from `bug!` or from an index out of
/// bounds. The process then ends with status 101, as panics do.
pub fn install_hook() {
    panic::set_hook(Box::new(|info| {
        let what = info
            .payload()
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| info.payload().downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        let place = info.location().map(|at| format!("{}:{}", at.file(), at.line())).unwrap_or_default();
        // Standard error may be closed; ignore that instead of panicking again.
        let _ = write!(std::io::stderr(), "this is a bug in Ravel: {what}\n  at {place}\n{}", how_to_report());
        if std::env::var_os("RUST_BACKTRACE").is_some() {
            let _ = writeln!(std::io::stderr(), "{}", std::backtrace::Backtrace::force_capture());
        }
    }));
}

/// Shows an error that happened after the checks, and returns the exit status: of the program, or of a bug in Ravel.
pub fn tell(compiled: &Compiled, error: &Diagnostic) -> ExitCode {
    out::complain(&render::render(&compiled.sources, error, out::color()));
    if error.code == Fault::Internal.code() {
        out::complain(&how_to_report());
        return ExitCode::from(crate::status::BUG);
    }
    ExitCode::from(crate::status::FAULT)
}

/// How to report a bug in Ravel.
pub fn how_to_report() -> String {
    let arguments: Vec<String> = std::env::args().collect();
    format!(
        "Your program is not at fault. Please report this to the authors of Ravel {}, with this message, the program, and \
         the command:\n  {}\n",
        env!("CARGO_PKG_VERSION"),
        arguments.join(" "),
    )
}
