//! The steps of a bulk form as loops, guards and statements. What happens to the values is the caller's choice: it
//! gives something that takes each value ([`Taker`]).

use super::form::{Bound, CHEAP_BLOCK};
use super::nest::Nest;
use crate::builder::blocks::Blocks;
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use crate::scope;
use analysis::cost::heavy_steps;
use ir::{Atom, Emit, Mark, Scan, Step};
use kernel::Expr;

/// Takes what steps give.
pub(crate) trait Taker {
    /// A value for an output.
    fn take(&mut self, cx: &mut Lower<'_>, emit: &Emit) -> Low<()>;

    /// A value of a running combination, whose variables are bound afterwards.
    fn scan(&mut self, _: &mut Lower<'_>, _: &Scan) -> Low<()> {
        base::bug!("running combinations need a walk in order")
    }

    /// Steps that are done only if a condition holds. Whether they are done with: otherwise they become a branch.
    fn guarded(&mut self, _: &mut Lower<'_>, _: Expr, _: &[Step]) -> Low<bool> {
        Ok(false)
    }

    /// How many loops, the outermost first, have their turns counted as one.
    fn loops(&self) -> usize {
        1
    }

    /// Which turns of a loop inside of others are taken, if not all.
    fn part_of(&self, _: &Step) -> Option<(Expr, Expr)> {
        None
    }

    /// A turn of the outermost loops, one of several in order, begins.
    fn turn(&mut self, _: &mut Lower<'_>, _: Expr) -> Low<()> {
        Ok(())
    }

    /// Into which lane the values of the next turn go.
    fn lane(&mut self, _: Expr) {}

    /// The next turn may be left out: its values are set apart.
    fn begin_apart(&mut self, _: &mut Lower<'_>) {
        base::bug!("only turns with lanes are left out")
    }

    /// Such a turn ends, one of a few beginning with 0.
    fn end_apart(&mut self, _: &mut Lower<'_>, _: Expr) {}

    /// Combines the values that were set apart with the lanes that begin with this one.
    fn join_apart(&mut self, _: &mut Lower<'_>, _: Expr) -> Low<()> {
        Ok(())
    }

    /// An outermost loop is done.
    fn left(&mut self, _: &mut Lower<'_>) -> Low<()> {
        Ok(())
    }
}

impl<F: FnMut(&mut Lower<'_>, &Emit) -> Low<()>> Taker for F {
    fn take(&mut self, cx: &mut Lower<'_>, emit: &Emit) -> Low<()> {
        self(cx, emit)
    }
}

/// Which loops are walked through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Loops {
    /// The outermost; their turns may run in any order.
    Parallel,
    /// The outermost, in order.
    InOrder,
    /// Those inside of others.
    Inside,
}

/// Lowers steps into the innermost block.
pub(crate) fn steps(cx: &mut Lower<'_>, steps: &[Step], take: &mut dyn Taker, loops: Loops) -> Low<()> {
    scope::items(cx, steps, &[], |m, step| m.step(step), |cx, step| one_step(cx, step, take, loops))
}

fn one_step(cx: &mut Lower<'_>, step: &Step, take: &mut dyn Taker, loops: Loops) -> Low<()> {
    match step {
        Step::Let(stm) => (cx.lower_stm)(cx, stm),
        Step::Scan(scan) => {
            let span = std::mem::replace(&mut cx.code.span, scan.span);
            take.scan(cx, scan)?;
            cx.code.span = span;
            Ok(())
        }
        Step::Emit(emit) => {
            let span = std::mem::replace(&mut cx.code.span, emit.span);
            take.take(cx, emit)?;
            cx.code.span = span;
            Ok(())
        }
        Step::Guard(cond, body) => {
            let cond = cx.homes.scalar(*cond);
            if take.guarded(cx, cond, body)? {
                return Ok(());
            }
            cx.when(cond, |cx| steps(cx, body, take, loops))
        }
        Step::For { count, .. } => in_row(cx, *count, |cx| for_step(cx, step, take, loops)),
    }
}

/// Where a loop runs through a row, its first element is not looked up in each turn.
fn in_row<T>(cx: &mut Lower<'_>, count: Atom, body: impl FnOnce(&mut Lower<'_>) -> T) -> T {
    let depth = cx.homes.rows.len();
    let row = count.var().and_then(|length| cx.homes.row_starts.get(&length)).cloned();
    cx.homes.rows.extend(row);
    let done = body(cx);
    cx.homes.rows.truncate(depth);
    done
}

fn for_step(cx: &mut Lower<'_>, step: &Step, take: &mut dyn Taker, loops: Loops) -> Low<()> {
    if matches!(step, Step::For { mark: Mark::Simd, .. }) {
        let nest = Nest::of(cx, step, 1);
        let body = nest.body();
        return nest.lanes(cx, &mut |cx, _| steps(cx, body, take, Loops::Inside));
    }
    match loops {
        // A loop inside is on threads.
        Loops::Parallel if ir::nest::threaded(step) == 0 => {
            let nest = Nest::of(cx, step, 1);
            let body = nest.body();
            nest.range(cx, expr::int(0), nest.count, &mut |cx, _| steps(cx, body, take, Loops::Parallel))
        }
        Loops::Parallel => {
            let nest = Nest::of(cx, step, ir::nest::threaded(step));
            let body = nest.body();
            nest.parallel(cx, work_of(body), &mut |cx, _| steps(cx, body, take, Loops::Inside))
        }
        Loops::InOrder => {
            let nest = Nest::of(cx, step, take.loops());
            let body = nest.body();
            nest.range(cx, expr::int(0), nest.count, &mut |cx, turn| {
                take.turn(cx, turn)?;
                steps(cx, body, take, Loops::Inside)
            })?;
            take.left(cx)
        }
        Loops::Inside => {
            let nest = Nest::of(cx, step, 1);
            let body = nest.body();
            let (from, to) = match take.part_of(step) {
                Some((from, to)) => {
                    let to = cx.code.exprs.min(to, nest.count);
                    (from, cx.code.name_int("to", to))
                }
                None => (expr::int(0), nest.count),
            };
            nest.range(cx, from, to, &mut |cx, _| steps(cx, body, take, Loops::Inside))
        }
    }
}

/// How many turns of a loop make a piece of work for a thread.
pub(crate) fn work_of(body: &[Step]) -> i64 {
    if heavy_steps(body) { 1 } else { CHEAP_BLOCK }
}

/// Closes the innermost block inline; the buffers of what was bound go to the block around it.
pub(crate) fn close_keeping(cx: &mut Lower<'_>, bound: &[Bound]) {
    let mut kept = Vec::new();
    for var in bound.iter().flat_map(|b| b.sizes.iter().chain(&b.elems)) {
        let buffer = cx.homes.buffer_of(*var);
        kept.extend(buffer.filter(|b| cx.code.disown(*b)));
    }
    cx.code.close_inline();
    kept.into_iter().for_each(|b| cx.code.own(b));
}
