//! What a loop has checked of all elements of vectors.
//!
//! ```text
//! let all = bulk { out reduce from (true) by && for i < r { emit { let x = iv[i]; let n = s[i]; => 0 <= x && x < n } } }
//! let c = assert all
//! let <c> y = a[..iv]            // in bounds: at each `i < r`, 0 <= iv[i] < s[i]
//! ```
//!
//! The index of the loop that checks stands for any index: nothing else is known of it outside of the loop.
//!
//! Limits: one loop has to check all that is to be proved, and it has no guards.

use super::prove::{BUDGET, DEPTH};
use super::terms::Poly;
use super::{Fact, Facts, ForAll, subjects, symbols};
use crate::Var;
use std::rc::Rc;

/// How many conditions are tried.
const MOST: usize = 8;

impl Facts<'_> {
    /// Whether something holds of each index below `count`, because of a condition that was checked for each.
    pub(crate) fn for_each(&mut self, count: &Poly, holds: &mut dyn FnMut(&mut Self, &Poly) -> bool) -> bool {
        let found: Vec<Rc<ForAll>> = self.stack.iter().rev().filter_map(for_all).take(MOST).collect();
        found.iter().any(|all| {
            let mark = self.mark();
            let as_many = count.sub(&all.count).is_some_and(|difference| self.some_zero(&[difference]));
            let index = [Some(all.index.clone()), all.count.sub(&all.index).and_then(|room| room.add_constant(-1))];
            index.into_iter().flatten().for_each(|room| self.learn(Fact::AtLeastZero(room)));
            all.facts.iter().cloned().for_each(|fact| self.learn(fact));
            let proved = as_many && holds(self, &all.index);
            self.forget(mark);
            proved
        })
    }

    /// Whether a loop has checked that the element at an index is not negative.
    pub(super) fn checked_natural(&mut self, x: Var, at: &[Poly]) -> bool {
        let [at] = at else { return false };
        let found: Vec<Rc<ForAll>> = self.stack.iter().rev().filter_map(for_all).take(MOST).collect();
        found.iter().any(|all| {
            let element = self.terms.element(x, vec![all.index.clone()]);
            let room = all.count.sub(at).and_then(|room| room.add_constant(-1));
            all.facts.contains(&Fact::AtLeastZero(element))
                && self.search(at, DEPTH, &mut { BUDGET })
                && room.is_some_and(|room| self.search(&room, DEPTH, &mut { BUDGET }))
        })
    }

    /// Whether a loop has compared the elements of two vectors with each other.
    pub(crate) fn compares(&mut self, a: Var, b: Var) -> bool {
        let found: Vec<Rc<ForAll>> = self.stack.iter().rev().filter_map(for_all).take(MOST).collect();
        found.iter().any(|all| {
            let elements = [a, b].map(|vector| symbols(&self.terms.element(vector, vec![all.index.clone()])));
            let both = |fact: &Fact| {
                let subjects = subjects(fact);
                elements.iter().all(|element| subjects.iter().any(|sym| element.contains(sym)))
            };
            all.facts.iter().any(both)
        })
    }

    /// Whether two vectors have the same elements, of which there are `count`.
    pub(crate) fn same_elements(&mut self, a: Var, b: Var, count: &Poly) -> bool {
        self.for_each(count, &mut |facts, i| {
            let [x, y] = [a, b].map(|vector| facts.terms.element(vector, vec![i.clone()]));
            x.sub(&y).is_some_and(|difference| facts.some_zero(&[difference]))
        })
    }

    /// Whether each of `count` indices is inside of the extent that a shape vector has at the same place.
    pub(crate) fn indices_inside(&mut self, at: Var, shape: Var, count: &Poly) -> bool {
        self.for_each(count, &mut |facts, i| {
            let [index, extent] = [at, shape].map(|vector| facts.terms.element(vector, vec![i.clone()]));
            let room = extent.sub(&index).and_then(|room| room.add_constant(-1));
            facts.at_least_zero(&index) && room.is_some_and(|room| facts.at_least_zero(&room))
        })
    }
}

fn for_all(fact: &Fact) -> Option<Rc<ForAll>> {
    match fact {
        Fact::ForAll(all) => Some(all.clone()),
        _ => None,
    }
}
