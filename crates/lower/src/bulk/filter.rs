//! Filters by blocks: what each block keeps is put together behind its own start, then the blocks are moved together.

use super::form::{Bound, Elem};
use crate::Low;
use crate::context::Lower;
use crate::expr;
use crate::rep::{Array, Rep};
use ir::Emit;
use kernel::{Expr, Mode, Stm, Var as K};

/// What one block keeps.
pub(crate) struct BlockKeep {
    pub elems: Vec<Elem>,
    /// Room for all values.
    pub buffers: Vec<K>,
    /// How many values each block keeps; one place more than there are blocks.
    pub counts: K,
    /// How many values the block at hand has kept.
    pub kept: Option<K>,
    /// Where the block at hand begins.
    pub low: Expr,
}

impl Lower<'_> {
    pub(super) fn keep_in_block(&mut self, sink: &BlockKeep, emit: &Emit) -> Low<()> {
        let Some(kept) = sink.kept else {
            base::bug!("a filter outside of its blocks");
        };
        let place = self.code.name_int("place", expr::add(sink.low.clone(), Expr::Var(kept)));
        let arrays: Vec<(Elem, Array)> =
            (sink.elems.iter().cloned()).zip(sink.buffers.iter().map(|k| Array::at(*k, expr::int(0)))).collect();
        self.put(&arrays, place, &emit.value)?;
        self.code.emit(Stm::Set(kept, expr::add(Expr::Var(kept), expr::int(1))));
        Ok(())
    }

    pub(super) fn close_filter(
        &mut self,
        sink: &BlockKeep,
        bound: &Bound,
        blocks: &Expr,
        block: i64,
        mode: Mode,
    ) -> Low<()> {
        let total = self.code.variable("total", expr::int(0));
        self.short_loop("b", blocks.clone(), |this, b| {
            let count = this.code.name_int("count", expr::load(sink.counts, b.clone()));
            this.code.emit(Stm::Store { buffer: sink.counts, at: b, value: Expr::Var(total) });
            this.code.emit(Stm::Set(total, expr::add(Expr::Var(total), count)));
            Ok(())
        })?;
        self.code.emit(Stm::Store { buffer: sink.counts, at: blocks.clone(), value: Expr::Var(total) });
        if let Some(count) = bound.count {
            self.homes.bind(count, Rep::Scalar(Expr::Var(total)));
        }
        let mut out = Vec::new();
        for elem in &sink.elems {
            let count = expr::capacity(Expr::Var(total), elem.row.clone());
            out.push(self.code.alloc("kept", elem.prim, count));
        }
        self.for_loop("b", expr::int(0), blocks.clone(), mode, |this, b| {
            let start = this.code.name_int("start", expr::load(sink.counts, b.clone()));
            let end = expr::load(sink.counts, expr::add(b.clone(), expr::int(1)));
            let count = this.code.name_int("count", expr::sub(end, start.clone()));
            for ((elem, to), from) in sink.elems.iter().zip(&out).zip(&sink.buffers) {
                this.code.emit(Stm::Copy {
                    to: *to,
                    to_at: expr::mul(start.clone(), elem.row.clone()),
                    from: *from,
                    from_at: expr::mul(expr::mul(b.clone(), expr::int(block)), elem.row.clone()),
                    count: expr::mul(count.clone(), elem.row.clone()),
                });
            }
            Ok(())
        })?;
        for (var, buffer) in bound.elems.iter().zip(out) {
            let dims = self.src.ty(*var).dims();
            let array = self.packed(buffer, expr::int(0), dims)?;
            self.homes.bind(*var, Rep::Array(Array { whole: true, ..array }));
        }
        Ok(())
    }
}
