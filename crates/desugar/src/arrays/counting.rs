//! How many numbers generators, ranges and slices go through. Distances between two 64-bit numbers need one bit more than
//! the numbers have: what cannot be counted in an `i64` becomes the largest count, for which there is no memory.

use crate::context::Desugar;
use ir::num::Compute;
use ir::{Atom, Exp};
use scalar::{BinOp, Prim, Scalar};

const MOST: i64 = i64::MAX;

impl<'t> Desugar<'t> {
    /// How many of `lo, lo + step, ...` lie below `hi`; `step` is positive by `certs`.
    pub(crate) fn count_below(&mut self, lo: Atom, hi: Atom, step: Atom) -> Atom {
        let distance = self.b.num_as("n", lo.below(hi).select(hi - lo, 0));
        // From a number that is not negative nothing is further away than can be counted.
        if self.not_negative(lo) {
            return self.rounded_up(distance, step);
        }
        if step == Atom::size(1) {
            return self.or_most(distance);
        }
        let distance = self.unsigned(distance, Prim::I64);
        let step = self.unsigned(step, Prim::I64);
        self.unsigned_count(distance, step, false)
    }

    /// `distance / step`, rounded up. Neither is negative, `step` is not 0 by `certs`.
    pub(crate) fn rounded_up(&mut self, distance: Atom, step: Atom) -> Atom {
        let one = Atom::size(1);
        if step == one {
            return distance;
        }
        // Division rounds down, below 0 too, and adding the step first could overflow.
        let turns = self.b.num_as("n", (distance - one).div(step));
        self.b.num(turns + one)
    }

    /// How many steps fit into a distance, both of type `u64`: those before the end, or with it.
    pub(crate) fn unsigned_count(&mut self, distance: Atom, step: Atom, inclusive: bool) -> Atom {
        let number = |n: i64| Atom::Const(Scalar::from_i128(Prim::U64, n.into()));
        let reach = if inclusive { distance } else { self.b.bin(BinOp::Sub, Prim::U64, distance, number(1)) };
        let turns = self.b.scalar("n", Prim::U64, Exp::Bin(BinOp::Quot, Prim::U64, reach, step));
        let countable = self.b.bin(BinOp::Lt, Prim::U64, turns, number(MOST));
        let turns = self.b.convert("n", Prim::U64, Prim::I64, turns);
        let count = self.b.num_as("n", countable.select(turns + 1, MOST));
        if inclusive {
            return count;
        }
        let none = self.b.bin(BinOp::Eq, Prim::U64, distance, number(0));
        self.b.num_as("n", none.select(0, count))
    }

    /// A distance of which the computation wrapped if it is negative.
    pub(crate) fn or_most(&mut self, distance: Atom) -> Atom {
        self.b.num_as("n", distance.below(0).select(MOST, distance))
    }

    /// The same bits as a `u64`.
    pub(crate) fn unsigned(&mut self, n: Atom, prim: Prim) -> Atom {
        self.b.convert("t", prim, Prim::U64, n)
    }

    pub(crate) fn not_negative(&self, n: Atom) -> bool {
        match n {
            Atom::Const(Scalar::I64(n)) => n >= 0,
            Atom::Const(_) => false,
            Atom::Var(var) => self.b.trusted(var).is_some(),
        }
    }
}
