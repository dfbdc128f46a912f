//! Native code: runs the C compiler, keeps what it made, loads it and calls it.
//!
//! [`compile`] takes the C text that `codegen` wrote and gives a [`Library`]. Compiled code is kept in a folder by a
//! hash of the text, the compiler and its flags, so that the same program starts at once the next time. A [`Context`]
//! calls entry points of a library, on a thread with a large stack, with arguments by pointer.

pub mod cache;
mod call;
mod compile;
mod compiler;
mod error;
mod library;
mod objects;
mod processor;
mod runner;
pub mod trust;

pub use call::{Context, Failure, Settings, Stats, TraceFn};
pub use compile::{Compiled, Options, Product, build, compile, load_kept};
pub use compiler::Compiler;
pub use error::NativeError;
pub use library::Library;
