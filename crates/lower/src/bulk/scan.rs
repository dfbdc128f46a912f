//! Scans by blocks: each block by itself, from its first value; then the combination of all blocks before a block is put
//! before each of its elements.

use super::reduce::{BLOCK, First};
use super::{Bound, Elem};
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
        self.close_inline();
        Ok(())
    }

    /// Puts the combination of earlier blocks before the elements of each block.
    pub(super) fn close_scan(
        &mut self,
        sink: &BlockScan<'_>,
        bound: &Bound,
        blocks: &Expr,
        count: &Expr,
        mode: Mode,
    ) -> Low<()> {
        let BlockScan { elems, op, out, .. } = sink;
        self.when(expr::lt(expr::int(1), blocks.clone()), |this| {
            let mut before = Vec::new();
            for elem in elems {
                before.push(this.alloc("before", elem.prim, expr::room(blocks.clone(), elem.row.clone())));
            }
            let first = this.read_all(out, elems, expr::int(BLOCK - 1))?;
            this.write_all(&before, elems, expr::int(1), &first)?;
            this.for_loop("b", expr::int(2), blocks.clone(), Mode::Sequential, |this, b| {
                let left = this.read_all(&before, elems, expr::sub(b.clone(), expr::int(1)))?;
                let last = expr::sub(expr::mul(b.clone(), expr::int(BLOCK)), expr::int(1));
                let last = this.name_int("last", last);
                let right = this.read_all(out, elems, last)?;
                let results = this.open_op(op, left, right)?;
                this.write_all(&before, elems, b, &results)?;
                this.close_inline();
                Ok(())
            })?;
            this.for_loop("b", expr::int(1), blocks.clone(), mode, |this, b| {
                let low = this.name_int("low", expr::mul(b.clone(), expr::int(BLOCK)));
                let high = expr::min(expr::add(low.clone(), expr::int(BLOCK)), count.clone());
                let high = this.name_int("high", high);
                this.for_loop("i", low, high, Mode::Sequential, |this, i| {
                    let left = this.read_all(&before, elems, b)?;
                    let right = this.read_all(out, elems, i.clone())?;
                    let results = this.open_op(op, left, right)?;
                    this.write_all(out, elems, i, &results)?;
                    this.close_inline();
                    Ok(())
                })
            })
        })?;
        for (var, buffer) in bound.elems.iter().zip(out) {
            let dims = self.src.ty(*var).dims();
            let array = self.packed(*buffer, expr::int(0), dims)?;
            self.bind(*var, Rep::Array(Array { whole: true, ..array }));
        }
        Ok(())
    }
}
