//! Facts that contradict each other, and what they contradict.

use super::prove::{BUDGET, DEPTH};
use super::terms::{Poly, Sym};
use super::{Fact, Facts};
use crate::Atom;

impl Facts<'_> {
    /// Whether facts contradict each other.
    pub(super) fn contradiction(&mut self) -> bool {
        if let Some(known) = self.answers.impossible {
            return known;
        }
        let found = self.find_contradiction();
        // Inside of other questions less may be found.
        if found || self.open.is_empty() {
            self.answers.impossible = Some(found);
        }
        found
    }

    fn find_contradiction(&mut self) -> bool {
        let is_false = |fact: &Fact| match fact {
            Fact::AtLeastZero(poly) => poly.as_constant().is_some_and(|n| n < 0),
            Fact::Zero(poly) => poly.as_constant().is_some_and(|n| n != 0),
            Fact::NotZero(poly) => poly.as_constant() == Some(0),
            Fact::Order(low, high, strict) => self.is_opposite_listed(low, high, *strict),
            _ => false,
        };
        // The search may spend its budget on longer facts before it comes to a check that always fails, or to two facts
        // that contradict each other.
        let never = Poly::constant(-1);
        self.stack.iter().rev().take(24).any(is_false)
            || self.search(&never, 2, &mut { BUDGET })
            || self.search(&never, DEPTH, &mut { BUDGET })
            || self.zero_product()
    }

    /// Whether a product is said to be zero of which no factor is: a loop inside of another runs, so neither count is zero.
    fn zero_product(&mut self) -> bool {
        let product = |fact: &Fact| match fact {
            Fact::Zero(poly) if poly.constant_part() == 0 => match poly.terms() {
                [(product, _)] if product.len() > 1 => Some(product.clone()),
                _ => None,
            },
            _ => None,
        };
        let products: Vec<Vec<Sym>> = self.stack.iter().rev().take(24).filter_map(product).collect();
        products.iter().any(|product| product.iter().all(|sym| self.at_least_one(*sym)))
    }

    /// The value of a `select` whose condition is decided by what is known: where `i < n`, `select(n == 0, 1, n)` is `n`.
    pub(super) fn only_value(&mut self, cond: Atom, yes: Poly, no: Poly) -> Option<Poly> {
        let mut never = |side: bool| self.meaning(cond, side).iter().any(|fact| self.refuted(fact));
        if never(true) { Some(no) } else { never(false).then_some(yes) }
    }

    /// Whether a fact plainly cannot hold.
    fn refuted(&mut self, fact: &Fact) -> bool {
        let mut negative = |poly: &Poly| {
            let below = poly.neg().and_then(|poly| poly.add_constant(-1));
            below.is_some_and(|below| self.search(&below, 2, &mut { 12 }))
        };
        match fact {
            Fact::AtLeastZero(poly) => negative(poly),
            Fact::Zero(poly) => negative(poly) || poly.neg().is_some_and(|poly| negative(&poly)),
            Fact::Order(low, high, strict) => self.is_opposite_listed(low, high, *strict),
            _ => false,
        }
    }

    /// Whether a fact says the opposite of a comparison.
    fn is_opposite_listed(&self, low: &Poly, high: &Poly, strict: bool) -> bool {
        let listed = |strict: bool| self.ordered.contains(&(high.clone(), low.clone(), strict));
        listed(true) || strict && listed(false)
    }
}
