//! Reductions of values as they come, one by one: blocks are counted at run time.

use crate::arrays::slot::Slot;
use crate::builder::blocks::Blocks;
use crate::bulk::accumulate::{BLOCK, First};
use crate::bulk::form::{Bound, Elem};
use crate::bulk::{accumulate, columns, form};
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use crate::data::rep::Rep;
use crate::scope;
use ir::{Atom, Emit, Output, Region};
use kernel::{Expr, Stm, Type as KType, Var as K};
use scalar::Prim;

/// A reduction of values as they come, one by one.
pub(crate) struct StreamReduce<'b> {
    elems: Vec<Elem>,
    op: &'b Region,
    accs: Vec<Slot>,
    /// The number of values in the current block.
    in_block: K,
    /// The number of finished blocks.
    blocks: K,
    partial: Vec<K>,
}

pub(crate) fn open<'b>(cx: &mut Lower<'_>, output: &Output, op: &'b Region, neutral: &[Atom]) -> StreamReduce<'b> {
    let elems = form::elems(cx, output);
    let accs = accumulate::accumulators(cx, &elems);
    accumulate::fill_accs(cx, &accs, neutral);
    let in_block = cx.code.variable("in_block", expr::int(0));
    let blocks = cx.code.variable("blocks", expr::int(0));
    let mut partial = Vec::new();
    for elem in &elems {
        let buffer = cx.code.fresh("partial", KType::Buffer(elem.prim));
        cx.code.emit(Stm::Declare(buffer));
        cx.code.own(buffer);
        partial.push(buffer);
    }
    StreamReduce { elems, op, accs, in_block, blocks, partial }
}

pub(crate) fn put(cx: &mut Lower<'_>, sink: &StreamReduce<'_>, emit: &Emit) -> Low<()> {
    let exprs = cx.code.exprs;
    let in_block = Expr::Var(sink.in_block);
    let reps = scope::open_block(cx, &emit.value)?;
    let flag = cx.code.declare("fresh", Prim::Bool);
    cx.code.set(flag, exprs.eq(in_block, expr::int(BLOCK)));
    cx.when(Expr::Var(flag), |cx| {
        finish_block(cx, sink);
        cx.code.set(sink.in_block, expr::int(0));
    });
    accumulate::accumulate(cx, First::Flag(flag), sink.op, &sink.accs, &sink.elems, reps)?;
    cx.code.set(sink.in_block, exprs.add(in_block, expr::int(1)));
    cx.code.close_inline();
    Ok(())
}

/// Appends the result of the current block to those of finished ones.
fn finish_block(cx: &mut Lower<'_>, sink: &StreamReduce<'_>) {
    let exprs = cx.code.exprs;
    let blocks = Expr::Var(sink.blocks);
    columns::grow_all(cx, &sink.partial, &sink.elems, blocks);
    let accs: Vec<Rep> = sink.accs.iter().map(Slot::rep).collect();
    columns::write_all(cx, &sink.partial, &sink.elems, blocks, &accs);
    cx.code.set(sink.blocks, exprs.add(blocks, expr::int(1)));
}

pub(crate) fn close(cx: &mut Lower<'_>, sink: StreamReduce<'_>, bound: &Bound) -> Low<()> {
    let exprs = cx.code.exprs;
    cx.when(exprs.lt(expr::int(0), Expr::Var(sink.blocks)), |cx| {
        finish_block(cx, &sink);
        accumulate::combine_tree(cx, sink.op, &sink.partial, &sink.elems, Expr::Var(sink.blocks))?;
        let total = columns::read_all(cx, &sink.partial, &sink.elems, expr::int(0));
        accumulate::set_accs(cx, &sink.accs, &sink.elems, total);
        Low::Ok(())
    })?;
    for (var, acc) in bound.elems.iter().zip(&sink.accs) {
        cx.homes.bind(*var, acc.rep());
    }
    Ok(())
}
