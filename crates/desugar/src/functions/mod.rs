//! Functions as values, and calls.
//!
//! - `apply`: unfolds a function, or calls an instance.
//! - `instance`: definitions as functions of Core, one for each structure of their arguments, which `abstraction` finds;
//!   it also says what callers know of their results.
//! - `boxes`: functions that only the run knows.
//! - `callers`: the active calls, which messages show.
//! - `constants`: constants as parameters, when all functions are made.

mod abstraction;
mod apply;
mod boxes;
pub(crate) mod callers;
pub(crate) mod constants;
pub(crate) mod instance;
