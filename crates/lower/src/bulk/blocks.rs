//! Reductions, scans and filters over a single loop, block by block: blocks have a fixed size, each is worked through
//! from the left, and blocks are combined afterwards. So results do not depend on the number of threads.

use super::accumulate::First;
use super::block_sink::{BlockSink, Sinks};
use super::form::{Bound, CHEAP_BLOCK};
use super::plan::{self, Plan};
use super::turns::Turns;
use super::{carry, chain, distinct, general, parts, prefix, strips, walk};
use crate::builder::blocks::Blocks;
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use crate::scope;
use analysis::ways::Tally;
use analysis::{emits, ways};
use ir::{Atom, Bulk, Kind, Output, Scan, Step};
use kernel::{Expr, Mode, Op, Stm};

/// How many turns of a costly loop go to a thread at once, where the number does not matter.
const HEAVY_BLOCK: i64 = 64;

/// Lowers a bulk form of this kind.
pub(crate) fn lower(cx: &mut Lower<'_>, bound: &[Bound], bulk: &Bulk, threads: bool) -> Low<()> {
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
            Step::For { .. } => one_loop(cx, bound, bulk, step, threads),
            Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => base::bug!("a value is outside of the loop"),
        },
    )?;
    walk::close_keeping(cx, bound);
    Ok(())
}

fn one_loop<'b>(cx: &mut Lower<'_>, bound: &[Bound], bulk: &'b Bulk, step: &'b Step, threads: bool) -> Low<()> {
    let exprs = cx.code.exprs;
    let turns = Turns::of(cx, step, ways::loops(bulk, step, threads));
    let (stored, used): (Vec<&Scan>, Vec<&Scan>) =
        emits::scans(&bulk.steps).into_iter().partition(|scan| ways::is_only_stored(scan, bulk));
    let no_order = |o: &Output| matches!(o.kind, Kind::Reduce { .. } | Kind::Gen { .. });
    if !threads && stored.is_empty() && bulk.outputs.iter().all(no_order) {
        return carry::lower(cx, bound, bulk, &turns);
    }
    if let (true, [], Some(chain)) = (threads, &used[..], chain::of(bulk, &stored, &turns)) {
        return chain::lower(cx, &bound[0], bulk, &chain, &turns);
    }
    let block = match (ways::same_blocks(bulk).flatten(), turns.heavy) {
        (Some(chunks), _) => chunks.block.into(),
        (None, true) => HEAVY_BLOCK,
        (None, false) => CHEAP_BLOCK,
    };
    let blocks = cx.code.name_int("blocks", exprs.blocks_of(turns.count, block));
    let blocks = cx.code.name_int("blocks", exprs.max(blocks, expr::int(1)));
    let in_strips = analysis::strips::pay(cx.src, &bulk.outputs, turns.body());
    let mode = if threads { Mode::Parallel } else { Mode::Sequential };
    let wave = plan::wave(cx, bulk, &stored, blocks, mode);
    let tally = ways::tally(cx.src, bulk);
    let parts = tally.map(|tally| parts_of(cx, bulk, tally, &turns, blocks));
    let plan = Plan { turns, block, blocks, wave, parts, mode, stored, in_strips };
    match (tally, parts) {
        // One part would need memory for all elements.
        (Some(Tally::Any), Some(parts)) => cx.branch(
            exprs.lt(expr::int(1), parts),
            |cx| all_blocks(cx, bound, bulk, used, &plan),
            |cx| general::lower(cx, bound, bulk, false),
        ),
        (_, _) => all_blocks(cx, bound, bulk, used, &plan),
    }
}

/// How many parts there are where values are combined with elements beside.
fn parts_of(cx: &mut Lower<'_>, bulk: &Bulk, tally: Tally, turns: &Turns<'_>, blocks: Expr) -> Expr {
    let exprs = cx.code.exprs;
    let cells = match tally {
        Tally::Few(cells) => expr::int(cells),
        Tally::Any => {
            let arrays = bulk.outputs.iter().map(|output| output.consumes());
            let most = arrays.fold(expr::int(1), |most, arrays| exprs.max(most, parts::cells(cx, arrays)));
            cx.code.name_int("cells", most)
        }
    };
    plan::parts(cx, cells, turns, blocks)
}

fn all_blocks<'b>(
    cx: &mut Lower<'_>,
    bound: &[Bound],
    bulk: &'b Bulk,
    used: Vec<&'b Scan>,
    plan: &Plan<'b>,
) -> Low<()> {
    let prefixes = prefix::open(cx, used, plan);
    let mut outputs = Vec::new();
    for (number, (output, bound)) in bulk.outputs.iter().zip(bound).enumerate() {
        outputs.push(BlockSink::open(cx, (number, output), bound, plan));
    }
    let mut sinks = Sinks { outputs, prefixes, in_turn: false, loops: plan.turns.counts() };
    match sinks.prefixes.passes() {
        0 => loop_itself(cx, plan, &mut sinks, plan.mode)?,
        passes => {
            let exprs = cx.code.exprs;
            let at_once = exprs.min(exprs.op(Op::Threads), plan.blocks);
            let few = exprs.le(at_once, expr::int(passes as i64));
            cx.code.open();
            in_turn(cx, plan, &mut sinks)?;
            let then = cx.code.close();
            cx.code.open();
            sinks.prefixes.run_passes(cx, bulk, plan)?;
            match distinct::condition(cx, bulk, &sinks.prefixes, plan) {
                None => loop_itself(cx, plan, &mut sinks, plan.mode)?,
                Some(distinct) => {
                    cx.code.open();
                    loop_itself(cx, plan, &mut sinks, plan.mode)?;
                    let then = cx.code.close();
                    cx.code.open();
                    in_turn(cx, plan, &mut sinks)?;
                    let otherwise = cx.code.close();
                    cx.code.emit(Stm::If(distinct, then, otherwise));
                }
            }
            let otherwise = cx.code.close();
            cx.code.emit(Stm::If(few, then, otherwise));
        }
    }
    for (sink, bound) in sinks.outputs.iter().zip(bound) {
        sink.close(cx, bound, plan)?;
    }
    for ((sink, output), bound) in sinks.outputs.into_iter().zip(&bulk.outputs).zip(bound) {
        sink.close_array(cx, output, bound)?;
    }
    Ok(())
}

