//! Reductions that first compute the values of several turns, which the C compiler does with vectors, and then combine
//! them, one after the other (`analysis/src/strips.rs` says when).
//!
//! ```text
//! for from <= i < to {                     for low <= i < high { strip[i - low] := ..value.. }
//!   acc := op(acc, ..value..)        ==>   for k < high - low { acc := op(acc, strip[k]) }
//! }
//! ```

use super::accumulate::Accumulator;
use super::columns;
use super::turns::Turns;
use super::walk::{self, Loops};
use crate::builder::blocks::Blocks;
use crate::context::Lower;
use crate::data::{Low, expr};
use crate::scope;
use ir::Emit;
use kernel::{Expr, Var as K};

/// Values of a strip of an unknown number of turns: as many numbers of four bytes as the widest vectors have.
const LENGTH: i64 = 16;

/// Loops of at most this many turns are one strip, which then still lies on the stack.
const LONGEST: i64 = 64;

/// The turns of a range. Each gives one number, or several, to each accumulator, in the order of outputs.
pub(crate) fn range(cx: &mut Lower<'_>, turns: &Turns<'_>, accs: &[&Accumulator<'_>], from: Expr, to: Expr) -> Low<()> {
    let exprs = cx.code.exprs;
    let count = exprs.sub(to, from);
    if let Some(length) = expr::as_int(count).filter(|count| (1..=LONGEST).contains(count)) {
        return strip(cx, turns, accs, length, from, to);
    }
    cx.count_loop("s", exprs.blocks_of(count, LENGTH), |cx, s| {
        let low = cx.code.name_int("low", exprs.add(from, exprs.mul(s, expr::int(LENGTH))));
        let high = cx.code.name_int("high", exprs.min(exprs.add(low, expr::int(LENGTH)), to));
        strip(cx, turns, accs, LENGTH, low, high)
    })
}

fn strip(
    cx: &mut Lower<'_>,
    turns: &Turns<'_>,
    accs: &[&Accumulator<'_>],
    length: i64,
    low: Expr,
    high: Expr,
) -> Low<()> {
    let exprs = cx.code.exprs;
    cx.code.open();
    let buffers: Vec<Vec<K>> = accs
        .iter()
        .map(|acc| acc.elems.iter().map(|elem| cx.code.alloc("strip", elem.prim, expr::int(length))).collect())
        .collect();
    turns.numbered(cx, low, high, &mut |cx, turn| {
        let at = exprs.sub(turn, low);
        let mut store = |cx: &mut Lower<'_>, emit: &Emit| {
            let (to, elems) = (&buffers[emit.output], &accs[emit.output].elems);
            scope::with_block(cx, &emit.value, |cx, reps| columns::write_all(cx, to, elems, at, &reps))
        };
        walk::steps(cx, turns.body(), &mut store, Loops::Inside)
    })?;
    cx.count_loop("k", exprs.sub(high, low), |cx, k| {
        accs.iter().zip(&buffers).try_for_each(|(acc, buffers)| {
            let values = columns::read_all(cx, buffers, &acc.elems, k);
            acc.combine(cx, values)
        })
    })?;
    cx.code.close_inline();
    Ok(())
}
