//! Stable sorting. By a comparison: merging sorted runs of order numbers from the bottom up, neighbouring pairs of runs in
//! parallel. By numbers: code of the run-time system.

use crate::arrays::{copying, dims, vector};
use crate::builder::blocks::Blocks;
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use crate::data::rep::{Array, Rep};
use crate::scope;
use ir::{Atom, Region, SortKeys, Var};
use kernel::{Expr, Mode, Stm, Var as K};
use scalar::Prim;

/// The order in which elements stand when they are sorted.
pub(crate) fn sort(cx: &mut Lower<'_>, var: Var, count: Atom, region: &Region) -> Low<()> {
    let exprs = cx.code.exprs;
    let count = cx.homes.scalar(count);
    let n = cx.code.name_int("n", exprs.max(count, expr::int(0)));
    let order = cx.code.alloc("order", Prim::I64, n);
    cx.count_loop("i", n, |cx, i| {
        cx.code.store(order, i, i);
    });
    let other = cx.code.alloc("other", Prim::I64, n);
    let swap = cx.code.declare_buffer("swap", Prim::I64);
    let width = cx.code.variable("width", expr::int(1));
    cx.code.open();
    let double = cx.code.name_int("double", exprs.mul(Expr::Var(width), expr::int(2)));
    let pairs = cx.code.name_int("pairs", exprs.div(exprs.add(n, exprs.sub(double, expr::int(1))), double));
    let mode = if cx.code.in_parallel { Mode::Sequential } else { Mode::Parallel };
    cx.for_loop("p", expr::int(0), pairs, mode, |cx, p| {
        let low = cx.code.name_int("low", exprs.mul(p, double));
        let middle = cx.code.name_int("middle", exprs.min(exprs.add(low, Expr::Var(width)), n));
        let high = cx.code.name_int("high", exprs.min(exprs.add(low, double), n));
        merge(cx, order, other, (low, middle, high), region)
    })?;
    cx.code.emit(Stm::Move { to: swap, from: order });
    cx.code.emit(Stm::Move { to: order, from: other });
    cx.code.emit(Stm::Move { to: other, from: swap });
    cx.code.set(width, double);
    let body = cx.code.close();
    cx.code.emit(Stm::While { head: Vec::new(), cond: exprs.lt(Expr::Var(width), n), body });
    cx.homes.bind(var, Rep::Array(Array::whole(order)));
    Ok(())
}

/// Numbers in their order, their indices before, or both.
pub(crate) fn sort_keys(cx: &mut Lower<'_>, vars: &[Var], sort: SortKeys) {
    let dims = cx.src.ty(sort.keys).dims().to_vec();
    let rep = cx.homes.rep(sort.keys);
    let keys = match rep {
        Rep::Array(array) => copying::contiguous(cx, &array, &dims),
        rep => vector::in_memory(cx, rep),
    };
    let count = dims::count(cx, &dims);
    let results: Vec<Array> = vars.iter().map(|var| new_vector(cx, *var, count, keys.buffer)).collect();
    let (place, span) = (|array: &Array| (array.buffer, array.offset), cx.code.span);
    cx.code.emit(Stm::Sort {
        keys: place(&keys),
        count,
        descending: sort.descending,
        values: results.first().filter(|_| sort.gives.has_values()).map(place),
        order: results.last().filter(|_| sort.gives.has_order()).map(place),
        span,
    });
    for (var, array) in vars.iter().zip(results) {
        cx.homes.bind(*var, Rep::Array(array));
    }
}

/// Memory for a result: the place that is meant for it, if there is one and the keys are elsewhere.
fn new_vector(cx: &mut Lower<'_>, var: Var, count: Expr, keys: K) -> Array {
    let meant = cx.homes.hints.remove(&var);
    if let Some(place) = meant.filter(|place| !cx.aliases.may_alias(place.buffer, keys)) {
        return place;
    }
    let Some(prim) = cx.src.ty(var).prim() else { base::bug!("sorting gives no array") };
    Array::whole(cx.code.alloc("sorted", prim, count))
}

/// Merges two neighbouring runs into the other buffer.
fn merge(cx: &mut Lower<'_>, from: K, to: K, (low, middle, high): (Expr, Expr, Expr), region: &Region) -> Low<()> {
    let exprs = cx.code.exprs;
    let left = cx.code.variable("left", low);
    let right = cx.code.variable("right", middle);
    cx.for_loop("out", low, high, Mode::Sequential, |cx, out| {
        // Whether the left run's next element comes first.
        let take = cx.code.declare("take", Prim::Bool);
        let both = exprs.and(exprs.lt(Expr::Var(left), middle), exprs.lt(Expr::Var(right), high));
        cx.branch(
            both,
            |cx| {
                let a = cx.code.snapshot("a", Prim::I64, exprs.load(from, Expr::Var(left)));
                let b = cx.code.snapshot("b", Prim::I64, exprs.load(from, Expr::Var(right)));
                scope::with_op(cx, region, vec![Rep::Scalar(a)], vec![Rep::Scalar(b)], |cx, reps| {
                    let [Rep::Scalar(before)] = &reps[..] else { base::bug!("a comparison without a result") };
                    cx.code.set(take, *before);
                })
            },
            |cx| {
                cx.code.set(take, exprs.lt(Expr::Var(left), middle));
                Low::Ok(())
            },
        )?;
        let step = |cx: &mut Lower<'_>, run: K| {
            cx.code.store(to, out, exprs.load(from, Expr::Var(run)));
            cx.code.increment(run);
        };
        cx.branch(Expr::Var(take), |cx| step(cx, left), |cx| step(cx, right));
        Ok(())
    })
}
