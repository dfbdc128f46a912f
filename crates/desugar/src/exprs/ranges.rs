//! Ranges, `a..<b`, `a..b...c` and `a..>b`, and how many numbers they, generators and slices go through.
//!
//! Distances between two 64-bit numbers need one bit more than the numbers have: what cannot be counted in an `i64`
//! becomes the largest count, for which there is no memory.

use crate::arrays::dims::{is_inside, not_negative};
use crate::context::{Desugar, Made};
use crate::data::value::Val;
use crate::exprs::index::Slice;
use crate::faults::text;
use fault::message;
use ir::build::Builder;
use ir::num::Compute;
use ir::{Atom, Exp, Range, Var};
use scalar::{BinOp, Prim, Scalar};
use typed::{Expr, RangeKind};

/// The numbers that a range is written with, of type `prim`.
struct Bounds {
    prim: Prim,
    kind: RangeKind,
    start: Atom,
    next: Option<Atom>,
    stop: Atom,
    /// Whether the second number lies above the first.
    up: Atom,
}

impl<'t> Desugar<'t> {
    pub(crate) fn range(
        &mut self,
        first: &'t Expr,
        second: Option<&'t Expr>,
        kind: RangeKind,
        end: &'t Expr,
    ) -> Made<Val<'t>> {
        let start = self.expr(first)?;
        let next = second.map(|e| self.scalar_of(e)).transpose()?;
        let stop = self.scalar_of(end)?;
        let Val::Scalar(prim, start) = start else {
            base::bug!("a bound of a range is no scalar");
        };
        let up = match next {
            Some(next) => self.b.bin(BinOp::Gt, prim, next, start),
            None => Atom::bool(kind != RangeKind::DownTo),
        };
        let bounds = Bounds { prim, kind, start, next, stop, up };
        let cert = self.possible_range(&bounds);
        let count = possible(self.under(cert.as_slice(), |d| d.range_count(&bounds)));
        if let Some(count) = count.var() {
            self.b.trust(count, cert.as_slice());
        }
        // In 64 bits; where that wraps, the numbers of the range do not.
        let a = self.wide(start, prim);
        let step = match next {
            Some(next) => {
                let b = self.wide(next, prim);
                self.b.num(b - a)
            }
            None => Atom::size(if kind == RangeKind::DownTo { -1 } else { 1 }),
        };
        self.build(count, None, |d, i| {
            let x = d.b.num(a + i * step);
            let x = d.b.convert("x", Prim::I64, prim, x);
            Ok(Val::Scalar(prim, x))
        })
    }

    fn wide(&mut self, n: Atom, prim: Prim) -> Atom {
        self.b.convert("t", prim, Prim::I64, n)
    }

    /// Checks that the range leads from its first number to its last.
    fn possible_range(&mut self, bounds: &Bounds) -> Option<Var> {
        let Bounds { prim, kind, start, next, stop, up } = *bounds;
        let down = match next {
            Some(next) => self.b.bin(BinOp::Lt, prim, next, start),
            None => Atom::bool(kind == RangeKind::DownTo),
        };
        let rising = self.b.bin(BinOp::Le, prim, start, stop);
        let falling = self.b.bin(BinOp::Ge, prim, start, stop);
        let (possible, dots) = match kind {
            RangeKind::Inclusive => {
                let fine = self.b.num(falling.and(down));
                (self.b.scalar("ok", Prim::Bool, Exp::Select(up, rising, fine)), "...")
            }
            RangeKind::UpTo => (self.b.num(rising.and(up)), "..<"),
            RangeKind::DownTo => (self.b.num(falling.and(down)), "..>"),
        };
        let shown = if next.is_some() { format!("{{0}}..{{2}}{dots}{{1}}") } else { format!("{{0}}{dots}{{1}}") };
        self.check(possible, message::range(text(&shown)), [start, stop].into_iter().chain(next))
    }

    /// How many numbers a possible range has.
    fn range_count(&mut self, bounds: &Bounds) -> Atom {
        let Bounds { prim, kind, start, next, stop, up } = *bounds;
        let inclusive = kind == RangeKind::Inclusive;
        let one = Atom::size(1);
        let between = |d: &mut Self, to: Atom| {
            let (a, b) = (d.wide(start, prim), d.wide(to, prim));
            d.b.num(up.select(b - a, a - b))
        };
        let distance = between(self, stop);
        let width = next.map_or(one, |next| between(self, next));
        // Narrower numbers, and those above one that is not negative, have a distance that can be counted.
        let narrow = prim.bytes() < 8;
        let above = kind != RangeKind::DownTo && prim == Prim::I64 && not_negative(&self.b, start);
        if narrow || above && !inclusive {
            let distance = if inclusive { self.b.num(distance + one) } else { distance };
            return rounded_up(&mut self.b, distance, width);
        }
        if width == one && (above || !inclusive) {
            let count = if inclusive { self.b.num(distance + one) } else { distance };
            return or_most(&mut self.b, count);
        }
        unsigned_count(&mut self.b, distance, width, inclusive)
    }

    /// What a slice takes of a dimension, checked.
    pub(crate) fn run(&mut self, slice: Slice, extent: Atom) -> (Range, Option<Var>) {
        let Slice { start, end, stride } = slice;
        if stride != Atom::size(1) {
            return self.strided_run(slice, extent);
        }
        let zero = Atom::size(0);
        let (start, end) = (start.unwrap_or(zero), end.unwrap_or(extent));
        let empty = self.b.num(start.equals(end));
        let inside = zero.at_most(start).and(start.at_most(end)).and(end.at_most(extent));
        let fine = self.b.num(empty.or(inside));
        let cert = self.check(fine, message::slice(), [start, end, stride, extent]);
        let count = possible(self.b.num(end - start));
        // An empty slice may lie anywhere.
        let start = match fine == Atom::bool(true) || start == zero {
            true => start,
            false => self.b.num_as("start", empty.select(zero, start)),
        };
        (Range { start, count, stride }, cert)
    }

    fn strided_run(&mut self, Slice { start, end, stride }: Slice, extent: Atom) -> (Range, Option<Var>) {
        let (zero, minus_one) = (Atom::size(0), Atom::size(-1));
        let down = self.b.num(stride.below(zero));
        let start = start.unwrap_or_else(|| self.b.num(down.select(extent - 1, zero)));
        let end = end.unwrap_or_else(|| self.b.num(down.select(minus_one, extent)));
        let some = self.b.num(stride.differs(zero));
        let empty = self.b.num(start.equals(end));
        let forward = zero.at_most(start).and(start.below(end));
        let backward = minus_one.at_most(end).and(end.below(start));
        let order = self.b.num(down.either(backward, forward));
        let distance = self.b.num(down.select(start - end, end - start));
        // The smallest number has no opposite; one more reaches as far.
        let negative = stride.equals(i64::MIN).select(-i64::MAX, stride);
        let width = down.select(zero - negative, stride);
        // Without a stride the check below fails; dividing by one does no harm then.
        let divisor = self.b.num(some.select(width, 1));
        let count = rounded_up(&mut self.b, distance, divisor);
        let last = self.b.num(start + (count - 1) * stride);
        let inside = is_inside(&mut self.b, last, extent);
        let fine = self.b.num(some.and(empty.or(order.and(start.below(extent)).and(inside))));
        let cert = self.check(fine, message::slice(), [start, end, stride, extent]);
        let start = self.b.num_as("start", empty.select(zero, start));
        (Range { start, count: possible(count), stride }, cert)
    }
}

