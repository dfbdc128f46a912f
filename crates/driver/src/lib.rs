//! The whole compiler put together. Only this crate knows all of it; [`pipeline`] reads as the list of its passes.
//!
//! Nothing here touches files, processes or terminals: a face (command line, language server) hands in a
//! [`Files`] and gets back a [`Compiled`] program with its diagnostics, which [`render`] turns into text.

mod advice;
pub mod explain;
pub mod imports;
pub mod load;
pub mod passes;
pub mod pipeline;
pub mod render;
pub mod session;
pub mod signature;
pub mod stages;
pub mod std_files;
pub mod timings;

pub use codegen::{Array as CArray, CLibrary, CProgram, Function as CFunction, Leaf as CLeaf};
pub use interp::with_stack;
pub use pipeline::{
    Compiled, c, compile, core, executable, interpret, interpret_core, kernel, library, measured_c, place,
};
pub use session::{Files, InMemory, Overlay, ReadError};
