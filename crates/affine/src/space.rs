//! Iteration spaces: counted loops with constant bounds, and nests of them.

use crate::linear::Linear;
use crate::range::Range;

/// The variable of the loop at this depth of a nest (0 is the outermost).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoopVar(pub usize);

/// `for lo <= x < hi step step`, with constant bounds and `step >= 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Loop {
    lo: i64,
    step: i64,
    trip: i64,
}

impl Loop {
    /// The loop `lo <= x < hi step step`. `None` if the step is below 1, or the bounds lie so far
    /// apart that the number of iterations is not an `i64`.
    pub fn new(lo: i64, hi: i64, step: i64) -> Option<Loop> {
        if step < 1 {
            return None;
        }
        let span = (i128::from(hi) - i128::from(lo)).max(0);
        let step_wide = i128::from(step);
        let trip = i64::try_from((span + step_wide - 1) / step_wide).ok()?;
        Some(Loop { lo, step, trip })
    }

    /// The loop `x < extent`, empty if `extent` is negative.
    pub fn below(extent: i64) -> Loop {
        Loop { lo: 0, step: 1, trip: extent.max(0) }
    }

    /// The first value, if there is an iteration at all.
    pub fn lo(&self) -> i64 {
        self.lo
    }

    /// The distance between neighbouring values.
    pub fn step(&self) -> i64 {
        self.step
    }

    /// The number of iterations.
    pub fn trip(&self) -> i64 {
        self.trip
    }

    /// The value in iteration `ordinal`, which must lie below [`Loop::trip`].
    pub fn value(&self, ordinal: i64) -> i64 {
        // Cannot overflow: every value lies between `lo` and the original `hi`.
        self.lo.wrapping_add(self.step.wrapping_mul(ordinal))
    }

    /// The values from the first to the last, or an empty range.
    pub fn range(&self) -> Range {
        if self.trip == 0 { Range::new(1, 0) } else { Range::new(self.lo, self.value(self.trip - 1)) }
    }
}

/// The number of iterations of a nest, if it fits.
pub fn iterations(nest: &[Loop]) -> Option<i64> {
    if nest.iter().any(|l| l.trip == 0) {
        return Some(0);
    }
    nest.iter().try_fold(1i64, |total, l| total.checked_mul(l.trip))
}

/// The values of all loop variables in iteration `ordinal` of the nest, the innermost running fastest.
pub fn iteration(nest: &[Loop], mut ordinal: i64) -> Vec<i64> {
    let mut values = vec![0; nest.len()];
    for (value, l) in values.iter_mut().zip(nest).rev() {
        *value = l.value(ordinal % l.trip.max(1));
        ordinal /= l.trip.max(1);
    }
    values
}

/// The values of `subscript` in one iteration of a nest. `None` on overflow, or if the subscript
/// mentions a variable the nest does not have.
pub fn index_at(subscript: &[Linear<LoopVar>], iteration: &[i64]) -> Option<Vec<i64>> {
    subscript.iter().map(|form| form.eval(|v| iteration.get(v.0).copied())).collect()
}
