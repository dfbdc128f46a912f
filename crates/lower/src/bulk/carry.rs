//! Reductions in one thread, beside new arrays. The result of a block is combined with those before it as soon as the tree has them next
//! to each other, as a binary counter carries: only a few of the finished ones wait. So reductions of few values need
//! no memory.

use crate::bulk::accumulate::{self, Accumulator, First, Results};
use crate::bulk::array::{self, ArraySink, Pass};
use crate::bulk::form::{Bound, Elem};
use crate::bulk::lanes::Lanes;
use crate::bulk::turns::Turns;
use crate::bulk::walk::Taker;
use crate::bulk::{lanes, strips};
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use analysis::{emits, ways};
use ir::{Bulk, Chunks, Emit, Kind, Region};
use kernel::{Expr, Stm, Var as K};
use scalar::Prim;

/// More blocks never wait: one for each digit of their number.
const MOST_WAITING: i64 = 64;

/// Whether values are arrays: results of which many wait need memory that grows; numbers have a place on the stack.
fn has_rows(acc: &Accumulator<'_>) -> bool {
    acc.elems.iter().any(|elem| !elem.dims.is_empty())
}

/// A reduction, and the results of blocks that wait.
struct Carry<'b> {
    /// The number of its output.
    output: usize,
    acc: Accumulator<'b>,
    /// If it is cut.
    waiting: Option<Results>,
}

impl Carry<'_> {
    /// Whether it must be known at run time if something went into it: blocks may have no values, or it is not cut.
    fn needs_flag(&self) -> bool {
        self.waiting.as_ref().is_none_or(|waiting| waiting.there.is_some())
    }
}

/// What is made by a loop.
struct Carries<'b> {
    reductions: Vec<Carry<'b>>,
    /// With the numbers of their outputs.
    arrays: Vec<(usize, ArraySink)>,
    /// Whether the values of several turns are computed before they are combined.
    in_strips: bool,
    /// If the last vectors of lanes need not be full: how many lanes are done at a time.
    masked: Option<i64>,
}

/// The turns of a range.
fn range(cx: &mut Lower<'_>, sinks: &mut Carries<'_>, turns: &Turns<'_>, from: Expr, to: Expr) -> Low<()> {
    let accs: Vec<&Accumulator<'_>> = sinks.reductions.iter().map(|sink| &sink.acc).collect();
    match sinks.in_strips {
        true => strips::range(cx, turns, &accs, from, to),
        false => turns.range(cx, sinks, from, to),
    }
}

impl Carries<'_> {
    /// Whether the last vectors of a loop with lanes need not be full: each turn has one value for each lane and nothing else.
    fn may_be_masked(&self, turns: &Turns<'_>) -> bool {
        let in_lanes = |sink: &Carry<'_>| sink.acc.lanes.is_some() && emits::exactly_one(turns.body(), sink.output);
        self.arrays.is_empty() && self.reductions.iter().all(in_lanes) && turns.may_be_masked()
    }

    /// The lanes of all reductions that have some, their components and operators.
    fn lanes(&mut self) -> impl Iterator<Item = (&mut Lanes, &[Elem], &Region)> {
        self.reductions.iter_mut().filter_map(|Carry { acc: Accumulator { lanes, elems, op, .. }, .. }| {
            lanes.as_mut().map(|lanes| (lanes, &elems[..], *op))
        })
    }
}

