//! Which indices are equal because they are computed alike.

use base::Map;
use ir::{Atom, Exp, Stm, Var};
use scalar::{BinOp, Prim};

/// Sums, products and so on of integers, by what they are computed from.
#[derive(Default)]
pub(super) struct Numbering {
    /// The variable that was the first to be computed like this.
    first: Map<(BinOp, Atom, Atom), Var>,
    /// The first one that is equal.
    names: Map<Var, Var>,
}

impl Numbering {
    /// Notes what a statement computes.
    pub fn note(&mut self, stm: &Stm) {
        if let (Exp::Bin(op, Prim::I64, a, b), [var]) = (&stm.exp, &stm.vars[..]) {
            let key = (*op, self.name(*a), self.name(*b));
            let first = *self.first.entry(key).or_insert(*var);
            self.names.insert(*var, first);
        }
    }

    /// The same indices under names that equal ones share.
    pub fn names(&self, at: &[Atom]) -> Vec<Atom> {
        at.iter().map(|atom| self.name(*atom)).collect()
    }

    fn name(&self, atom: Atom) -> Atom {
        match atom {
            Atom::Var(var) => self.names.get(&var).map_or(atom, |name| Atom::Var(*name)),
            Atom::Const(_) => atom,
        }
    }
}
