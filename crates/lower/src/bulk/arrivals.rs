//! Values of different sizes that came in any order, put into the order of their places.

use super::appended::{self, Column, Level, Rows};
use super::gaps;
use crate::arrays::dims;
use crate::builder::Builder;
use crate::builder::blocks::Blocks;
use crate::context::Lower;
use crate::data::{Low, expr};
use crate::scope;
use ir::{Block, Dim};
use kernel::{Expr, Mode, Stm, Var as K};
use scalar::Prim;

/// Which value goes where.
pub(crate) struct Arrivals {
    /// For each place, whether it has a value.
    pub marks: K,
    /// For each place, the number of its value.
    pub number: K,
    /// For each value, where its rows begin in each level and its elements in each component.
    starts: Vec<K>,
}

/// No values yet.
pub(crate) fn open(cx: &mut Builder<'_>, shape: &[Dim], rows: &Rows) -> Arrivals {
    let count = dims::capacity(cx, shape);
    let marks = gaps::marks(cx, count);
    let number = cx.code.alloc("number", Prim::I64, count);
    let starts = (0..rows.sizes.len() + rows.elems.len()).map(|_| cx.code.growing("starts", Prim::I64)).collect();
    Arrivals { marks, number, starts }
}

/// The next value goes to a place.
pub(crate) fn note(cx: &mut Builder<'_>, rows: &Rows, arrivals: &Arrivals, place: Expr) {
    cx.code.store(arrivals.number, place, Expr::Var(rows.count));
    note_starts(cx, rows, arrivals);
}

/// The next value goes to all places for which a condition holds.
pub(crate) fn note_all(
    cx: &mut Builder<'_>,
    rows: &Rows,
    arrivals: &Arrivals,
    (name, count): (&str, Expr),
    cond: impl FnOnce(Expr) -> Expr,
) {
    cx.count_loop(name, count, |cx, k| {
        cx.when(cond(k), |cx| cx.code.store(arrivals.number, k, Expr::Var(rows.count)));
    });
    note_starts(cx, rows, arrivals);
}

/// Stores where the next value begins.
fn note_starts(cx: &mut Builder<'_>, rows: &Rows, arrivals: &Arrivals) {
    let exprs = cx.code.exprs;
    let begins = rows.sizes.iter().map(|l| l.rows).chain(rows.elems.iter().map(|c| c.used));
    for (buffer, start) in arrivals.starts.iter().zip(begins) {
        let count = Expr::Var(rows.count);
        cx.code.grow(*buffer, count, exprs.add(count, expr::int(1)));
        cx.code.store(*buffer, count, Expr::Var(start));
    }
}

/// One more value, for all places without one.
pub(crate) fn append_otherwise(
    cx: &mut Lower<'_>,
    rows: &Rows,
    arrivals: &Arrivals,
    shape: &[Dim],
    value: &Block,
) -> Low<()> {
    let exprs = cx.code.exprs;
    let count = dims::count(cx, shape);
    let (missing, _) = gaps::count_gaps(cx, arrivals.marks, count);
    cx.when(exprs.lt(expr::int(0), missing), |cx| {
        let gap = |k: Expr| exprs.not(exprs.not_zero(exprs.load(arrivals.marks, k)));
        note_all(cx, rows, arrivals, ("k", count), gap);
        scope::with_block(cx, value, |cx, reps| appended::append(cx, rows, reps, &value.result))
    })
}

/// All values once more, in the order of places.
pub(crate) fn in_place_order(
    cx: &mut Builder<'_>,
    rows: &Rows,
    arrivals: &Arrivals,
    shape: &[Dim],
) -> (Vec<Level>, Vec<Column>) {
    let exprs = cx.code.exprs;
    // One start more than there are values, so that every value has an end.
    note_starts(cx, rows, arrivals);
    let sizes: Vec<Level> = rows.sizes.iter().map(|l| Level::new(cx, l.size, l.around.clone())).collect();
    let elems: Vec<Column> = rows.elems.iter().map(|c| Column::new(cx, c.elem.clone())).collect();
    let count = dims::count(cx, shape);
    cx.count_loop("k", count, |cx, k| {
        let number = cx.code.name_int("number", exprs.load(arrivals.number, k));
        for (i, (from, to)) in rows.sizes.iter().zip(&sizes).enumerate() {
            take_rows(cx, from, to, arrivals.starts[i], number);
        }
        for (i, (from, to)) in rows.elems.iter().zip(&elems).enumerate() {
            take_elements(cx, from, to, arrivals.starts[sizes.len() + i], number);
        }
    });
    (sizes, elems)
}

fn take_rows(cx: &mut Builder<'_>, from: &Level, to: &Level, starts: K, number: Expr) {
    let exprs = cx.code.exprs;
    let first = cx.code.name_int("first", exprs.load(starts, number));
    let last = cx.code.name_int("last", exprs.load(starts, exprs.add(number, expr::int(1))));
    let used = cx.code.name_int("used", exprs.add(Expr::Var(to.rows), expr::int(1)));
    let needed = exprs.add(used, exprs.sub(last, first));
    cx.code.grow(to.offsets, used, needed);
    cx.for_loop("row", first, last, Mode::Sequential, |cx, row| {
        let end = exprs.load(from.offsets, exprs.add(row, expr::int(1)));
        let length = exprs.sub(end, exprs.load(from.offsets, row));
        appended::push_length(cx, to, length);
    })
}

fn take_elements(cx: &mut Builder<'_>, from: &Column, to: &Column, starts: K, number: Expr) {
    let exprs = cx.code.exprs;
    let first = cx.code.name_int("first", exprs.load(starts, number));
    let last = exprs.load(starts, exprs.add(number, expr::int(1)));
    let count = cx.code.name_int("count", exprs.sub(last, first));
    let used = Expr::Var(to.used);
    let needed = cx.code.name_int("needed", exprs.add(used, count));
    cx.code.grow(to.buffer, used, needed);
    cx.code.emit(Stm::Copy { to: to.buffer, to_at: used, from: from.buffer, from_at: first, count, past: false });
    cx.code.set(to.used, needed);
}
