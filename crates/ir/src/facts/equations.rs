//! Equal integers under one name.
//!
//! ```text
//! let c = assert (n * 3 == r)
//! let e = assert (r == s)
//! let <c, e> x = xs[i]        // xs: [s]f64; here s is n * 3, of which the loops around speak
//! ```
//!
//! Checks of sizes lead from one size to another, and each step would be one more fact to combine. The equations that hold are
//! solved for their newest symbols (Gaussian elimination), so a goal can be stated in terms of the oldest ones.
//!
//! Limits: an equation in which the newest symbol has a coefficient or is a factor is left out.

use super::terms::{Poly, Sym, replaced};
use super::{Fact, Facts, symbols};
use std::rc::Rc;

/// How many of the innermost equations are solved.
const MOST: usize = 12;

impl Facts<'_> {
    /// The goals in terms of the oldest symbols, if that makes them other goals.
    pub(super) fn in_oldest_terms(&mut self, goals: &[Poly]) -> Option<Vec<Poly>> {
        let solved = self.solved();
        // Equations hold in `i64`: what they make of a number is the same number only if both are numbers of `i64`.
        if solved.is_empty() || !goals.iter().all(|goal| self.fits_word(goal)) {
            return None;
        }
        let others: Vec<Poly> = goals.iter().map(|goal| substituted(goal, &solved)).collect::<Option<_>>()?;
        (others != goals).then_some(others)
    }

    /// The equations as values of their newest symbols, the newest first.
    fn solved(&mut self) -> Rc<[(Sym, Poly)]> {
        if let Some(known) = &self.answers.solved {
            return known.clone();
        }
        let equation = |fact: &Fact| match fact {
            Fact::Zero(poly) => Some(poly.clone()),
            _ => None,
        };
        let mut solved: Vec<(Sym, Poly)> = Vec::new();
        for equation in self.stack.iter().rev().filter_map(equation).take(MOST) {
            if let Some((newest, value)) = substituted(&equation, &solved).and_then(|equation| solution(&equation)) {
                let at = solved.partition_point(|(sym, _)| *sym > newest);
                solved.insert(at, (newest, value));
            }
        }
        let solved: Rc<[(Sym, Poly)]> = solved.into();
        self.answers.solved = Some(solved.clone());
        solved
    }
}

/// The newest symbol of an equation, and what it is.
fn solution(equation: &Poly) -> Option<(Sym, Poly)> {
    let newest = *symbols(equation).last()?;
    let value = equation.isolate(&vec![newest])?;
    (!symbols(&value).contains(&newest)).then_some((newest, value))
}

/// The polynomial with the values of symbols. Values have older symbols only, so those come later.
fn substituted(poly: &Poly, solved: &[(Sym, Poly)]) -> Option<Poly> {
    solved.iter().try_fold(poly.clone(), |poly, (sym, value)| replaced(&poly, *sym, value))
}
