//! Filters by blocks, some blocks at a time: the values that a block keeps are stored from its start on, in memory that stays
//! in the cache. When these blocks are done, what they kept is moved behind what those before kept.

use super::plan::{Plan, Wave};
use crate::arrays::dims;
use crate::builder::blocks::Blocks;
use crate::bulk::form::{Bound, Elem};
use crate::bulk::kept_scan::KeptScan;
use crate::bulk::{accumulate, columns, values};
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use crate::data::rep::{Array, Rep};
use analysis::emits;
use ir::Emit;
use kernel::{Expr, Stm, Var as K};
use scalar::Prim;

/// A filter.
pub(crate) struct BlockKeep<'b> {
    elems: Vec<Elem>,
    /// Memory for the values of a wave of blocks.
    buffers: Vec<K>,
    /// The number of values that each block of a wave keeps, then where they go; one place more than there are blocks.
    counts: K,
    /// The first block of the wave.
    pub first: Expr,
    /// The number of values that the current block has kept.
    kept: Option<K>,
    /// Where the values of the current block begin.
    low: Expr,
    /// Memory for all values.
    out: Vec<K>,
    /// How many values there are.
    total: K,
    /// The running combinations among the components of its values.
    pub scans: Vec<KeptScan<'b>>,
    /// Whether values that are not kept may be stored, too: there is a place for one value of each turn.
    pub stores_all: bool,
}

/// Memory for the values of output `number`.
pub(crate) fn open<'b>(
    cx: &mut Lower<'_>,
    elems: Vec<Elem>,
    scans: Vec<KeptScan<'b>>,
    plan: &Plan<'b>,
    number: usize,
) -> BlockKeep<'b> {
    let exprs = cx.code.exprs;
    let of_wave = exprs.min(exprs.mul(plan.wave, expr::int(plan.block)), plan.turns.count);
    let of_wave = cx.code.name_int("room", of_wave);
    let buffers = accumulate::results(cx, &elems, of_wave, false).values;
    let counts = cx.code.table("counts", Prim::I64, exprs.room_and(plan.wave, 1));
    let out = elems.iter().map(|elem| cx.code.growing("kept", elem.prim)).collect();
    let total = cx.code.variable("total", expr::int(0));
    let nowhere = expr::int(0);
    let stores_all = scans.is_empty() && emits::count(plan.turns.body(), number) == 1;
    BlockKeep { elems, buffers, counts, first: nowhere, kept: None, low: nowhere, out, total, scans, stores_all }
}

