//! Reductions in one thread. The result of a block is combined with those before it as soon as the tree has them next
//! to each other, as a binary counter carries: only a few of the finished ones wait. So reductions of few values need
//! no memory.

use crate::builder::blocks::Blocks;
use crate::bulk::accumulate::{self, Accumulator, First, Results};
use crate::bulk::blocks::one_value;
use crate::bulk::form::Bound;
use crate::bulk::reduce;
use crate::bulk::turns::Turns;
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use ir::{Bulk, Emit};
use kernel::{Expr, Stm, Var as K};
use scalar::Prim;

/// A reduction, and the results of blocks that wait.
struct Carry<'b> {
    acc: Accumulator<'b>,
    waiting: Results,
}

/// Lowers reductions: one block after the other, or simply one value after the other.
pub(crate) fn lower(cx: &mut Lower<'_>, bound: &[Bound], bulk: &Bulk, turns: &Turns<'_>) -> Low<()> {
    let mut sinks = Vec::new();
    for (number, output) in bulk.outputs.iter().enumerate() {
        let acc = accumulate::start(cx, output);
        let cut = reduce::chunks(output).is_some();
        let waiting = match cut {
            true => accumulate::growing(cx, &acc.elems, !one_value(turns.body, number)),
            false => Results { values: Vec::new(), there: None },
        };
        sinks.push(Carry { acc, waiting });
    }
    match bulk.outputs.iter().find_map(reduce::chunks) {
        Some(chunks) => by_blocks(cx, &mut sinks, turns, chunks.block.into())?,
        None => turns.range(cx, &mut |cx: &mut Lower<'_>, emit: &Emit| put(cx, &sinks, emit), expr::int(0), turns.count)?,
    }
    for (sink, bound) in sinks.iter().zip(bound) {
        bound.elems.iter().zip(sink.acc.reps()).for_each(|(var, rep)| cx.homes.bind(*var, rep));
    }
    Ok(())
}

fn put(cx: &mut Lower<'_>, sinks: &[Carry<'_>], emit: &Emit) -> Low<()> {
    sinks[emit.output].acc.put(cx, emit)
}

fn by_blocks(cx: &mut Lower<'_>, sinks: &mut [Carry<'_>], turns: &Turns<'_>, block: i64) -> Low<()> {
    let exprs = cx.code.exprs;
    let finished = cx.code.variable("finished", expr::int(0));
    let depth = cx.code.variable("depth", expr::int(0));
    let low = cx.code.variable("low", expr::int(0));
    let from = cx.code.variable("from", expr::int(0));
    // Those that are not cut take one value after the other.
    let is_cut = |sink: &Carry<'_>| !sink.waiting.values.is_empty();
    let flags = turns.heavy || sinks.iter().any(|sink| sink.waiting.there.is_some() || !is_cut(sink));
    if flags {
        // The first value of block 0 follows the neutral element, so it is combined like all others.
        sinks.iter_mut().filter(|sink| is_cut(sink)).for_each(|sink| sink.acc.watch(cx, expr::truth(false)));
    }

    cx.code.open();
    let high = exprs.min(exprs.add(Expr::Var(low), expr::int(block)), turns.count);
    let high = cx.code.name_int("high", high);
    turns.range(cx, &mut |cx: &mut Lower<'_>, emit: &Emit| put(cx, sinks, emit), Expr::Var(from), high)?;
    let more = cx.code.name("more", Prim::Bool, exprs.lt(high, turns.count));
    meet(cx, sinks, more, finished, depth)?;
    let head = cx.code.close();

    cx.code.open();
    let_wait(cx, sinks, depth);
    cx.code.increment(finished);
    cx.code.set(low, high);
    if flags {
        sinks.iter().for_each(|sink| sink.acc.empty(cx));
        cx.code.set(from, high);
    } else {
        sinks.iter_mut().for_each(|sink| sink.acc.first = First::Take);
        turns.one(cx, &mut |cx: &mut Lower<'_>, emit: &Emit| put(cx, sinks, emit), high)?;
        cx.code.set(from, exprs.add(high, expr::int(1)));
    }
    let body = cx.code.close();
    cx.code.emit(Stm::While { head, cond: more, body });
    Ok(())
}

/// Combines waiting results with the current block: as many as the number of finished blocks has ones at its end, and
/// all of them after the last block.
fn meet(cx: &mut Lower<'_>, sinks: &[Carry<'_>], more: Expr, finished: K, depth: K) -> Low<()> {
    let exprs = cx.code.exprs;
    let all = exprs.sub(exprs.shl(expr::int(1), Expr::Var(depth)), expr::int(1));
    let left = cx.code.variable("left", exprs.select(more, Expr::Var(finished), all));
    cx.code.open();
    cx.code.set(depth, exprs.sub(Expr::Var(depth), expr::int(1)));
    cx.code.set(left, exprs.shr(Expr::Var(left), expr::int(1)));
    for sink in sinks.iter().filter(|sink| !sink.waiting.values.is_empty()) {
        sink.acc.meet(cx, &sink.waiting, Expr::Var(depth))?;
    }
    let body = cx.code.close();
    let cond = exprs.ne(exprs.bit_and(Expr::Var(left), expr::int(1)), expr::int(0));
    cx.code.emit(Stm::While { head: Vec::new(), cond, body });
    Ok(())
}

/// Appends the current block to those that wait.
fn let_wait(cx: &mut Lower<'_>, sinks: &[Carry<'_>], depth: K) {
    for sink in sinks.iter().filter(|sink| !sink.waiting.values.is_empty()) {
        sink.waiting.grow(cx, &sink.acc.elems, Expr::Var(depth));
        sink.acc.save(cx, &sink.waiting, Expr::Var(depth));
    }
    cx.code.increment(depth);
}
