//! What holds in the turns of a loop.
//!
//! ```text
//! let c: bool = 1 < m
//! let n: i64 = select(c, t, 0)
//! for i < n { .. }              // here: 0 <= i < n, and there is a turn, so c holds and n is t
//! ```

use super::terms::{Poly, Term};
use super::{Fact, Facts, room};
use crate::{Atom, Exp, Type, Var};
use scalar::{MathOp, Prim};

/// How many facts may be combined to decide a condition.
const STEPS: usize = 4;
/// How many choices a number of turns may be made of.
const DEEPEST: usize = 4;

impl Facts<'_> {
    /// A counter of a loop.
    pub fn counts(&mut self, var: Var, count: Atom) {
        let (i, n) = (self.terms.poly(var.into()), self.terms.poly(count));
        let natural = self.order(&Poly::constant(0), &i, false);
        // It follows from the others, but a count that is a factor of an index is looked up rather than searched for.
        let turns = self.order(&Poly::constant(0), &n, true);
        let bounds = [self.terms.as_factor(&n), Some(n.clone())];
        let below = bounds.into_iter().flatten().map(|bound| self.order(&i, &bound, true));
        let last = n.add_constant(-1).and_then(|last| self.terms.as_factor(&last));
        let at_most = last.and_then(|last| self.order(&i, &last, false));
        let facts: Vec<Fact> = [natural, turns].into_iter().chain(below).chain([at_most]).flatten().collect();
        facts.into_iter().for_each(|fact| self.learn(fact));
        self.has_turns(&i, n);
    }

    /// A loop with so many turns runs.
    pub(super) fn has_turn(&mut self, count: Poly) {
        let zero = Poly::constant(0);
        let turns = self.order(&zero, &count, true);
        turns.into_iter().for_each(|fact| self.learn(fact));
        self.has_turns(&zero, count);
    }

    /// A loop that runs has turns, so the number of turns is that choice which is not zero.
    fn has_turns(&mut self, i: &Poly, mut count: Poly) {
        for _ in 0..DEEPEST {
            let Some(value) = self.not_none(&count) else { return };
            let facts = [count.sub(&value).map(Fact::Zero), self.order(i, &value, true)];
            facts.into_iter().flatten().for_each(|fact| self.learn(fact));
            count = value;
        }
    }

    /// What a number is that is not zero.
    fn not_none(&mut self, count: &Poly) -> Option<Poly> {
        let [sym] = count.as_symbol()?[..] else { return None };
        let none = |poly: &Poly| poly.as_constant().is_some_and(|n| n <= 0);
        match self.terms.terms[sym].clone() {
            Term::Select(cond, a, b) if none(&b) => {
                self.suppose(cond, true);
                Some(a)
            }
            Term::Select(cond, a, b) if none(&a) => {
                self.suppose(cond, false);
                Some(b)
            }
            Term::Extreme(MathOp::Max, a, b) if none(&b) => Some(a),
            Term::Extreme(MathOp::Max, a, b) if none(&a) => Some(b),
            _ => None,
        }
    }

    /// A choice between integers is one of them where it is decided which.
    pub(super) fn settle(&mut self, var: Var, ty: &Type, exp: &Exp) {
        let value = match (exp, ty) {
            (Exp::Select(cond, a, b), Type::Scalar(Prim::I64)) => {
                self.decided(*cond).map(|holds| self.terms.poly(if holds { *a } else { *b }))
            }
            (Exp::Convert(Prim::I64, to, a), Type::Scalar(_)) => self.as_narrow(*to, *a),
            (Exp::Math(op, Prim::I64, args), Type::Scalar(Prim::I64)) => self.decided_extreme(*op, args),
            _ => None,
        };
        if let Some(value) = value {
            self.terms.set(var, value);
        }
    }

    /// The smaller or larger one of two integers, if it is known which that is.
    fn decided_extreme(&mut self, op: MathOp, args: &[Atom]) -> Option<Poly> {
        let ([a, b], MathOp::Min | MathOp::Max) = (args, op) else { return None };
        let (a, b) = (self.terms.poly(*a), self.terms.poly(*b));
        let mut at_most = |a: &Poly, b: &Poly| self.order(a, b, false).is_some_and(|fact| self.plainly_follows(&fact));
        match (at_most(&a, &b), op) {
            (true, MathOp::Min) => Some(a),
            (true, _) => Some(b),
            (false, _) if !at_most(&b, &a) => None,
            (false, MathOp::Min) => Some(b),
            (false, _) => Some(a),
        }
    }

    /// Whether a comparison is known to hold, or not to hold. Alternatives are not told apart: there are many choices.
    pub(super) fn decided(&mut self, cond: Atom) -> Option<bool> {
        [true, false].into_iter().find(|holds| {
            let facts = self.meaning(cond, *holds);
            facts.iter().all(|fact| self.plainly_follows(fact))
        })
    }

    fn plainly_follows(&mut self, fact: &Fact) -> bool {
        let room = match fact {
            Fact::AtLeastZero(room) => Some(room.clone()),
            Fact::Order(low, high, strict) if self.fits_word(low) && self.fits_word(high) => room(low, high, *strict),
            _ => None,
        };
        room.is_some_and(|room| self.search(&room, STEPS, &mut { 4 * STEPS }))
    }
}
