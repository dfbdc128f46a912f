//! Values that go to the same place for certain.
//!
//! ```text
//! out gen [n][n]
//! for i < n { for j < n { emit [i, i] => .. } }         // `j` does not matter: all its turns give the same element
//! for i < n { for j < m { emit [i + j, 0] => .. } }     // `i` and `j` can change places
//! ```
//!
//! [`places`](super::places) shows that no values collide; where it cannot, they need not. Here it is the other way round: a
//! form is blamed only if two turns, which there are unless a loop has at most one, have the same subscripts whatever the
//! program computes. Subscripts that depend on more than counters are none of its business.

use super::places::{Place, is_alone};
use super::terms::Sym;
use super::{Facts, symbols};
use crate::{Atom, Bulk, Step, Var};
use base::Set;

impl<'p> Facts<'p> {
    /// Whether two values of an output that has no guards certainly go to the same place, if there are both.
    pub(crate) fn collides(&mut self, bulk: &'p Bulk, output: usize) -> bool {
        if is_in_order(&bulk.steps, output) {
            return false;
        }
        let Some(places) = self.places(bulk) else { return false };
        let bound = Step::bound_in(&bulk.steps);
        let own: Vec<&Place<'_>> =
            places.iter().filter(|place| place.emit.output == output && place.guards.is_empty()).collect();
        own.iter().enumerate().any(|(number, place)| {
            self.depends_on_counters(place, &bound)
                && (self.repeats(place) || own[..number].iter().any(|other| same(place, other)))
        })
    }

    /// Whether subscripts depend only on counters and on what is outside of the form.
    fn depends_on_counters(&self, place: &Place<'_>, bound: &Set<Var>) -> bool {
        let is_counter = |var: &Var| place.loops.iter().any(|(counter, _)| counter == var);
        self.subscript_variables(place).iter().all(|var| is_counter(var) || !bound.contains(var))
    }

    fn subscript_variables(&self, place: &Place<'_>) -> Set<Var> {
        place.at.iter().flat_map(symbols).flat_map(|sym| self.variables_of(sym)).collect()
    }

    /// Whether several turns of the loops around a value have the same subscripts.
    fn repeats(&mut self, place: &Place<'_>) -> bool {
        if place.loops.iter().any(|(_, count)| count.as_size().is_some_and(|count| count <= 0)) {
            return false;
        }
        let mentioned = self.subscript_variables(place);
        let counters = self.counters(place);
        let mut several: Vec<Sym> = Vec::new();
        for ((var, count), sym) in place.loops.iter().zip(counters) {
            if self.is_at_most_one(*count) {
                continue;
            }
            if !mentioned.contains(var) {
                return true;
            }
            several.push(sym);
        }
        let pairs = several.iter().enumerate().flat_map(|(k, a)| several[..k].iter().map(|b| (*a, *b)));
        pairs.into_iter().any(|(a, b)| self.can_change_places(place, a, b))
    }

    /// Whether one counter can go up by one and the other up or down by one without a change of any subscript.
    fn can_change_places(&self, place: &Place<'_>, a: Sym, b: Sym) -> bool {
        let linear = place.at.iter().all(|at| is_alone(at, a) && is_alone(at, b) && !self.hides(at, &[a, b]));
        let sum = |sign: i64| {
            let moves = |at: &super::terms::Poly| at.coefficient(&vec![a]) + sign * at.coefficient(&vec![b]);
            place.at.iter().all(|at| moves(at) == 0)
        };
        linear && (sum(1) || sum(-1))
    }
}

/// Whether an output gets one value, at the counters of the loops around it, each once.
fn is_in_order(steps: &[Step], output: usize) -> bool {
    let (mut loops, mut steps): (Vec<Atom>, &[Step]) = (Vec::new(), steps);
    loop {
        let mut own = steps.iter().filter(|step| concerns(step, output));
        match (own.next(), own.next()) {
            (Some(Step::For { var, body, .. }), None) => {
                loops.push(Atom::Var(*var));
                steps = body;
            }
            (Some(Step::Emit(emit)), None) => return loops.iter().all(|counter| emit.at.contains(counter)),
            (None, _) => return true,
            (_, _) => return false,
        }
    }
}

fn concerns(step: &Step, output: usize) -> bool {
    match step {
        Step::For { body, .. } | Step::Guard(_, body) => body.iter().any(|step| concerns(step, output)),
        Step::Emit(emit) => emit.output == output,
        Step::Let(_) | Step::Scan(_) => false,
    }
}

/// Whether two values of the same turn have the same subscripts.
fn same(one: &Place<'_>, other: &Place<'_>) -> bool {
    one.loops == other.loops && one.at == other.at
}
