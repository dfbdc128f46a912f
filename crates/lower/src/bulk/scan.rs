//! Scans by blocks: each block by itself, from its first value; then the combination of all blocks before a block is
//! put before each of its elements.

use crate::arrays::dims;
use crate::arrays::slot::Slot;
use crate::builder::blocks::Blocks;
use crate::bulk::accumulate::{BLOCK, First};
use crate::bulk::form::{Bound, Elem};
use crate::bulk::{accumulate, columns};
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use crate::data::rep::{Array, Rep};
use crate::scope;
use ir::{Atom, Emit, Region, Var};
use kernel::{Expr, Mode, Var as K};

/// A scan.
pub(crate) struct BlockScan<'b> {
    pub elems: Vec<Elem>,
    pub op: &'b Region,
    /// The arrays of results.
    pub out: Vec<K>,
    pub accs: Vec<Slot>,
    pub first: First,
    /// The variable of the loop: the number of the current value.
    pub turn: Var,
}

/// Memory for the results of all turns.
pub(crate) fn results(cx: &mut Lower<'_>, elems: &[Elem], bound: &Bound, count: Expr) -> Vec<K> {
    let exprs = cx.code.exprs;
    let mut new = |(elem, var): (&Elem, &Var)| {
        // Results can go into a place that is given only if it begins at 0.
        match cx.homes.hints.get(var).filter(|place| place.offset == expr::int(0)).map(|place| place.buffer) {
            Some(buffer) => {
                cx.homes.hints.remove(var);
                buffer
            }
            None => cx.code.alloc("results", elem.prim, exprs.capacity(count, elem.row)),
        }
    };
    elems.iter().zip(&bound.elems).map(&mut new).collect()
}

pub(crate) fn put(cx: &mut Lower<'_>, sink: &BlockScan<'_>, emit: &Emit) -> Low<()> {
    let reps = scope::open_block(cx, &emit.value)?;
    accumulate::accumulate(cx, sink.first, sink.op, &sink.accs, &sink.elems, reps)?;
    let accs: Vec<Rep> = sink.accs.iter().map(Slot::rep).collect();
    let index = cx.homes.scalar(Atom::Var(sink.turn));
    columns::write_all(cx, &sink.out, &sink.elems, index, &accs);
    cx.code.close_inline();
    Ok(())
}

/// Puts the combination of all earlier blocks before the elements of each block: that is the last element before it.
pub(crate) fn close(
    cx: &mut Lower<'_>,
    sink: &BlockScan<'_>,
    bound: &Bound,
    blocks: Expr,
    count: Expr,
    mode: Mode,
) -> Low<()> {
    let exprs = cx.code.exprs;
    let end = |low: Expr| exprs.min(exprs.add(low, expr::int(BLOCK)), count);
    let last = |low: Expr| exprs.sub(end(low), expr::int(1));
    if mode == Mode::Parallel {
        // The last elements first, one after the other; then all others at once.
        later_blocks(cx, blocks, Mode::Short, |cx, low| join(cx, sink, low, last(low), end(low)))?;
        later_blocks(cx, blocks, Mode::Parallel, |cx, low| join(cx, sink, low, low, last(low)))?;
    } else {
        later_blocks(cx, blocks, Mode::Sequential, |cx, low| join(cx, sink, low, low, end(low)))?;
    }
    for (var, buffer) in bound.elems.iter().zip(&sink.out) {
        let dims = cx.src.ty(*var).dims();
        let array = dims::packed(cx, *buffer, expr::int(0), dims);
        cx.homes.bind(*var, Rep::Array(Array { whole: true, ..array }));
    }
    Ok(())
}

/// For the start of each block but the first.
fn later_blocks(
    cx: &mut Lower<'_>,
    blocks: Expr,
    mode: Mode,
    turn: impl FnOnce(&mut Lower<'_>, Expr) -> Low<()>,
) -> Low<()> {
    let exprs = cx.code.exprs;
    cx.for_loop("b", expr::int(1), blocks, mode, |cx, b| {
        let low = cx.code.name_int("low", exprs.mul(b, expr::int(BLOCK)));
        turn(cx, low)
    })
}

/// Puts the last element before block `low` before those from `from` to `to`.
fn join(cx: &mut Lower<'_>, sink: &BlockScan<'_>, low: Expr, from: Expr, to: Expr) -> Low<()> {
    let exprs = cx.code.exprs;
    let BlockScan { elems, op, out, .. } = sink;
    let before = columns::read_all(cx, out, elems, exprs.sub(low, expr::int(1)));
    cx.for_loop("i", from, to, Mode::Sequential, |cx, i| {
        let own = columns::read_all(cx, out, elems, i);
        scope::with_op(cx, op, before, own, |cx, results| columns::write_all(cx, out, elems, i, &results))
    })
}
