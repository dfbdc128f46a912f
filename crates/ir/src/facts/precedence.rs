//! Which value of a recursive array defines an element that another value reads, and whether it comes first.
//!
//! ```text
//! for i < p { for j < q { emit [i + 1, j + 1] => .. a[i, j + 1] .. } }
//! ```
//!
//! The element `[i, j + 1]` is defined in the turn in which the subscripts are `[i, j + 1]`: that is turn `(i - 1, j)` of
//! the same loops, if it is one of their turns. It comes before turn `(i, j)`. So the counters of the value that is read
//! are solved from its subscripts, and compared with those of the value that reads, the outermost first.

use super::places::Place;
use super::terms::{Poly, Sym, distributed};
use super::{Fact, Facts, symbols};
use crate::Atom;

/// Loops deeper than this run forward, or not in order at all.
const DEEPEST: usize = 3;

/// When an element that is read is defined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Precedence {
    /// In an earlier turn.
    Before,
    /// In an earlier turn, or in the same one.
    UpToSame,
    /// Nobody knows.
    Unknown,
}

/// The directions in which the loops around a value may run: all of them, those that run forward first. `true` is
/// backward, the outermost loop first.
pub fn directions(loops: usize) -> Vec<Vec<bool>> {
    let many = if loops > DEEPEST { 1 } else { 1 << loops };
    (0..many).map(|k: u32| (0..loops).map(|level| k >> level & 1 == 1).collect()).collect()
}

