//! How far a number is from those below a divisor.

use super::Facts;
use super::terms::Poly;
use crate::Atom;

/// Where a number is, seen from the numbers `0..divisor`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Distance {
    /// It is one of them.
    Inside,
    /// It is one of them, or the divisor has to be added once.
    Below,
    /// It is one of them, or the divisor has to be subtracted once.
    Above,
}

impl Facts<'_> {
    /// Where a number is, if that is known; the divisor is above zero then.
    pub fn distance(&mut self, number: Atom, divisor: Atom) -> Option<Distance> {
        let (number, divisor) = (self.terms.poly(number), self.terms.poly(divisor));
        let zero = Poly::constant(0);
        if !self.follows_order(&zero, &divisor, true) {
            return None;
        }
        let is_natural = self.follows_order(&zero, &number, false);
        match (is_natural, self.follows_order(&number, &divisor, true)) {
            (true, true) => Some(Distance::Inside),
            (true, false) => self.follows_order(&number, &divisor.scale(2)?, true).then_some(Distance::Above),
            (false, true) => self.follows_order(&divisor.neg()?, &number, false).then_some(Distance::Below),
            (false, false) => None,
        }
    }

    fn follows_order(&mut self, low: &Poly, high: &Poly, strict: bool) -> bool {
        self.order(low, high, strict).is_some_and(|fact| self.follows(&fact))
    }
}