impl BlockKeep<'_> {
    /// A block begins, the first of whose turns has this number in its wave.
    pub fn begin(&mut self, cx: &mut Lower<'_>, low: Expr) {
        self.kept = Some(cx.code.variable("kept", expr::int(0)));
        self.low = low;
        self.scans.iter_mut().for_each(|scan| scan.begin(cx));
    }

    /// Keeps a value.
    pub fn put(&self, cx: &mut Lower<'_>, emit: &Emit) -> Low<()> {
        self.put_if(cx, emit, expr::truth(true))
    }

    /// Keeps a value if a condition holds. Otherwise the next one is stored in the same place.
    pub fn put_if(&self, cx: &mut Lower<'_>, emit: &Emit, cond: Expr) -> Low<()> {
        let exprs = cx.code.exprs;
        let Some(kept) = self.kept else { base::bug!("a filter outside of its blocks") };
        let place = cx.code.name_int("place", exprs.add(self.low, Expr::Var(kept)));
        let arrays: Vec<(Elem, Array)> =
            (self.elems.iter().cloned()).zip(self.buffers.iter().map(|k| Array::at(*k, expr::int(0)))).collect();
        values::put(cx, &arrays, place, &emit.value)?;
        let one = exprs.select(cond, expr::int(1), expr::int(0));
        cx.code.set(kept, exprs.add(Expr::Var(kept), one));
        Ok(())
    }

    /// Block number `b` ends.
    pub fn end(&self, cx: &mut Lower<'_>, b: Expr) {
        let exprs = cx.code.exprs;
        let Some(kept) = self.kept else { base::bug!("a filter outside of its blocks") };
        cx.code.store(self.counts, exprs.sub(b, self.first), Expr::Var(kept));
    }

    /// Moves what the blocks of a wave kept behind what is there.
    pub fn end_wave(&self, cx: &mut Lower<'_>, plan: &Plan<'_>, wave: Wave) -> Low<()> {
        let exprs = cx.code.exprs;
        let blocks = cx.code.name_int("blocks", exprs.sub(wave.end, wave.first));
        let before = cx.code.snapshot("before", Prim::I64, Expr::Var(self.total));
        let low = |k: Expr| exprs.mul(k, expr::int(plan.block));
        cx.short_loop("k", blocks, |cx, k| {
            let count = cx.code.name_int("count", exprs.load(self.counts, k));
            cx.code.store(self.counts, k, Expr::Var(self.total));
            cx.code.set(self.total, exprs.add(Expr::Var(self.total), count));
            let last = exprs.sub(exprs.add(low(k), count), expr::int(1));
            let has_some = exprs.lt(expr::int(0), count);
            self.scans.iter().try_for_each(|scan| scan.add_up(cx, &self.buffers, k, has_some, last))
        })?;
        cx.code.store(self.counts, blocks, Expr::Var(self.total));
        // One wave has counted all values. Otherwise all turns may give one; memory that nothing writes to is not there.
        let is_only = exprs.eq(plan.wave, plan.blocks);
        let most = cx.code.name_int("most", exprs.select(is_only, Expr::Var(self.total), plan.turns.count));
        for (elem, out) in self.elems.iter().zip(&self.out) {
            cx.code.grow(*out, exprs.mul(before, elem.row), exprs.capacity(most, elem.row));
        }
        cx.for_loop("k", expr::int(0), blocks, plan.mode, |cx, k| {
            let start = cx.code.name_int("start", exprs.load(self.counts, k));
            let end = exprs.load(self.counts, exprs.add(k, expr::int(1)));
            let count = cx.code.name_int("count", exprs.sub(end, start));
            self.move_block(cx, k, low(k), start, count)
        })
    }

    /// Moves so many values of block number `k` of a wave, from `low` on, to `start`.
    fn move_block(&self, cx: &mut Lower<'_>, k: Expr, low: Expr, start: Expr, count: Expr) -> Low<()> {
        for scan in &self.scans {
            scan.join(cx, k, (&self.buffers, low), (&self.out, start), count)?;
        }
        let is_running = |column: &usize| self.scans.iter().any(|scan| scan.columns.contains(column));
        for column in (0..self.elems.len()).filter(|column| !is_running(column)) {
            let own = column..column + 1;
            let (from, to) = (&self.buffers[own.clone()], &self.out[own.clone()]);
            columns::copy_all(cx, &self.elems[own], (from, low), (to, start), count);
        }
        Ok(())
    }
}

/// Binds the results.
pub(crate) fn close(cx: &mut Lower<'_>, sink: &BlockKeep<'_>, bound: &Bound) {
    if let Some(count) = bound.count {
        cx.homes.bind(count, Rep::Scalar(Expr::Var(sink.total)));
    }
    let start = cx.code.variable("start", expr::int(0));
    for ((var, buffer), elem) in bound.elems.iter().zip(&sink.out).zip(&sink.elems) {
        let (count, span) = (cx.code.exprs.mul(Expr::Var(sink.total), elem.row), cx.code.span);
        cx.code.emit(Stm::Trim { buffer: *buffer, start, count, span });
        let dims = cx.src.ty(*var).dims();
        let array = dims::packed(cx, *buffer, expr::int(0), dims);
        cx.homes.bind(*var, Rep::Array(Array { whole: true, ..array }));
    }
}