/// All blocks, one after the other. Each hands on what it knows of running combinations.
fn in_turn(cx: &mut Lower<'_>, plan: &Plan<'_>, sinks: &mut Sinks<'_>) -> Low<()> {
    sinks.prefixes.all().for_each(|prefix| prefix.start(cx));
    sinks.in_turn = true;
    let done = loop_itself(cx, plan, sinks, Mode::Sequential);
    sinks.in_turn = false;
    done
}

/// The loop over all blocks.
fn loop_itself(cx: &mut Lower<'_>, plan: &Plan<'_>, sinks: &mut Sinks<'_>, mode: Mode) -> Low<()> {
    let exprs = cx.code.exprs;
    if sinks.outputs.iter().any(BlockSink::has_waves) {
        plan.waves(cx, |cx, wave| {
            sinks.outputs.iter_mut().for_each(|sink| sink.begin_wave(wave));
            cx.for_loop("b", wave.first, wave.end, mode, |cx, b| one_block(cx, plan, sinks, b))?;
            sinks.outputs.iter().try_for_each(|sink| sink.end_wave(cx, plan, wave))
        })
    } else if let Some(parts) = plan.parts {
        let before_last = exprs.div(exprs.sub(plan.blocks, expr::int(1)), parts);
        let share = cx.code.name_int("share", exprs.add(before_last, expr::int(1)));
        cx.for_loop("p", expr::int(0), parts, mode, |cx, p| one_part(cx, plan, sinks, share, p))
    } else {
        cx.for_loop("b", expr::int(0), plan.blocks, mode, |cx, b| one_block(cx, plan, sinks, b))
    }
}

/// So many blocks in a row, one after the other.
fn one_part(cx: &mut Lower<'_>, plan: &Plan<'_>, sinks: &mut Sinks<'_>, share: Expr, p: Expr) -> Low<()> {
    let exprs = cx.code.exprs;
    sinks.outputs.iter_mut().for_each(|sink| sink.begin_part(cx, p));
    let first = cx.code.name_int("first", exprs.mul(p, share));
    let end = cx.code.name_int("end", exprs.min(exprs.add(first, share), plan.blocks));
    cx.for_loop("b", first, end, Mode::Sequential, |cx, b| one_block(cx, plan, sinks, b))
}

/// One block: accumulators, the loop, what is left of it.
fn one_block(cx: &mut Lower<'_>, plan: &Plan<'_>, sinks: &mut Sinks<'_>, b: Expr) -> Low<()> {
    let exprs = cx.code.exprs;
    let (low, high) = plan.range(cx, b);
    // What has a place of its own does not ask which value is the first.
    let ordered = || sinks.outputs.iter().filter(|s| !s.has_places());
    let reduces = ordered().all(|s| matches!(s, BlockSink::Reduce(reduce) if reduce.results.there.is_none()));
    let scans = ordered().all(|s| matches!(s, BlockSink::Scan(_)));
    let flags = plan.turns.heavy || sinks.have_lanes() || sinks.prefixes.passes() > 0 || !(reduces || scans);
    for prefix in sinks.prefixes.all() {
        prefix.begin(cx, b)?;
    }
    for sink in &mut sinks.outputs {
        sink.begin(cx, b, plan.block, flags);
    }
    let width = sinks.width();
    if width > 1 {
        plan.turns.in_lanes(cx, sinks, low, high, width)?;
    } else if plan.in_strips {
        strips::range(cx, &plan.turns, &sinks.accumulators(), low, high)?;
    } else if flags {
        plan.turns.range(cx, sinks, low, high)?;
    } else {
        // Block 0 of a reduction starts from the neutral element, which is there already.
        let first = if reduces { exprs.ne(b, expr::int(0)) } else { exprs.lt(low, high) };
        peeled(cx, &plan.turns, sinks, first, low, high)?;
    }
    sinks.outputs.iter_mut().try_for_each(|sink| sink.end(cx, b))?;
    match sinks.in_turn {
        true => sinks.prefixes.all().try_for_each(|prefix| prefix.hand_on(cx, b, plan.blocks)),
        false => Ok(()),
    }
}

/// Peels the first turn off, if a condition holds, so that the loop over the others need not ask which is the first.
fn peeled(cx: &mut Lower<'_>, turns: &Turns<'_>, sinks: &mut Sinks<'_>, cond: Expr, low: Expr, high: Expr) -> Low<()> {
    let exprs = cx.code.exprs;
    let from = cx.code.variable("from", low);
    sinks.outputs.iter_mut().for_each(|sink| sink.set_first(First::Take));
    cx.when(cond, |cx| {
        turns.one(cx, sinks, low)?;
        cx.code.set(from, exprs.add(low, expr::int(1)));
        Low::Ok(())
    })?;
    sinks.outputs.iter_mut().for_each(|sink| sink.set_first(First::Combine));
    turns.range(cx, sinks, Expr::Var(from), high)
}
