//! Running combinations whose values later steps use, by blocks. A first pass computes what each block gives by itself,
//! then what all blocks before a block give. The second pass is the loop itself: in each block it knows both.
//!
//! The first pass repeats the steps that the combination needs; `analysis::ways` allows that only where they are cheap.

use crate::builder::blocks::Blocks;
use crate::bulk::accumulate::{self, Accumulator, Results};
use crate::bulk::form;
use crate::bulk::plan::Plan;
use crate::bulk::scan::{self, Running};
use crate::bulk::turns::Turns;
use crate::bulk::walk::Taker;
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use crate::scope;
use analysis::ways;
use ir::{Bulk, Emit, Scan, Step};
use kernel::{Expr, Mode};

/// A running combination that goes by blocks.
pub(crate) struct Prefix<'b> {
    scan: &'b Scan,
    /// For each block, what all blocks before it give.
    before: Results,
    running: Option<Running<'b>>,
}

impl Prefix<'_> {
    /// Whether it is this one.
    pub fn is(&self, scan: &Scan) -> bool {
        self.scan.vars == scan.vars
    }

    /// Block number `b` begins.
    pub fn begin(&mut self, cx: &mut Lower<'_>, b: Expr) -> Low<()> {
        self.running = Some(scan::open_block(cx, self.scan, &self.before, b)?);
        Ok(())
    }

    /// Takes the value of a turn and binds the combination of all so far.
    pub fn put(&self, cx: &mut Lower<'_>) -> Low<()> {
        match &self.running {
            Some(running) => running.put(cx),
            None => base::bug!("a running combination outside of its blocks"),
        }
    }
}

/// What blocks give by themselves, while one of them runs.
struct Totals<'b>(Vec<(&'b Scan, Accumulator<'b>)>);

impl Taker for Totals<'_> {
    fn take(&mut self, _: &mut Lower<'_>, _: &Emit) -> Low<()> {
        base::bug!("the first pass has no values")
    }

    fn scan(&mut self, cx: &mut Lower<'_>, scan: &Scan) -> Low<()> {
        match self.0.iter().find(|(known, _)| known.vars == scan.vars) {
            Some((_, acc)) => scope::with_block(cx, &scan.value, |cx, reps| acc.combine(cx, reps)),
            None => base::bug!("a running combination that is not known"),
        }
    }
}

/// The first pass, for all these running combinations.
pub(crate) fn open<'b>(cx: &mut Lower<'_>, bulk: &Bulk, scans: Vec<&'b Scan>, plan: &Plan<'_>) -> Low<Vec<Prefix<'b>>> {
    if scans.is_empty() {
        return Ok(Vec::new());
    }
    let Some(Step::For { var, count, mark, body }) = bulk.steps.last() else { base::bug!("blocks without a loop") };
    let body = ways::needed_by(cx.src, body, &scans);
    let first = Step::For { var: *var, count: *count, mark: *mark, body };
    let turns = Turns::of(cx, &first, plan.turns.loops());
    let memory = |cx: &mut Lower<'_>| -> Vec<Results> {
        let elems: Vec<_> = scans.iter().map(|scan| form::elems_of(cx, &scan.vars, &[])).collect();
        elems.iter().map(|elems| accumulate::results(cx, elems, plan.blocks, true)).collect()
    };
    let (totals, before) = (memory(cx), memory(cx));
    cx.for_loop("b", expr::int(0), plan.blocks, plan.mode, |cx, b| {
        let (low, high) = plan.range(cx, b);
        let mut accs = Totals(scans.iter().map(|scan| (*scan, empty(cx, scan))).collect());
        turns.range(cx, &mut accs, low, high)?;
        accs.0.iter().zip(&totals).for_each(|((_, acc), results)| acc.save(cx, results, b));
        Low::Ok(())
    })?;
    for ((scan, totals), before) in scans.iter().zip(&totals).zip(&before) {
        add_up(cx, scan, totals, before, plan.blocks)?;
    }
    Ok(scans.into_iter().zip(before).map(|(scan, before)| Prefix { scan, before, running: None }).collect())
}

/// An accumulator that nothing went into, and that says so.
fn empty<'b>(cx: &mut Lower<'_>, scan: &'b Scan) -> Accumulator<'b> {
    let elems = form::elems_of(cx, &scan.vars, &[]);
    let mut acc = accumulate::open(cx, elems, &scan.op);
    acc.watch(cx, expr::truth(true));
    acc
}

/// What all blocks before each block give.
fn add_up(cx: &mut Lower<'_>, scan: &Scan, totals: &Results, before: &Results, blocks: Expr) -> Low<()> {
    let acc = empty(cx, scan);
    cx.for_loop("b", expr::int(0), blocks, Mode::Short, |cx, b| {
        acc.save(cx, before, b);
        acc.append(cx, totals, b)
    })
}
