//! What can go wrong around native code, except for faults of the program itself.

use std::fmt;
use std::path::PathBuf;

/// Why there is no native code to run.
#[derive(Debug)]
pub enum NativeError {
    /// No C compiler was found; holds the names that were tried.
    NoCompiler(Vec<String>),
    /// The C compiler could not be started.
    CannotRun {
        /// The compiler.
        compiler: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The C compiler failed.
    CompilerFailed {
        /// The command.
        command: String,
        /// What it said.
        output: String,
    },
    /// A file could not be written, read or moved.
    File {
        /// What was to be done.
        what: &'static str,
        /// With which file.
        path: PathBuf,
        /// Why not.
        error: std::io::Error,
    },
    /// The code could not be loaded.
    Load(String),
    /// Others could exchange the code between compiling and loading; says where, and what to do.
    Unsafe(String),
}

impl fmt::Display for NativeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NativeError::NoCompiler(tried) => {
                write!(f, "no C compiler found (tried {}); install gcc or clang, or set RAVEL_CC", tried.join(", "))
            }
            NativeError::CannotRun { compiler, error } => {
                write!(f, "the C compiler {} cannot be started: {error}", compiler.display())
            }
            NativeError::CompilerFailed { command, output } => {
                write!(f, "the C compiler failed: {command}")?;
                output.lines().take(20).try_for_each(|line| write!(f, "\n  {line}"))
            }
            NativeError::File { what, path, error } => write!(f, "cannot {what} {}: {error}", path.display()),
            NativeError::Unsafe(why) => {
                write!(f, "nothing is compiled, because other users could replace the code: {why}")
            }
            NativeError::Load(why) => write!(f, "compiled code cannot be loaded: {why}"),
        }
    }
}

impl std::error::Error for NativeError {}
