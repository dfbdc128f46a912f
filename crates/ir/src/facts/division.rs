//! What is known of quotients and remainders, and of numbers that are not zero.

use super::prove::quotient;
use super::terms::{Poly, Sym};
use super::{Fact, Facts};
use scalar::BinOp;

/// How many steps show that a number that is not zero is not negative.
const SHORT: usize = 24;
/// How many facts about a number are looked at for what it is below.
const LIMITS: usize = 16;

impl Facts<'_> {
    /// What holds of a quotient or remainder, if what is divided and the divisor say enough.
    pub(super) fn division(&mut self, op: BinOp, a: &Poly, b: &Poly, this: &Poly) -> Option<Vec<Poly>> {
        let last = b.add_constant(-1)?;
        let holds = |facts: &mut Self, goal: &Poly| facts.search(goal, 3, &mut { 16 });
        let natural = self.natural_number(a);
        // Division toward zero is the same as the other one if nothing is negative.
        let floors = matches!(op, BinOp::Div | BinOp::Mod) || natural;
        let is_listed = matches!(b.as_symbol().map(|product| &product[..]), Some([sym]) if self.says_at_least(*sym, 1));
        let above_zero = is_listed || holds(self, &last) || holds(self, b) && self.plainly_not_zero(b);
        if !above_zero || !floors {
            return None;
        }
        if matches!(op, BinOp::Mod | BinOp::Rem) {
            let mut facts = vec![this.clone(), last.sub(this)?];
            facts.extend(natural.then(|| a.sub(this)).flatten());
            if let Some(whole) = self.whole(op, a, b, this) {
                facts.extend([a.sub(&whole), whole.sub(a)].into_iter().flatten());
            }
            return Some(facts);
        }
        let whole = self.terms.product(b, this);
        // An odd `i` below `2 * n - 1` has an `i / 2` below `n - 1`: what is divided is at least the whole and the rest.
        let with_rest = self.whole(op, a, b, this);
        let least = with_rest.as_ref().or(whole.as_ref()).and_then(|least| a.sub(least));
        let mut facts: Vec<Option<Poly>> = vec![least, whole.and_then(|whole| whole.add(&last)?.sub(a))];
        facts.extend(with_rest.map(|with_rest| with_rest.sub(a)));
        if natural {
            facts.extend([Some(this.clone()), a.sub(this)]);
            facts.extend(self.quotients_below(a, b).into_iter().map(|limit| limit.sub(this)));
        } else if holds(self, &a.add_constant(1)?) {
            facts.push(this.add_constant(1));
        }
        Some(facts.into_iter().flatten().collect())
    }

    /// `a` as `a / b * b + a % b`, where one of them is `this` and the other one is computed, too.
    fn whole(&mut self, op: BinOp, a: &Poly, b: &Poly, this: &Poly) -> Option<Poly> {
        let other = match op {
            BinOp::Div => BinOp::Mod,
            BinOp::Mod => BinOp::Div,
            BinOp::Quot => BinOp::Rem,
            _ => BinOp::Quot,
        };
        let other = self.terms.divided(other, a, b)?;
        let (quotient, rest) = if matches!(op, BinOp::Div | BinOp::Quot) { (this, &other) } else { (&other, this) };
        self.terms.product(b, quotient)?.add(rest)
    }

    /// What a quotient is at most: where `p < n * m`, `p / m` is below `n`. That holds even if `n * m` wraps around, because
    /// then the product is more than its value.
    pub(super) fn quotients_below(&mut self, a: &Poly, b: &Poly) -> Vec<Poly> {
        let Some([divisor]) = b.as_symbol().map(|product| &product[..]) else { return Vec::new() };
        let limits = self.limits_above(a).into_iter();
        let others: Vec<Vec<Sym>> = limits.filter_map(|high| quotient(high.as_symbol()?, &[*divisor])).collect();
        let natural = others.into_iter().filter(|others| others.iter().all(|sym| self.natural(*sym)));
        natural.filter_map(|others| Poly::symbol(others).add_constant(-1)).collect()
    }

    /// What facts say that a number is below.
    fn limits_above(&self, number: &Poly) -> Vec<Poly> {
        let Some([sym]) = number.as_symbol().map(|product| &product[..]) else { return Vec::new() };
        let facts = if self.is_exact { &self.orders } else { &self.mentions };
        let limit = |place: &usize| match &self.stack[*place] {
            Fact::Order(low, high, true) if low == number => Some(high.clone()),
            Fact::AtLeastZero(room) if !self.is_exact => room.add(number)?.add_constant(1),
            _ => None,
        };
        facts.get(sym).into_iter().flatten().rev().take(LIMITS).filter_map(limit).collect()
    }

    /// What is not zero is at least one, if it is plainly not negative. The verifier, which has more to follow, only asks whether a
    /// fact says that.
    pub(super) fn beyond_zero(&mut self, poly: &Poly) -> Option<Poly> {
        let sides = [Some(poly.clone()), poly.neg()];
        let mut natural = |side: &Poly| {
            if self.is_exact { self.search(side, 1, &mut { SHORT }) } else { self.is_listed(side) }
        };
        let natural = sides.into_iter().flatten().find(|side| natural(side));
        natural.and_then(|side| side.add_constant(-1))
    }
}
