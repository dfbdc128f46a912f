//! Ranges: `a..<b`, `a..b...c` and `a..>b`.

use crate::value::Val;
use crate::{Desugar, Made, unsupported};
use base::Span;
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
        span: Span,
    ) -> Made<Val<'t>> {
        let start = self.expr(first)?;
        let next = second.map(|e| self.scalar_of(e)).transpose()?;
        let stop = self.scalar_of(end)?;
        let Val::Scalar(prim, start) = start else {
            return unsupported("a range of no integers", span);
        };
        let up = match next {
            Some(next) => self.b.bin(BinOp::Gt, prim, next, start, span),
            None => Atom::bool(kind != RangeKind::DownTo),
        };
        let bounds = Bounds { prim, kind, start, next, stop, up };
        let cert = self.possible_range(&bounds, span);
        let count = self.range_count(&bounds, cert.as_slice(), span);
        if let Some(count) = count.var() {
            self.b.trust(count, cert.as_slice());
        }
        // In 64 bits; where that wraps, the numbers of the range do not.
        let a = self.wide(start, prim, span);
        let step = match next {
            Some(next) => {
                let b = self.wide(next, prim, span);
                self.b.sub(b, a, span)
            }
            None => Atom::size(if kind == RangeKind::DownTo { -1 } else { 1 }),
        };
        self.build(count, None, span, |d, i| {
            let offset = d.b.mul(i, step, span);
            let x = d.b.add(a, offset, span);
            let x = d.b.scalar("x", prim, Exp::Convert(Prim::I64, prim, x), &[], span);
            Ok(Val::Scalar(prim, x))
        })
    }

    fn wide(&mut self, n: Atom, prim: Prim, span: Span) -> Atom {
        self.b.scalar("t", Prim::I64, Exp::Convert(prim, Prim::I64, n), &[], span)
    }

    /// Checks that the range leads from its first number to its last.
    fn possible_range(&mut self, bounds: &Bounds, span: Span) -> Option<Var> {
        let Bounds { prim, kind, start, next, stop, up } = *bounds;
        let down = match next {
            Some(next) => self.b.bin(BinOp::Lt, prim, next, start, span),
            None => Atom::bool(kind == RangeKind::DownTo),
        };
        let rising = self.b.bin(BinOp::Le, prim, start, stop, span);
        let falling = self.b.bin(BinOp::Ge, prim, start, stop, span);
        let (possible, dots) = match kind {
            RangeKind::Inclusive => {
                let fine = self.b.and(falling, down, span);
                (self.b.scalar("ok", Prim::Bool, Exp::Select(up, rising, fine), &[], span), "...")
            }
            RangeKind::UpTo => (self.b.and(rising, up, span), "..<"),
            RangeKind::DownTo => (self.b.and(falling, down, span), "..>"),
        };
        let shown = if next.is_some() { format!("{{0}}..{{2}}{dots}{{1}}") } else { format!("{{0}}{dots}{{1}}") };
        let site = self.range_site(&shown, span);
        self.b.assert(possible, site, [start, stop].into_iter().chain(next).collect(), span)
    }

    /// How many numbers a possible range has.
    fn range_count(&mut self, bounds: &Bounds, certs: &[Var], span: Span) -> Atom {
        let Bounds { prim, kind, start, next, stop, up } = *bounds;
        let inclusive = kind == RangeKind::Inclusive;
        let one = Atom::size(1);
        let apart = |d: &mut Self, to: Atom| {
            let (a, b) = (d.wide(start, prim, span), d.wide(to, prim, span));
            let (ahead, behind) = (d.b.sub(b, a, span), d.b.sub(a, b, span));
            d.b.scalar("t", Prim::I64, Exp::Select(up, ahead, behind), certs, span)
        };
        let distance = apart(self, stop);
        let width = next.map_or(one, |next| apart(self, next));
        // Narrower numbers, and those above one that is not negative, are not further apart than can be counted.
        let narrow = prim.bytes() < 8;
        let above = kind != RangeKind::DownTo && prim == Prim::I64 && self.not_negative(start);
        if narrow || above && !inclusive {
            let distance = if inclusive { self.b.add(distance, one, span) } else { distance };
            return self.rounded_up(distance, width, certs, span);
        }
        if width == one && (above || !inclusive) {
            let count = if inclusive { self.b.add(distance, one, span) } else { distance };
            return self.or_most(count, span);
        }
        let (distance, width) = (self.unsigned(distance, Prim::I64, span), self.unsigned(width, Prim::I64, span));
        self.unsigned_count(distance, width, inclusive, certs, span)
    }
}
