//! The parts of a number: `n / 3 + (n + 1) / 3 + (n + 2) / 3` is `n`.
//!
//! So `[2 * i] .. for i < (n + 1) / 2; [2 * i + 1] .. for i < n / 2` are `n` values.

use super::terms::{Poly, Sym, Term, replaced};
use super::{Fact, Facts, symbols};
use scalar::BinOp;

/// Numbers are cut into at most so many parts.
const MOST: i64 = 8;

impl Facts<'_> {
    /// A polynomial with parts whose choices are known, and with the largest ones written by the others.
    pub(super) fn by_parts(&mut self, poly: &Poly) -> Poly {
        let mut written = poly.clone();
        for sym in symbols(poly) {
            let Term::Division(BinOp::Div, a, b) = self.terms.terms[sym].clone() else { continue };
            let Some(count) = b.as_constant().filter(|count| (2..=MOST).contains(count)) else { continue };
            let a = self.with_choices(&a);
            let value = self.largest(&a, count).unwrap_or_else(|| self.terms.quotient(&a, count));
            written = replaced(&written, sym, &value).unwrap_or(written);
        }
        written
    }

    /// A polynomial with the values of choices that are known, and with constants.
    fn with_choices(&mut self, poly: &Poly) -> Poly {
        let chosen = self.with_values(poly, |facts, sym| {
            let Term::Select(cond, yes, no) = facts.terms.terms[sym].clone() else { return None };
            let value = facts.decided(cond).map(|holds| if holds { yes } else { no });
            value.or_else(|| facts.supposed(sym))
        });
        self.with_values(&chosen, |facts, sym| facts.supposed(sym).filter(|value| value.as_constant().is_some()))
    }

    fn with_values(&mut self, poly: &Poly, value: impl Fn(&mut Self, Sym) -> Option<Poly>) -> Poly {
        symbols(poly).into_iter().fold(poly.clone(), |known, sym| {
            value(self, sym).and_then(|value| replaced(&known, sym, &value)).unwrap_or(known)
        })
    }

    /// The value of a symbol by an equation.
    fn supposed(&self, sym: Sym) -> Option<Poly> {
        self.mentions.get(&sym)?.iter().rev().find_map(|number| match &self.stack[*number] {
            Fact::Zero(equation) => equation.isolate(&vec![sym]).filter(|value| !symbols(value).contains(&sym)),
            _ => None,
        })
    }

    /// A part by the others, if it is the largest of so many.
    fn largest(&mut self, a: &Poly, count: i64) -> Option<Poly> {
        let whole = a.add_constant(1 - count)?;
        // Nothing wraps around, from the smallest dividend to the largest.
        let exact = a.constant_part().rem_euclid(count) == count - 1 && self.fits_word(a) && self.fits_word(&whole);
        exact.then_some(())?;
        (0..count - 1)
            .try_fold(whole.clone(), |left, more| left.sub(&self.terms.quotient(&whole.add_constant(more)?, count)))
    }
}
