//! Finite arithmetic progressions: the sets of integers `lo, lo + step, ..., last`.
//!
//! They are what one loop variable with a coefficient and an offset runs through, and the sides of
//! a [`crate::boxes::StridedBox`].

use crate::space::Loop;

/// A non-empty finite arithmetic progression with `step >= 1`.
///
/// A single value always has step 1, so equal sets are equal values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Progression {
    lo: i64,
    step: i64,
    count: i64,
}

impl Progression {
    /// `lo, lo + step, ...` with `count` members. `None` if that is empty, the step is below 1 or
    /// the last member does not fit.
    pub fn new(lo: i64, step: i64, count: i64) -> Option<Self> {
        if step < 1 || count < 1 {
            return None;
        }
        let step = if count == 1 { 1 } else { step };
        step.checked_mul(count - 1)?.checked_add(lo)?;
        Some(Progression { lo, step, count })
    }

    /// Every integer from `lo` up to but without `hi`; `None` if there is none.
    pub fn interval(lo: i64, hi: i64) -> Option<Self> {
        Self::new(lo, 1, hi.checked_sub(lo)?)
    }

    /// The values of `coefficient * x + offset` as `x` runs through the loop. `None` if the loop is
    /// empty or a value does not fit. (A zero coefficient gives the offset alone.)
    pub fn image(of: &Loop, coefficient: i64, offset: i64) -> Option<Self> {
        if of.trip() == 0 {
            return None;
        }
        if coefficient == 0 {
            return Self::new(offset, 1, 1);
        }
        let at = |ordinal: i64| of.value(ordinal).checked_mul(coefficient)?.checked_add(offset);
        let (first, last) = (at(0)?, at(of.trip() - 1)?);
        Self::new(first.min(last), of.step().checked_mul(coefficient)?.checked_abs()?, of.trip())
    }

    /// The least member.
    pub fn lo(&self) -> i64 {
        self.lo
    }

    /// The greatest member.
    pub fn last(&self) -> i64 {
        self.lo + self.step * (self.count - 1)
    }

    /// The distance between neighbouring members.
    pub fn step(&self) -> i64 {
        self.step
    }

    /// The number of members.
    pub fn count(&self) -> i64 {
        self.count
    }

    /// Whether `value` is a member.
    pub fn contains(&self, value: i64) -> bool {
        let offset = i128::from(value) - i128::from(self.lo);
        offset >= 0 && offset % i128::from(self.step) == 0 && offset / i128::from(self.step) < i128::from(self.count)
    }

    /// The common members, which again form a progression; `None` if there is none.
    pub fn intersect(&self, other: &Progression) -> Option<Progression> {
        let (start, step) = self.meet(other)?;
        let last = i128::from(self.last().min(other.last()));
        if start > last {
            return None;
        }
        let count = (last - start) / step + 1;
        // With one member the step may be too large for an i64; it is then irrelevant.
        let step = if count == 1 { 1 } else { i64::try_from(step).ok()? };
        Progression::new(i64::try_from(start).ok()?, step, i64::try_from(count).ok()?)
    }

    /// The first value at or above both starts that is congruent to both, and the common period
    /// (Chinese remainders); `None` if the residues are incompatible.
    fn meet(&self, other: &Progression) -> Option<(i128, i128)> {
        let (step_a, step_b) = (i128::from(self.step), i128::from(other.step));
        let (g, inverse) = gcd_with_inverse(step_a, step_b);
        let distance = i128::from(other.lo) - i128::from(self.lo);
        if distance % g != 0 {
            return None;
        }
        let period = step_a / g * step_b;
        let reduced = step_b / g;
        // self.lo + step_a * k is congruent to other.lo modulo step_b. All factors are below 2^64 in
        // size, and the product of two reduced ones below 2^126.
        let k = ((distance / g).rem_euclid(reduced) * inverse.rem_euclid(reduced)).rem_euclid(reduced);
        let meeting = i128::from(self.lo) + step_a * k;
        let start = i128::from(self.lo.max(other.lo));
        Some((start + (meeting - start).rem_euclid(period), period))
    }

    /// The members of `self` that are not in `part`, as disjoint progressions; `part` must be an
    /// intersection of `self` with something. `None` if more than `limit` pieces would be needed.
    pub fn without(&self, part: &Progression, limit: usize) -> Option<Vec<Progression>> {
        let before = Progression::new(self.lo, self.step, (part.lo - self.lo) / self.step);
        let after_start = part.last().checked_add(self.step);
        let after = after_start.and_then(|lo| Progression::new(lo, self.step, (self.last() - part.last()) / self.step));
        let classes = if part.count == 1 { 1 } else { part.step / self.step };
        if usize::try_from(classes).ok()? > limit {
            return None;
        }
        // Between two neighbours of `part` lie the members of the other residue classes.
        let between = (1..classes).filter_map(|k| Progression::new(part.lo + k * self.step, part.step, part.count - 1));
        Some(before.into_iter().chain(between).chain(after).collect())
    }
}

/// `g = gcd(a, b)` and an `x` with `a * x` congruent to `g` modulo `b`, for positive `a` and `b`.
fn gcd_with_inverse(a: i128, b: i128) -> (i128, i128) {
    let (mut r0, mut r1) = (a, b);
    let (mut x0, mut x1) = (1i128, 0i128);
    while r1 != 0 {
        let quotient = r0 / r1;
        (r0, r1) = (r1, r0 - quotient * r1);
        (x0, x1) = (x1, x0 - quotient * x1);
    }
    (r0, x0)
}
