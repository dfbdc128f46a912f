//! Reductions of values as they come, in a walk in order.

use crate::builder::blocks::Blocks;
use crate::bulk::accumulate::{self, Accumulator, Results};
use crate::bulk::form::Bound;
use crate::bulk::lanes;
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use analysis::ways;
use ir::{Emit, Output};
use kernel::{Expr, Var as K};
use scalar::Prim;

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
    /// Whether a loop is running, at run time; only where there are lanes.
    running: Option<K>,
    results: Results,
}

pub(crate) fn open<'b>(cx: &mut Lower<'_>, output: &'b Output) -> StreamReduce<'b> {
    let mut acc = accumulate::start(cx, output);
    let cut = ways::chunks(output).map(|chunks| {
        acc.lanes = lanes::open(cx, acc.op, &acc.elems, chunks);
        let in_lanes = acc.lanes.is_some();
        if !in_lanes {
            acc.watch(cx, expr::truth(false));
        }
        let blocks = cx.code.variable("blocks", expr::int(0));
        let running = in_lanes.then(|| {
            let running = cx.code.declare("running", Prim::Bool);
            cx.code.set(running, expr::truth(false));
            running
        });
        let results = accumulate::growing(cx, &acc.elems, !in_lanes);
        Cut { block: chunks.block.into(), blocks, running, results }
    });
    StreamReduce { acc, cut }
}

pub(crate) fn put(cx: &mut Lower<'_>, sink: &StreamReduce<'_>, emit: &Emit) -> Low<()> {
    sink.acc.put(cx, emit)
}

/// Turn `turn` of an outermost loop begins.
pub(crate) fn turn(cx: &mut Lower<'_>, sink: &mut StreamReduce<'_>, turn: Expr) -> Low<()> {
    let StreamReduce { acc, cut: Some(cut) } = sink else { return Ok(()) };
    let exprs = cx.code.exprs;
    let first = exprs.eq(exprs.bit_and(turn, expr::int(cut.block - 1)), expr::int(0));
    let later = exprs.lt(expr::int(0), turn);
    match cut.running {
        None => cx.when(exprs.and(later, first), |cx| {
            finish_block(cx, acc, cut);
            acc.empty(cx);
        }),
        Some(running) => {
            cx.when(first, |cx| {
                cx.when(later, |cx| {
                    acc.end_lanes(cx)?;
                    finish_block(cx, acc, cut);
                    Low::Ok(())
                })?;
                acc.begin_lanes(cx, exprs.not(later));
                cx.code.set(running, expr::truth(true));
                Low::Ok(())
            })?;
            acc.lane(exprs.bit_and(turn, expr::int(acc.width() - 1)));
        }
    }
    Ok(())
}

/// Appends the result of the current block to those of finished ones.
fn finish_block(cx: &mut Lower<'_>, acc: &Accumulator<'_>, cut: &Cut) {
    cut.results.grow(cx, &acc.elems, Expr::Var(cut.blocks));
    acc.save(cx, &cut.results, Expr::Var(cut.blocks));
    cx.code.increment(cut.blocks);
}

/// An outermost loop is done: what its blocks gave is what the accumulator has.
pub(crate) fn left(cx: &mut Lower<'_>, sink: &mut StreamReduce<'_>) -> Low<()> {
    let StreamReduce { acc, cut: Some(cut) } = sink else { return Ok(()) };
    let exprs = cx.code.exprs;
    if let Some(running) = cut.running {
        cx.when(Expr::Var(running), |cx| {
            cx.code.set(running, expr::truth(false));
            acc.end_lanes(cx)
        })?;
    }
    cx.when(exprs.lt(expr::int(0), Expr::Var(cut.blocks)), |cx| {
        finish_block(cx, acc, cut);
        acc.combine_tree(cx, &cut.results, Expr::Var(cut.blocks))?;
        // The first block began with the neutral element.
        acc.load(cx, &cut.results, expr::int(0))?;
        cx.code.set(cut.blocks, expr::int(0));
        Low::Ok(())
    })
}

pub(crate) fn close(cx: &mut Lower<'_>, sink: &StreamReduce<'_>, bound: &Bound) {
    for (var, rep) in bound.elems.iter().zip(sink.acc.reps()) {
        cx.homes.bind(*var, rep);
    }
}
