//! Reductions, scans and filters over a single loop, block by block: blocks have a fixed size, each is worked through
//! from the left, and blocks are combined afterwards. So results do not depend on the number of threads.

use super::accumulate::First;
use super::block_sink::{BlockSink, Plan, Sinks};
use super::form::{Bound, CHEAP_BLOCK, emits, in_loop};
use super::turns::Turns;
use super::{carry, reduce, scan, walk};
use crate::analysis::cost::heavy_steps;
use crate::builder::blocks::Blocks;
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use crate::scope;
use ir::{Atom, Block, Bulk, Coverage, Dim, Emit, Kind, Output, Scan, Step, Tree, Var};
use kernel::{Expr, Mode};

/// How many turns of a costly loop go to a thread at once, where the number does not matter.
const HEAVY_BLOCK: i64 = 64;

/// Whether a bulk form is of this kind: bindings, then one loop. Filters take at most one value from a turn, running
/// combinations are only stored, and all that has blocks has the same ones.
pub(crate) fn fits(bulk: &Bulk, in_parallel: bool) -> bool {
    let Some((Step::For { var, count, body }, before)) = bulk.steps.split_last() else {
        return false;
    };
    let reduces = |o: &Output| matches!(o.kind, Kind::Reduce { .. });
    let scans = scan::all(&bulk.steps);
    let wanted = if in_parallel {
        // Appending one by one is better than moving blocks together where there is only one thread.
        !scans.is_empty() || bulk.outputs.iter().any(reduces)
    } else {
        !scans.is_empty() || bulk.outputs.iter().any(|o| reduces(o) || matches!(o.kind, Kind::Keep))
    };
    wanted
        && before.iter().all(|step| matches!(step, Step::Let(_)))
        && scans.iter().all(|scan| is_only_stored(scan, body, bulk, (*var, *count)))
        && bulk.outputs.iter().enumerate().all(|(i, output)| fits_output(i, output, body, in_parallel))
        && same_blocks(bulk).is_some()
}

fn fits_output(number: usize, output: &Output, body: &[Step], in_parallel: bool) -> bool {
    match &output.kind {
        // In order means in one thread.
        Kind::Reduce { tree, .. } => *tree != Tree::InOrder || in_parallel,
        Kind::Keep => output.sizes.is_empty() && emits(body, number) <= 1 && !in_loop(body, number),
        Kind::Gen { coverage, .. } => output.sizes.is_empty() && *coverage == Coverage::Exact,
        Kind::Update { .. } | Kind::Accum { .. } => false,
    }
}

/// The blocks that reductions and scans are cut into, unless they differ: any for `None`.
fn same_blocks(bulk: &Bulk) -> Option<Option<u32>> {
    let outputs = bulk.outputs.iter().filter_map(reduce::chunks);
    let scans = scan::all(&bulk.steps).into_iter().filter_map(|scan| scan.tree.chunks());
    let mut blocks = outputs.chain(scans).map(|chunks| chunks.block);
    let first = blocks.next();
    blocks.all(|block| Some(block) == first).then_some(first)
}

/// Whether every value of a running combination goes to the element of its turn, and nowhere else.
fn is_only_stored(scan: &Scan, body: &[Step], bulk: &Bulk, (var, count): (Var, Atom)) -> bool {
    let direct = body.iter().any(|step| matches!(step, Step::Scan(one) if std::ptr::eq(one, scan)));
    let result: Vec<Atom> = scan.vars.iter().copied().map(Atom::Var).collect();
    let stores = |emit: &Emit| {
        let shape = match &bulk.outputs[emit.output].kind {
            Kind::Gen { shape, otherwise: None, .. } => shape,
            _ => return false,
        };
        shape[..] == [Dim::Size(count)] && emit.at == [Atom::Var(var)] && is_result(&emit.value, &result)
    };
    let (mut stored, mut other) = (0, 0);
    for step in body {
        match step {
            Step::Emit(emit) if stores(emit) => stored += 1,
            step => step.walk(&mut |part| {
                if let ir::traverse::Part::Atom(Atom::Var(used)) | ir::traverse::Part::Use(used) = part {
                    other += usize::from(scan.vars.contains(used));
                }
            }),
        }
    }
    // In one thread or in order it is simpler to go on from value to value.
    direct && stored == 1 && other == 0 && scan.tree != Tree::InOrder
}

