//! Reductions in one thread. The result of a block is combined with those before it as soon as the tree has them next
//! to each other, as a binary counter carries: only a few of the finished ones wait. So reductions of few values need
//! no memory.

use crate::arrays::slot::Slot;
use crate::bulk::accumulate::{BLOCK, First};
use crate::bulk::block_sink::BlockReduce;
use crate::bulk::form::Bound;
use crate::bulk::turns::Turns;
use crate::bulk::{accumulate, columns, form};
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use crate::data::rep::Rep;
use crate::scope;
use ir::{Bulk, Kind, Output};
use kernel::{Expr, Stm, Var as K};
use scalar::Prim;

/// Lowers reductions: one block after the other.
pub(crate) fn lower(cx: &mut Lower<'_>, bound: &[Bound], bulk: &Bulk, turns: &Turns<'_>) -> Low<()> {
    let exprs = cx.code.exprs;
    let mut sinks = Vec::new();
    for output in &bulk.outputs {
        sinks.push(open(cx, output));
    }
    let finished = cx.code.variable("finished", expr::int(0));
    let depth = cx.code.variable("depth", expr::int(0));
    let low = cx.code.variable("low", expr::int(0));
    let from = cx.code.variable("from", expr::int(0));
    if turns.heavy {
        // The first value of block 0 follows the neutral element, so it is combined like all others.
        sinks.iter_mut().for_each(|sink| sink.first = accumulate::flag(cx, expr::truth(false)));
    }

    cx.code.open();
    let high = exprs.min(exprs.add(Expr::Var(low), expr::int(BLOCK)), turns.count);
    let high = cx.code.name_int("high", high);
    turns.range(cx, &mut |cx, emit| sinks[emit.output].put(cx, emit), Expr::Var(from), high)?;
    let more = cx.code.name("more", Prim::Bool, exprs.lt(high, turns.count));
    meet(cx, &sinks, more, finished, depth)?;
    let head = cx.code.close();

    cx.code.open();
    let_wait(cx, &sinks, depth);
    cx.code.increment(finished);
    cx.code.set(low, high);
    if turns.heavy {
        sinks.iter().for_each(|sink| take_next(cx, sink.first));
        cx.code.set(from, high);
    } else {
        sinks.iter_mut().for_each(|sink| sink.first = First::Take);
        turns.one(cx, &mut |cx, emit| sinks[emit.output].put(cx, emit), high)?;
        cx.code.set(from, exprs.add(high, expr::int(1)));
    }
    let body = cx.code.close();
    cx.code.emit(Stm::While { head, cond: more, body });

    for (sink, bound) in sinks.iter().zip(bound) {
        bound.elems.iter().zip(&sink.accs).for_each(|(var, acc)| cx.homes.bind(*var, acc.rep()));
    }
    Ok(())
}

/// Accumulators with the neutral element, and memory for the results that wait.
fn open<'b>(cx: &mut Lower<'_>, output: &'b Output) -> BlockReduce<'b> {
    let Kind::Reduce { op, neutral, .. } = &output.kind else { base::bug!("only reductions carry") };
    let elems = form::elems(cx, output);
    let accs = accumulate::accumulators(cx, &elems);
    accumulate::fill_accs(cx, &accs, neutral);
    let partial: Vec<K> = elems.iter().map(|elem| cx.code.declare_buffer("waiting", elem.prim)).collect();
    partial.iter().for_each(|buffer| cx.code.own(*buffer));
    let first = First::Combine;
    BlockReduce { elems, op, neutral, accs, first, partial }
}

/// Combines waiting results with the current block: as many as the number of finished blocks has ones at its end, and
/// all of them after the last block.
fn meet(cx: &mut Lower<'_>, sinks: &[BlockReduce<'_>], more: Expr, finished: K, depth: K) -> Low<()> {
    let exprs = cx.code.exprs;
    let all = exprs.sub(exprs.shl(expr::int(1), Expr::Var(depth)), expr::int(1));
    let left = cx.code.variable("left", exprs.select(more, Expr::Var(finished), all));
    cx.code.open();
    cx.code.set(depth, exprs.sub(Expr::Var(depth), expr::int(1)));
    cx.code.set(left, exprs.shr(Expr::Var(left), expr::int(1)));
    for sink in sinks {
        let before = columns::read_all(cx, &sink.partial, &sink.elems, Expr::Var(depth));
        let accs = sink.accs.iter().map(Slot::rep).collect();
        scope::with_op(cx, sink.op, before, accs, |cx, reps| accumulate::set_accs(cx, &sink.accs, &sink.elems, reps))?;
    }
    let body = cx.code.close();
    let cond = exprs.ne(exprs.bit_and(Expr::Var(left), expr::int(1)), expr::int(0));
    cx.code.emit(Stm::While { head: Vec::new(), cond, body });
    Ok(())
}

/// Appends the current block to those that wait.
fn let_wait(cx: &mut Lower<'_>, sinks: &[BlockReduce<'_>], depth: K) {
    for sink in sinks {
        columns::grow_all(cx, &sink.partial, &sink.elems, Expr::Var(depth));
        let accs: Vec<Rep> = sink.accs.iter().map(Slot::rep).collect();
        columns::write_all(cx, &sink.partial, &sink.elems, Expr::Var(depth), &accs);
    }
    cx.code.increment(depth);
}

/// The next value is the first of its block.
fn take_next(cx: &mut Lower<'_>, first: First) {
    if let First::Flag(flag) = first {
        cx.code.set(flag, expr::truth(true));
    }
}
