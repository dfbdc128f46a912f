//! Where the values of arrays by clauses go.
//!
//! ```text
//! out gen [n][m]
//! for i < p { for j < q { emit [i + 1, j + 1] => .. } }       // p = max(n - 2, 0), q = max(m - 2, 0)
//! for j < m { emit [0, j] => .. }
//! ..
//! ```
//!
//! Values define each element exactly once if
//! - no value of a clause goes where another value of the clause goes: the subscripts determine the counters;
//! - no value of a clause goes where a value of another clause goes: that their subscripts are equal is a contradiction;
//! - there are as many values as elements. Subscripts are never outside, so no element is left.
//!
//! Or the last clause has a guard, and is for all elements that the others do not define ([`rest`](super::rest)).
//!
//! An array without elements has no values, so all extents are at least 1 otherwise.

use super::terms::{Poly, Sym, Term, distributed};
use super::{Fact, Facts, symbols};
use crate::traverse::Part;
use crate::{Atom, Bulk, Dim, Emit, Exp, Step, Stm, Type, Var};
use base::Set;

/// Arrays with at most so many elements may need proofs of their own.
const FEW: i64 = 4;

/// A value for an output, with what is around it.
#[derive(Clone, Debug)]
pub struct Place<'p> {
    /// The outermost step that it is in.
    pub step: usize,
    /// The value.
    pub emit: &'p Emit,
    /// The loops around it, the outermost first: counter and number of turns.
    pub loops: Vec<(Var, Atom)>,
    /// The guards around it.
    pub guards: Vec<Atom>,
    /// Its subscripts.
    pub at: Vec<Poly>,
}

/// A condition under which two values go to different places.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Apart {
    /// A condition that some number of turns depends on.
    Holds(Atom),
    /// A number of turns is not negative.
    Natural(Atom),
    /// Two subscripts differ.
    Differ(Atom, Atom),
    /// An integer is not negative and at most [`SMALL`]: products of two of them do not wrap around.
    Small(Atom),
}

/// Integers up to this are small enough to be multiplied.
pub const SMALL: i64 = (1 << 30) - 1;
/// More integers than this are not asked for at run time.
const ASKED: usize = 4;

impl<'p> Facts<'p> {
    /// The places of all values. To be called before the walk goes into the form; nothing if values are combined.
    pub fn places(&mut self, bulk: &'p Bulk) -> Option<Vec<Place<'p>>> {
        let mark = self.mark();
        let mut found = Some(Vec::new());
        for (number, step) in bulk.steps.iter().enumerate() {
            let around = Around { step: number, loops: Vec::new(), guards: Vec::new() };
            found = found.and_then(|found| self.places_in(step, around, found));
        }
        self.forget(mark);
        found
    }

    fn places_in(&mut self, step: &'p Step, around: Around, mut found: Vec<Place<'p>>) -> Option<Vec<Place<'p>>> {
        match step {
            Step::For { var, count, mark: _, body } => {
                let mut inner = around;
                inner.loops.push((*var, *count));
                body.iter().try_fold(found, |found, step| self.places_in(step, inner.clone(), found))
            }
            Step::Guard(cond, body) => {
                let mut inner = around;
                inner.guards.push(*cond);
                body.iter().try_fold(found, |found, step| self.places_in(step, inner.clone(), found))
            }
            Step::Let(stm) => {
                self.define_all(stm, !around.loops.is_empty());
                Some(found)
            }
            Step::Scan(_) => None,
            Step::Emit(emit) => {
                let at = self.terms.all(&emit.at);
                let Around { step, loops, guards } = around;
                found.push(Place { step, emit, loops, guards, at });
                Some(found)
            }
        }
    }

    /// Also what branches compute: conditions are made of them.
    fn define_all(&mut self, stm: &'p Stm, in_loop: bool) {
        if let Exp::If(_, then, otherwise) = &stm.exp {
            then.stms.iter().chain(&otherwise.stms).for_each(|inner| self.define_all(inner, in_loop));
        }
        if in_loop {
            self.in_loops.extend(&stm.vars);
        }
        for (number, var) in stm.vars.iter().enumerate() {
            self.define(*var, &self.program.vars[*var].ty, &stm.exp, number);
        }
    }

