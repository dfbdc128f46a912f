//! The outputs of a loop that goes by blocks: what each does at the begin of a block, with a value, at the end of a
//! block, and when all blocks are done.

use super::accumulate::{self, Accumulator, First, Results};
use super::array::{self, ArraySink, Pass};
use super::filter::{self, BlockKeep};
use super::form::{self, Bound};
use super::kept_scan::{self, KeptScan};
use super::lanes;
use super::parts::{self, PartSink};
use super::plan::{Plan, Wave};
use super::prefix::Prefixes;
use super::scan::{self, BlockScan};
use super::update::{self, UpdateSink};
use super::walk::Taker;
use crate::arrays::vector;
use crate::builder::blocks::Blocks;
use crate::bulk::columns;
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use crate::data::rep::{Array, Rep};
use crate::scope;
use analysis::{anyway, emits};
use ir::{Atom, Chunks, Emit, Kind, Output, Scan, Step, Var};
use kernel::{Expr, Mode};

/// What is done with the values of an output.
pub(crate) enum BlockSink<'b> {
    /// Combines the values of a block.
    Reduce(BlockReduce<'b>),
    /// Combines the values of a block and stores every intermediate result.
    Scan(BlockScan<'b>),
    /// Keeps some values of a block.
    Keep(BlockKeep<'b>),
    /// Writes to the place that the subscripts name.
    Array(ArraySink),
    /// Combines values with elements of arrays.
    Tally(Tally<'b>),
    /// Replaces elements of arrays, each at most once.
    Update(UpdateSink<'b>),
}

/// Values that are combined with few elements: those of several blocks in a row go into one part.
pub(crate) struct Tally<'b> {
    part: PartSink<'b>,
    targets: Vec<Array>,
}

/// A reduction of the values of one block.
pub(crate) struct BlockReduce<'b> {
    pub neutral: &'b [Atom],
    pub acc: Accumulator<'b>,
    /// The results of blocks.
    pub results: Results,
    /// How it is cut; none if that does not matter.
    pub chunks: Option<Chunks>,
}

/// The outputs of a loop, and the running combinations whose values its steps use.
pub(crate) struct Sinks<'b> {
    pub outputs: Vec<BlockSink<'b>>,
    pub prefixes: Prefixes<'b>,
    /// Whether blocks run one after the other, so that each hands on what it knows of running combinations.
    pub in_turn: bool,
    /// The variables of the loop, or of several that are one, and how many turns each has.
    pub loops: Vec<(Var, Atom)>,
}

impl<'b> Sinks<'b> {
    /// Whether reductions are cut into lanes.
    pub fn have_lanes(&self) -> bool {
        self.outputs.iter().any(|sink| match sink {
            BlockSink::Reduce(sink) => sink.chunks.is_some_and(|chunks| chunks.width() > 1),
            BlockSink::Scan(_)
            | BlockSink::Keep(_)
            | BlockSink::Array(_)
            | BlockSink::Tally(_)
            | BlockSink::Update(_) => false,
        })
    }

    /// The accumulators of reductions.
    pub fn accumulators(&self) -> Vec<&Accumulator<'b>> {
        let accumulators = self.outputs.iter().filter_map(|sink| match sink {
            BlockSink::Reduce(reduce) => Some(&reduce.acc),
            BlockSink::Scan(_)
            | BlockSink::Keep(_)
            | BlockSink::Array(_)
            | BlockSink::Tally(_)
            | BlockSink::Update(_) => None,
        });
        accumulators.collect()
    }

    /// How many lanes reductions have, while a block runs.
    pub fn width(&self) -> i64 {
        self.outputs.iter().map(BlockSink::width).max().unwrap_or(1)
    }
}