/// How many elements a slice has: one that is known to be negative belongs to a slice that fails, and types have no
/// negative sizes.
fn possible(count: Atom) -> Atom {
    if count.as_size().is_some_and(|n| n < 0) { Atom::size(0) } else { count }
}

const MOST: i64 = i64::MAX;

/// How many of `lo, lo + step, ...` lie below `hi`; `step` is positive by `certs`.
pub(crate) fn count_below(b: &mut Builder, lo: Atom, hi: Atom, step: Atom) -> Atom {
    let distance = b.num_as("n", lo.below(hi).select(hi - lo, 0));
    // From a number that is not negative nothing is further away than can be counted.
    if not_negative(b, lo) {
        return rounded_up(b, distance, step);
    }
    if step == Atom::size(1) {
        return or_most(b, distance);
    }
    unsigned_count(b, distance, step, false)
}

/// `distance / step`, rounded up. Neither is negative, `step` is not 0 by `certs`.
pub(crate) fn rounded_up(b: &mut Builder, distance: Atom, step: Atom) -> Atom {
    let one = Atom::size(1);
    if step == one {
        return distance;
    }
    // Division rounds down, below 0 too, and adding the step first could overflow.
    let turns = b.num_as("n", (distance - one).div(step));
    b.num(turns + one)
}

/// How many steps fit into a distance, both with the bits of a `u64`: those before the end, or with it.
fn unsigned_count(b: &mut Builder, distance: Atom, step: Atom, inclusive: bool) -> Atom {
    let [distance, step] = [distance, step].map(|n| b.convert("t", Prim::I64, Prim::U64, n));
    let number = |n: i64| Atom::Const(Scalar::from_i128(Prim::U64, n.into()));
    let reach = if inclusive { distance } else { b.bin(BinOp::Sub, Prim::U64, distance, number(1)) };
    let turns = b.scalar("n", Prim::U64, Exp::Bin(BinOp::Quot, Prim::U64, reach, step));
    let countable = b.bin(BinOp::Lt, Prim::U64, turns, number(MOST));
    let turns = b.convert("n", Prim::U64, Prim::I64, turns);
    let count = b.num_as("n", countable.select(turns + 1, MOST));
    if inclusive {
        return count;
    }
    let none = b.bin(BinOp::Eq, Prim::U64, distance, number(0));
    b.num_as("n", none.select(0, count))
}

/// A distance of which the computation wrapped if it is negative.
fn or_most(b: &mut Builder, distance: Atom) -> Atom {
    b.num_as("n", distance.below(0).select(MOST, distance))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(lo: i64, hi: i64, step: i64) -> Atom {
        let mut b = Builder::default();
        b.open();
        count_below(&mut b, Atom::size(lo), Atom::size(hi), Atom::size(step))
    }

    #[test]
    fn the_last_step_may_be_short() {
        assert_eq!(count(0, 10, 3), Atom::size(4));
        assert_eq!(count(-5, 4, 3), Atom::size(3));
        assert_eq!(count(4, 4, 1), Atom::size(0));
    }

    #[test]
    fn what_cannot_be_counted_is_the_largest_count() {
        assert_eq!(count(i64::MIN, i64::MAX, 1), Atom::size(MOST));
        assert_eq!(count(i64::MIN, i64::MAX, 4), Atom::size(1 << 62));
    }
}
