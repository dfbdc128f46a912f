//! Running combinations whose values later steps use, by blocks. A first pass computes what each block gives by itself,
//! then what all blocks before a block give. The second pass is the loop itself: in each block it knows both.
//!
//! The first pass repeats the steps that the combination needs; `analysis::ways` allows that only where they are cheap.
//! Combinations that depend on others take one pass more. With no more threads than such passes, the loop itself runs block
//! after block instead, and each block hands on what it knows.

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
use crate::data::rep::Rep;
use crate::scope;
use analysis::ways;
use ir::{Bulk, Emit, Scan, Step, Var};
use kernel::{Expr, Mode};

/// A running combination that goes by blocks.
pub(crate) struct Prefix<'b> {
    scan: &'b Scan,
    /// For each block, what all blocks before it give.
    before: Results,
    /// What all blocks give, after the first pass.
    total: Vec<Rep>,
    running: Option<Running<'b>>,
}

impl Prefix<'_> {
    /// Whether it is this one.
    pub fn is(&self, scan: &Scan) -> bool {
        self.scan.vars == scan.vars
    }

    /// What all values give together, for each variable: known after the first pass, if there are values.
    pub fn totals(&self) -> impl Iterator<Item = (Var, &Rep)> {
        self.scan.vars.iter().copied().zip(&self.total)
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

    /// Before block 0 there is nothing.
    pub fn start(&self, cx: &mut Lower<'_>) {
        empty(cx, self.scan).save(cx, &self.before, expr::int(0));
    }

    /// Block number `b` is done: the next one, if there is one, knows what both give.
    pub fn hand_on(&self, cx: &mut Lower<'_>, b: Expr, blocks: Expr) -> Low<()> {
        let Some(running) = &self.running else { base::bug!("a running combination outside of its blocks") };
        let exprs = cx.code.exprs;
        let next = exprs.add(b, expr::int(1));
        cx.when(exprs.lt(next, blocks), |cx| {
            let acc = empty(cx, self.scan);
            acc.append(cx, &self.before, b)?;
            running.add_to(cx, &acc)?;
            acc.save(cx, &self.before, next);
            Low::Ok(())
        })
    }
}

/// What blocks give by themselves, while one of them runs.
struct Totals<'b, 'p> {
    accs: Vec<(&'b Scan, Accumulator<'b>)>,
    /// Combinations that these depend on.
    earlier: &'p [Vec<Prefix<'b>>],
}

impl Taker for Totals<'_, '_> {
    fn take(&mut self, _: &mut Lower<'_>, _: &Emit) -> Low<()> {
        base::bug!("the first pass has no values")
    }

    fn scan(&mut self, cx: &mut Lower<'_>, scan: &Scan) -> Low<()> {
        if let Some(earlier) = self.earlier.iter().flatten().find(|prefix| prefix.is(scan)) {
            return earlier.put(cx);
        }
        match self.accs.iter().find(|(known, _)| known.vars == scan.vars) {
            Some((_, acc)) => scope::with_block(cx, &scan.value, |cx, reps| acc.combine(cx, reps)),
            None => base::bug!("a running combination that is not known"),
        }
    }
}

/// The running combinations of a loop, those first that depend on no other, then those that depend on these only, and so on.
pub(crate) struct Prefixes<'b> {
    levels: Vec<Vec<Prefix<'b>>>,
}

/// Memory for what blocks know of these running combinations.
pub(crate) fn open<'b>(cx: &mut Lower<'_>, scans: Vec<&'b Scan>, plan: &Plan<'_>) -> Prefixes<'b> {
    let levels = ways::levels_of(cx.src, plan.turns.body(), scans);
    let prefix = |cx: &mut Lower<'_>, scan: &'b Scan| Prefix {
        scan,
        before: memory(cx, scan, plan),
        total: Vec::new(),
        running: None,
    };
    let level = |scans: Vec<&'b Scan>| scans.into_iter().map(|scan| prefix(cx, scan)).collect();
    Prefixes { levels: levels.into_iter().map(level).collect() }
}

