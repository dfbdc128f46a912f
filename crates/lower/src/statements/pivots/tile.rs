//! The elements that have the number of no turn in a block: a few rows and columns at a time go through all turns in registers.

use super::area::{Area, Side, Turns};
use crate::builder::blocks::Blocks;
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use crate::data::rep::Rep;
use ir::Var;
use ir::turns::pivots::{Part, Point};
use kernel::{Expr, Mode, Var as K};
use scalar::Prim;

/// The rows and columns of a tile that there are: for both axes the first of the tile, and which of the others.
pub(super) type Window = [(Expr, Expr, Expr); 2];

/// Runs all turns of a block on a tile of the matrix. At its borders, and where not all change, a copy has all elements.
pub(super) fn run(cx: &mut Lower<'_>, turns: &Turns<'_>, area: &Area, window: Window) -> Low<()> {
    let exprs = cx.code.exprs;
    let (rows, lanes) = (turns.rows(), turns.lanes());
    let is_full = |(_, from, to): (Expr, Expr, Expr), size| exprs.eq(exprs.sub(to, from), expr::int(size));
    let full = exprs.and(is_full(window[0], rows), is_full(window[1], lanes));
    cx.branch(
        full,
        |cx| in_registers(cx, turns, area),
        |cx| {
            let prim = cx.code.prim_of(area.buffer);
            let copy = cx.code.local("tile", prim, (rows * lanes) as u32);
            let tile = Area { buffer: copy, at: expr::int(0), stride: expr::int(lanes), ..area.clone() };
            fetch(cx, area, &tile, (expr::int(rows), lanes), window);
            in_registers(cx, turns, &tile)?;
            put_back(cx, area, &tile, lanes, window);
            Ok(())
        },
    )
}

/// Copies elements of a window to an area with all columns of a tile; the others are zero.
pub(super) fn fetch(cx: &mut Lower<'_>, from: &Area, to: &Area, (rows, lanes): (Expr, i64), window: Window) {
    let exprs = cx.code.exprs;
    let (_, top, bottom) = window[0];
    let zero = Expr::Const(cx.code.prim_of(from.buffer).zero());
    cx.count_loop("row", rows, |cx, r| {
        let in_rows = exprs.and(exprs.le(top, r), exprs.lt(r, bottom));
        each_lane(cx, lanes, window[1], |cx, l, in_columns| {
            let element = exprs.load(from.buffer, from.place(cx, r, l));
            let at = to.place(cx, r, l);
            cx.code.store(to.buffer, at, exprs.select(exprs.and(in_rows, in_columns), element, zero));
        });
    });
}

/// Copies them back.
pub(super) fn put_back(cx: &mut Lower<'_>, to: &Area, from: &Area, lanes: i64, window: Window) {
    let (_, top, bottom) = window[0];
    cx.for_loop("row", top, bottom, Mode::Sequential, |cx, r| {
        each_lane(cx, lanes, window[1], |cx, l, in_columns| {
            cx.when(in_columns, |cx| {
                let element = cx.code.exprs.load(from.buffer, from.place(cx, r, l));
                let at = to.place(cx, r, l);
                cx.code.store(to.buffer, at, element);
            });
        });
    });
}

/// Runs through the columns of a tile. The function gets each, and whether it is one of those that there are; where all are,
/// that is known.
fn each_lane(
    cx: &mut Lower<'_>,
    count: i64,
    (_, left, right): (Expr, Expr, Expr),
    work: impl Fn(&mut Lower<'_>, Expr, Expr),
) {
    let exprs = cx.code.exprs;
    let lanes = |cx: &mut Lower<'_>, are_all: bool| {
        cx.for_loop("lane", expr::int(0), expr::int(count), Mode::Lanes, |cx, l| {
            let inside = exprs.and(exprs.le(left, l), exprs.lt(l, right));
            work(cx, l, if are_all { expr::truth(true) } else { inside });
        });
    };
    let are_all = exprs.eq(exprs.sub(right, left), expr::int(count));
    cx.branch(are_all, |cx| lanes(cx, true), |cx| lanes(cx, false));
}

/// Runs all turns on a tile that has all its elements. Columns are lanes, and each lane carries its elements of all rows. If the
/// columns are two vectors, both go through the turns together: what is read of a row serves both.
fn in_registers(cx: &mut Lower<'_>, turns: &Turns<'_>, area: &Area) -> Low<()> {
    let exprs = cx.code.exprs;
    let prim = cx.code.prim_of(area.buffer);
    // There is a turn; so C compilers see it.
    let count = cx.code.name_int("turns", exprs.max(turns.count, expr::int(1)));
    let vectors = if prim.bytes() == 8 { 2 } else { 1 };
    let width = turns.lanes() / vectors;
    cx.for_loop("lane", expr::int(0), expr::int(width), Mode::Lanes, |cx, lane| {
        let lanes = (0..vectors).map(|v| exprs.add(lane, expr::int(v * width)));
        let mut columns: Vec<(Expr, Vec<K>)> = Vec::new();
        for l in lanes {
            columns.push((l, (0..turns.rows()).map(|r| element(cx, prim, area, r, l)).collect()));
        }
        cx.count_loop("turn", count, |cx, t| {
            let turn = cx.code.name_int("k", exprs.add(turns.first, t));
            cx.homes.bind(turns.pivots.turn, Rep::Scalar(turn));
            turns.pivots.parts.iter().try_for_each(|part| match part {
                Part::Number(stm, reads) => turns.number(cx, area, t, stm, *reads),
                Part::Update { counters: [Some(i), Some(j)], value } => columns
                    .iter()
                    .try_for_each(|(l, carried)| rows_of(cx, turns, area, (t, turn, *l), (*i, *j, value), carried)),
                Part::Line { .. } | Part::Update { .. } => Ok(()),
            })
        })?;
        for (l, carried) in &columns {
            for (r, carried) in carried.iter().enumerate() {
                let at = area.place(cx, expr::int(r as i64), *l);
                cx.code.store(area.buffer, at, Expr::Var(*carried));
            }
        }
        Ok(())
    })
}

/// A variable that has an element.
fn element(cx: &mut Lower<'_>, prim: Prim, area: &Area, row: i64, lane: Expr) -> K {
    let carried = cx.code.declare("x", prim);
    let at = area.place(cx, expr::int(row), lane);
    let loaded = cx.code.exprs.load(area.buffer, at);
    cx.code.set(carried, loaded);
    carried
}

/// One update of the elements of a lane.
fn rows_of(
    cx: &mut Lower<'_>,
    turns: &Turns<'_>,
    area: &Area,
    (t, turn, lane): (Expr, Expr, Expr),
    (rows, columns, value): (Var, Var, &Point<'_>),
    carried: &[K],
) -> Low<()> {
    let exprs = cx.code.exprs;
    for (r, carried) in carried.iter().enumerate() {
        let own = [expr::int(r as i64), lane];
        for (axis, counter) in [rows, columns].into_iter().enumerate() {
            let Side::Others { first, .. } = area.sides[axis] else { base::bug!("a tile has no pivots") };
            let low = turns.range(cx, axis, turn).0;
            let index = cx.code.name_int("i", exprs.sub(exprs.add(first, own[axis]), low));
            cx.homes.bind(counter, Rep::Scalar(index));
        }
        let result = turns.value_of(cx, area, value, t, (Expr::Var(*carried), own))?;
        cx.code.set(*carried, result);
    }
    Ok(())
}
