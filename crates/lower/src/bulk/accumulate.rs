//! Accumulators of reductions and scans. Blocks of [`BLOCK`] values are folded from the left, the first one from the
//! neutral element, the others from their first value; then neighbouring results are combined pairwise until one is
//! left. So the result depends only on the number of values.

use crate::arrays::slot;
use crate::arrays::slot::Slot;
use crate::builder::blocks::Blocks;
use crate::bulk::columns;
use crate::bulk::form::Elem;
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use crate::data::rep::Rep;
use crate::scope;
use ir::{Atom, Dim, Region, Type};
use kernel::{Expr, Stm, Type as KType, Var as K};
use scalar::Prim;

/// How many values are folded one after the other. The interpreter has the same number.
pub(crate) const BLOCK: i64 = 1024;

/// How high a tree over blocks can be.
const LEVELS: i64 = (i64::MAX / BLOCK).ilog2() as i64 + 1;

/// What the next value of a block is to the accumulator.
#[derive(Clone, Copy, Debug)]
pub(crate) enum First {
    /// Its first value.
    Take,
    /// Combined with it.
    Combine,
    /// The one or the other, as a variable says.
    Flag(K),
}

/// Declares accumulators.
pub(crate) fn accumulators(cx: &mut Lower<'_>, elems: &[Elem]) -> Vec<Slot> {
    let accs: Vec<Slot> =
        elems.iter().map(|e| slot::declare(cx, "acc", &Type::array(e.prim, e.dims.clone()), false)).collect();
    slot::own(cx, &accs);
    accs
}

/// Puts values into accumulators that are empty.
pub(crate) fn fill_accs(cx: &mut Lower<'_>, accs: &[Slot], atoms: &[Atom]) {
    for (slot, atom) in accs.iter().zip(atoms) {
        let (rep, dims) = (cx.homes.atom(*atom), cx.dims_of(*atom));
        slot::fill(cx, slot, rep, dims, false);
    }
}

/// Replaces what is in accumulators.
pub(crate) fn set_accs(cx: &mut Lower<'_>, accs: &[Slot], elems: &[Elem], reps: Vec<Rep>) {
    let dims: Vec<&[Dim]> = elems.iter().map(|e| e.dims.as_slice()).collect();
    slot::refill(cx, accs, reps, &dims)
}

/// Combines accumulators with values.
pub(crate) fn combine(cx: &mut Lower<'_>, op: &Region, accs: &[Slot], elems: &[Elem], reps: Vec<Rep>) -> Low<()> {
    let left = accs.iter().map(Slot::rep).collect();
    scope::with_op(cx, op, left, reps, |cx, results| set_accs(cx, accs, elems, results))
}

/// Combines accumulators with values, or takes them.
pub(crate) fn accumulate(
    cx: &mut Lower<'_>,
    first: First,
    op: &Region,
    accs: &[Slot],
    elems: &[Elem],
    reps: Vec<Rep>,
) -> Low<()> {
    match first {
        First::Take => {
            set_accs(cx, accs, elems, reps);
            Ok(())
        }
        First::Combine => combine(cx, op, accs, elems, reps),
        First::Flag(flag) => {
            let same = reps.clone();
            cx.branch(
                Expr::Var(flag),
                |cx| {
                    cx.code.set(flag, expr::truth(false));
                    set_accs(cx, accs, elems, reps);
                    Ok(())
                },
                |cx| combine(cx, op, accs, elems, same),
            )
        }
    }
}

/// Combines the results of blocks pairwise, as a tree, into slot 0.
pub(crate) fn combine_tree(cx: &mut Lower<'_>, op: &Region, partial: &[K], elems: &[Elem], blocks: Expr) -> Low<()> {
    let exprs = cx.code.exprs;
    cx.when(exprs.lt(expr::int(1), blocks), |cx| combine_levels(cx, op, partial, elems, blocks))
}

fn combine_levels(cx: &mut Lower<'_>, op: &Region, partial: &[K], elems: &[Elem], blocks: Expr) -> Low<()> {
    let exprs = cx.code.exprs;
    cx.short_loop("level", expr::int(LEVELS), |cx, level| {
        let width = cx.code.name_int("width", exprs.shl(expr::int(1), level));
        let level = cx.code.name_int("level", exprs.add(level, expr::int(1)));
        let reach = exprs.add(blocks, exprs.sub(width, expr::int(1)));
        let pairs = cx.code.name_int("pairs", exprs.shr(reach, level));
        cx.short_loop("p", pairs, |cx, p| {
            let left = cx.code.name_int("left", exprs.shl(p, level));
            let right = cx.code.name_int("right", exprs.add(left, width));
            let lefts = columns::read_all(cx, partial, elems, left);
            let rights = columns::read_all(cx, partial, elems, right);
            scope::with_op(cx, op, lefts, rights, |cx, results| columns::write_all(cx, partial, elems, left, &results))
        })
    })
}

pub(crate) fn flag(cx: &mut Lower<'_>, value: Expr) -> First {
    let flag = cx.code.fresh("fresh", KType::Scalar(Prim::Bool));
    cx.code.emit(Stm::Declare(flag));
    cx.code.set(flag, value);
    First::Flag(flag)
}