fn memory(cx: &mut Lower<'_>, scan: &Scan, plan: &Plan<'_>) -> Results {
    let elems = form::elems_of(cx, &scan.vars, &[]);
    accumulate::results(cx, &elems, plan.blocks, true)
}

impl<'b> Prefixes<'b> {
    /// How many passes there are before the loop itself.
    pub fn passes(&self) -> usize {
        self.levels.len()
    }

    /// All of them.
    pub fn all(&mut self) -> impl Iterator<Item = &mut Prefix<'b>> {
        self.levels.iter_mut().flatten()
    }

    /// As [`Prefixes::all`], to look at.
    pub fn iter(&self) -> impl Iterator<Item = &Prefix<'b>> {
        self.levels.iter().flatten()
    }

    /// The one for a running combination.
    pub fn find(&self, scan: &Scan) -> Option<&Prefix<'b>> {
        self.levels.iter().flatten().find(|prefix| prefix.is(scan))
    }

    /// The passes before the loop itself.
    pub fn run_passes(&mut self, cx: &mut Lower<'_>, bulk: &Bulk, plan: &Plan<'_>) -> Low<()> {
        let Some(Step::For { var, count, mark, body }) = bulk.steps.last() else { base::bug!("blocks without a loop") };
        for number in 0..self.levels.len() {
            let (earlier, later) = self.levels.split_at_mut(number);
            let scans: Vec<&Scan> = later[0].iter().map(|prefix| prefix.scan).collect();
            let body = ways::needed_by(cx.src, body, &scans);
            let first = Step::For { var: *var, count: *count, mark: *mark, body };
            pass(cx, &first, earlier, &mut later[0], plan)?;
        }
        Ok(())
    }
}

/// One pass, for running combinations that depend on earlier ones only.
fn pass<'b>(
    cx: &mut Lower<'_>,
    step: &Step,
    earlier: &mut [Vec<Prefix<'b>>],
    own: &mut [Prefix<'b>],
    plan: &Plan<'_>,
) -> Low<()> {
    let turns = Turns::of(cx, step, plan.turns.loops());
    let totals: Vec<Results> = own.iter().map(|prefix| memory(cx, prefix.scan, plan)).collect();
    cx.for_loop("b", expr::int(0), plan.blocks, plan.mode, |cx, b| {
        let (low, high) = plan.range(cx, b);
        for prefix in earlier.iter_mut().flatten() {
            prefix.begin(cx, b)?;
        }
        let accs = own.iter().map(|prefix| (prefix.scan, empty(cx, prefix.scan))).collect();
        let mut sums = Totals { accs, earlier: &*earlier };
        turns.range(cx, &mut sums, low, high)?;
        sums.accs.iter().zip(&totals).for_each(|((_, acc), results)| acc.save(cx, results, b));
        Low::Ok(())
    })?;
    own.iter_mut().zip(&totals).try_for_each(|(prefix, totals)| add_up(cx, prefix, totals, plan.blocks))
}

/// An accumulator that nothing went into, and that says so.
fn empty<'b>(cx: &mut Lower<'_>, scan: &'b Scan) -> Accumulator<'b> {
    let elems = form::elems_of(cx, &scan.vars, &[]);
    let mut acc = accumulate::open(cx, elems, &scan.op);
    acc.watch(cx, expr::truth(true));
    acc
}

/// What all blocks before each block give.
fn add_up(cx: &mut Lower<'_>, prefix: &mut Prefix<'_>, totals: &Results, blocks: Expr) -> Low<()> {
    let acc = empty(cx, prefix.scan);
    prefix.total = acc.reps();
    cx.for_loop("b", expr::int(0), blocks, Mode::Short, |cx, b| {
        acc.save(cx, &prefix.before, b);
        acc.append(cx, totals, b)
    })
}
