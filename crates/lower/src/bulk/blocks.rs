//! Reductions, scans and filters over a single loop, block by block: blocks have a fixed size, each is worked through
//! from the left, and blocks are combined afterwards. So results do not depend on the number of threads.

use super::accumulate::{BLOCK, First};
use super::block_sink::{BlockSink, Plan};
use super::form::{Bound, CHEAP_BLOCK};
use super::turns::Turns;
use super::{carry, walk};
use crate::analysis::cost::heavy_steps;
use crate::builder::blocks::Blocks;
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use crate::scope;
use ir::{Atom, Bulk, Coverage, Emit, Kind, Output, Step, Var};
use kernel::{Expr, Mode};

/// How many turns of a costly loop a filter gives to a thread at once.
const HEAVY_BLOCK: i64 = 64;

/// Whether a bulk form is of this kind: bindings, then one loop whose every turn gives at most one value (exactly one
/// to reductions and scans) to each output, except for new arrays, which take any.
pub(crate) fn fits(bulk: &Bulk, in_parallel: bool) -> bool {
    let Some((Step::For { body, .. }, before)) = bulk.steps.split_last() else {
        return false;
    };
    let ordered = |o: &Output| matches!(o.kind, Kind::Reduce { .. } | Kind::Scan { .. });
    let wanted = if in_parallel {
        // Appending one by one is better than moving blocks together where there is only one thread.
        bulk.outputs.iter().any(ordered)
    } else {
        bulk.outputs.iter().any(|o| ordered(o) || matches!(o.kind, Kind::Keep))
    };
    wanted
        && before.iter().all(|step| matches!(step, Step::Let(_)))
        && bulk.outputs.iter().enumerate().all(|(i, output)| fits_output(i, output, body))
}

fn fits_output(number: usize, output: &Output, body: &[Step]) -> bool {
    match &output.kind {
        Kind::Reduce { .. } | Kind::Scan { .. } => {
            let direct = body.iter().filter(|s| matches!(s, Step::Emit(e) if e.output == number)).count();
            direct == 1 && emits(body, number) == 1
        }
        Kind::Keep => output.sizes.is_empty() && emits(body, number) <= 1 && !in_loop(body, number),
        Kind::Gen { coverage, .. } => output.sizes.is_empty() && *coverage == Coverage::Exact,
        Kind::Update { .. } | Kind::Accum { .. } => false,
    }
}

fn emits(steps: &[Step], number: usize) -> usize {
    let of = |step: &Step| match step {
        Step::For { body, .. } | Step::Guard(_, body) => emits(body, number),
        Step::Let(_) => 0,
        Step::Emit(emit) => usize::from(emit.output == number),
    };
    steps.iter().map(of).sum()
}

fn in_loop(steps: &[Step], number: usize) -> bool {
    steps.iter().any(|step| match step {
        Step::For { body, .. } => emits(body, number) > 0,
        Step::Guard(_, body) => in_loop(body, number),
        Step::Let(_) | Step::Emit(_) => false,
    })
}

/// Lowers a bulk form of this kind.
pub(crate) fn lower(cx: &mut Lower<'_>, bound: &[Bound], bulk: &Bulk) -> Low<()> {
    cx.code.open();
    let all = |b: &Bound| b.count.iter().chain(&b.sizes).chain(&b.elems).copied().map(Atom::Var).collect::<Vec<_>>();
    let results: Vec<Atom> = bound.iter().flat_map(all).collect();
    scope::items(
        cx,
        &bulk.steps,
        &results,
        |m, step| m.step(step),
        |cx, step| match step {
            Step::Let(stm) => (cx.lower_stm)(cx, stm),
            Step::For { var, count, body } => one_loop(cx, bound, bulk, *var, *count, body),
            Step::Guard(..) | Step::Emit(_) => base::bug!("a value is outside of the loop"),
        },
    )?;
    walk::close_keeping(cx, bound);
    Ok(())
}

