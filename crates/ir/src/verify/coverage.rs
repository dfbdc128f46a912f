//! Constructions that are said to define each element exactly once.

use super::rule::Rule;
use super::scope::Verifier;
use crate::facts::terms::Poly;
use crate::{Atom, Bulk, Coverage, Kind, Step, Var};

impl<'p> Verifier<'p> {
    /// As many values go into an array as it has elements. Since each subscript is in bounds, one too few leaves an element
    /// without a value, and one too many gives an element two. Where guards or other loops decide how many there are,
    /// nothing is known; nor is it where the counts may be equal. And no two values certainly go to the same element.
    pub(super) fn exact(&mut self, bulk: &'p Bulk) {
        for (number, output) in bulk.outputs.iter().enumerate() {
            let Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, .. } = &output.kind else { continue };
            let collides = self.facts.collides(bulk, number);
            self.check(!collides, Rule::Output, || {
                "values are said to define each element once, and two go to the same element".into()
            });
            let mut counting = Counting { output: number, indices: Vec::new() };
            let Some(values) = counting.steps(self, &bulk.steps, &Poly::constant(1)) else { continue };
            let difference = self.facts.terms.total(shape).sub(&values);
            let differs = difference.is_some_and(|difference| difference.as_constant().is_some_and(|n| n != 0));
            // What stands under a condition that never holds may say anything.
            let differs = differs && !self.facts.impossible();
            self.check(!differs, Rule::Output, || "values are said to define each element once, and cannot".into());
        }
    }
}

/// Counts the values for an output.
struct Counting {
    output: usize,
    /// The indices of the loops around, which counts must not depend on.
    indices: Vec<Var>,
}

impl Counting {
    /// How many values steps give that run so many times; nothing if that is not known.
    fn steps(&mut self, verifier: &mut Verifier<'_>, steps: &[Step], times: &Poly) -> Option<Poly> {
        let mut sum = Poly::constant(0);
        for step in steps {
            match step {
                Step::For { var, count, body, .. } if self.concerns(body) => {
                    let turns = verifier.facts.terms.poly(*count);
                    let none = turns.as_constant().is_some_and(|turns| turns < 0);
                    let turns = if none { Poly::constant(0) } else { turns };
                    if self.depends(*count, steps) {
                        return None;
                    }
                    let times = verifier.facts.terms.product(times, &turns)?;
                    self.indices.push(*var);
                    sum = sum.add(&self.steps(verifier, body, &times)?)?;
                    self.indices.pop();
                }
                Step::Guard(_, body) if self.concerns(body) => return None,
                Step::Emit(emit) if emit.output == self.output => sum = sum.add(times)?,
                Step::For { .. } | Step::Guard(..) | Step::Let(_) | Step::Scan(_) | Step::Emit(_) => {}
            }
        }
        Some(sum)
    }

    /// Whether the number of turns may differ from one turn of a loop around to the next.
    fn depends(&self, count: Atom, beside: &[Step]) -> bool {
        let Some(count) = count.var() else { return false };
        let bound_here = |step: &Step| match step {
            Step::Let(stm) => stm.vars.contains(&count),
            Step::Scan(scan) => scan.vars.contains(&count),
            Step::For { .. } | Step::Guard(..) | Step::Emit(_) => false,
        };
        self.indices.contains(&count) || !self.indices.is_empty() && beside.iter().any(bound_here)
    }

    fn concerns(&self, steps: &[Step]) -> bool {
        steps.iter().any(|step| match step {
            Step::For { body, .. } | Step::Guard(_, body) => self.concerns(body),
            Step::Emit(emit) => emit.output == self.output,
            Step::Let(_) | Step::Scan(_) => false,
        })
    }
}
