//! How often variables are mentioned, and how often that is a read of an element.

use base::Map;
use ir::traverse::Part;
use ir::{Atom, Exp, Stm, Var};

/// How often arrays are read at an index, and how often they are mentioned at all.
#[derive(Default)]
pub(super) struct Uses {
    read: Map<Var, usize>,
    all: Map<Var, usize>,
}

impl Uses {
    /// The uses in a statement.
    pub fn of(stm: &Stm) -> Uses {
        let mut uses = Uses::default();
        stm.walk(&mut |part| uses.count(&part));
        uses
    }

    /// Counts a part of a program.
    pub fn count(&mut self, part: &Part<'_>) {
        match part {
            Part::Stm(Stm { exp: Exp::Index(array, _), .. }) => *self.read.entry(*array).or_default() += 1,
            Part::Atom(Atom::Var(var)) => *self.all.entry(*var).or_default() += 1,
            Part::Use(var) => *self.all.entry(**var).or_default() += 1,
            Part::Atom(Atom::Const(_)) | Part::Bind(_) | Part::Block(_) | Part::Stm(_) => {}
        }
    }

    /// How often something mentions a variable.
    pub fn times(&self, var: Var) -> usize {
        self.all.get(&var).copied().unwrap_or_default()
    }

    /// Whether an array is read, and every mention of it is a read of an element.
    pub fn only_read(&self, array: Var) -> bool {
        self.read.contains_key(&array) && self.read.get(&array) == self.all.get(&array)
    }
}