impl Taker for Carries<'_> {
    fn take(&mut self, cx: &mut Lower<'_>, emit: &Emit) -> Low<()> {
        match self.arrays.iter().find(|(output, _)| *output == emit.output) {
            Some((_, sink)) => array::put(cx, sink, emit, Pass::Both),
            None => match self.reductions.iter().find(|sink| sink.output == emit.output) {
                Some(sink) => sink.acc.put(cx, emit),
                None => base::bug!("an output that was not opened"),
            },
        }
    }

    fn lane(&mut self, lane: Expr) {
        self.reductions.iter_mut().for_each(|sink| sink.acc.lane(lane));
    }

    fn begin_apart(&mut self, cx: &mut Lower<'_>) {
        self.lanes().for_each(|(lanes, elems, _)| lanes.begin_apart(cx, elems));
    }

    fn end_apart(&mut self, cx: &mut Lower<'_>, turn: Expr) {
        self.lanes().for_each(|(lanes, ..)| lanes.end_apart(cx, turn));
    }

    fn join_apart(&mut self, cx: &mut Lower<'_>, first: Expr) -> Low<()> {
        self.lanes().try_for_each(|(lanes, elems, op)| lanes.join_apart(cx, op, elems, first))
    }
}

/// Lowers reductions: one block after the other, or simply one value after the other.
pub(crate) fn lower(cx: &mut Lower<'_>, bound: &[Bound], bulk: &Bulk, turns: &Turns<'_>) -> Low<()> {
    let cut = bulk.outputs.iter().find_map(ways::chunks).filter(|chunks| !is_short(turns, *chunks));
    let in_strips = analysis::strips::pay(cx.src, &bulk.outputs, turns.body());
    let mut sinks = Carries { reductions: Vec::new(), arrays: Vec::new(), in_strips, masked: None };
    for (number, (output, bound)) in bulk.outputs.iter().zip(bound).enumerate() {
        if matches!(output.kind, Kind::Gen { .. }) {
            sinks.arrays.push((number, array::open(cx, output, bound)));
            continue;
        }
        let mut acc = accumulate::start(cx, output);
        let cut = cut.filter(|_| ways::chunks(output).is_some());
        acc.lanes = cut.and_then(|chunks| lanes::open(cx, acc.op, &acc.elems, chunks));
        let may_lack = acc.lanes.is_none() && !emits::exactly_one(turns.body(), number);
        let waiting = cut.map(|_| match has_rows(&acc) {
            true => accumulate::growing(cx, &acc.elems, may_lack),
            false => accumulate::results(cx, &acc.elems, expr::int(MOST_WAITING), may_lack),
        });
        sinks.reductions.push(Carry { output: number, acc, waiting });
    }
    // A turn that is left out must not ask for an element that is computed on demand.
    if sinks.may_be_masked(turns) && cx.recs.is_empty() {
        let few = sinks.lanes().map(|(lanes, elems, _)| lanes::masked_lanes(elems, lanes.width())).min();
        let few = few.unwrap_or_else(|| base::bug!("nothing has lanes"));
        sinks.lanes().for_each(|(lanes, elems, _)| lanes.open_apart(cx, elems, few));
        sinks.masked = Some(few);
    }
    match cut {
        Some(chunks) => by_blocks(cx, &mut sinks, turns, chunks.block.into())?,
        None => range(cx, &mut sinks, turns, expr::int(0), turns.count)?,
    }
    for sink in &sinks.reductions {
        let bound = &bound[sink.output];
        bound.elems.iter().zip(sink.acc.reps()).for_each(|(var, rep)| cx.homes.bind(*var, rep));
    }
    sinks
        .arrays
        .into_iter()
        .try_for_each(|(number, sink)| array::close(cx, sink, &bulk.outputs[number], &bound[number]))
}

/// Whether the loop is known to be one block without lanes: then its values come in order.
fn is_short(turns: &Turns<'_>, chunks: Chunks) -> bool {
    chunks.width() == 1 && expr::as_int(turns.count).is_some_and(|count| count <= i64::from(chunks.block))
}

