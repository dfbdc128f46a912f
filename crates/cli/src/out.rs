//! Writing to the terminal. A closed pipe (`ravel run ... | head`) is not an error.

use std::fmt::Display;
use std::io::{self, ErrorKind, IsTerminal, Write};

/// Writes a text and a line break to standard output. Ends the process quietly if the pipe is closed.
pub fn line(text: impl Display) {
    let mut out = io::stdout().lock();
    finish(writeln!(out, "{text}"));
}

/// Writes a text as it is to standard output.
pub fn text(text: &str) {
    bytes(text.as_bytes());
}

/// Writes bytes as they are to standard output.
pub fn bytes(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    finish(out.write_all(bytes).and_then(|()| out.flush()));
}

/// Writes a text as it is to standard error; failures are ignored.
pub fn complain(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Writes a traced value and its place to standard error.
pub fn trace(place: &str, value: &str) {
    let between = if place.is_empty() { "" } else { ": " };
    complain(&format!("{place}{between}trace: {value}\n"));
}

/// `ravel: message` on standard error.
pub fn error(message: impl Display) {
    complain(&format!("ravel: {message}\n"));
}

/// Whether messages may use colours.
pub fn color() -> bool {
    io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// Whether what is written to standard output may use colours.
pub fn color_of_output() -> bool {
    io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

fn finish(result: io::Result<()>) {
    match result {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        Err(failure) => {
            error(format_args!("standard output cannot be written: {failure}"));
            std::process::exit(i32::from(crate::status::FAULT));
        }
    }
}
