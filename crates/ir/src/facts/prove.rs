//! Whether a polynomial is never negative, or always zero.
//!
//! To show `n - 2 - i >= 0`, subtract facts until what is left is certainly not negative: with the fact
//! `n - 3 - i >= 0` that leaves 1. A term is eliminated by a fact that has it with the same sign; a product `i*m` also
//! by a fact about `i` multiplied by an `m` that is not negative. Where that fails, `select`, `min` and `max` are
//! replaced by each of their values in turn, and each side of an `||` is supposed in turn. Facts that contradict each
//! other prove everything.

use super::cases::with_value;
use super::terms::{Poly, Sym, Term, replaced, times};
use super::{Fact, Facts, Question, room, symbols};
use crate::{Atom, Exp, Var};
use base::{Map, Set};
use scalar::{BinOp, MathOp, Prim};
use std::rc::Rc;

/// How many polynomials one proof looks at.
pub(super) const BUDGET: usize = 120;
/// How many facts may be combined.
pub(super) const DEPTH: usize = 6;
/// How many facts are tried alone.
const SHORT: usize = 24;
/// How many facts the verifier combines before more, and how many polynomials that looks at. In exact proofs the steps are better
/// spent on the whole depth.
const MIDDLE: usize = 3;
const SOME: usize = 60;
/// How many of the innermost facts are looked at for a contradiction.
const RECENT: usize = 24;
/// How many steps it may take to find out what follows from a definition.
const PART: usize = 1_000;
/// How many of them are looked at for what else is known of their symbols: `n == 0` contradicts what an outer loop says of `n`.
const SUPPOSED: usize = 2;
/// How many are looked at for quotients.
const LATEST: usize = 8;
/// Facts with such a constant say only that something is in memory.
const FAR: u64 = 1 << 32;
/// How many definitions are looked at one inside the other.
const DEEPEST: usize = 12;

/// A product and its coefficient.
type Scaled = (Vec<Sym>, i64);

/// A search for facts to subtract from a goal.
struct Search<'b> {
    /// How many more facts may be tried.
    budget: &'b mut usize,
    /// What was left of the goal before and led nowhere, and with how many facts more: several orders of the same facts leave
    /// the same.
    failed: Map<Poly, usize>,
}

impl Search<'_> {
    fn new(budget: &mut usize) -> Search<'_> {
        Search { budget, failed: Map::default() }
    }
}

