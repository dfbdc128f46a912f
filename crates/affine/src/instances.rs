//! Systems of equations between iterations of loop nests.
//!
//! Every participating iteration ("instance") brings its loop counters as unknowns, from zero to
//! the trip count; equations between subscripts tie instances together.

use crate::access::Direction;
use crate::linear::Linear;
use crate::solve::{Outcome, Row, System};
use crate::space::{Loop, LoopVar};

/// A system under construction.
#[derive(Default)]
pub(crate) struct Instances<'a> {
    nests: Vec<(usize, &'a [Loop])>,
    system: System,
}

/// A demand on the value of a form.
pub(crate) enum Bound {
    AtLeast(i64),
    AtMost(i64),
}

impl<'a> Instances<'a> {
    /// A new unknown iteration of `nest`.
    pub fn add(&mut self, nest: &'a [Loop]) -> usize {
        self.nests.push((self.system.bounds.len(), nest));
        self.system.bounds.extend(nest.iter().map(|l| (0, l.trip() - 1)));
        self.nests.len() - 1
    }

    /// Demands that subscript `f` in instance `a` equals subscript `g` in instance `b`, in all
    /// dimensions both have. `None` if a subscript mentions a variable its nest does not have.
    /// All instances must have been added before.
    pub fn equate(&mut self, a: usize, f: &[Linear<LoopVar>], b: usize, g: &[Linear<LoopVar>]) -> Option<()> {
        for (f, g) in f.iter().zip(g) {
            let mut row = self.zero();
            self.accumulate(&mut row, a, f, 1)?;
            self.accumulate(&mut row, b, g, -1)?;
            self.system.equations.push(row);
        }
        Some(())
    }

    /// Demands that the variable of loop `depth` in instance `a` compares to the one in `b` as `direction` says.
    pub fn order(&mut self, a: usize, b: usize, depth: usize, direction: Direction) -> Option<()> {
        let variable = Linear::symbol(LoopVar(depth));
        let mut difference = self.zero();
        self.accumulate(&mut difference, b, &variable, 1)?;
        self.accumulate(&mut difference, a, &variable, -1)?;
        match direction {
            Direction::Any => {}
            Direction::Equal => self.system.equations.push(difference),
            Direction::Less => {
                difference.constant = difference.constant.checked_sub(1)?;
                self.system.inequalities.push(difference);
            }
            Direction::Greater => {
                difference.coefficients.iter_mut().for_each(|c| *c = -*c);
                difference.constant = (-difference.constant).checked_sub(1)?;
                self.system.inequalities.push(difference);
            }
        }
        Some(())
    }

    /// Demands that all these forms are at least zero in the instance.
    pub fn guard(&mut self, instance: usize, guards: &[Linear<LoopVar>]) -> Option<()> {
        guards.iter().try_for_each(|form| self.bound(instance, form, Bound::AtLeast(0)))
    }

    /// Demands a bound on the form's value in the instance.
    pub fn bound(&mut self, instance: usize, form: &Linear<LoopVar>, bound: Bound) -> Option<()> {
        let mut row = self.zero();
        let (factor, limit) = match bound {
            Bound::AtLeast(low) => (1, -i128::from(low)),
            Bound::AtMost(high) => (-1, i128::from(high)),
        };
        self.accumulate(&mut row, instance, form, factor)?;
        row.constant = row.constant.checked_add(limit)?;
        self.system.inequalities.push(row);
        Some(())
    }

    /// The lexicographically first choice of iterations, as loop variables' values for each instance.
    pub fn solve(&self) -> Option<Option<Vec<Vec<i64>>>> {
        match self.system.solve_least() {
            Outcome::Unknown => None,
            Outcome::Infeasible => Some(None),
            Outcome::Solution(counters) => {
                let values = |(offset, nest): &(usize, &[Loop])| {
                    nest.iter().zip(&counters[*offset..]).map(|(l, counter)| l.value(*counter)).collect()
                };
                Some(Some(self.nests.iter().map(values).collect()))
            }
        }
    }

    fn zero(&self) -> Row {
        Row { coefficients: vec![0; self.system.bounds.len()], constant: 0 }
    }

    /// Adds `factor * form` to the row, with each loop variable as `lo + step * counter`.
    fn accumulate(&self, row: &mut Row, instance: usize, form: &Linear<LoopVar>, factor: i128) -> Option<()> {
        let (offset, nest) = self.nests[instance];
        row.constant = row.constant.checked_add(i128::from(form.constant_part()) * factor)?;
        for (variable, coefficient) in form.terms() {
            let l = nest.get(variable.0)?;
            let weight = i128::from(*coefficient) * factor;
            row.constant = row.constant.checked_add(weight * i128::from(l.lo()))?;
            let counter = &mut row.coefficients[offset + variable.0];
            *counter = counter.checked_add(weight * i128::from(l.step()))?;
        }
        Some(())
    }
}