impl Taker for Sinks<'_> {
    fn lane(&mut self, lane: Expr) {
        for sink in &mut self.outputs {
            if let BlockSink::Reduce(sink) = sink {
                sink.acc.lane(lane);
            }
        }
    }

    fn take(&mut self, cx: &mut Lower<'_>, emit: &Emit) -> Low<()> {
        self.outputs[emit.output].put(cx, emit)
    }

    fn guarded(&mut self, cx: &mut Lower<'_>, cond: Expr, body: &[Step]) -> Low<bool> {
        let Some(emit) = anyway::value(cx.src, &self.loops, body) else { return Ok(false) };
        let BlockSink::Keep(keep) = &self.outputs[emit.output] else { return Ok(false) };
        if !keep.stores_all {
            return Ok(false);
        }
        let put = |cx: &mut Lower<'_>, step: &Step| match step {
            Step::Let(stm) => (cx.lower_stm)(cx, stm),
            Step::Emit(emit) => keep.put_if(cx, emit, cond),
            Step::For { .. } | Step::Guard(..) | Step::Scan(_) => base::bug!("a value that cannot be computed anyway"),
        };
        scope::items(cx, body, &[], |m, step| m.step(step), put)?;
        Ok(true)
    }

    fn scan(&mut self, cx: &mut Lower<'_>, scan: &Scan) -> Low<()> {
        for sink in &self.outputs {
            match sink {
                BlockSink::Scan(one) if std::ptr::eq(one.scan, scan) => return one.put(cx),
                BlockSink::Keep(keep) => {
                    if let Some(one) = keep.scans.iter().find(|one| std::ptr::eq(one.scan, scan)) {
                        return one.put(cx);
                    }
                }
                BlockSink::Scan(_)
                | BlockSink::Reduce(_)
                | BlockSink::Array(_)
                | BlockSink::Tally(_)
                | BlockSink::Update(_) => {}
            }
        }
        match self.prefixes.find(scan) {
            Some(prefix) => prefix.put(cx),
            None => base::bug!("a running combination that nothing stores"),
        }
    }
}

/// The running combination of these whose values go to an output.
fn scan_of<'b>(stored: &[&'b Scan], steps: &[Step], number: usize) -> Option<&'b Scan> {
    let value = steps.iter().find_map(|step| match step {
        Step::Emit(emit) if emit.output == number => Some(&emit.value),
        _ => None,
    })?;
    let stores = |scan: &&'b Scan| !scan.vars.is_empty() && value.result.first() == Some(&Atom::Var(scan.vars[0]));
    stored.iter().copied().find(stores)
}

/// The running combinations of those that are stored whose values a filter keeps.
fn kept_scans<'b>(cx: &mut Lower<'_>, plan: &Plan<'b>, number: usize) -> Vec<KeptScan<'b>> {
    let Some(emit) = emits::all(plan.turns.body()).into_iter().find(|emit| emit.output == number) else {
        return Vec::new();
    };
    let is_kept = |scan: &&&'b Scan| scan.vars.iter().any(|var| emit.value.result.contains(&Atom::Var(*var)));
    plan.stored.iter().filter(is_kept).map(|scan| kept_scan::open(cx, scan, &emit.value, plan)).collect()
}

