//! What is known of quotients and remainders, and of numbers that are not zero.
//!
//! ```text
//! let i = p / m
//! if 0 < i && i < n - 1 { .. a[p + m] .. }      // p + m < n * m, because p = i * m + p % m
//! ```

use super::prove::quotient;
use super::terms::{Poly, Sym, Term, replaced};
use super::{Fact, Facts, Question, symbols};
use scalar::BinOp;

/// How many steps show that a number that is not zero is not negative.
const SHORT: usize = 24;
/// How many facts about a number are looked at for what it is below.
const LIMITS: usize = 16;
/// How many divisors of a number are looked at.
const DIVISORS: usize = 4;

impl Facts<'_> {
    /// What holds of a quotient or remainder, if what is divided and the divisor say enough.
    pub(super) fn division(&mut self, op: BinOp, a: &Poly, b: &Poly, this: &Poly) -> Option<Vec<Poly>> {
        let last = b.add_constant(-1)?;
        let holds = |facts: &mut Self, goal: &Poly| facts.search(goal, 3, &mut { 16 });
        let natural = self.natural_number(a);
        // Division toward zero is the same as the other one if nothing is negative.
        let floors = matches!(op, BinOp::Div | BinOp::Mod) || natural;
        if !self.is_above_zero(b) || !floors {
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

    /// Whether a number that something is divided by is above zero.
    pub(super) fn is_above_zero(&mut self, b: &Poly) -> bool {
        let holds = |facts: &mut Self, goal: &Poly| facts.search(goal, 3, &mut { 16 });
        let is_listed = matches!(b.as_symbol().map(|product| &product[..]), Some([sym]) if self.says_at_least(*sym, 1));
        is_listed
            || b.add_constant(-1).is_some_and(|last| holds(self, &last))
            || holds(self, b) && self.plainly_not_zero(b)
    }

    /// Goals in other words: numbers that are divided somewhere are quotients times divisors and remainders.
    /// With each of them the number that it is without.
    pub(super) fn in_parts(&mut self, goals: &[Poly]) -> Vec<(Sym, Vec<Poly>)> {
        // What equals a number of `i64` is the same number only if that is one, too.
        if !goals.iter().all(|goal| self.fits_word(goal)) {
            return Vec::new();
        }
        let mut found = Vec::new();
        let mut syms: Vec<Sym> = goals.iter().flat_map(symbols).collect();
        syms.sort_unstable();
        syms.dedup();
        for sym in syms {
            for (op, by) in self.terms.divisors_of(sym).to_vec().into_iter().take(DIVISORS) {
                if !self.is_above_zero(&by) {
                    continue;
                }
                let parts = self.terms.in_parts(sym, op, &by);
                let other = |goal: &Poly| replaced(goal, sym, parts.as_ref()?);
                let others = goals.iter().map(other).collect::<Option<Vec<Poly>>>();
                found.extend(others.map(|others| (sym, others)));
            }
        }
        found
    }

    /// What a quotient is at most: where `p < n * m`, `p / m` is below `n`. That holds even if `n * m` wraps around, because
    /// then the product is more than its value. Where `p < n` and `m` divides `n`, `p / m` is below `n / m`.
    pub(super) fn quotients_below(&mut self, a: &Poly, b: &Poly) -> Vec<Poly> {
        let mut found = Vec::new();
        for high in self.limits_above(a) {
            let others = high.as_symbol().zip(b.as_symbol()).and_then(|(high, b)| quotient(high, b));
            if let Some(others) = others.filter(|others| others.iter().all(|sym| self.natural(*sym))) {
                found.push(if others.is_empty() { Poly::constant(1) } else { Poly::symbol(others) });
            }
            let rest = self.terms.divided(BinOp::Mod, &high, b);
            if rest.is_some_and(|rest| self.is_said_to_be_zero(&rest)) {
                found.extend(self.terms.quotient_of(&high, b));
            }
        }
        found.into_iter().filter_map(|limit| limit.add_constant(-1)).collect()
    }

    /// Whether a fact says that a remainder is zero.
    fn is_said_to_be_zero(&self, rest: &Poly) -> bool {
        let numbers = rest.symbols().flatten().next().and_then(|sym| self.mentions.get(sym));
        let mut facts = numbers.into_iter().flatten().map(|number| &self.stack[*number]);
        facts.any(|fact| matches!(fact, Fact::Zero(poly) if poly == rest))
    }

    /// What a number is below, as far as facts or its definition say.
    fn limits_above(&mut self, number: &Poly) -> Vec<Poly> {
        let mut found = self.listed_above(number);
        let Some([sym]) = number.as_symbol().map(|product| &product[..]) else { return found };
        if let Term::Division(BinOp::Div | BinOp::Quot, whole, by) = self.terms.terms[*sym].clone() {
            let last = self.inside((*sym, Question::Quotient), |facts| {
                let is_limited = facts.natural_number(&whole) && facts.is_above_zero(&by);
                if is_limited { facts.quotients_below(&whole, &by) } else { Vec::new() }
            });
            found.extend(last.into_iter().flatten().filter_map(|last| last.add_constant(1)));
        }
        found
    }

    /// What facts say that a number is below.
    fn listed_above(&self, number: &Poly) -> Vec<Poly> {
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
