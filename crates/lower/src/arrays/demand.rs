//! Demanding cells of recursive arrays: an attempt stops unless the cells that it reads are computed.

use crate::builder::Builder;
use crate::builder::blocks::Blocks;
use crate::data::expr;
use crate::data::rec_array::{DEPTHS, RecArray, is_open};
use ir::Var;
use kernel::{Expr, Stm};
use scalar::Prim;

/// A recursive array under construction.
pub(crate) fn rec_array(cx: &Builder<'_>, array: Var) -> RecArray {
    match cx.recs.get(&array) {
        Some(rec) => rec.clone(),
        None => base::bug!("an array that is not recursive"),
    }
}

/// Stops the attempt unless a cell is computed.
pub(crate) fn cell(cx: &mut Builder<'_>, rec: &RecArray, cell: Expr) {
    let exprs = cx.code.exprs;
    let cell = exprs.add(rec.base, cell);
    let owner = cx.code.snapshot("owner", Prim::I64, exprs.load(rec.owner, cell));
    let open = exprs.and(exprs.le(expr::int(0), owner), is_open(exprs, rec.states, owner));
    let depth = rec.depth;
    cx.when(open, |cx| {
        let value = exprs.add(exprs.mul(owner, expr::int(DEPTHS)), depth);
        cx.code.emit(Stm::Stop(value));
    })
}

/// Demands cells that follow one another.
pub(crate) fn cells(cx: &mut Builder<'_>, rec: &RecArray, first: Expr, count: Expr) {
    let exprs = cx.code.exprs;
    if count == expr::int(1) {
        return cell(cx, rec, first);
    }
    cx.count_loop("c", count, |cx, c| cell(cx, rec, exprs.add(first, c)))
}

/// Demands all cells.
pub(crate) fn whole(cx: &mut Builder<'_>, array: Var) {
    let rec = rec_array(cx, array);
    cells(cx, &rec, expr::int(0), rec.cells);
}