fn one_loop(cx: &mut Lower<'_>, bound: &[Bound], bulk: &Bulk, var: Var, count: Atom, body: &[Step]) -> Low<()> {
    let exprs = cx.code.exprs;
    let count = cx.homes.scalar(count);
    let count = cx.code.name_int("n", exprs.max(count, expr::int(0)));
    let heavy = heavy_steps(body);
    let turns = Turns { var, body, count, heavy };
    if cx.code.in_parallel && bulk.outputs.iter().all(|o| matches!(o.kind, Kind::Reduce { .. })) {
        return carry::lower(cx, bound, bulk, &turns);
    }
    let ordered = bulk.outputs.iter().any(|o| matches!(o.kind, Kind::Reduce { .. } | Kind::Scan { .. }));
    let block = match (ordered, heavy) {
        (true, _) => BLOCK,
        (false, true) => HEAVY_BLOCK,
        (false, false) => CHEAP_BLOCK,
    };
    let blocks = cx.code.name_int("blocks", exprs.blocks_of(turns.count, block));
    let blocks = cx.code.name_int("blocks", exprs.max(blocks, expr::int(1)));
    let mode = if cx.code.in_parallel { Mode::Sequential } else { Mode::Parallel };
    all_blocks(cx, bound, bulk, &Plan { turns, block, blocks, mode })
}

fn all_blocks(cx: &mut Lower<'_>, bound: &[Bound], bulk: &Bulk, plan: &Plan<'_>) -> Low<()> {
    let mut sinks = Vec::new();
    for (output, bound) in bulk.outputs.iter().zip(bound) {
        sinks.push(BlockSink::open(cx, output, bound, plan));
    }
    let blocks = plan.blocks;
    cx.for_loop("b", expr::int(0), blocks, plan.mode, |cx, b| one_block(cx, plan, &mut sinks, b))?;
    for (sink, bound) in sinks.iter().zip(bound) {
        sink.close(cx, bound, plan)?;
    }
    for ((sink, output), bound) in sinks.into_iter().zip(&bulk.outputs).zip(bound) {
        sink.close_array(cx, output, bound)?;
    }
    Ok(())
}

/// One block: accumulators, the loop, what is left of it.
fn one_block(cx: &mut Lower<'_>, plan: &Plan<'_>, sinks: &mut [BlockSink<'_>], b: Expr) -> Low<()> {
    let exprs = cx.code.exprs;
    let low = cx.code.name_int("low", exprs.mul(b, expr::int(plan.block)));
    let high = exprs.min(exprs.add(low, expr::int(plan.block)), plan.turns.count);
    let high = cx.code.name_int("high", high);
    let reduces = sinks.iter().all(|s| matches!(s, BlockSink::Reduce(_)));
    let scans = sinks.iter().all(|s| matches!(s, BlockSink::Scan(_)));
    let flags = plan.turns.heavy || !(reduces || scans);
    for sink in sinks.iter_mut() {
        sink.begin(cx, b, low, flags);
    }
    if flags {
        plan.turns.range(cx, &mut |cx, emit| put(cx, sinks, emit), low, high)?;
    } else {
        // Block 0 of a reduction starts from the neutral element, which is there already.
        let first = if reduces { exprs.ne(b, expr::int(0)) } else { exprs.lt(low, high) };
        peeled(cx, &plan.turns, sinks, first, low, high)?;
    }
    sinks.iter().for_each(|sink| sink.end(cx, b));
    Ok(())
}

/// Peels the first turn off, if a condition holds, so that the loop over the others need not ask which is the first.
fn peeled(
    cx: &mut Lower<'_>,
    turns: &Turns<'_>,
    sinks: &mut [BlockSink<'_>],
    cond: Expr,
    low: Expr,
    high: Expr,
) -> Low<()> {
    let exprs = cx.code.exprs;
    let from = cx.code.variable("from", low);
    sinks.iter_mut().for_each(|sink| sink.set_first(First::Take));
    cx.when(cond, |cx| {
        turns.one(cx, &mut |cx, emit| put(cx, sinks, emit), low)?;
        cx.code.set(from, exprs.add(low, expr::int(1)));
        Low::Ok(())
    })?;
    sinks.iter_mut().for_each(|sink| sink.set_first(First::Combine));
    turns.range(cx, &mut |cx, emit| put(cx, sinks, emit), Expr::Var(from), high)
}

fn put(cx: &mut Lower<'_>, sinks: &[BlockSink<'_>], emit: &Emit) -> Low<()> {
    sinks[emit.output].put(cx, emit)
}
