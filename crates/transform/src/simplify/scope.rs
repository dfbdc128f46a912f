//! What is known in the block that is being simplified, and in those around it.

use base::Map;
use ir::known::Computation;
use ir::{Atom, Var};

/// Computations that have a value already, and conditions that hold because a check made sure.
#[derive(Default)]
pub(super) struct Scope {
    computed: Map<Computation, (Atom, Vec<Var>)>,
    held: Map<Var, Check>,
    /// What was added, in order: the end of a block forgets what came in it.
    added: Vec<Added>,
}

/// A check that stands before what is being simplified.
#[derive(Clone, Copy)]
pub(super) struct Check {
    /// Its certificate.
    pub cert: Var,
    /// Whether it stays even if nothing names its certificate.
    pub stays: bool,
}

enum Added {
    Computed(Computation),
    Held(Var),
}

/// The beginning of a block.
pub(super) struct Mark(usize);

impl Scope {
    /// A block begins.
    pub fn enter(&self) -> Mark {
        Mark(self.added.len())
    }

    /// A block ends: forgets what is known only inside of it.
    pub fn leave(&mut self, Mark(begin): Mark) {
        for added in self.added.drain(begin..) {
            match added {
                Added::Computed(computation) => drop(self.computed.remove(&computation)),
                Added::Held(cond) => drop(self.held.remove(&cond)),
            }
        }
    }

    /// The value of a computation that was made before, and the checks that it relies on.
    pub fn value(&self, computation: &Computation) -> Option<&(Atom, Vec<Var>)> {
        self.computed.get(computation)
    }

    /// From here on a computation, unknown so far, has this value.
    pub fn compute(&mut self, computation: Computation, value: Atom, certs: Vec<Var>) {
        self.added.push(Added::Computed(computation.clone()));
        self.computed.insert(computation, (value, certs));
    }

    /// The check that made sure that a condition holds.
    pub fn check(&self, cond: Var) -> Option<Check> {
        self.held.get(&cond).copied()
    }

    /// From here on a condition, unknown so far, holds.
    pub fn hold(&mut self, cond: Var, check: Check) {
        self.added.push(Added::Held(cond));
        self.held.insert(cond, check);
    }
}