fn is_result(block: &Block, result: &[Atom]) -> bool {
    block.stms.is_empty() && block.result == result
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
            Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => base::bug!("a value is outside of the loop"),
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
    let block = match (same_blocks(bulk).flatten(), heavy) {
        (Some(block), _) => block.into(),
        (None, true) => HEAVY_BLOCK,
        (None, false) => CHEAP_BLOCK,
    };
    let blocks = cx.code.name_int("blocks", exprs.blocks_of(turns.count, block));
    let blocks = cx.code.name_int("blocks", exprs.max(blocks, expr::int(1)));
    let mode = if cx.code.in_parallel { Mode::Sequential } else { Mode::Parallel };
    all_blocks(cx, bound, bulk, &Plan { turns, block, blocks, mode })
}

fn all_blocks(cx: &mut Lower<'_>, bound: &[Bound], bulk: &Bulk, plan: &Plan<'_>) -> Low<()> {
    let mut sinks = Vec::new();
    for (number, (output, bound)) in bulk.outputs.iter().zip(bound).enumerate() {
        sinks.push(BlockSink::open(cx, (number, output), bound, plan));
    }
    let mut sinks = Sinks(sinks);
    cx.for_loop("b", expr::int(0), plan.blocks, plan.mode, |cx, b| one_block(cx, plan, &mut sinks, b))?;
    for (sink, bound) in sinks.0.iter().zip(bound) {
        sink.close(cx, bound, plan)?;
    }
    for ((sink, output), bound) in sinks.0.into_iter().zip(&bulk.outputs).zip(bound) {
        sink.close_array(cx, output, bound)?;
    }
    Ok(())
}

/// One block: accumulators, the loop, what is left of it.
fn one_block(cx: &mut Lower<'_>, plan: &Plan<'_>, sinks: &mut Sinks<'_>, b: Expr) -> Low<()> {
    let exprs = cx.code.exprs;
    let low = cx.code.name_int("low", exprs.mul(b, expr::int(plan.block)));
    let high = exprs.min(exprs.add(low, expr::int(plan.block)), plan.turns.count);
    let high = cx.code.name_int("high", high);
    let reduces = sinks.0.iter().all(|s| matches!(s, BlockSink::Reduce(reduce) if reduce.results.there.is_none()));
    let scans = sinks.0.iter().all(|s| matches!(s, BlockSink::Scan(_)));
    let flags = plan.turns.heavy || sinks.have_lanes() || !(reduces || scans);
    for sink in &mut sinks.0 {
        sink.begin(cx, b, low, flags);
    }
    let width = sinks.width();
    if width > 1 {
        plan.turns.in_lanes(cx, sinks, low, high, width)?;
    } else if flags {
        plan.turns.range(cx, sinks, low, high)?;
    } else {
        // Block 0 of a reduction starts from the neutral element, which is there already.
        let first = if reduces { exprs.ne(b, expr::int(0)) } else { exprs.lt(low, high) };
        peeled(cx, &plan.turns, sinks, first, low, high)?;
    }
    sinks.0.iter_mut().try_for_each(|sink| sink.end(cx, b))
}

/// Peels the first turn off, if a condition holds, so that the loop over the others need not ask which is the first.
fn peeled(cx: &mut Lower<'_>, turns: &Turns<'_>, sinks: &mut Sinks<'_>, cond: Expr, low: Expr, high: Expr) -> Low<()> {
    let exprs = cx.code.exprs;
    let from = cx.code.variable("from", low);
    sinks.0.iter_mut().for_each(|sink| sink.set_first(First::Take));
    cx.when(cond, |cx| {
        turns.one(cx, sinks, low)?;
        cx.code.set(from, exprs.add(low, expr::int(1)));
        Low::Ok(())
    })?;
    sinks.0.iter_mut().for_each(|sink| sink.set_first(First::Combine));
    turns.range(cx, sinks, Expr::Var(from), high)
}
