//! Who shares memory with whom, and what is consumed.
//!
//! Every array has *origins*: the variables that its memory was made for. A view has those of what it is a view of, a
//! branch those of both sides; whatever makes memory is its own origin, and so is what comes out of an operation that
//! consumes, since its old names may no longer be read. Two variables may share memory if they
//! have an origin in common.
//!
//! The same walk finds what breaks the rules, so that the [verifier](mod@crate::verify) and all others see the same memory.

mod bulk;
mod control;
mod walk;

use crate::{FunId, Program, Stm, Var};
use base::Map;
use std::collections::BTreeSet;

/// Variables that memory was made for.
pub type Origins = BTreeSet<Var>;

/// Who shares memory in a function.
#[derive(Clone, Debug, Default)]
pub struct Aliases {
    origins: Map<Var, Origins>,
    /// Where the memory of an origin comes from in turn: what was consumed to make it, or flows into a loop variable.
    earlier: Map<Var, Origins>,
}

/// A breach of the rules of consumption.
#[derive(Clone, Debug)]
pub struct Fault<'p> {
    /// The innermost statement around it.
    pub stm: Option<&'p Stm>,
    /// What is wrong.
    pub kind: FaultKind,
    /// With which variable.
    pub var: Var,
}

/// The kinds of breaches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// Read although its memory was consumed before.
    Read,
    /// Consumed although it belongs to the surrounding code: the caller, or the iterations of a bulk form or loop.
    Foreign,
    /// Consumed together with something that shares its memory.
    Shared,
    /// A result that is said to be fresh and is not.
    Fresh,
}

impl Aliases {
    /// Who shares memory in a function.
    pub fn of(program: &Program, function: FunId) -> Aliases {
        analyse(program, function).0
    }

    /// The variables that the memory of an array may have been made for, by whatever way: through views, branches,
    /// loops, calls and updates in place. Empty if the variable is no array.
    pub fn roots(&self, var: Var) -> Origins {
        let mut found = Origins::new();
        let mut open: Vec<Var> = self.origins.get(&var).into_iter().flatten().copied().collect();
        while let Some(origin) = open.pop() {
            if found.insert(origin) {
                open.extend(self.earlier.get(&origin).into_iter().flatten());
            }
        }
        found
    }

    /// Whether two arrays may share memory.
    pub fn share(&self, a: Var, b: Var) -> bool {
        let roots = self.roots(a);
        !roots.is_disjoint(&self.roots(b))
    }

    /// All variables of the function that may share memory with an array, itself included.
    pub fn sharing(&self, var: Var) -> BTreeSet<Var> {
        let roots = self.roots(var);
        self.origins.keys().copied().filter(|other| !roots.is_disjoint(&self.roots(*other))).collect()
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
