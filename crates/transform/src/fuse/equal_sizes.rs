//! Which checks say that two sizes are equal.
//!
//! ```text
//! let t = n == m
//! let c = assert t else ..          // with `c`, `n` and `m` are one number
//! ```

use base::Map;
use ir::{Atom, Exp, Stm, Var};
use scalar::{BinOp, Prim};

/// Numbers that checks say are equal.
#[derive(Default)]
pub(super) struct EqualSizes {
    /// By the conditions of the checks.
    compared: Map<Var, [Atom; 2]>,
    /// By the checks.
    checked: Map<Var, [Atom; 2]>,
}

impl EqualSizes {
    /// Notes what a statement says.
    pub fn note(&mut self, stm: &Stm) {
        match (&stm.exp, &stm.vars[..]) {
            (Exp::Bin(BinOp::Eq, Prim::I64, a, b), [var]) => _ = self.compared.insert(*var, [*a, *b]),
            (Exp::Assert { cond: Atom::Var(cond), .. }, [cert]) => {
                self.checked.extend(self.compared.get(cond).map(|sizes| (*cert, *sizes)));
            }
            _ => {}
        }
    }

    /// Which of some checks says that two numbers are equal; none if they are the same.
    pub fn why(&self, certs: &[Var], a: Atom, b: Atom) -> Option<Option<Var>> {
        let says = |cert: &&Var| self.checked.get(*cert).is_some_and(|sizes| *sizes == [a, b] || *sizes == [b, a]);
        if a == b { Some(None) } else { certs.iter().find(says).map(|cert| Some(*cert)) }
    }
}