impl Facts<'_> {
    /// When the element at these subscripts, which a value at `reader` reads, is defined, if `writer` defines it: by the
    /// outermost `levels` loops, for all directions of them. Nothing if `writer` never defines it. To be called where the
    /// element is read.
    pub fn precedence(
        &mut self,
        at: &[Poly],
        reader: &Place<'_>,
        writer: &Place<'_>,
        levels: &[usize],
    ) -> Option<Vec<Vec<Precedence>>> {
        let unknown = |levels: &usize| vec![Precedence::Unknown; directions(*levels).len()];
        let Some(turn) = self.turn_of(at, writer) else { return Some(levels.iter().map(unknown).collect()) };
        let mark = self.mark();
        self.suppose_defined(at, writer, &turn);
        let found = if self.impossible() {
            None
        } else {
            let own: Vec<Poly> = reader.loops.iter().map(|(var, _)| self.terms.poly((*var).into())).collect();
            let mut compared = |levels: &usize| {
                let directions = directions(*levels);
                directions.iter().map(|backward| self.compare(&turn, &own, backward)).collect()
            };
            Some(levels.iter().map(&mut compared).collect())
        };
        self.forget(mark);
        found
    }

    /// How many of the outermost loops of two clauses have the same numbers of turns, with nothing else around them.
    pub fn same_turns(&mut self, one: &Place<'_>, other: &Place<'_>) -> usize {
        let counters: Vec<Sym> = [one, other].into_iter().flat_map(|place| self.counters(place)).collect();
        let same = |facts: &mut Self, a: Atom, b: Atom| {
            let (a, b) = (facts.terms.poly(a), facts.terms.poly(b));
            let fixed =
                |poly: &Poly| !facts.hides(poly, &counters) && !symbols(poly).iter().any(|s| counters.contains(s));
            fixed(&a) && fixed(&b) && a.sub(&b).is_some_and(|difference| facts.some_zero(&[difference]))
        };
        if !one.guards.is_empty() || !other.guards.is_empty() {
            return 0;
        }
        one.loops.iter().zip(&other.loops).take_while(|((_, a), (_, b))| same(self, *a, *b)).count()
    }

    /// The counters with which a value has these subscripts.
    fn turn_of(&mut self, at: &[Poly], writer: &Place<'_>) -> Option<Vec<Poly>> {
        let counters = self.counters(writer);
        let mut solved: Vec<Option<Poly>> = vec![None; counters.len()];
        while solved.iter().any(Option::is_none) {
            let next = writer.at.iter().zip(at).find_map(|(own, wanted)| self.solve(own, wanted, &counters, &solved));
            let (level, value) = next?;
            solved[level] = Some(value);
        }
        solved.into_iter().collect()
    }

    /// Solves one subscript for the only counter in it that is not solved yet.
    fn solve(&self, own: &Poly, wanted: &Poly, counters: &[Sym], solved: &[Option<Poly>]) -> Option<(usize, Poly)> {
        if self.hides(own, counters) {
            return None;
        }
        let mut open =
            counters.iter().enumerate().filter(|(k, sym)| solved[*k].is_none() && symbols(own).contains(sym));
        let (level, sym) = open.next()?;
        if open.next().is_some() {
            return None;
        }
        let rest = own.sub(&Poly::symbol(vec![*sym]).scale(own.coefficient(&vec![*sym]))?)?;
        let rest = with_counters(&rest, counters, solved)?;
        let difference = wanted.sub(&rest)?;
        match own.coefficient(&vec![*sym]) {
            1 => Some((level, difference)),
            -1 => Some((level, difference.neg()?)),
            _ => None,
        }
    }

    /// A value defines the element at these subscripts: the turn is one of its loops, and all its subscripts are these.
    fn suppose_defined(&mut self, at: &[Poly], writer: &Place<'_>, turn: &[Poly]) {
        let counters = self.counters(writer);
        let solved: Vec<Option<Poly>> = turn.iter().cloned().map(Some).collect();
        for ((_, count), value) in writer.loops.iter().zip(turn) {
            self.learn(Fact::AtLeastZero(value.clone()));
            let count = self.terms.poly(*count);
            if self.hides(&count, &counters) {
                continue;
            }
            let room = with_counters(&count, &counters, &solved).and_then(|count| count.sub(value)?.add_constant(-1));
            room.into_iter().for_each(|room| self.learn(Fact::AtLeastZero(room)));
        }
        for (own, wanted) in writer.at.iter().zip(at).filter(|(own, _)| !self.hides(own, &counters)).collect::<Vec<_>>()
        {
            let own = with_counters(own, &counters, &solved);
            let difference =
                own.and_then(|own| own.sub(wanted)).filter(|difference| difference.as_constant() != Some(0));
            difference.into_iter().for_each(|difference| self.learn(Fact::Zero(difference)));
        }
    }

    /// Whether one turn comes before another, where loops run in these directions.
    fn compare(&mut self, turn: &[Poly], other: &[Poly], backward: &[bool]) -> Precedence {
        let mark = self.mark();
        let mut found = Precedence::UpToSame;
        for ((one, other), backward) in turn.iter().zip(other).zip(backward) {
            let ahead = if *backward { one.sub(other) } else { other.sub(one) };
            let Some(ahead) = ahead else { continue };
            if ahead.add_constant(-1).is_some_and(|ahead| self.at_least_zero(&ahead)) {
                found = Precedence::Before;
                break;
            }
            if !self.at_least_zero(&ahead) {
                found = Precedence::Unknown;
                break;
            }
            self.learn(Fact::Zero(ahead));
        }
        self.forget(mark);
        found
    }
}

/// A polynomial with the values of counters, unless one of them is not solved yet. All are replaced at once: values mention
/// the counters of the value that reads.
pub(super) fn with_counters(poly: &Poly, counters: &[Sym], solved: &[Option<Poly>]) -> Option<Poly> {
    let mut sum = Poly::constant(poly.constant_part());
    for (factors, k) in poly.terms() {
        let mut term = Poly::constant(*k);
        for factor in factors {
            let value = match counters.iter().position(|sym| sym == factor) {
                Some(level) => solved[level].clone()?,
                None => Poly::symbol(vec![*factor]),
            };
            term = distributed(&term, &value)?;
        }
        sum = sum.add(&term)?;
    }
    Some(sum)
}
