//! Facts that hold in the block being simplified, from it and the blocks around it.

use super::forms::Form;
use base::Map;
use ir::known::Computation;
use ir::{Atom, Var};

/// Computations whose value is known, and conditions that a check ensures.
#[derive(Default)]
pub(super) struct Scope {
    computed: Map<Computation, (Atom, Vec<Var>)>,
    sums: Map<Form, Atom>,
    /// Sizes that are sizes because of checks: those of views.
    sizes: Map<Var, Vec<Var>>,
    held: Map<Var, Check>,
    /// The facts in the order in which they were added, so that the end of a block can remove its own.
    added: Vec<Added>,
}

/// A check before the current statement.
#[derive(Clone, Copy)]
pub(super) struct Check {
    /// Its certificate.
    pub cert: Var,
    /// Whether it stays even if nothing names its certificate.
    pub stays: bool,
}

enum Added {
    Computed(Computation),
    Sum(Form),
    Size(Var),
    Held(Var),
}

/// The beginning of a block.
pub(super) struct Mark(usize);

impl Scope {
    /// A block begins.
    pub fn enter(&self) -> Mark {
        Mark(self.added.len())
    }

    /// A block ends: removes the facts that hold only inside of it.
    pub fn leave(&mut self, Mark(begin): Mark) {
        for added in self.added.drain(begin..) {
            match added {
                Added::Computed(computation) => drop(self.computed.remove(&computation)),
                Added::Sum(form) => drop(self.sums.remove(&form)),
                Added::Size(size) => drop(self.sizes.remove(&size)),
                Added::Held(cond) => drop(self.held.remove(&cond)),
            }
        }
    }

    /// The value of a computation that was made before, and the checks that it relies on.
    pub fn value(&self, computation: &Computation) -> Option<&(Atom, Vec<Var>)> {
        self.computed.get(computation)
    }

    /// Records the value of a new computation.
    pub fn compute(&mut self, computation: Computation, value: Atom, certs: Vec<Var>) {
        self.added.push(Added::Computed(computation.clone()));
        self.computed.insert(computation, (value, certs));
    }

    /// The name of a sum that was computed before.
    pub fn sum(&self, form: &Form) -> Option<Atom> {
        self.sums.get(form).copied()
    }

    /// Records the name of a new sum.
    pub fn add_sum(&mut self, form: Form, value: Atom) {
        self.added.push(Added::Sum(form.clone()));
        self.sums.insert(form, value);
    }

    /// The checks that make a variable a size.
    pub fn size(&self, size: Var) -> &[Var] {
        self.sizes.get(&size).map_or(&[], Vec::as_slice)
    }

    /// Records the checks that make a variable a size.
    pub fn add_size(&mut self, size: Var, certs: &[Var]) {
        if !self.sizes.contains_key(&size) {
            self.added.push(Added::Size(size));
            self.sizes.insert(size, certs.to_vec());
        }
    }

    /// The check that ensures a condition.
    pub fn check(&self, cond: Var) -> Option<Check> {
        self.held.get(&cond).copied()
    }

    /// Records that a new condition holds.
    pub fn hold(&mut self, cond: Var, check: Check) {
        self.added.push(Added::Held(cond));
        self.held.insert(cond, check);
    }
}
