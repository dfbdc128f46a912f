//! Filters by blocks: the values that a block keeps are stored from its start on, then the blocks are moved together.

use crate::arrays::dims;
use crate::builder::blocks::Blocks;
use crate::bulk::form::{Bound, Elem};
use crate::bulk::values;
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use crate::data::rep::{Array, Rep};
use ir::Emit;
use kernel::{Expr, Mode, Stm, Var as K};

/// What one block keeps.
pub(crate) struct BlockKeep {
    pub elems: Vec<Elem>,
    /// Memory for all values.
    pub buffers: Vec<K>,
    /// The number of values that each block keeps; one place more than there are blocks.
    pub counts: K,
    /// The number of values that the current block has kept.
    pub kept: Option<K>,
    /// Where the current block begins.
    pub low: Expr,
}

pub(crate) fn put(cx: &mut Lower<'_>, sink: &BlockKeep, emit: &Emit) -> Low<()> {
    let exprs = cx.code.exprs;
    let Some(kept) = sink.kept else { base::bug!("a filter outside of its blocks") };
    let place = cx.code.name_int("place", exprs.add(sink.low, Expr::Var(kept)));
    let arrays: Vec<(Elem, Array)> =
        (sink.elems.iter().cloned()).zip(sink.buffers.iter().map(|k| Array::at(*k, expr::int(0)))).collect();
    values::put(cx, &arrays, place, &emit.value)?;
    cx.code.increment(kept);
    Ok(())
}

pub(crate) fn close(cx: &mut Lower<'_>, sink: &BlockKeep, bound: &Bound, blocks: Expr, block: i64, mode: Mode) {
    let exprs = cx.code.exprs;
    let total = cx.code.variable("total", expr::int(0));
    cx.short_loop("b", blocks, |cx, b| {
        let count = cx.code.name_int("count", exprs.load(sink.counts, b));
        cx.code.store(sink.counts, b, Expr::Var(total));
        cx.code.set(total, exprs.add(Expr::Var(total), count));
    });
    cx.code.store(sink.counts, blocks, Expr::Var(total));
    if let Some(count) = bound.count {
        cx.homes.bind(count, Rep::Scalar(Expr::Var(total)));
    }
    let mut out = Vec::new();
    for elem in &sink.elems {
        let count = exprs.capacity(Expr::Var(total), elem.row);
        out.push(cx.code.alloc("kept", elem.prim, count));
    }
    cx.for_loop("b", expr::int(0), blocks, mode, |cx, b| {
        let start = cx.code.name_int("start", exprs.load(sink.counts, b));
        let end = exprs.load(sink.counts, exprs.add(b, expr::int(1)));
        let count = cx.code.name_int("count", exprs.sub(end, start));
        for ((elem, to), from) in sink.elems.iter().zip(&out).zip(&sink.buffers) {
            cx.code.emit(Stm::Copy {
                to: *to,
                to_at: exprs.mul(start, elem.row),
                from: *from,
                from_at: exprs.mul(exprs.mul(b, expr::int(block)), elem.row),
                count: exprs.mul(count, elem.row),
            });
        }
    });
    for (var, buffer) in bound.elems.iter().zip(out) {
        let dims = cx.src.ty(*var).dims();
        let array = dims::packed(cx, buffer, expr::int(0), dims);
        cx.homes.bind(*var, Rep::Array(Array { whole: true, ..array }));
    }
}
