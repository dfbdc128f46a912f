//! Integer intervals, possibly without a lower or an upper end.
//!
//! Arithmetic on intervals never loses a value: an end that does not fit becomes infinite.

use crate::linear::Linear;

/// All integers from `lo` to `hi`, both included; a missing end is infinite.
///
/// ```
/// use affine::{Linear, Range};
/// let e = Linear::from_terms([('i', 2), ('j', -1)], 3).unwrap();
/// let r = Range::of_linear(&e, |s| if *s == 'i' { Range::new(0, 9) } else { Range::at_least(0) });
/// assert_eq!(r, Range::at_most(21));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Range {
    /// The least member, or no bound.
    pub lo: Option<i64>,
    /// The greatest member, or no bound.
    pub hi: Option<i64>,
}

impl Range {
    /// Every integer.
    pub const ALL: Range = Range { lo: None, hi: None };

    /// From `lo` to `hi`, both included; empty if `lo > hi`.
    pub fn new(lo: i64, hi: i64) -> Self {
        Range { lo: Some(lo), hi: Some(hi) }
    }

    /// The single value.
    pub fn point(value: i64) -> Self {
        Range::new(value, value)
    }

    /// From `lo` upwards.
    pub fn at_least(lo: i64) -> Self {
        Range { lo: Some(lo), hi: None }
    }

    /// From `hi` downwards.
    pub fn at_most(hi: i64) -> Self {
        Range { lo: None, hi: Some(hi) }
    }

    /// Whether no integer is a member.
    pub fn is_empty(&self) -> bool {
        matches!((self.lo, self.hi), (Some(lo), Some(hi)) if lo > hi)
    }

    /// Whether `value` is a member.
    pub fn contains(&self, value: i64) -> bool {
        self.lo.is_none_or(|lo| lo <= value) && self.hi.is_none_or(|hi| value <= hi)
    }

    /// Whether every member of `self` is a member of `other`.
    pub fn within(&self, other: &Range) -> bool {
        let lo = other.lo.is_none_or(|bound| self.lo.is_some_and(|lo| bound <= lo));
        let hi = other.hi.is_none_or(|bound| self.hi.is_some_and(|hi| hi <= bound));
        self.is_empty() || (lo && hi)
    }

    /// The common members.
    pub fn intersect(&self, other: &Range) -> Range {
        Range { lo: choose(self.lo, other.lo, i64::max), hi: choose(self.hi, other.hi, i64::min) }
    }

    /// Contains `a + b` for all members `a`, `b`; empty if either is.
    pub fn add(&self, other: &Range) -> Range {
        if self.is_empty() || other.is_empty() {
            return Range::new(1, 0);
        }
        let end = |a: Option<i64>, b: Option<i64>| a.zip(b).and_then(|(a, b)| a.checked_add(b));
        Range { lo: end(self.lo, other.lo), hi: end(self.hi, other.hi) }
    }

    /// Contains `factor * a` for all members `a`.
    pub fn scale(&self, factor: i64) -> Range {
        if self.is_empty() {
            return Range::new(1, 0);
        }
        if factor == 0 {
            return Range::point(0);
        }
        let end = |a: Option<i64>| a.and_then(|a| a.checked_mul(factor));
        if factor > 0 {
            Range { lo: end(self.lo), hi: end(self.hi) }
        } else {
            Range { lo: end(self.hi), hi: end(self.lo) }
        }
    }

    /// Contains every value of `form` when each symbol lies where `lookup` says. Exact (both ends are
    /// attained) if the symbols vary independently and nothing overflows.
    pub fn of_linear<S>(form: &Linear<S>, mut lookup: impl FnMut(&S) -> Range) -> Range {
        let mut total = Range::point(form.constant_part());
        for (symbol, coefficient) in form.terms() {
            total = total.add(&lookup(symbol).scale(*coefficient));
        }
        total
    }
}

/// The tighter of two ends, where a missing end says nothing.
fn choose(a: Option<i64>, b: Option<i64>, tighter: fn(i64, i64) -> i64) -> Option<i64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(tighter(a, b)),
        (Some(end), None) | (None, Some(end)) => Some(end),
        (None, None) => None,
    }
}
