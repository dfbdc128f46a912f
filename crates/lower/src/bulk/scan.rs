//! Scans by blocks: each block by itself, from its first value; then the combination of all blocks before a block is put
//! before each of its elements.

use super::form::{Bound, Elem};
use super::reduce::{BLOCK, First};
use crate::Low;
use crate::context::Lower;
use crate::expr;
use crate::rep::{Array, Rep};
use crate::slot::Slot;
use ir::{Emit, Region};
use kernel::{Expr, Mode, Var as K};

/// A scan.
pub(crate) struct BlockScan<'b> {
    pub elems: Vec<Elem>,
    pub op: &'b Region,
    /// The arrays of results.
    pub out: Vec<K>,
    pub accs: Vec<Slot>,
    pub first: First,
    /// The number of the value at hand.
    pub index: Expr,
}

impl Lower<'_> {
    pub(super) fn add_to_scan(&mut self, sink: &BlockScan<'_>, emit: &Emit) -> Low<()> {
        let reps = self.open_block(&emit.value)?;
        self.accumulate(sink.first, sink.op, &sink.accs, &sink.elems, reps)?;
        let accs: Vec<Rep> = sink.accs.iter().map(Slot::rep).collect();
        self.write_all(&sink.out, &sink.elems, sink.index.clone(), &accs)?;
        self.code.close_inline();
        Ok(())
    }

    /// Puts the combination of all earlier blocks before the elements of each block: that is the last element before it.
    pub(super) fn close_scan(
        &mut self,
        sink: &BlockScan<'_>,
        bound: &Bound,
        blocks: &Expr,
        count: &Expr,
        mode: Mode,
    ) -> Low<()> {
        let end = |low: &Expr| expr::min(expr::add(low.clone(), expr::int(BLOCK)), count.clone());
        let last = |low: &Expr| expr::sub(end(low), expr::int(1));
        if mode == Mode::Parallel {
            // The last elements first, one after the other; then all others at once.
            self.later_blocks(blocks, Mode::Short, |this, low| this.join(sink, low.clone(), last(&low), end(&low)))?;
            self.later_blocks(blocks, Mode::Parallel, |this, low| {
                this.join(sink, low.clone(), low.clone(), last(&low))
            })?;
        } else {
            self.later_blocks(blocks, Mode::Sequential, |this, low| {
                this.join(sink, low.clone(), low.clone(), end(&low))
            })?;
        }
        for (var, buffer) in bound.elems.iter().zip(&sink.out) {
            let dims = self.src.ty(*var).dims();
            let array = self.packed(*buffer, expr::int(0), dims)?;
            self.homes.bind(*var, Rep::Array(Array { whole: true, ..array }));
        }
        Ok(())
    }

    /// For the start of each block but the first.
    fn later_blocks(&mut self, blocks: &Expr, mode: Mode, turn: impl FnOnce(&mut Self, Expr) -> Low<()>) -> Low<()> {
        self.for_loop("b", expr::int(1), blocks.clone(), mode, |this, b| {
            let low = this.code.name_int("low", expr::mul(b, expr::int(BLOCK)));
            turn(this, low)
        })
    }

    /// Puts the last element before block `low` before those from `from` to `to`.
    fn join(&mut self, sink: &BlockScan<'_>, low: Expr, from: Expr, to: Expr) -> Low<()> {
        let BlockScan { elems, op, out, .. } = sink;
        let before = self.read_all(out, elems, expr::sub(low, expr::int(1)))?;
        self.for_loop("i", from, to, Mode::Sequential, |this, i| {
            let own = this.read_all(out, elems, i.clone())?;
            let results = this.open_op(op, before, own)?;
            this.write_all(out, elems, i, &results)?;
            this.code.close_inline();
            Ok(())
        })
    }
}
