//! Ranges: `a..<b`, `a..b...c` and `a..>b`.

use crate::arrays::counting::{not_negative, or_most, rounded_up, unsigned, unsigned_count};
use crate::context::{Desugar, Made};
use crate::data::value::Val;
use crate::faults::text;
use fault::message;
use ir::num::Compute;
use ir::{Atom, Exp, Var};
use scalar::{BinOp, Prim};
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
        let count = self.under(cert.as_slice(), |d| d.range_count(&bounds));
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
        let (distance, width) = (unsigned(&mut self.b, distance, Prim::I64), unsigned(&mut self.b, width, Prim::I64));
        unsigned_count(&mut self.b, distance, width, inclusive)
    }
}
