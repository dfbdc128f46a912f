//! Values of different sizes that came in any order, put into the order of their places.

use super::form::{byte, not_zero};
use super::jagged::{Arrivals, Column, JaggedSink, Level};
use crate::Low;
use crate::context::Lower;
use crate::expr;
use ir::{Atom, Block, Coverage, Dim};
use kernel::{Expr, FailArg, SiteId, Stm, Type as KType, Var as K};
use scalar::Prim;

impl Lower<'_> {
    pub(super) fn open_arrivals(&mut self, shape: &[Dim], sizes: &[Level], elems: &[Column]) -> Low<Arrivals> {
        let count = self.capacity(shape)?;
        let marks = self.marks(count.clone())?;
        let number = self.code.alloc("number", Prim::I64, count);
        let starts = (0..sizes.len() + elems.len()).map(|_| self.growing("starts", KType::Buffer(Prim::I64))).collect();
        Ok(Arrivals { marks, number, starts })
    }

    /// Notes that the next value goes to a place.
    pub(super) fn arrive(&mut self, sink: &JaggedSink, arrivals: &Arrivals, place: Expr, at: &[Atom]) -> Low<()> {
        if let Coverage::Checked { collision, called, .. } = sink.coverage {
            self.code.open();
            let args = at.iter().chain(&called).map(|a| self.fail_arg(*a)).collect::<Low<Vec<FailArg>>>()?;
            let site = self.site_at(SiteId(collision.0), self.code.span);
            self.code.emit(Stm::Fail { site, args });
            let fail = self.code.pop().stms;
            let taken = not_zero(expr::load(arrivals.marks, place.clone()));
            self.code.emit(Stm::If(taken, fail, Vec::new()));
        }
        self.code.emit(Stm::Store { buffer: arrivals.marks, at: place.clone(), value: byte(1) });
        self.code.emit(Stm::Store { buffer: arrivals.number, at: place, value: Expr::Var(sink.count) });
        self.note_starts(sink, arrivals);
        Ok(())
    }

    /// Notes where the next value begins.
    pub(super) fn note_starts(&mut self, sink: &JaggedSink, arrivals: &Arrivals) {
        let rows = sink.sizes.iter().map(|l| l.rows);
        let used = sink.elems.iter().map(|c| c.used);
        for (buffer, start) in arrivals.starts.iter().zip(rows.chain(used)) {
            let (count, span) = (Expr::Var(sink.count), self.code.span);
            // One more than there are values, so that every value has an end.
            let needed = expr::add(count.clone(), expr::int(1));
            self.code.emit(Stm::Grow { buffer: *buffer, used: count.clone(), needed, span });
            self.code.emit(Stm::Store { buffer: *buffer, at: count, value: Expr::Var(start) });
        }
    }

    /// One more value, for all places without one.
    pub(super) fn append_otherwise(&mut self, sink: &JaggedSink, arrivals: &Arrivals, value: &Block) -> Low<()> {
        let count = self.count(&sink.shape)?;
        let (missing, _) = self.count_gaps(arrivals.marks, count.clone())?;
        self.when(expr::lt(expr::int(0), missing), |this| {
            this.count_loop("k", count, |this, k| {
                let gap = expr::not(not_zero(expr::load(arrivals.marks, k.clone())));
                this.when(gap, |this| {
                    this.code.emit(Stm::Store { buffer: arrivals.number, at: k, value: Expr::Var(sink.count) });
                    Ok(())
                })
            })?;
            this.note_starts(sink, arrivals);
            let reps = this.open_block(value)?;
            this.append(sink, reps, &value.result)?;
            this.code.close_inline();
            Ok(())
        })
    }

    /// Everything once more, in order.
    pub(super) fn in_place_order(&mut self, sink: &JaggedSink, arrivals: &Arrivals) -> Low<(Vec<Level>, Vec<Column>)> {
        self.note_starts(sink, arrivals);
        let mut sizes = Vec::new();
        for level in &sink.sizes {
            let offsets = self.growing("offsets", KType::Buffer(Prim::I64));
            let span = self.code.span;
            self.code.emit(Stm::Grow { buffer: offsets, used: expr::int(0), needed: expr::int(1), span });
            self.code.emit(Stm::Store { buffer: offsets, at: expr::int(0), value: expr::int(0) });
            let (rows, sum) = (self.code.variable("rows", expr::int(0)), self.code.variable("sum", expr::int(0)));
            sizes.push(Level { offsets, rows, sum, ..level.clone() });
        }
        let mut elems = Vec::new();
        for column in &sink.elems {
            let buffer = self.growing("data", KType::Buffer(column.elem.prim));
            let used = self.code.variable("used", expr::int(0));
            elems.push(Column { buffer, used, ..column.clone() });
        }
        let count = self.count(&sink.shape)?;
        self.count_loop("k", count, |this, k| {
            let number = this.code.name_int("number", expr::load(arrivals.number, k));
            for (i, (from, to)) in sink.sizes.iter().zip(&sizes).enumerate() {
                this.take_rows(from, to, arrivals.starts[i], &number)?;
            }
            for (i, (from, to)) in sink.elems.iter().zip(&elems).enumerate() {
                this.take_elements(from, to, arrivals.starts[sizes.len() + i], &number);
            }
            Ok(())
        })?;
        Ok((sizes, elems))
    }

    fn take_rows(&mut self, from: &Level, to: &Level, starts: K, number: &Expr) -> Low<()> {
        let first = self.code.name_int("first", expr::load(starts, number.clone()));
        let last = self.code.name_int("last", expr::load(starts, expr::add(number.clone(), expr::int(1))));
        let span = self.code.span;
        let used = self.code.name_int("used", expr::add(Expr::Var(to.rows), expr::int(1)));
        let needed = expr::add(used.clone(), expr::sub(last.clone(), first.clone()));
        self.code.emit(Stm::Grow { buffer: to.offsets, used, needed, span });
        self.for_loop("row", first, last, kernel::Mode::Sequential, |this, row| {
            let behind = expr::load(from.offsets, expr::add(row.clone(), expr::int(1)));
            let length = expr::sub(behind, expr::load(from.offsets, row));
            this.push_length(to, length);
            Ok(())
        })
    }

    fn take_elements(&mut self, from: &Column, to: &Column, starts: K, number: &Expr) {
        let first = self.code.name_int("first", expr::load(starts, number.clone()));
        let last = expr::load(starts, expr::add(number.clone(), expr::int(1)));
        let count = self.code.name_int("count", expr::sub(last, first.clone()));
        let (used, span) = (Expr::Var(to.used), self.code.span);
        let needed = self.code.name_int("needed", expr::add(used.clone(), count.clone()));
        self.code.emit(Stm::Grow { buffer: to.buffer, used: used.clone(), needed: needed.clone(), span });
        self.code.emit(Stm::Copy { to: to.buffer, to_at: used, from: from.buffer, from_at: first, count });
        self.code.emit(Stm::Set(to.used, needed));
    }
}
