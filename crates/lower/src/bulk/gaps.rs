//! Which elements of an array have a value: one byte each. Missing elements are counted.

use crate::arrays::faults;
use crate::builder::Builder;
use crate::builder::blocks::Blocks;
use crate::bulk::form::CHEAP_BLOCK;
use crate::data::expr;
use ir::{Atom, Dim};
use kernel::{Expr, Mode, Stm, Var as K};
use scalar::Prim;

/// A byte for each element, all 0.
pub(crate) fn marks(cx: &mut Builder<'_>, count: Expr) -> K {
    let marks = cx.code.alloc("marks", Prim::U8, count);
    each_cell(cx, count, |cx, k| {
        cx.code.store(marks, k, expr::byte(0));
    });
    marks
}

/// Something cheap for each element, in parallel where that is possible.
pub(crate) fn each_cell<R>(cx: &mut Builder<'_>, count: Expr, each: impl FnOnce(&mut Builder<'_>, Expr) -> R) -> R {
    if cx.code.in_parallel {
        return cx.count_loop("k", count, each);
    }
    cx.parallel_loop("k", count, CHEAP_BLOCK, each)
}

/// How many elements have no mark, and the first of them. They are counted only if there is one.
pub(crate) fn count_gaps(cx: &mut Builder<'_>, marks: K, count: Expr) -> (Expr, Expr) {
    let exprs = cx.code.exprs;
    let missing = cx.code.variable("missing", expr::int(0));
    let first = cx.code.variable("first", expr::int(0));
    let more = exprs.and(exprs.lt(Expr::Var(first), count), exprs.not_zero(exprs.load(marks, Expr::Var(first))));
    cx.code.open();
    cx.code.increment(first);
    let body = cx.code.close();
    cx.code.emit(Stm::While { head: Vec::new(), cond: more, body });
    cx.for_loop("k", Expr::Var(first), count, Mode::Short, |cx, k| {
        let gap = exprs.not(exprs.not_zero(exprs.load(marks, k)));
        let one = exprs.select(gap, expr::int(1), expr::int(0));
        cx.code.set(missing, exprs.add(Expr::Var(missing), one));
    });
    (Expr::Var(missing), Expr::Var(first))
}

/// Ends the program if an element is missing.
pub(crate) fn check_gaps(
    cx: &mut Builder<'_>,
    shape: &[Dim],
    marks: K,
    count: Expr,
    site: ir::SiteId,
    called: Option<Atom>,
) {
    let (missing, first) = count_gaps(cx, marks, count);
    faults::gap(cx, shape, (missing, first), site, called);
}
