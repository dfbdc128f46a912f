//! Small arrays: every element and every iteration is visited once, so all answers are exact.

use super::cover::region;
use super::{Fault, Instance, Link, Prepared};
use crate::linear::Linear;
use crate::space::{Loop, LoopVar, iteration, iterations};

/// Most elements of an array that is enumerated.
const MAX_ELEMENTS: i64 = 100_000;
/// Most iterations of all clauses together.
const MAX_ITERATIONS: i64 = 200_000;

/// Who defines an element: a clause (position among the prepared ones) and its iteration's number.
#[derive(Clone, Copy)]
struct Definition {
    clause: usize,
    ordinal: i64,
}

/// The elements of a small array with their certain definitions.
pub(super) struct Elements {
    shape: Vec<Loop>,
    definitions: Vec<Option<Definition>>,
    /// Whether a guarded clause may define the element.
    maybe: Vec<bool>,
    /// The first collision of each later clause: the element and the two definitions.
    collisions: Vec<(usize, Definition, Definition)>,
}

impl Elements {
    /// Runs all clauses; `None` if the array or its loops are too large for that.
    pub fn of(shape: &[i64], clauses: &[Prepared]) -> Option<Elements> {
        let shape: Vec<Loop> = shape.iter().map(|extent| Loop::below(*extent)).collect();
        let size = iterations(&shape).filter(|size| *size <= MAX_ELEMENTS)?;
        let total = clauses.iter().try_fold(0i64, |total, c| total.checked_add(iterations(c.loops)?))?;
        if total > MAX_ITERATIONS {
            return None;
        }
        let size = usize::try_from(size).ok()?;
        let mut elements =
            Elements { shape, definitions: vec![None; size], maybe: vec![false; size], collisions: Vec::new() };
        for (clause, prepared) in clauses.iter().enumerate() {
            elements.run(clause, prepared);
        }
        Some(elements)
    }

    fn run(&mut self, clause: usize, prepared: &Prepared) {
        let Some(subscript) = &prepared.affine else { return };
        let mut collided = false;
        for_each_iteration(prepared.loops, |ordinal, values| {
            let Some(at) = self.position(subscript, values) else { return };
            let new = Definition { clause, ordinal };
            if prepared.guarded {
                self.maybe[at] = true;
            } else if let Some(old) = self.definitions[at] {
                if !collided {
                    self.collisions.push((at, old, new));
                }
                collided = true;
            } else {
                self.definitions[at] = Some(new);
            }
        });
    }

    /// The row-major position of the element the subscript names; `None` if it lies outside.
    fn position(&self, subscript: &[Linear<LoopVar>], values: &[i64]) -> Option<usize> {
        let mut position = 0;
        for (form, side) in subscript.iter().zip(&self.shape) {
            let index = form.eval(|v| values.get(v.0).copied()).filter(|i| 0 <= *i && *i < side.trip())?;
            position = position * side.trip() + index;
        }
        usize::try_from(position).ok()
    }

    fn element(&self, position: usize) -> Vec<i64> {
        iteration(&self.shape, position as i64)
    }

    fn instance(&self, clauses: &[Prepared], definition: Definition) -> Instance {
        let clause = &clauses[definition.clause];
        clause.instance(iteration(clause.loops, definition.ordinal))
    }

    /// For each clause, its first collision with itself or an earlier one.
    pub fn collisions(&self, clauses: &[Prepared]) -> Vec<Fault> {
        let fault = |(at, first, second): &(usize, Definition, Definition)| Fault::Collision {
            element: self.element(*at),
            first: self.instance(clauses, *first),
            second: self.instance(clauses, *second),
        };
        self.collisions.iter().map(fault).collect()
    }

    /// The first element that nothing can define.
    pub fn gap(&self, clauses: &[Prepared]) -> Option<Fault> {
        let shape: Vec<i64> = self.shape.iter().map(Loop::trip).collect();
        let vague = clauses.iter().filter(|c| c.affine.is_none()).filter_map(|c| region(&shape, c));
        let vague: Vec<_> = vague.collect();
        let open = |at: &usize| self.definitions[*at].is_none() && !self.maybe[*at];
        let mut candidates = (0..self.definitions.len()).filter(open).map(|at| self.element(at));
        let element = candidates.find(|element| !vague.iter().any(|region| region.contains(element)))?;
        Some(Fault::Gap { element })
    }

    /// An element that needs itself, and a shortest way around through it.
    pub fn cycle(&self, clauses: &[Prepared]) -> Option<Fault> {
        let chain = crate::graph::cycle(&self.reads(clauses))?;
        let link = |(at, read): (usize, usize)| {
            let instance = self.instance(clauses, self.definitions[at]?);
            Some(Link { element: self.element(at), instance, read })
        };
        Some(Fault::Cycle { chain: chain.into_iter().map(link).collect::<Option<_>>()? })
    }

    /// For each element, the defined elements it certainly reads, each with the number of the read.
    fn reads(&self, clauses: &[Prepared]) -> Vec<Vec<(usize, usize)>> {
        let mut reads = vec![Vec::new(); self.definitions.len()];
        for (at, definition) in self.definitions.iter().enumerate() {
            let Some(definition) = definition else { continue };
            let clause = &clauses[definition.clause];
            if clause.affine_reads.iter().all(Option::is_none) {
                continue;
            }
            let values = iteration(clause.loops, definition.ordinal);
            let target = |(read, subscript): (usize, &Option<Vec<Linear<LoopVar>>>)| {
                let to = self.position(subscript.as_ref()?, &values)?;
                self.definitions[to].map(|_| (read, to))
            };
            reads[at] = clause.affine_reads.iter().enumerate().filter_map(target).collect();
        }
        reads
    }
}

/// Calls `visit` with the number and the loop variables of every iteration, in order.
fn for_each_iteration(nest: &[Loop], mut visit: impl FnMut(i64, &[i64])) {
    let Some(total) = iterations(nest) else { return };
    let mut counters = vec![0; nest.len()];
    let mut values: Vec<i64> = nest.iter().map(Loop::lo).collect();
    for ordinal in 0..total {
        visit(ordinal, &values);
        for depth in (0..nest.len()).rev() {
            counters[depth] += 1;
            if counters[depth] < nest[depth].trip() {
                values[depth] = nest[depth].value(counters[depth]);
                break;
            }
            counters[depth] = 0;
            values[depth] = nest[depth].lo();
        }
    }
}
