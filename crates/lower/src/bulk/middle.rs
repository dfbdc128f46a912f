//! The middle of a loop runs without the conditions that its borders need.
//!
//! ```text
//! for j = from to to {                              for j = from to low { .. }
//!   if row || j == 0 || j == last {                 if row {
//!     b[j] := a[j]                                    for j = low to high { b[j] := a[j] }
//!   } else {                               =>       } else {
//!     b[j] := a[j - 1] + a[j + 1]                     for j = low to high { b[j] := a[j - 1] + a[j + 1] }
//!   }                                               }
//! }                                                 for j = high to to { .. }
//! ```
//!
//! C compilers make vectors of such loops. Core says for which loops this is done, and [`analysis::middle`] which conditions
//! these are.

use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use analysis::middle::Middle;
use ir::nest::Level;
use ir::{Mark, Split, Var};
use kernel::{Expr, Mode, Stm};

/// Where numbers begin from which a small constant can be subtracted.
const LEAST: i64 = -1 << 32;

/// Writes a range of turns of a loop; gets the first, and the one after the last, and how they run.
pub(crate) type Turns<'a> = &'a mut dyn FnMut(&mut Lower<'_>, Expr, Expr, Mode) -> Low<()>;

/// Writes a range of turns of a loop, the middle apart from the borders if it is marked so.
pub(crate) fn apart(cx: &mut Lower<'_>, one: &Level<'_>, from: Expr, to: Expr, turns: Turns<'_>) -> Low<()> {
    let is_split = matches!(one.mark, Mark::Sequential(Split::Middle) | Mark::Threads(Split::Middle));
    let middle = is_split.then(|| Middle::of(cx.src, one.var, one.body)).flatten();
    let Some(middle) = middle else { return turns(cx, from, to, Mode::Sequential) };
    let (low, high) = bounds(cx, &middle, from, to);
    if low != from {
        turns(cx, from, low, Mode::Short)?;
    }
    let outer = (cx.homes.decided.clone(), cx.homes.limited.clone());
    cx.homes.decided.extend(middle.decided.iter().map(|(var, holds)| (*var, *holds)));
    cx.homes.limited.extend(middle.limited.iter().map(|(var, number)| (*var, *number)));
    switched(cx, &middle.switches, low, high, turns)?;
    (cx.homes.decided, cx.homes.limited) = outer;
    if high != to {
        turns(cx, high, to, Mode::Sequential)?;
    }
    Ok(())
}

/// The turns of the middle that are in a range.
fn bounds(cx: &mut Lower<'_>, middle: &Middle, from: Expr, to: Expr) -> (Expr, Expr) {
    let exprs = cx.code.exprs;
    let low = match middle.low {
        low if low <= 0 => from,
        low => cx.code.name_int("low", exprs.min(exprs.max(from, expr::int(low)), to)),
    };
    if middle.high.is_empty() {
        return (low, to);
    }
    let mut high = to;
    for (limit, more) in &middle.high {
        let limit = cx.homes.scalar(*limit);
        let limit = if *more < 0 { exprs.max(limit, expr::int(LEAST)) } else { limit };
        let limit = cx.code.name_int("limit", exprs.add(limit, expr::int(*more)));
        high = cx.code.name_int("high", exprs.min(limit, high));
    }
    (low, cx.code.name_int("high", exprs.max(high, low)))
}

/// A version of the turns for each outcome of conditions that are the same in all of them.
fn switched(cx: &mut Lower<'_>, switches: &[Var], low: Expr, high: Expr, turns: Turns<'_>) -> Low<()> {
    let Some((cond, rest)) = switches.split_first() else { return turns(cx, low, high, Mode::Sequential) };
    let mut version = |cx: &mut Lower<'_>, holds: bool| {
        cx.homes.decided.insert(*cond, holds);
        let done = switched(cx, rest, low, high, turns);
        cx.homes.decided.remove(cond);
        done
    };
    let asked = cx.homes.scalar((*cond).into());
    cx.code.open();
    let first = version(cx, true);
    let then = cx.code.close();
    cx.code.open();
    let second = version(cx, false);
    let otherwise = cx.code.close();
    cx.code.emit(Stm::If(asked, then, otherwise));
    first.and(second)
}
