//! The steps of a bulk form as loops, guards and statements. What happens to the values is the caller's choice: it
//! gives a function that takes each value ([`Take`]).

use super::form::{Bound, CHEAP_BLOCK};
use crate::analysis::cost::heavy_steps;
use crate::builder::blocks::Blocks;
use crate::context::Lower;
use crate::data::Low;
use crate::data::rep::Rep;
use crate::scope;
use ir::{Emit, Step};
use kernel::Expr;

/// Takes a value that a step emits.
pub(crate) type Take<'t> = dyn FnMut(&mut Lower<'_>, &Emit) -> Low<()> + 't;

/// Lowers steps into the innermost block. With `parallel`, the turns of the outermost loops may run in any order.
pub(crate) fn steps(cx: &mut Lower<'_>, steps: &[Step], take: &mut Take<'_>, parallel: bool) -> Low<()> {
    scope::items(cx, steps, &[], |m, step| m.step(step), |cx, step| one_step(cx, step, take, parallel))
}

fn one_step(cx: &mut Lower<'_>, step: &Step, take: &mut Take<'_>, parallel: bool) -> Low<()> {
    match step {
        Step::Let(stm) => (cx.lower_stm)(cx, stm),
        Step::Emit(emit) => {
            let span = std::mem::replace(&mut cx.code.span, emit.span);
            take(cx, emit)?;
            cx.code.span = span;
            Ok(())
        }
        Step::Guard(cond, body) => {
            let cond = cx.homes.scalar(*cond);
            cx.when(cond, |cx| steps(cx, body, take, parallel))
        }
        Step::For { var, count, body } => {
            let (count, name) = (cx.homes.scalar(*count), cx.name_of(*var));
            let turn = |cx: &mut Lower<'_>, i: Expr| {
                cx.homes.bind(*var, Rep::Scalar(i));
                steps(cx, body, take, false)
            };
            if parallel { cx.parallel_loop(name, count, work_of(body), turn) } else { cx.count_loop(name, count, turn) }
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
