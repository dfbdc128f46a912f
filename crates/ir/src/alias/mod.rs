//! Who shares memory with whom, and what is consumed.
//!
//! Every array has *origins*: the variables that its memory was made for. A view has those of what it is a view of, a
//! branch those of both sides; whatever makes memory is its own origin, and so is what comes out of an operation that
//! consumes, since its old names may no longer be read. Two variables may share memory if they
//! have an origin in common.
//!
//! The same walk finds what breaks the rules, so that the [verifier](mod@crate::verify) and all others see the same
//! memory.

mod bulk;
mod control;
mod data;
mod walk;

pub use data::{Aliases, Fault, FaultKind, Origins};

use crate::{FunId, Program};

impl Aliases {
    /// Who shares memory in a function.
    pub fn of(program: &Program, function: FunId) -> Aliases {
        analyse(program, function).0
    }
}

/// Who shares memory in a function, and what breaks the rules.
pub fn analyse(program: &Program, function: FunId) -> (Aliases, Vec<Fault<'_>>) {
    let mut walk = walk::Walk::new(program);
    if let Some(function) = program.functions.get(function) {
        walk.function(function);
    }
    (walk.aliases, walk.faults)
}

/// For each result of a function whether it is fresh, as its body shows: it shares memory neither with a parameter that
/// is not consumed nor with another result. Calls in the body are taken at their word.
pub fn freshness(program: &Program, function: FunId) -> Vec<bool> {
    let mut walk = walk::Walk::new(program);
    match program.functions.get(function) {
        Some(function) => walk.body(function),
        None => Vec::new(),
    }
}