impl<'b> BlockSink<'b> {
    /// Memory for all blocks.
    pub fn open(cx: &mut Lower<'_>, (number, output): (usize, &'b Output), bound: &Bound, plan: &Plan<'b>) -> Self {
        match &output.kind {
            Kind::Gen { .. } => match scan_of(&plan.stored, plan.turns.body(), number) {
                Some(scan) => {
                    let elems = form::elems(cx, output);
                    let out = scan::results(cx, &elems, bound, plan.turns.count);
                    let acc =
                        Accumulator { elems, op: &scan.op, slots: Vec::new(), first: First::Combine, lanes: None };
                    BlockSink::Scan(BlockScan { scan, acc, out, turn: plan.turns.weights() })
                }
                None => BlockSink::Array(array::open(cx, output, bound)),
            },
            Kind::Reduce { op, neutral, tree, .. } => {
                let elems = form::elems(cx, output);
                let chunks = tree.chunks();
                let in_lanes = chunks.is_some_and(|chunks| chunks.width() > 1);
                let may_lack = !in_lanes && !emits::exactly_one(plan.turns.body(), number);
                let results = accumulate::results(cx, &elems, plan.blocks, may_lack);
                let acc = Accumulator { elems, op, slots: Vec::new(), first: First::Combine, lanes: None };
                BlockSink::Reduce(BlockReduce { neutral, acc, results, chunks })
            }
            Kind::Keep => {
                let elems = form::elems(cx, output);
                let scans = kept_scans(cx, plan, number);
                BlockSink::Keep(filter::open(cx, elems, scans, plan, number))
            }
            Kind::Accum { arrays, .. } => {
                let targets = arrays.iter().map(|array| vector::array(cx, *array)).collect();
                let cells = parts::cells(cx, arrays);
                let Some(parts) = plan.parts else { base::bug!("elements are combined with values without parts") };
                BlockSink::Tally(Tally { part: parts::open(cx, output, cells, parts), targets })
            }
            Kind::Update { arrays, skip, .. } => {
                BlockSink::Update(update::open_writes(cx, output, arrays, *skip, None))
            }
        }
    }

    /// Whether it does something when a few blocks are done.
    pub fn has_waves(&self) -> bool {
        matches!(self, BlockSink::Keep(_) | BlockSink::Scan(_))
    }

    /// A wave of blocks begins.
    pub fn begin_wave(&mut self, wave: Wave) {
        if let BlockSink::Keep(sink) = self {
            sink.first = wave.first;
        }
    }

    /// A wave of blocks is done: what it stored is moved or joined.
    pub fn end_wave(&self, cx: &mut Lower<'_>, plan: &Plan<'_>, wave: Wave) -> Low<()> {
        match self {
            BlockSink::Keep(sink) => sink.end_wave(cx, plan, wave),
            BlockSink::Scan(sink) => sink.end_wave(cx, plan, wave),
            BlockSink::Reduce(_) | BlockSink::Array(_) | BlockSink::Tally(_) | BlockSink::Update(_) => Ok(()),
        }
    }

    /// Part number `p` of the blocks begins.
    pub fn begin_part(&mut self, cx: &mut Lower<'_>, p: Expr) {
        if let BlockSink::Tally(sink) = self {
            sink.part.begin(cx, p);
        }
    }

    /// Whether a value goes its way whether or not it is the first of its block.
    pub fn has_places(&self) -> bool {
        matches!(self, BlockSink::Array(_) | BlockSink::Tally(_) | BlockSink::Update(_))
    }

    /// Block number `b` of so many turns begins. With `flags`, a variable says which value is the block's first.
    pub fn begin(&mut self, cx: &mut Lower<'_>, b: Expr, block: i64, flags: bool) {
        let exprs = cx.code.exprs;
        match self {
            BlockSink::Reduce(BlockReduce { neutral, acc, chunks, .. }) => {
                *acc = accumulate::open(cx, acc.elems.clone(), acc.op);
                let is_first = exprs.eq(b, expr::int(0));
                cx.when(is_first, |cx| acc.fill(cx, neutral));
                acc.lanes = chunks.and_then(|chunks| lanes::open(cx, acc.op, &acc.elems, chunks));
                acc.begin_lanes(cx, is_first);
                if flags && acc.lanes.is_none() {
                    acc.watch(cx, exprs.ne(b, expr::int(0)));
                }
            }
            BlockSink::Scan(BlockScan { acc, .. }) => {
                *acc = accumulate::open(cx, acc.elems.clone(), acc.op);
                if flags {
                    acc.watch(cx, expr::truth(true));
                }
            }
            BlockSink::Keep(sink) => {
                let low = exprs.mul(exprs.sub(b, sink.first), expr::int(block));
                sink.begin(cx, low);
            }
            BlockSink::Array(_) | BlockSink::Tally(_) | BlockSink::Update(_) => {}
        }
    }

    /// Says what the next value of the block is.
    pub fn set_first(&mut self, first: First) {
        match self {
            BlockSink::Reduce(sink) => sink.acc.first = first,
            BlockSink::Scan(sink) => sink.acc.first = first,
            BlockSink::Keep(_) | BlockSink::Array(_) | BlockSink::Tally(_) | BlockSink::Update(_) => {}
        }
    }

    /// Takes a value.
    fn put(&self, cx: &mut Lower<'_>, emit: &Emit) -> Low<()> {
        match self {
            BlockSink::Reduce(sink) => sink.acc.put(cx, emit),
            // The step that combines has stored it.
            BlockSink::Scan(_) => Ok(()),
            BlockSink::Keep(sink) => sink.put(cx, emit),
            BlockSink::Array(sink) => array::put(cx, sink, emit, Pass::Both),
            BlockSink::Tally(sink) => parts::put_in_part(cx, &sink.part, emit),
            BlockSink::Update(sink) => update::put(cx, sink, emit),
        }
    }

    /// How many lanes it has.
    fn width(&self) -> i64 {
        match self {
            BlockSink::Reduce(sink) => sink.acc.width(),
            BlockSink::Scan(_)
            | BlockSink::Keep(_)
            | BlockSink::Array(_)
            | BlockSink::Tally(_)
            | BlockSink::Update(_) => 1,
        }
    }

    /// Stores what a block leaves.
    pub fn end(&mut self, cx: &mut Lower<'_>, b: Expr) -> Low<()> {
        match self {
            BlockSink::Reduce(sink) => {
                sink.acc.end_lanes(cx)?;
                sink.acc.save(cx, &sink.results, b);
            }
            BlockSink::Keep(sink) => sink.end(cx, b),
            BlockSink::Scan(_) | BlockSink::Array(_) | BlockSink::Tally(_) | BlockSink::Update(_) => {}
        }
        Ok(())
    }

    /// Puts the blocks together and binds the results; arrays come later, with [`BlockSink::close_array`].
    pub fn close(&self, cx: &mut Lower<'_>, bound: &Bound, plan: &Plan<'_>) -> Low<()> {
        match self {
            BlockSink::Reduce(BlockReduce { acc, results, .. }) => {
                acc.combine_tree(cx, results, plan.blocks)?;
                let total = columns::read_all(cx, &results.values, &acc.elems, expr::int(0));
                bound.elems.iter().zip(total).for_each(|(var, rep)| cx.homes.bind(*var, rep));
            }
            BlockSink::Scan(sink) => sink.close(cx, bound),
            BlockSink::Keep(sink) => filter::close(cx, sink, bound),
            BlockSink::Tally(sink) => {
                sink.part.add_up(cx, &sink.targets, Mode::Sequential)?;
                let arrays = sink.targets.iter().map(|target| Rep::Array(target.clone()));
                bound.elems.iter().zip(arrays).for_each(|(var, rep)| cx.homes.bind(*var, rep));
            }
            BlockSink::Update(sink) => {
                let arrays = sink.memory().into_iter().map(Rep::Array);
                bound.elems.iter().zip(arrays).for_each(|(var, rep)| cx.homes.bind(*var, rep));
            }
            BlockSink::Array(_) => {}
        }
        Ok(())
    }

    /// Finishes an array and binds it.
    pub fn close_array(self, cx: &mut Lower<'_>, output: &Output, bound: &Bound) -> Low<()> {
        match self {
            BlockSink::Array(sink) => array::close(cx, sink, output, bound),
            BlockSink::Reduce(_)
            | BlockSink::Scan(_)
            | BlockSink::Keep(_)
            | BlockSink::Tally(_)
            | BlockSink::Update(_) => Ok(()),
        }
    }
}
