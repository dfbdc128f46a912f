//! How many numbers generators, ranges and slices go through. Distances between two 64-bit numbers need one bit more than
//! the numbers have: what cannot be counted in an `i64` becomes the largest count, for which there is no memory.

use ir::build::Builder;
use ir::num::Compute;
use ir::{Atom, Exp};
use scalar::{BinOp, Prim, Scalar};

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
    let distance = unsigned(b, distance, Prim::I64);
    let step = unsigned(b, step, Prim::I64);
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

/// How many steps fit into a distance, both of type `u64`: those before the end, or with it.
pub(crate) fn unsigned_count(b: &mut Builder, distance: Atom, step: Atom, inclusive: bool) -> Atom {
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
pub(crate) fn or_most(b: &mut Builder, distance: Atom) -> Atom {
    b.num_as("n", distance.below(0).select(MOST, distance))
}

/// The same bits as a `u64`.
pub(crate) fn unsigned(b: &mut Builder, n: Atom, prim: Prim) -> Atom {
    b.convert("t", prim, Prim::U64, n)
}

pub(crate) fn not_negative(b: &Builder, n: Atom) -> bool {
    match n {
        Atom::Const(Scalar::I64(n)) => n >= 0,
        Atom::Const(_) => false,
        Atom::Var(var) => b.trusted(var).is_some(),
    }
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
