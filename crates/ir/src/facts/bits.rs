//! What bit operations on integers leave: their signs, and how large they get. `x >> 3`, `x << 3` and `x & 7` are quotients,
//! products and remainders, so they need no rules of their own (see [`super::terms`]).

use super::Facts;
use super::terms::Poly;
use crate::{Atom, Exp};
use scalar::{BinOp, Prim};

impl Facts<'_> {
    /// Whether a bit operation made this, and it is not negative.
    pub(super) fn is_natural_pattern(&mut self, atom: Atom) -> bool {
        let Some((op, a, b)) = self.bit_operation(atom) else { return false };
        let mut natural = |poly: &Poly| self.natural_number(poly);
        match op {
            // A sign is there if it is in both, or in one of them.
            BinOp::And => natural(&a) || natural(&b),
            BinOp::Or | BinOp::Xor => natural(&a) && natural(&b),
            BinOp::Shl => {
                a.as_constant() == Some(1) && natural(&b) && last_shift(&b).is_some_and(|room| natural(&room))
            }
            _ => false,
        }
    }

    /// What a pattern is at most.
    pub(super) fn limits_of_pattern(&mut self, atom: Atom) -> Vec<Poly> {
        match self.bit_operation(atom) {
            Some((BinOp::And, a, b)) => [a, b].into_iter().filter(|side| self.natural_number(side)).collect(),
            _ => Vec::new(),
        }
    }

    /// A pattern is between -2^b and 2^b.
    pub(super) fn pattern_bits(&mut self, atom: Atom) -> Option<u32> {
        match self.bit_operation(atom)? {
            (BinOp::And | BinOp::Or | BinOp::Xor, a, b) => Some(self.bits(&a)?.max(self.bits(&b)?) + 1),
            _ => None,
        }
    }

    fn bit_operation(&mut self, atom: Atom) -> Option<(BinOp, Poly, Poly)> {
        match self.terms.def(atom.var()?)? {
            Exp::Bin(op @ (BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl), Prim::I64, a, b) => {
                Some((*op, self.terms.poly(*a), self.terms.poly(*b)))
            }
            _ => None,
        }
    }
}

/// What is left to the last shift that keeps the sign.
fn last_shift(by: &Poly) -> Option<Poly> {
    Poly::constant(62).sub(by)
}