impl Facts<'_> {
    /// Whether a fact follows from what is known.
    pub fn follows(&mut self, fact: &Fact) -> bool {
        match fact {
            Fact::AtLeastZero(poly) => self.at_least_zero(poly),
            Fact::Zero(poly) => self.some_zero(std::slice::from_ref(poly)),
            Fact::NotZero(poly) => self.not_zero(poly),
            Fact::SameRows(a, b) => self.same_rows(*a, *b),
            Fact::Shape(x) => self.natural_elements(*x),
            Fact::Either(sides) => self.one_holds(sides),
            Fact::ForAll(_) | Fact::InMemory(_) | Fact::Unknown(_) => self.stack.contains(fact),
            Fact::Order(low, high, strict) => {
                let listed = [*strict, true].map(|strict| (low.clone(), high.clone(), strict));
                listed.iter().any(|order| self.ordered.contains(order)) || self.follows_exactly(low, high, *strict)
            }
        }
    }

    /// Whether one of two sides holds, or one does because the other does not.
    fn one_holds(&mut self, [left, right]: &[Vec<Fact>; 2]) -> bool {
        let all = |facts: &mut Self, side: &[Fact]| side.iter().all(|fact| facts.follows(fact));
        if all(self, left) || all(self, right) {
            return true;
        }
        [(left, right), (right, left)].into_iter().any(|(without, side)| {
            let Some(opposite) = opposite(without) else { return false };
            let mark = self.mark();
            self.learn(opposite);
            let holds = all(self, side);
            self.forget(mark);
            holds
        })
    }

    fn follows_exactly(&mut self, low: &Poly, high: &Poly, strict: bool) -> bool {
        let plainly = self.fits_word(low)
            && self.fits_word(high)
            && room(low, high, strict).is_some_and(|room| self.at_least_zero(&room));
        plainly || low.as_constant() == Some(0) && self.is_distance(high, strict)
    }

    /// Whether the polynomial is never negative.
    pub(crate) fn at_least_zero(&mut self, goal: &Poly) -> bool {
        let prove =
            |facts: &mut Self, goals: &[Poly]| goals.iter().all(|goal| facts.search(goal, DEPTH, &mut { BUDGET }));
        self.by_cases(&prove, std::slice::from_ref(goal))
    }

    /// Whether one of these polynomials is zero, whatever the case.
    pub(crate) fn some_zero(&mut self, goals: &[Poly]) -> bool {
        let zero = |facts: &mut Self, goal: &Poly| {
            let budget = &mut { BUDGET };
            facts.equal_by_facts(goal, DEPTH, budget)
                || goal.neg().is_some_and(|negative| {
                    facts.search(goal, DEPTH, budget) && facts.search(&negative, DEPTH, &mut { BUDGET })
                })
        };
        self.by_cases(&|facts, goals| goals.iter().any(|goal| zero(facts, goal)), goals)
    }

    /// Whether two descriptors are the same.
    pub(crate) fn same_rows(&mut self, a: Var, b: Var) -> bool {
        let (a, b) = (self.terms.root(a), self.terms.root(b));
        if let (Some(n), Some(m)) = (self.row_length(a), self.row_length(b)) {
            let difference = self.terms.poly(n).sub(&self.terms.poly(m));
            return difference.is_some_and(|difference| self.some_zero(&[difference]));
        }
        self.same_as(a).contains(&b)
    }

    /// The length of all rows, if they have one.
    pub(crate) fn row_length(&self, d: Var) -> Option<Atom> {
        self.same_as(self.terms.root(d)).into_iter().find_map(|d| match self.terms.def(d) {
            Some(Exp::DescUniform(n)) => Some(*n),
            _ => None,
        })
    }

    /// A descriptor, and those that facts say are the same.
    fn same_as(&self, a: Var) -> Vec<Var> {
        let mut class = vec![a];
        let mut at = 0;
        while let Some(d) = class.get(at).copied() {
            at += 1;
            for fact in &self.stack {
                let next = match fact {
                    Fact::SameRows(x, y) if *x == d => *y,
                    Fact::SameRows(x, y) if *y == d => *x,
                    _ => continue,
                };
                if !class.contains(&next) {
                    class.push(next);
                }
            }
        }
        class
    }

    /// Whether the polynomial is never zero.
    pub(crate) fn not_zero(&mut self, goal: &Poly) -> bool {
        let prove = |facts: &mut Self, goals: &[Poly]| {
            goals
                .iter()
                .all(|goal| facts.plainly_not_zero(goal) || facts.plainly_not_zero(&facts.before_conversion(goal)))
        };
        self.by_cases(&prove, &[self.before_conversion(goal)])
    }

    /// The polynomial as it was before conversions between types with as many bits, in which no bit changes.
    fn before_conversion(&self, goal: &Poly) -> Poly {
        let source = |sym: &Sym| match &self.terms.terms[*sym] {
            Term::Converted(_, source) => Some((*sym, source.clone())),
            _ => None,
        };
        symbols(goal).iter().filter_map(source).fold(goal.clone(), |goal, value| with_value(&goal, Some(&value)))
    }

    pub(super) fn plainly_not_zero(&mut self, goal: &Poly) -> bool {
        if let Some(n) = goal.as_constant() {
            return n != 0;
        }
        let negative = goal.neg();
        let direct = self.stack.iter().rev().any(|fact| match fact {
            Fact::NotZero(poly) => {
                poly == goal || Some(poly) == negative.as_ref() || self.before_conversion(poly) == *goal
            }
            _ => false,
        });
        let below = negative.and_then(|negative| negative.add_constant(-1));
        let signs = [goal.add_constant(-1), below];
        direct
            || signs.into_iter().flatten().any(|goal| self.search(&goal, DEPTH, &mut { BUDGET }))
            || matches!(goal.terms(), [(product, _)] if goal.constant_part() == 0 && self.is_not_zero_product(goal, product))
    }

    /// Whether a product is not zero: no factor is.
    fn is_not_zero_product(&mut self, goal: &Poly, product: &[Sym]) -> bool {
        match *product {
            [sym] => self.must_differ_from_zero(sym),
            _ => self.fits_word(goal) && product.iter().all(|sym| self.at_least_one(*sym)),
        }
    }

    pub(super) fn at_least_one(&mut self, sym: Sym) -> bool {
        let rest = Poly::symbol(vec![sym]).add_constant(-1);
        rest.is_some_and(|rest| self.search(&rest, DEPTH, &mut { BUDGET }))
    }

    /// Whether facts contradict each other if a factor were zero: where `i < n * m`, neither `n` nor `m` is.
    fn must_differ_from_zero(&mut self, sym: Sym) -> bool {
        let mark = self.mark();
        for fact in self.about(sym) {
            if let Some(fact) = replaced(&fact, sym, &Poly::constant(0)) {
                self.learn(Fact::AtLeastZero(fact));
            }
        }
        let impossible = self.contradiction();
        self.forget(mark);
        impossible
    }

    /// Whether a polynomial is zero by equations alone.
    pub(super) fn zero_by_equations(&mut self, goal: &Poly) -> bool {
        self.equal_by_facts(goal, DEPTH, &mut { BUDGET })
    }

    /// Whether a polynomial is not negative, without telling alternatives apart.
    pub(super) fn plainly_at_least_zero(&mut self, goal: &Poly) -> bool {
        self.search(goal, DEPTH, &mut { BUDGET })
    }

    /// Whether the polynomial is not negative, by facts.
    pub(super) fn search(&mut self, goal: &Poly, depth: usize, budget: &mut usize) -> bool {
        // A fact that says it all may come behind others that lead nowhere: short ways first.
        self.is_listed(goal)
            || self.fits_word(goal)
                && (self.combine(goal, depth.min(1), &mut Search::new(&mut { SHORT }))
                    || !self.is_exact && depth > MIDDLE && self.combine(goal, MIDDLE, &mut Search::new(&mut { SOME }))
                    || self.combine(goal, depth, &mut Search::new(budget)))
    }

    /// Whether a fact says it. Nothing has to be found out for that.
    pub(super) fn is_listed(&self, goal: &Poly) -> bool {
        let numbers = goal.symbols().flatten().next().and_then(|sym| self.mentions.get(sym));
        numbers.into_iter().flatten().any(|number| match &self.stack[*number] {
            Fact::AtLeastZero(fact) => {
                fact.terms() == goal.terms() && fact.constant_part() <= goal.constant_part() && !self.is_exact
            }
            _ => false,
        })
    }

    /// Subtracts facts until what is left is certainly not negative.
    fn combine(&mut self, goal: &Poly, depth: usize, search: &mut Search<'_>) -> bool {
        let is_bad = |facts: &mut Self, product: &[Sym], k| k < 0 || !product.iter().all(|sym| facts.natural(*sym));
        // Little is known about quotients, elements and sums that are factors, so beginning with them leaves the least to try.
        // What a product leaves may make up for a term alone, not the other way round.
        let mut terms: Vec<&Scaled> = goal.terms().iter().collect();
        let is_defined =
            |sym: &Sym| matches!(self.terms.terms[*sym], Term::Division(..) | Term::Element(..) | Term::Sum(_));
        terms.sort_by_key(|(product, _)| (!product.iter().any(is_defined), std::cmp::Reverse(product.len())));
        let bad = terms.into_iter().find(|(product, k)| is_bad(self, product, *k)).cloned();
        if bad.is_none() && goal.constant_part() >= 0 {
            return true;
        }
        if depth == 0
            || *search.budget == 0
            || search.failed.get(goal).is_some_and(|tried| *tried >= depth)
            || !self.step()
        {
            return false;
        }
        for (fact, term) in self.ways(goal, bad) {
            if *search.budget == 0 {
                return false;
            }
            *search.budget -= 1;
            if !self.fits_word(&fact) {
                continue;
            }
            let rest = match &term {
                Some((product, k)) => without_term(goal, &fact, product, *k),
                None => goal.sub(&fact),
            };
            if rest.is_some_and(|rest| self.combine(&rest, depth - 1, search)) {
                return true;
            }
        }
        search.failed.insert(goal.clone(), depth);
        false
    }

    /// Facts to subtract from a goal, with the term that each eliminates, if not a part of a negative constant. `bad` is a term
    /// that may be negative.
    fn ways(&mut self, goal: &Poly, bad: Option<Scaled>) -> Vec<(Poly, Option<Scaled>)> {
        let facts = match &bad {
            Some((product, k)) => self.with_term(goal, product, *k),
            None => self.with_negative_constant(goal),
        };
        let mut ways: Vec<_> = facts.into_iter().map(|fact| (fact, bad.clone())).collect();
        // A product makes up for its factors and for constants: `n * m - m - 1` is `(n - 2) * m + m - 1`.
        let part = bad.map_or(Vec::new(), |(product, _)| product);
        let makes_up = |(product, k): &&Scaled| product.len() > 1 && *k > 0 && quotient(product, &part).is_some();
        for (product, k) in goal.terms().iter().filter(makes_up) {
            let facts = self.with_term(goal, product, *k).into_iter();
            ways.extend(facts.map(|fact| (fact, Some((product.clone(), *k)))));
        }
        if !self.replaced.is_empty() {
            ways.retain(|(fact, _)| fact.symbols().flatten().all(|sym| !self.replaced.contains(sym)));
        }
        // That an array fits into memory says little, and leaves much to make up for.
        ways.sort_by_key(|(fact, _)| fact.constant_part().unsigned_abs() >= FAR);
        ways
    }

    /// Whether a symbol is certainly not negative.
    pub(super) fn natural(&mut self, sym: Sym) -> bool {
        if self.says_at_least(sym, 0) {
            return true;
        }
        if let Some(known) = self.answers.naturals.get(&sym) {
            return *known;
        }
        let natural = self.inside((sym, Question::Natural), |facts| facts.natural_by_definition(sym));
        if let Some(natural) = natural {
            self.answers.naturals.insert(sym, natural);
        }
        natural.unwrap_or(false)
    }

    /// Whether a fact says by itself that a symbol is at least a number.
    pub(super) fn says_at_least(&self, sym: Sym, least: i64) -> bool {
        self.mentions.get(&sym).into_iter().flatten().any(|number| match &self.stack[*number] {
            Fact::AtLeastZero(poly) => {
                poly.constant_part() <= -least && matches!(poly.terms(), [(p, 1)] if **p == [sym])
            }
            _ => false,
        })
    }

    /// Whether a polynomial is certainly not negative. If it is a number of its own, that need not be small for it.
    pub(super) fn natural_number(&mut self, poly: &Poly) -> bool {
        matches!(poly.as_symbol().map(|product| &product[..]), Some([sym]) if self.natural(*sym))
            || self.search(poly, 3, &mut { 16 })
    }

    /// What `look` finds in the definition of a symbol, unless that is being looked at already.
    pub(super) fn inside<T>(&mut self, question: (Sym, Question), look: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.open.contains(&question) || self.open.len() >= DEEPEST {
            return None;
        }
        self.open.push(question);
        let replaced = std::mem::take(&mut self.replaced);
        let found = self.with_steps(PART, look);
        self.replaced = replaced;
        self.open.pop();
        Some(found)
    }

    fn natural_by_definition(&mut self, sym: Sym) -> bool {
        let holds = |facts: &mut Self, goal: &Poly| facts.search(goal, 4, &mut { 24 });
        match self.terms.terms[sym].clone() {
            Term::Length(..) | Term::Offset(..) | Term::Row(..) | Term::Total(_) => true,
            Term::Sum(poly) => holds(self, &poly),
            Term::Element(x, at) => self.natural_elements(x) || self.checked_natural(x, &at),
            Term::Division(op, a, b) => {
                let this = Poly::symbol(vec![sym]);
                self.division(op, &a, &b, &this).is_some_and(|facts| facts.contains(&this))
            }
            Term::Converted(from, source) => from == Prim::U64 && self.fits(&source),
            Term::Extreme(MathOp::Min, a, b) => holds(self, &a) && holds(self, &b),
            // A number or its negative, unless it is the least one of all.
            Term::Extreme(_, a, b) if a.neg().as_ref() == Some(&b) => self.fits_word(&a),
            Term::Extreme(_, a, b) => holds(self, &a) || holds(self, &b),
            Term::Select(cond, a, b) => [(a, true), (b, false)].into_iter().all(|(value, side)| {
                let mark = self.mark();
                self.suppose(cond, side);
                let natural = holds(self, &value) || self.contradiction();
                self.forget(mark);
                natural
            }),
            Term::Atom(atom) => {
                let range = atom.var().and_then(|var| self.range(var));
                let by_type = self.is_unsigned(atom) || range.is_some_and(|(low, _)| low >= 0);
                by_type || self.is_natural_pattern(atom) || self.is_natural_conversion(atom)
            }
        }
    }

    pub(super) fn is_unsigned(&self, atom: Atom) -> bool {
        let prim = match atom {
            Atom::Var(var) => self.program.vars.get(var).and_then(|info| info.ty.prim()),
            Atom::Const(x) => Some(x.prim()),
        };
        matches!(prim, Some(Prim::U8 | Prim::U16 | Prim::U32 | Prim::U64))
    }

    /// Whether a `u64` is an `i64`, too.
    fn fits(&mut self, source: &Poly) -> bool {
        if self.is_small(source) {
            return true;
        }
        let room = source.neg().and_then(|negative| negative.add_constant(i64::MAX));
        room.is_some_and(|room| self.search(&room, 2, &mut { 12 }))
    }

    /// Whether no element of an array is negative.
    pub(crate) fn natural_elements(&mut self, x: Var) -> bool {
        let x = self.terms.root(x);
        match self.terms.def(x) {
            Some(Exp::Literal(_, atoms)) => atoms.iter().all(|atom| {
                let element = self.terms.poly(*atom);
                self.search(&element, DEPTH, &mut { BUDGET })
            }),
            _ if self.shapes.contains(&x) || self.is_lengths(x) || self.elements_at_least_zero(x) => true,
            Some(Exp::Reshape(y) | Exp::Slice(y, _) | Exp::Rearrange(y, _)) => self.natural_elements(*y),
            _ => false,
        }
    }

    /// Whether an array holds row lengths.
    pub(super) fn is_lengths(&self, x: Var) -> bool {
        match self.terms.def(x) {
            Some(Exp::DescLengths(_)) => true,
            Some(Exp::Reshape(y) | Exp::Slice(y, _)) => self.is_lengths(*y),
            _ => false,
        }
    }

    /// Facts that have this product of a goal with the same sign.
    fn with_term(&mut self, goal: &Poly, wanted: &[Sym], k: i64) -> Vec<Poly> {
        // Those that have the whole product come first: the others bring in more products.
        let (mut found, mut multiples) = (Vec::new(), Vec::new());
        let mut seen = Vec::new();
        // Counters come after the sizes that they are below, and choices after what is chosen from.
        for sym in wanted.iter().rev() {
            if seen.contains(sym) {
                continue;
            }
            seen.push(*sym);
            for fact in self.about(*sym) {
                for (have, l) in fact.terms() {
                    if (k < 0) != (*l < 0) || !have.contains(sym) {
                        continue;
                    }
                    let Some(rest) = quotient(wanted, have) else { continue };
                    let all = if rest.is_empty() { &mut found } else { &mut multiples };
                    if rest.iter().all(|sym| self.natural(*sym))
                        && let Some(fact) = multiplied(&fact, &rest)
                        && !all.contains(&fact)
                    {
                        all.push(fact);
                    }
                }
            }
        }
        found.append(&mut multiples);
        if let [sym] = wanted {
            let is_quotient =
                |sym: &Sym| matches!(self.terms.terms[*sym], Term::Division(BinOp::Div | BinOp::Quot, ..));
            // `n / 2` in the goal says something about `n`, too.
            let divides = |other: &Sym| match &self.terms.terms[*other] {
                Term::Division(_, whole, _) => symbols(whole).contains(sym),
                _ => false,
            };
            let mut quotients: Vec<Sym> = symbols(goal).into_iter().filter(divides).collect();
            let recent = self.recent_divisions(&[*sym]).into_iter().filter(|other| !quotients.contains(other));
            quotients.extend(recent.collect::<Vec<Sym>>());
            quotients.retain(is_quotient);
            let divided = quotients.into_iter().flat_map(|quotient| self.about(quotient));
            found.extend(divided.filter(|fact| fact.coefficient(&vec![*sym]).signum() == k.signum()));
        }
        found
    }

    /// Facts that make up for a negative constant.
    fn with_negative_constant(&mut self, goal: &Poly) -> Vec<Poly> {
        let syms = symbols(goal);
        let all: Vec<Poly> = if syms.is_empty() {
            let is_sum = |fact: &&Fact| matches!(fact, Fact::AtLeastZero(_) | Fact::Zero(_));
            let recent: Vec<Fact> = self.stack.iter().rev().filter(is_sum).take(RECENT).cloned().collect();
            let supposed: Set<Sym> =
                recent.iter().take(self.unless_exact(SUPPOSED)).flat_map(super::subjects).collect();
            let mut all: Vec<Poly> = recent.into_iter().flat_map(inequalities).collect();
            let divisions: Set<Sym> = all
                .iter()
                .flat_map(symbols)
                .filter(|sym| matches!(self.terms.terms[*sym], Term::Division(..)))
                .collect();
            all.extend(divisions.into_iter().chain(supposed).flat_map(|sym| self.about(sym)));
            all
        } else {
            let quotients = self.recent_divisions(&syms);
            syms.iter().copied().chain(quotients).flat_map(|sym| self.about(sym)).collect()
        };
        let shares =
            |fact: &Poly| fact.terms().iter().any(|(product, k)| goal.coefficient(product).signum() == k.signum());
        let (first, more): (Vec<Poly>, Vec<Poly>) = all.into_iter().partition(|fact| fact.constant_part() < 0);
        // That a number of the goal is not negative leaves less of it to work with.
        let is_sign = |fact: &Poly| !syms.is_empty() && fact.constant_part() == 0 && fact.as_symbol().is_some();
        let (signs, more): (Vec<Poly>, Vec<Poly>) = more.into_iter().partition(is_sign);
        let useful = |fact: &Poly| if syms.is_empty() { fact.constant_part() < 0 } else { shares(fact) };
        first.into_iter().chain(more).chain(signs).filter(useful).collect()
    }

    /// How many facts the verifier looks at in addition. In exact proofs the steps are better spent on the whole depth.
    fn unless_exact(&self, number: usize) -> usize {
        if self.is_exact { 0 } else { number }
    }

    /// The quotients and remainders that the innermost facts speak of: they say something about what is divided. In exact proofs
    /// only those of these symbols.
    fn recent_divisions(&self, syms: &[Sym]) -> Set<Sym> {
        let recent = self.stack.iter().rev().take(LATEST).flat_map(super::subjects);
        recent.filter(|sym| self.is_division(*sym, syms)).collect()
    }

    fn is_division(&self, sym: Sym, syms: &[Sym]) -> bool {
        match &self.terms.terms[sym] {
            Term::Division(_, a, _) => !self.is_exact || symbols(a).iter().any(|sym| syms.contains(sym)),
            _ => false,
        }
    }

    /// The inequalities that mention a symbol, the innermost first.
    pub(super) fn about(&mut self, sym: Sym) -> Vec<Poly> {
        let numbers = self.mentions.get(&sym).into_iter().flatten().rev().take(16);
        let mut found: Vec<Poly> = numbers.flat_map(|number| inequalities(self.stack[*number].clone())).collect();
        found.extend_from_slice(&self.defined_bounds(sym));
        found
    }

    /// What the definition of a symbol says about it.
    fn defined_bounds(&mut self, sym: Sym) -> Rc<[Poly]> {
        if let Some(known) = self.answers.bounds.get(&sym) {
            return known.clone();
        }
        let found = self.inside((sym, Question::Bounds), |facts| facts.by_definition(sym)).unwrap_or_default();
        let found: Rc<[Poly]> = found.into();
        // Inside of other questions less may be found.
        if self.open.is_empty() {
            self.answers.bounds.insert(sym, found.clone());
        }
        found
    }

    /// What holds of quotients, remainders and conversions whatever their operands are.
    fn by_definition(&mut self, sym: Sym) -> Vec<Poly> {
        let this = Poly::symbol(vec![sym]);
        match self.terms.terms[sym].clone() {
            Term::Division(op, a, b) => self.division(op, &a, &b, &this).unwrap_or_default(),
            Term::Sum(poly) => [this.sub(&poly), poly.sub(&this)].into_iter().flatten().collect(),
            Term::Converted(Prim::I64, source) if self.search(&source, 2, &mut { 12 }) => {
                [this.sub(&source), source.sub(&this)].into_iter().flatten().collect()
            }
            Term::Element(x, _) => self.limits_of_element(x, &this),
            Term::Length(d, at) => match self.terms.def(d) {
                Some(Exp::DescOf(lengths)) => {
                    let element = self.terms.element(*lengths, at);
                    [this.sub(&element), element.sub(&this)].into_iter().flatten().collect()
                }
                _ => Vec::new(),
            },
            Term::Converted(Prim::U64, source) if self.fits(&source) => {
                let same = [this.sub(&source), source.sub(&this)];
                same.into_iter().flatten().chain([this]).collect()
            }
            Term::Atom(Atom::Var(var)) => self.limits_of_variable(var, &this),
            Term::Extreme(MathOp::Min, a, b) => [a.sub(&this), b.sub(&this)].into_iter().flatten().collect(),
            Term::Extreme(_, a, b) => [this.sub(&a), this.sub(&b)].into_iter().flatten().collect(),
            Term::Select(cond, a, b) => {
                let constants = a.as_constant().zip(b.as_constant());
                match (self.only_value(cond, a, b), constants) {
                    (Some(value), _) => [this.sub(&value), value.sub(&this)].into_iter().flatten().collect(),
                    (None, Some((a, b))) => between(&this, a.min(b), a.max(b)),
                    (None, None) => Vec::new(),
                }
            }
            _ => Vec::new(),
        }
    }

    /// Whether a polynomial is zero because of equations.
    fn equal_by_facts(&mut self, goal: &Poly, depth: usize, budget: &mut usize) -> bool {
        let Some(goal) = &self.terms.multiplied_out(goal) else { return false };
        if goal.as_constant().is_some() || depth == 0 {
            return goal.as_constant() == Some(0);
        }
        let syms = symbols(goal);
        let numbers: Vec<usize> =
            syms.iter().flat_map(|sym| self.mentions.get(sym).into_iter().flatten()).copied().collect();
        for number in numbers.into_iter().rev() {
            let Fact::Zero(equation) = self.stack[number].clone() else { continue };
            for sym in &syms {
                if *budget == 0 {
                    return false;
                }
                *budget -= 1;
                let Some(value) = equation.isolate(&vec![*sym]) else { continue };
                if symbols(&value).contains(sym) {
                    continue;
                }
                let next = replaced(goal, *sym, &value);
                if next.is_some_and(|next| self.equal_by_facts(&next, depth - 1, budget)) {
                    return true;
                }
            }
        }
        false
    }
}