fn by_blocks(cx: &mut Lower<'_>, sinks: &mut Carries<'_>, turns: &Turns<'_>, block: i64) -> Low<()> {
    let exprs = cx.code.exprs;
    let finished = cx.code.variable("finished", expr::int(0));
    let depth = cx.code.variable("depth", expr::int(0));
    let low = cx.code.variable("low", expr::int(0));
    let from = cx.code.variable("from", expr::int(0));
    let width = sinks.reductions.iter().map(|sink| sink.acc.width()).max().unwrap_or(1);
    let flags = turns.heavy || width > 1 || sinks.reductions.iter().any(Carry::needs_flag);
    if flags {
        // The first value of block 0 follows the neutral element, so it is combined like all others.
        let watched = sinks.reductions.iter_mut().filter(|sink| sink.waiting.is_some() && sink.acc.lanes.is_none());
        watched.for_each(|sink| sink.acc.watch(cx, expr::truth(false)));
    }

    // Outside of the loop the lanes are constants, where the neutral element is: most rows are one block.
    sinks.reductions.iter().for_each(|sink| sink.acc.begin_lanes(cx, expr::truth(true)));

    cx.code.open();
    let high = exprs.min(exprs.add(Expr::Var(low), expr::int(block)), turns.count);
    let high = cx.code.name_int("high", high);
    if let Some(few) = sinks.masked {
        turns.in_masked_lanes(cx, sinks, (Expr::Var(low), high), (width, few))?;
    } else if width > 1 {
        turns.in_lanes(cx, sinks, Expr::Var(low), high, width)?;
    } else {
        range(cx, sinks, turns, Expr::Var(from), high)?;
    }
    sinks.reductions.iter_mut().try_for_each(|sink| sink.acc.end_lanes(cx))?;
    let more = cx.code.name("more", Prim::Bool, exprs.lt(high, turns.count));
    meet(cx, &sinks.reductions, more, finished, depth)?;
    let head = cx.code.close();

    cx.code.open();
    let_wait(cx, &sinks.reductions, depth);
    cx.code.increment(finished);
    cx.code.set(low, high);
    sinks.reductions.iter().for_each(|sink| sink.acc.begin_lanes(cx, expr::truth(false)));
    if flags {
        sinks.reductions.iter().for_each(|sink| sink.acc.empty(cx));
        cx.code.set(from, high);
    } else {
        sinks.reductions.iter_mut().for_each(|sink| sink.acc.first = First::Take);
        turns.one(cx, sinks, high)?;
        cx.code.set(from, exprs.add(high, expr::int(1)));
    }
    let body = cx.code.close();
    cx.code.emit(Stm::While { head, cond: more, body });
    Ok(())
}

/// Combines waiting results with the current block: as many as the number of finished blocks has ones at its end, and
/// all of them after the last block.
fn meet(cx: &mut Lower<'_>, sinks: &[Carry<'_>], more: Expr, finished: K, depth: K) -> Low<()> {
    let exprs = cx.code.exprs;
    let all = exprs.sub(exprs.shl(expr::int(1), Expr::Var(depth)), expr::int(1));
    let left = cx.code.variable("left", exprs.select(more, Expr::Var(finished), all));
    cx.code.open();
    cx.code.set(depth, exprs.sub(Expr::Var(depth), expr::int(1)));
    cx.code.set(left, exprs.shr(Expr::Var(left), expr::int(1)));
    for Carry { acc, waiting, output: _ } in sinks {
        if let Some(waiting) = waiting {
            acc.meet(cx, waiting, Expr::Var(depth))?;
        }
    }
    let body = cx.code.close();
    let cond = exprs.ne(exprs.bit_and(Expr::Var(left), expr::int(1)), expr::int(0));
    cx.code.emit(Stm::While { head: Vec::new(), cond, body });
    Ok(())
}

/// Appends the current block to those that wait.
fn let_wait(cx: &mut Lower<'_>, sinks: &[Carry<'_>], depth: K) {
    for Carry { acc, waiting, output: _ } in sinks {
        if let Some(waiting) = waiting {
            if has_rows(acc) {
                waiting.grow(cx, &acc.elems, Expr::Var(depth));
            }
            acc.save(cx, waiting, Expr::Var(depth));
        }
    }
    cx.code.increment(depth);
}