    /// Whether each element of an array gets exactly one of these values, which are all that an output gets.
    pub fn is_exact(&mut self, shape: &[Dim], places: &[&Place<'_>], known: &[Apart]) -> bool {
        let mark = self.mark();
        self.suppose_apart(known);
        let exact = self.has_elements(shape, places).is_some_and(|extents| {
            let rest = places.split_last().filter(|(rest, _)| self.marks_of(rest).is_some());
            if let Some((rest, others)) = rest {
                return self.are_disjoint(others, &extents) && self.is_rest(&extents, rest, others);
            }
            let (guarded, others): (Vec<&Place<'_>>, Vec<&Place<'_>>) =
                places.iter().copied().partition(|place| !self.is_sure(place));
            self.are_disjoint(&others, &extents)
                && match guarded[..] {
                    [] => self.as_many(&extents, places, 0) || self.as_many_in_rows(&extents, places),
                    _ => others.is_empty() && self.are_all_cases(&extents, &guarded),
                }
        });
        self.forget(mark);
        exact
    }

    /// Whether the guards around a value hold in all arrays that have elements.
    fn is_sure(&mut self, place: &Place<'_>) -> bool {
        place.guards.iter().all(|cond| {
            let mark = self.mark();
            self.suppose(*cond, false);
            let never = self.contradiction();
            self.forget(mark);
            never
        })
    }

    /// Whether no element of an array gets two of these values.
    pub fn no_collision(&mut self, shape: &[Dim], places: &[&Place<'_>], known: &[Apart]) -> bool {
        let mark = self.mark();
        self.suppose_apart(known);
        let disjoint = self.has_elements(shape, places).is_some_and(|extents| self.are_disjoint(places, &extents));
        self.forget(mark);
        disjoint
    }

    /// Conditions, decided before all loops, under which these values may go to different places. `inside` is what the form
    /// binds.
    pub fn apart_if(&mut self, places: &[&Place<'_>], inside: &Set<Var>) -> Vec<Apart> {
        let outside = |atom: &Atom| atom.var().is_none_or(|var| !inside.contains(&var));
        let mut found = Vec::new();
        let mut add = |apart: Apart| {
            if !found.contains(&apart) {
                found.push(apart);
            }
        };
        for (_, count) in places.iter().flat_map(|place| &place.loops) {
            let turns = self.terms.poly(*count);
            self.conditions_of(&turns).into_iter().filter(outside).for_each(|cond| add(Apart::Holds(cond)));
            if outside(count) && !self.at_least_zero(&turns) {
                add(Apart::Natural(*count));
            }
        }
        for (k, one) in places.iter().enumerate() {
            for other in &places[..k] {
                for (a, b) in one.emit.at.iter().zip(&other.emit.at) {
                    let same = self.terms.poly(*a) == self.terms.poly(*b);
                    let constant = a.var().is_none() && b.var().is_none();
                    if outside(a) && outside(b) && !same && !constant {
                        add(Apart::Differ(*a, *b));
                    }
                }
            }
        }
        self.strides(places, inside).into_iter().for_each(|stride| add(Apart::Differ(stride, Atom::size(0))));
        found.extend(self.unknown_integers(places, inside).into_iter().map(Apart::Small));
        found
    }

    /// The integers from outside of a form that counters are multiplied by.
    fn strides(&mut self, places: &[&Place<'_>], inside: &Set<Var>) -> Vec<Atom> {
        let mut found = Vec::new();
        for sym in
            places.iter().flat_map(|place| &place.at).flat_map(Poly::symbols).filter(|syms| syms.len() > 1).flatten()
        {
            if let Term::Atom(Atom::Var(var)) = self.terms.terms[*sym]
                && !inside.contains(&var)
                && !found.contains(&Atom::Var(var))
            {
                found.push(Atom::Var(var));
            }
        }
        found
    }

    /// The conditions without which there are no turns.
    fn conditions_of(&self, turns: &Poly) -> Vec<Atom> {
        let mut found = Vec::new();
        for sym in symbols(turns) {
            if let Term::Select(cond, value, other) = &self.terms.terms[sym] {
                found.extend((other.as_constant() == Some(0)).then_some(*cond));
                // Larger numbers of turns than there are numbers end the program: `select(n < 0, 9223372036854775807, n)`.
                let sizes = if value.as_constant().is_some() { other } else { value };
                found.extend(self.conditions_of(sizes));
            }
        }
        found
    }

    /// The integers from outside of a form that its subscripts and numbers of turns are made of, and of which it is not known
    /// how large they are; none if there are many.
    fn unknown_integers(&mut self, places: &[&Place<'_>], inside: &Set<Var>) -> Vec<Atom> {
        let counts = places.iter().flat_map(|place| &place.loops).map(|(_, count)| *count);
        let mut polys = self.terms.all(&counts.collect::<Vec<_>>());
        polys.extend(places.iter().flat_map(|place| place.at.iter().cloned()));
        let has_products = polys.iter().any(|poly| poly.symbols().any(|factors| factors.len() > 1));
        let vars = polys.iter().flat_map(symbols).flat_map(|sym| self.variables_of(sym)).collect::<Vec<Var>>();
        let mut found: Vec<Atom> = Vec::new();
        for var in vars {
            let atom = Atom::Var(var);
            let is_open = !inside.contains(&var) && self.program.ty(var) == &Type::I64 && !found.contains(&atom);
            let poly = self.terms.poly(atom);
            let is_far = |facts: &mut Self| facts.bits(&poly).is_none_or(|bits| bits > SMALL.ilog2() + 1);
            if is_open && (has_products && is_far(self) || !self.at_least_zero(&poly)) {
                found.push(atom);
            }
        }
        if found.len() > ASKED { Vec::new() } else { found }
    }

    fn suppose_apart(&mut self, known: &[Apart]) {
        for apart in known {
            match apart {
                Apart::Holds(cond) => self.suppose(*cond, true),
                Apart::Differ(a, b) => {
                    let difference = self.terms.poly(*a).sub(&self.terms.poly(*b));
                    difference.into_iter().for_each(|difference| self.learn(Fact::NotZero(difference)));
                }
                Apart::Natural(atom) => {
                    let value = self.terms.poly(*atom);
                    self.learn(Fact::Order(Poly::constant(0), value, false));
                }
                Apart::Small(atom) => {
                    let value = self.terms.poly(*atom);
                    let limits = [(Poly::constant(0), value.clone()), (value, Poly::constant(SMALL))];
                    limits.into_iter().for_each(|(low, high)| self.learn(Fact::Order(low, high, false)));
                }
            }
        }
    }

    /// From here on an array has elements: its extents. Values outside of loops are inside.
    fn has_elements(&mut self, shape: &[Dim], places: &[&Place<'_>]) -> Option<Vec<Poly>> {
        let mut extents = Vec::new();
        self.in_memory(shape);
        for dim in shape {
            let Dim::Size(n) = dim else { return None };
            let n = self.terms.poly(*n);
            let room = n.add_constant(-1)?;
            reduced(&room).into_iter().for_each(|room| self.learn(Fact::AtLeastZero(room)));
            self.learn(Fact::AtLeastZero(room));
            // No factor of a product that is not zero is zero.
            let factors = n.as_symbol().cloned().into_iter().flatten();
            factors.for_each(|sym| self.learn(Fact::NotZero(Poly::symbol(vec![sym]))));
            extents.push(n);
        }
        let always = |place: &&&Place<'_>| place.loops.is_empty() && place.guards.is_empty();
        places.iter().filter(always).for_each(|place| self.suppose_at(place, &extents));
        Some(extents)
    }

    fn are_disjoint(&mut self, places: &[&Place<'_>], extents: &[Poly]) -> bool {
        places.iter().enumerate().all(|(k, place)| {
            self.is_injective(place, extents) && places[..k].iter().all(|other| self.never_meet(place, other, extents))
        })
    }

    /// What holds where a value is computed. Its subscripts are inside: the program would have ended otherwise.
    pub(super) fn suppose_at(&mut self, place: &Place<'_>, extents: &[Poly]) {
        for (at, n) in place.at.iter().zip(extents) {
            let inside = [self.order(&Poly::constant(0), at, false), self.order(at, n, true)];
            inside.into_iter().flatten().for_each(|fact| self.learn(fact));
        }
        place.loops.iter().for_each(|(var, count)| self.counts(*var, *count));
        place.guards.iter().for_each(|cond| self.suppose(*cond, true));
    }

    /// Whether the subscripts of a clause determine its counters.
    fn is_injective(&mut self, place: &Place<'_>, extents: &[Poly]) -> bool {
        let mut open: Vec<Sym> = self.counters(place);
        // A loop of at most one turn does not matter.
        let single: Vec<bool> = place.loops.iter().map(|(_, count)| self.is_at_most_one(*count)).collect();
        let mut single = single.into_iter();
        open.retain(|_| !single.next().unwrap_or(false));
        let mut dims: Vec<&Poly> = place.at.iter().collect();
        while !open.is_empty() {
            // A subscript with one counter that is not determined yet determines it.
            let found = dims.iter().position(|at| {
                let own: Vec<Sym> = symbols(at).into_iter().filter(|sym| open.contains(sym)).collect();
                let is_linear = |sym| at.coefficient(&vec![sym]) != 0 && is_alone(at, sym) && !self.hides(at, &open);
                matches!(own[..], [sym] if is_linear(sym)
                    && (is_one_to_one(at.coefficient(&vec![sym])) || self.fits_inside(place, at, extents)))
            });
            let mixed = |facts: &mut Self| {
                dims.iter().position(|at| {
                    (facts.is_mixed(place, at, &open) || facts.is_strided(at, &open))
                        && facts.fits_inside(place, at, extents)
                })
            };
            let Some(found) = found.or_else(|| mixed(self)) else { return false };
            let determined = symbols(dims.remove(found));
            open.retain(|sym| !determined.contains(sym));
        }
        true
    }

    /// Whether a subscript moves by the same distance with each turn of the only loop that is not determined: `i * k`.
    fn is_strided(&mut self, at: &Poly, open: &[Sym]) -> bool {
        let own: Vec<Sym> = symbols(at).into_iter().filter(|sym| open.contains(sym)).collect();
        let [counter] = own[..] else { return false };
        let Some(stride) = factor_of(at, counter) else { return false };
        !self.hides(at, open) && !symbols(&stride).contains(&counter) && self.not_zero(&stride)
    }

    /// Whether a subscript determines two counters, one as the quotient and one as the remainder: `i * k + j` where `j < k`.
    fn is_mixed(&mut self, place: &Place<'_>, at: &Poly, open: &[Sym]) -> bool {
        let own: Vec<Sym> = symbols(at).into_iter().filter(|sym| open.contains(sym)).collect();
        let [a, b] = own[..] else { return false };
        let counters = self.counters(place);
        let count = |inner: Sym| counters.iter().position(|sym| *sym == inner).map(|k| place.loops[k].1);
        !self.hides(at, open)
            && [(a, b), (b, a)].into_iter().any(|(outer, inner)| {
                let (Some(stride), Some(count)) = (factor_of(at, outer), count(inner)) else { return false };
                let room = stride.sub(&self.terms.poly(count));
                let is_remainder = is_alone(at, inner) && at.coefficient(&vec![inner]) == 1;
                is_remainder && !symbols(&stride).contains(&inner) && room.is_some_and(|room| self.at_least_zero(&room))
            })
    }

    pub(super) fn is_at_most_one(&mut self, count: Atom) -> bool {
        let room = self.terms.poly(count).neg().and_then(|count| count.add_constant(1));
        room.is_some_and(|room| self.at_least_zero(&room))
    }

    /// Whether a subscript does not wrap around where a value is computed.
    fn fits_inside(&mut self, place: &Place<'_>, at: &Poly, extents: &[Poly]) -> bool {
        let mark = self.mark();
        self.suppose_at(place, extents);
        let fits = self.fits_word(at);
        self.forget(mark);
        fits
    }

    /// Whether the subscripts of two clauses are never equal.
    fn never_meet(&mut self, one: &Place<'_>, other: &Place<'_>, extents: &[Poly]) -> bool {
        if (0..one.at.len()).any(|dim| self.have_other_remainders((one, other), dim, extents)) {
            return true;
        }
        // Values in the same loop meet in different turns of it, too.
        let shared = one.loops.iter().any(|(var, _)| other.loops.iter().any(|(v, _)| v == var));
        if shared {
            return self.differ_in_constant(one, other);
        }
        let mark = self.mark();
        self.suppose_at(one, extents);
        self.suppose_at(other, extents);
        let differences: Vec<Poly> = one.at.iter().zip(&other.at).filter_map(|(a, b)| a.sub(b)).collect();
        let apart = (0..differences.len()).any(|k| self.differs(&differences, k)) || {
            differences.into_iter().for_each(|difference| self.learn(Fact::Zero(difference)));
            self.impossible()
        };
        self.forget(mark);
        apart
    }

    /// Whether two subscripts have different remainders by a number, whatever the counters are: `2 * i` and `2 * j + 1`.
    fn have_other_remainders(&mut self, (one, other): (&Place<'_>, &Place<'_>), dim: usize, extents: &[Poly]) -> bool {
        let (a, b) = (&one.at[dim], &other.at[dim]);
        let of_terms = |poly: &Poly| poly.terms().iter().fold(0, |divisor, (_, k)| gcd(divisor, k.unsigned_abs()));
        let divisor = gcd(of_terms(a), of_terms(b));
        let difference = a.constant_part().abs_diff(b.constant_part());
        if divisor <= 1 || difference.is_multiple_of(divisor) {
            return false;
        }
        // A power of two also divides what wraps around.
        let mut fits = |place: &Place<'_>| self.fits_inside(place, &place.at[dim], extents);
        divisor.is_power_of_two() || fits(one) && fits(other)
    }

    /// Whether one of these integers is not zero where the others are.
    fn differs(&mut self, integers: &[Poly], number: usize) -> bool {
        let mark = self.mark();
        let others = integers.iter().enumerate().filter(|(k, _)| *k != number);
        others.for_each(|(_, other)| self.learn(Fact::Zero(other.clone())));
        let differs = self.not_zero(&integers[number]);
        self.forget(mark);
        differs
    }

    /// Whether a subscript of both is a constant, each another.
    fn differ_in_constant(&self, one: &Place<'_>, other: &Place<'_>) -> bool {
        let mut both = one.at.iter().zip(&other.at);
        both.any(|(a, b)| matches!((a.as_constant(), b.as_constant()), (Some(a), Some(b)) if a != b))
    }

    /// Whether all clauses run through all rows, and give as many values to each row as it has elements.
    fn as_many_in_rows(&mut self, extents: &[Poly], places: &[&Place<'_>]) -> bool {
        let [rows, columns @ ..] = extents else { return false };
        let runs_through = |facts: &mut Self, place: &Place<'_>| {
            let row = place.loops.first().map(|(var, count)| (facts.terms.poly((*var).into()), *count));
            row.is_some_and(|(row, count)| place.at.first() == Some(&row) && facts.terms.poly(count) == *rows)
        };
        if columns.is_empty() || !places.iter().all(|place| runs_through(self, place)) {
            return false;
        }
        let mark = self.mark();
        let (first, count) = places[0].loops[0];
        self.counts(first, count);
        for place in &places[1..] {
            // It is the same row.
            let difference = self.terms.poly(place.loops[0].0.into()).sub(&self.terms.poly(first.into()));
            difference.into_iter().for_each(|difference| self.learn(Fact::Zero(difference)));
        }
        let as_many = self.as_many(columns, places, 1);
        self.forget(mark);
        as_many
    }

    /// Whether there are as many values as elements, where the outermost loops are in one turn each.
    fn as_many(&mut self, extents: &[Poly], places: &[&Place<'_>], outermost: usize) -> bool {
        let Some(values) = self.number_of_values(places, outermost) else { return false };
        let elements = extents.iter().try_fold(Poly::constant(HALVES), |product, n| distributed(&product, n));
        let Some(difference) = elements.and_then(|elements| elements.sub(&values)) else { return false };
        let small: Vec<Poly> = extents.to_vec();
        let prove = |facts: &mut Self, goals: &[Poly]| goals.iter().all(|goal| facts.equals_zero(goal, &small));
        self.by_cases_of(&prove, &difference)
    }

    /// The sum of the numbers of values of clauses whose guards hold, [`HALVES`] times. Nothing unless it is known of every count that it is
    /// not negative: then it is no number of turns.
    fn number_of_values(&mut self, places: &[&Place<'_>], outermost: usize) -> Option<Poly> {
        let mut sum = Poly::constant(0);
        for place in places {
            let mark = self.mark();
            let counts = self.counts_of(place, outermost);
            self.forget(mark);
            let turns = counts?
                .into_iter()
                .rev()
                .try_fold(Poly::constant(HALVES), |inner, (counter, count)| total(&inner, counter, &count));
            sum = sum.add(&turns?)?;
        }
        Some(sum)
    }

    /// The counters of a clause but for the outermost ones, each with its number of turns, which may depend on the counters
    /// around it.
    fn counts_of(&mut self, place: &Place<'_>, outermost: usize) -> Option<Vec<(Sym, Poly)>> {
        let counters = self.counters(place).split_off(outermost);
        let mut found = Vec::new();
        for ((var, count), counter) in place.loops[outermost..].iter().zip(&counters) {
            let poly = self.terms.poly(*count);
            let poly = self.without_choice(poly);
            if self.hides(&poly, &counters) || !self.fits_word(&poly) || !self.at_least_zero(&poly) {
                return None;
            }
            found.push((*counter, self.terms.multiplied_out(&poly)?));
            self.counts(*var, *count);
        }
        Some(found)
    }

    /// A number of turns without choices that are known to come out in one way.
    fn without_choice(&mut self, mut turns: Poly) -> Poly {
        while let Some(&[sym]) = turns.as_symbol().map(Vec::as_slice)
            && let Term::Select(cond, a, b) = self.terms.terms[sym].clone()
        {
            let mut is = |holds| self.meaning(cond, holds).iter().all(|fact| self.follows(fact));
            turns = match (is(true), is(false)) {
                (true, _) => a,
                (false, true) => b,
                (false, false) => break,
            };
        }
        turns
    }

    /// Whether a polynomial is zero by equations, where these integers, none of them below 1, are known if they are [`FEW`].
    fn equals_zero(&mut self, goal: &Poly, small: &[Poly]) -> bool {
        let mark = self.mark();
        for n in small {
            let is = |facts: &mut Self, few: i64| {
                let above = n.add_constant(-few)?;
                let (room, least) = (above.neg()?, few == 1 || facts.plainly_at_least_zero(&above));
                (least && facts.plainly_at_least_zero(&room)).then_some(room)
            };
            let few = (1..=FEW).find_map(|few| is(self, few));
            few.into_iter().for_each(|room| self.learn(Fact::Zero(room)));
        }
        let goal = self.by_parts(goal);
        let zero = self.zero_by_equations(&goal) || self.is_between_zeros(&goal);
        self.forget(mark);
        zero
    }

    /// Whether a polynomial is zero because it is neither above nor below, once what divides it is gone.
    fn is_between_zeros(&mut self, goal: &Poly) -> bool {
        let divided = reduced(goal).filter(|part| Some(0) == goal.constant_part().checked_sub(part.constant_part()));
        let goal = divided.unwrap_or_else(|| goal.clone());
        self.plainly_at_least_zero(&goal) && goal.neg().is_some_and(|goal| self.plainly_at_least_zero(&goal))
    }

    pub(super) fn counters(&mut self, place: &Place<'_>) -> Vec<Sym> {
        let counter = |(var, _): &(Var, Atom)| self.terms.poly((*var).into()).terms()[0].0[0];
        place.loops.iter().map(counter).collect()
    }

    /// Whether a polynomial depends on one of these counters by more than its symbol: `i % 2` does on `i`, and so does `x` if a
    /// turn binds `let x = f i`.
    pub(super) fn hides(&self, poly: &Poly, wanted: &[Sym]) -> bool {
        let vars: Set<Var> = wanted.iter().flat_map(|sym| self.variables_of(*sym)).collect();
        let others = symbols(poly).into_iter().filter(|sym| !wanted.contains(sym));
        self.depend_on(others.flat_map(|sym| self.variables_of(sym)).collect(), &vars)
    }

    /// Whether variables are, or are computed from, one of those that are wanted.
    fn depend_on(&self, mut open: Vec<Var>, wanted: &Set<Var>) -> bool {
        let mut seen: Set<Var> = Set::default();
        while let Some(var) = open.pop() {
            if wanted.contains(&var) {
                return true;
            }
            // What is bound outside of all loops depends on no counter.
            if self.in_loops.contains(&var) && seen.insert(var) {
                open.push(self.terms.root(var));
                self.terms.def(var).into_iter().for_each(|exp| operands(exp, &mut open));
            }
        }
        false
    }
}

/// An integer that is not negative if another one is not: `n - 1` for `2 * n - 2`, and for `2 * n - 1`.
fn reduced(poly: &Poly) -> Option<Poly> {
    let divisor = poly.terms().iter().fold(0, |divisor, (_, k)| gcd(divisor, k.unsigned_abs()));
    let divisor = i64::try_from(divisor).ok().filter(|divisor| *divisor > 1)?;
    let constant = Poly::constant(poly.constant_part().div_euclid(divisor));
    let mut parts = poly.terms().iter().map(|(factors, k)| Poly::symbol(factors.clone()).scale(k / divisor));
    parts.try_fold(constant, |sum, part| sum.add(&part?))
}

/// Whether different counters have different products with this number, which may wrap around: two counters are less than
/// `2^63` apart, so the difference of their products is no multiple of `2^64`.
fn is_one_to_one(factor: i64) -> bool {
    factor != 0 && factor.trailing_zeros() <= 1
}

/// The variables that an expression mentions, at any depth.
fn operands(exp: &Exp, found: &mut Vec<Var>) {
    let mut add = |part: Part<'_>| {
        if let Part::Atom(Atom::Var(var)) | Part::Use(var) = part {
            found.push(*var);
        }
    };
    exp.for_each_part(&mut |part| match part {
        Part::Block(block) => block.walk(&mut add),
        Part::Stm(stm) => stm.walk(&mut add),
        part => add(part),
    });
}

/// The greatest common divisor.
fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Numbers of values are counted in so many parts, because half a square is in the number of a triangle.
const HALVES: i64 = 4;

/// The sum of a polynomial over all values of a counter below a count: `c` for 1, and `c * (c - 1) / 2` for the counter.
fn total(of: &Poly, counter: Sym, count: &Poly) -> Option<Poly> {
    let mut sum = Poly::constant(0);
    let constant = Poly::constant(of.constant_part());
    sum = sum.add(&distributed(&constant, count)?)?;
    for (factors, k) in of.terms() {
        let others: Vec<Sym> = factors.iter().copied().filter(|sym| *sym != counter).collect();
        let rest = if others.is_empty() { Poly::constant(*k) } else { Poly::symbol(others.clone()).scale(*k)? };
        let part = match factors.len() - others.len() {
            0 => distributed(&rest, count)?,
            1 => halved(&distributed(&distributed(&rest, count)?, &count.add_constant(-1)?)?)?,
            _ => return None,
        };
        sum = sum.add(&part)?;
    }
    Some(sum)
}

/// Half of a polynomial whose coefficients are even.
fn halved(poly: &Poly) -> Option<Poly> {
    let mut sum = Poly::constant(half(poly.constant_part())?);
    for (factors, k) in poly.terms() {
        sum = sum.add(&Poly::symbol(factors.clone()).scale(half(*k)?)?)?;
    }
    Some(sum)
}

fn half(k: i64) -> Option<i64> {
    (k % 2 == 0).then_some(k / 2)
}

/// What is around a value.
#[derive(Clone)]
struct Around {
    step: usize,
    loops: Vec<(Var, Atom)>,
    guards: Vec<Atom>,
}

/// What a symbol is multiplied by.
fn factor_of(poly: &Poly, sym: Sym) -> Option<Poly> {
    let mut sum = Poly::constant(0);
    for (factors, k) in poly.terms().iter().filter(|(factors, _)| factors.contains(&sym)) {
        let others: Vec<Sym> = factors.iter().copied().filter(|other| *other != sym).collect();
        let part = if others.is_empty() { Poly::constant(*k) } else { Poly::symbol(others.clone()).scale(*k)? };
        sum = sum.add(&part)?;
        (others.len() + 1 == factors.len()).then_some(())?;
    }
    Some(sum)
}

/// Whether a symbol is in no product with others.
pub(super) fn is_alone(poly: &Poly, sym: Sym) -> bool {
    poly.terms().iter().all(|(product, _)| !product.contains(&sym) || product.len() == 1)
}
