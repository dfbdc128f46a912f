//! Alternatives that a proof tells apart.
//!
//! `select`, `min` and `max` are replaced by each of their values in turn, each side of an `||` is supposed in turn, and so is
//! each sign of a factor.

use super::terms::{Poly, Sym, Term, distributed, replaced};
use super::{Answers, Fact, Facts, symbols};
use scalar::MathOp;

/// How many alternatives are told apart, one inside the other.
const SPLITS: usize = 6;
/// How many steps a question may take, all alternatives together. Proofs take hundreds; where there is none, alternatives
/// inside of each other would take a million.
const STEPS: usize = 5_000;
/// How many of them may be spent on quotients and remainders, and how many divisions one after the other are looked at.
const IN_PARTS: usize = 600;
const DIVISIONS: usize = 2;
/// How many of the innermost facts are looked at for alternatives.
const INNERMOST: usize = 6;

/// One of several alternatives: what holds then, and the value of a symbol.
struct Case {
    facts: Vec<Fact>,
    value: Option<(Sym, Poly)>,
    /// Whether it is the sign of a factor.
    is_sign: bool,
}

impl Facts<'_> {
    /// Proves goals, if need be for each alternative.
    pub(super) fn by_cases(&mut self, prove: &dyn Fn(&mut Self, &[Poly]) -> bool, goals: &[Poly]) -> bool {
        let is_inside = self.steps.is_some();
        self.steps.get_or_insert(STEPS);
        let proved = self.by_cases_within(SPLITS, prove, goals);
        if !is_inside && self.steps.take() == Some(0) {
            // What was not found out for want of steps may be found out by another question.
            self.answers = Answers::default();
        }
        proved
    }

    /// Lets a part of the current question, if there is one, take at most so many steps, so that enough are left for the rest.
    pub(super) fn with_steps<T>(&mut self, most: usize, part: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.steps;
        let share = before.map_or(most, |left| left.min(most));
        self.steps = Some(share);
        let found = part(self);
        let used = share - self.steps.unwrap_or_default();
        self.steps = before.map(|left| left - used);
        found
    }

    /// Whether the current question may take another step.
    pub(super) fn step(&mut self) -> bool {
        let Some(left) = &mut self.steps else { return true };
        *left = left.saturating_sub(1);
        *left > 0
    }

    fn by_cases_within(&mut self, splits: usize, prove: &dyn Fn(&mut Self, &[Poly]) -> bool, goals: &[Poly]) -> bool {
        if prove(self, goals) || self.contradiction() {
            return true;
        }
        if self.in_oldest_terms(goals).is_some_and(|goals| prove(self, &goals)) {
            return true;
        }
        let plain = self.multiplied_out(goals);
        if plain.as_ref().is_some_and(|goals| prove(self, goals)) {
            return true;
        }
        if self.divides_any(goals) && self.with_steps(IN_PARTS, |facts| facts.holds_in_parts(DIVISIONS, prove, goals)) {
            return true;
        }
        let cases = (splits > 0).then(|| self.alternatives(goals)).flatten();
        let cases = cases.or_else(|| plain.filter(|_| splits > 0)?.iter().find_map(|goal| self.signs(goal)));
        // The loops around have turns, which may say something that no fact about the goal says.
        let Some(cases) = cases.or_else(|| (splits + 1 >= SPLITS).then(|| self.innermost()).flatten()) else {
            return false;
        };
        cases.into_iter().all(|Case { facts, value, is_sign }| {
            let (mark, signed) = (self.mark(), self.signed);
            self.signed |= is_sign;
            facts.into_iter().for_each(|fact| self.learn(fact));
            let goals: Vec<Poly> = goals.iter().map(|goal| with_value(goal, value.as_ref())).collect();
            let proved = self.by_cases_within(splits - 1, prove, &goals);
            self.signed = signed;
            self.forget(mark);
            proved
        })
    }

    /// Whether a number of the goals is divided somewhere.
    fn divides_any(&self, goals: &[Poly]) -> bool {
        goals.iter().flat_map(symbols).any(|sym| !self.terms.divisors_of(sym).is_empty())
    }

    /// Proves goals about numbers that are divided somewhere, in terms of their quotients and remainders.
    fn holds_in_parts(&mut self, depth: usize, prove: &dyn Fn(&mut Self, &[Poly]) -> bool, goals: &[Poly]) -> bool {
        self.in_parts(goals).into_iter().any(|(sym, parts)| {
            self.replaced.push(sym);
            let parts = self.multiplied_out(&parts).unwrap_or(parts);
            let holds = prove(self, &parts) || depth > 1 && self.holds_in_parts(depth - 1, prove, &parts);
            self.replaced.pop();
            holds
        })
    }

    /// The goals without sums as factors, if they have some.
    fn multiplied_out(&mut self, goals: &[Poly]) -> Option<Vec<Poly>> {
        let others: Vec<Poly> = goals.iter().map(|goal| self.terms.multiplied_out(goal)).collect::<Option<_>>()?;
        (others != goals && goals.iter().all(|goal| self.fits_word(goal))).then_some(others)
    }

    /// Proves a goal, if need be for each alternative.
    pub(super) fn by_cases_of(&mut self, prove: &dyn Fn(&mut Self, &[Poly]) -> bool, goal: &Poly) -> bool {
        self.by_cases(prove, std::slice::from_ref(goal))
    }

    /// Whether nothing can get here, because facts contradict each other.
    pub(crate) fn impossible(&mut self) -> bool {
        self.by_cases(&|_, _| false, &[])
    }

    /// Alternatives that have to do with the goals: one of them holds.
    fn alternatives(&mut self, goals: &[Poly]) -> Option<Vec<Case>> {
        let direct: Vec<Sym> = goals.iter().flat_map(symbols).collect();
        let cases = self.sides().or_else(|| direct.iter().find_map(|sym| self.values(*sym)));
        cases.or_else(|| {
            let near: Vec<Sym> = goals.iter().flat_map(|goal| self.near(goal)).collect();
            near.iter().find_map(|sym| self.values(*sym)).or_else(|| goals.iter().find_map(|goal| self.signs(goal)))
        })
    }

    /// The signs of a factor in a product, if nothing is known about it: in `a[i * k]`, `i * k` goes up or down.
    fn signs(&mut self, goal: &Poly) -> Option<Vec<Case>> {
        if self.signed {
            return None;
        }
        goal.terms().iter().filter(|(product, _)| product.len() == 2).find_map(|(product, _)| {
            let [a, b] = product[..] else { return None };
            [(a, b), (b, a)].into_iter().find_map(|(sym, other)| self.signs_of(sym, other))
        })
    }

    fn signs_of(&mut self, sym: Sym, other: Sym) -> Option<Vec<Case>> {
        let this = Poly::symbol(vec![sym]);
        let negative = this.neg()?;
        let below = negative.add_constant(-1)?;
        if !self.is_factor(sym) || self.natural(sym) || !self.natural(other) {
            return None;
        }
        // What is not negative is not negative either if it is multiplied by a number of the other sign.
        let products = self.about(other).into_iter().filter_map(|fact| distributed(&fact, &negative));
        let down = [below].into_iter().chain(products).map(Fact::AtLeastZero).collect();
        let up = vec![Fact::AtLeastZero(this)];
        Some([up, down].into_iter().map(|facts| Case { facts, value: None, is_sign: true }).collect())
    }

    /// Whether a fact is about a product with this symbol.
    fn is_factor(&self, sym: Sym) -> bool {
        let has_product =
            |poly: &Poly| poly.terms().iter().any(|(product, _)| product.len() > 1 && product.contains(&sym));
        self.mentions.get(&sym).into_iter().flatten().any(|number| match &self.stack[*number] {
            Fact::AtLeastZero(poly) => has_product(poly),
            _ => false,
        })
    }

    /// Alternatives that have to do with the innermost facts.
    fn innermost(&mut self) -> Option<Vec<Case>> {
        let is_sum = |fact: &&Fact| matches!(fact, Fact::AtLeastZero(_));
        let recent: Vec<Fact> = self.stack.iter().rev().filter(is_sum).take(INNERMOST).cloned().collect();
        let mut syms = recent.iter().flat_map(super::subjects);
        syms.find_map(|sym| self.values(sym))
    }

    /// The sides of an `||` or `!=` that holds.
    fn sides(&self) -> Option<Vec<Case>> {
        // Each is told apart once only: a side that holds already adds nothing.
        let holds = |side: &Vec<Fact>| side.iter().all(|fact| self.stack.contains(fact));
        let sides = self.stack.iter().rev().take(20).find_map(|fact| match fact {
            Fact::Either(sides) if !sides.iter().any(holds) => Some(sides.to_vec()),
            Fact::NotZero(poly) => {
                let below = poly.neg().and_then(|poly| poly.add_constant(-1));
                let sides = [poly.add_constant(-1)?, below?].map(|side| vec![Fact::AtLeastZero(side)]);
                (!sides.iter().any(holds)).then(|| sides.to_vec())
            }
            _ => None,
        });
        sides.map(|sides| sides.into_iter().map(|facts| Case { facts, value: None, is_sign: false }).collect())
    }

    /// The symbols of a polynomial, of the facts about them, and of the operands of divisions among all these.
    pub(super) fn near(&self, goal: &Poly) -> Vec<Sym> {
        let mut found = symbols(goal);
        self.add_operands(&mut found, 0);
        let direct = found.clone();
        for number in direct.iter().flat_map(|sym| self.mentions.get(sym).into_iter().flatten().rev().take(8)) {
            if let Fact::AtLeastZero(poly) | Fact::Zero(poly) = &self.stack[*number] {
                for sym in symbols(poly) {
                    if !found.contains(&sym) {
                        found.push(sym);
                    }
                }
            }
        }
        self.add_operands(&mut found, direct.len());
        found
    }

    /// Adds the symbols of the operands of those from here on.
    pub(super) fn add_operands(&self, found: &mut Vec<Sym>, from: usize) {
        let operands = |sym: &Sym| match &self.terms.terms[*sym] {
            Term::Division(_, a, b) => symbols(a).into_iter().chain(symbols(b)).collect(),
            Term::Sum(a) | Term::Converted(_, a) => symbols(a),
            _ => Vec::new(),
        };
        let more: Vec<Sym> = found[from..].iter().flat_map(operands).collect();
        found.extend(more);
    }

    /// The values that a symbol may have, with the conditions for them, unless it has been replaced already.
    fn values(&mut self, sym: Sym) -> Option<Vec<Case>> {
        let values: Vec<(Vec<Fact>, Poly)> = match self.terms.terms[sym].clone() {
            Term::Select(cond, a, b) => {
                [(a, true), (b, false)].map(|(value, holds)| (self.meaning(cond, holds), value)).into()
            }
            Term::Extreme(op, a, b) => {
                let order = |x: &Poly, y: &Poly| self.order(x, y, false).into_iter().collect();
                let sides = [(order(&a, &b), a.clone()), (order(&b, &a), b.clone())];
                let [(below, _), (above, _)] = sides;
                if op == MathOp::Min { vec![(below, a), (above, b)] } else { vec![(above, a), (below, b)] }
            }
            _ => return None,
        };
        let this = Poly::symbol(vec![sym]);
        let mut cases = Vec::new();
        for (mut facts, value) in values {
            let is = Fact::Zero(this.sub(&value)?);
            if self.stack.contains(&is) {
                return None;
            }
            facts.push(is);
            cases.push(Case { facts, value: Some((sym, value)), is_sign: false });
        }
        Some(cases)
    }
}

/// The polynomial with the value of a symbol, if that is known.
pub(super) fn with_value(poly: &Poly, value: Option<&(Sym, Poly)>) -> Poly {
    let replaced = value.and_then(|(sym, value)| replaced(poly, *sym, value));
    replaced.unwrap_or_else(|| poly.clone())
}