/// A fact as polynomials that are not negative.
fn inequalities(fact: Fact) -> Vec<Poly> {
    match fact {
        Fact::AtLeastZero(poly) => vec![poly],
        Fact::Zero(poly) => {
            let negative = poly.neg();
            [poly].into_iter().chain(negative).collect()
        }
        Fact::Order(..) | Fact::NotZero(_) | Fact::SameRows(..) => Vec::new(),
        Fact::Shape(_) | Fact::Either(_) | Fact::ForAll(_) | Fact::InMemory(_) | Fact::Unknown(_) => Vec::new(),
    }
}

/// What holds if a side of an `||` does not.
fn opposite(side: &[Fact]) -> Option<Fact> {
    match side {
        [Fact::AtLeastZero(poly)] => Some(Fact::AtLeastZero(poly.neg()?.add_constant(-1)?)),
        [Fact::Zero(poly)] => Some(Fact::NotZero(poly.clone())),
        [Fact::NotZero(poly)] => Some(Fact::Zero(poly.clone())),
        [Fact::Order(low, high, strict)] => Some(Fact::Order(high.clone(), low.clone(), !strict)),
        _ => None,
    }
}

/// The goal less as much of the fact as eliminates a term; first the goal is scaled if need be.
fn without_term(goal: &Poly, fact: &Poly, product: &[Sym], k: i64) -> Option<Poly> {
    let have = fact.coefficient(&product.to_vec());
    if have == 0 || (have < 0) != (k < 0) {
        return None;
    }
    if k.checked_rem(have)? == 0 {
        return goal.sub(&fact.scale(k.checked_div(have)?)?);
    }
    // Of integers, `2 * goal >= -1` is enough.
    let factor = have.checked_abs()?;
    goal.scale(factor)?.add_constant(factor - 1)?.sub(&fact.scale(k.checked_abs()?)?)
}

/// What is left of a product without some of its factors.
pub(super) fn quotient(whole: &[Sym], part: &[Sym]) -> Option<Vec<Sym>> {
    let mut rest = whole.to_vec();
    for sym in part {
        let at = rest.iter().position(|other| other == sym)?;
        rest.remove(at);
    }
    Some(rest)
}

/// A polynomial times a product.
fn multiplied(poly: &Poly, by: &[Sym]) -> Option<Poly> {
    if by.is_empty() {
        return Some(poly.clone());
    }
    let terms = poly.terms().iter().map(|(product, k)| (times(product, by), *k));
    Poly::from_terms(terms.chain([(by.to_vec(), poly.constant_part())]), 0)
}

/// That something is at least one number and at most another.
pub(super) fn between(this: &Poly, low: i64, high: i64) -> Vec<Poly> {
    let above = low.checked_neg().and_then(|low| this.add_constant(low));
    let below = this.neg().and_then(|negative| negative.add_constant(high));
    above.into_iter().chain(below).collect()
}
