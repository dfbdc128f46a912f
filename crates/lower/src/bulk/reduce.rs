//! Reductions of values as they come, in a walk in order.

use crate::builder::blocks::Blocks;
use crate::bulk::accumulate::{self, Accumulator, First, Results};
use crate::bulk::form::Bound;
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use ir::{Chunks, Emit, Kind, Output};
use kernel::{Expr, Var as K};

/// A reduction of values as they come.
pub(crate) struct StreamReduce<'b> {
    acc: Accumulator<'b>,
    cut: Option<Cut>,
}

/// The blocks of the outermost loop that is running.
struct Cut {
    /// Turns of a block.
    block: i64,
    /// The number of finished blocks.
    blocks: K,
    results: Results,
}

/// How a reduction is cut.
pub(crate) fn chunks(output: &Output) -> Option<Chunks> {
    match &output.kind {
        Kind::Reduce { tree, .. } => tree.chunks(),
        Kind::Gen { .. } | Kind::Update { .. } | Kind::Accum { .. } | Kind::Keep => None,
    }
}

pub(crate) fn open<'b>(cx: &mut Lower<'_>, output: &'b Output) -> StreamReduce<'b> {
    let mut acc = accumulate::start(cx, output);
    let cut = chunks(output).map(|chunks| {
        acc.watch(cx, expr::truth(false));
        let blocks = cx.code.variable("blocks", expr::int(0));
        Cut { block: chunks.block.into(), blocks, results: accumulate::growing(cx, &acc.elems, true) }
    });
    StreamReduce { acc, cut }
}

pub(crate) fn put(cx: &mut Lower<'_>, sink: &StreamReduce<'_>, emit: &Emit) -> Low<()> {
    sink.acc.put(cx, emit)
}

/// Turn `turn` of an outermost loop begins.
pub(crate) fn turn(cx: &mut Lower<'_>, sink: &StreamReduce<'_>, turn: Expr) {
    let Some(cut) = &sink.cut else { return };
    let exprs = cx.code.exprs;
    let first = exprs.eq(exprs.bit_and(turn, expr::int(cut.block - 1)), expr::int(0));
    cx.when(exprs.and(exprs.lt(expr::int(0), turn), first), |cx| {
        finish_block(cx, &sink.acc, cut);
        sink.acc.empty(cx);
    });
}

/// Appends the result of the current block to those of finished ones.
fn finish_block(cx: &mut Lower<'_>, acc: &Accumulator<'_>, cut: &Cut) {
    cut.results.grow(cx, &acc.elems, Expr::Var(cut.blocks));
    acc.save(cx, &cut.results, Expr::Var(cut.blocks));
    cx.code.increment(cut.blocks);
}

/// An outermost loop is done: what its blocks gave is what the accumulator has.
pub(crate) fn left(cx: &mut Lower<'_>, sink: &StreamReduce<'_>) -> Low<()> {
    let Some(cut) = &sink.cut else { return Ok(()) };
    let exprs = cx.code.exprs;
    cx.when(exprs.lt(expr::int(0), Expr::Var(cut.blocks)), |cx| {
        finish_block(cx, &sink.acc, cut);
        sink.acc.combine_tree(cx, &cut.results, Expr::Var(cut.blocks))?;
        // The first block began with the neutral element.
        sink.acc.load(cx, &cut.results, expr::int(0))?;
        cx.code.set(cut.blocks, expr::int(0));
        Low::Ok(())
    })
}

pub(crate) fn close(cx: &mut Lower<'_>, sink: &StreamReduce<'_>, bound: &Bound) {
    for (var, rep) in bound.elems.iter().zip(sink.acc.reps()) {
        cx.homes.bind(*var, rep);
    }
}

/// Whether an accumulator is never empty.
pub(crate) fn is_sure(first: First) -> bool {
    !matches!(first, First::Flag(_))
}
