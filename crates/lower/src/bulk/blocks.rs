//! Reductions, scans and filters over a single loop, block by block.

use super::Sink;
use super::filter::BlockKeep;
use super::form::Bound;
use super::form::CHEAP_BLOCK;
use super::reduce::{BLOCK, BlockReduce, First};
use super::scan::BlockScan;
use super::walk::blocks_of;
use crate::Low;
use crate::context::Lower;
use crate::expr;
use crate::mentions::heavy_steps;
use crate::rep::Rep;
use crate::slot::Slot;
use ir::{Atom, Bulk, Coverage, Kind, Output, Step, Var};
use kernel::{Expr, Mode, Stm, Type};
use scalar::Prim;

/// How many turns of a costly loop a filter gives to a thread at once.
const HEAVY_BLOCK: i64 = 64;

/// The loop.
pub(super) struct Turns<'b> {
    var: Var,
    body: &'b [Step],
    /// How many turns.
    pub count: Expr,
    /// Whether a turn costs much.
    pub heavy: bool,
}

/// The loop, for all its blocks.
struct Blocks<'b> {
    turns: Turns<'b>,
    /// Turns of a block.
    block: i64,
    /// How many blocks, at least one.
    blocks: Expr,
    mode: Mode,
}

/// Whether a bulk form is of this kind: bindings, then one loop whose every turn gives at most one value (exactly one to
/// reductions and scans) to each output, except for new arrays, which take any.
pub(super) fn fits(bulk: &Bulk, in_parallel: bool) -> bool {
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

impl Lower<'_> {
    /// A bulk form by blocks.
    pub(super) fn by_blocks(&mut self, bound: &[Bound], bulk: &Bulk) -> Low<()> {
        self.code.open();
        let all =
            |b: &Bound| b.count.iter().chain(&b.sizes).chain(&b.elems).copied().map(Atom::Var).collect::<Vec<_>>();
        let results: Vec<Atom> = bound.iter().flat_map(all).collect();
        self.items(
            &bulk.steps,
            &results,
            |m, step| m.step(step),
            |this, step| match step {
                Step::Let(stm) => this.stm(stm),
                Step::For { var, count, body } => this.one_loop(bound, bulk, *var, *count, body),
                Step::Guard(..) | Step::Emit(_) => base::bug!("a value is outside of the loop"),
            },
        )?;
        self.close_keeping(bound);
        Ok(())
    }

    fn one_loop(&mut self, bound: &[Bound], bulk: &Bulk, var: Var, count: Atom, body: &[Step]) -> Low<()> {
        let count = self.homes.scalar(count);
        let count = self.code.name_int("n", expr::max(count, expr::int(0)));
        let heavy = heavy_steps(body);
        let ordered = bulk.outputs.iter().any(|o| matches!(o.kind, Kind::Reduce { .. } | Kind::Scan { .. }));
        let block = match (ordered, heavy) {
            (true, _) => BLOCK,
            (false, true) => HEAVY_BLOCK,
            (false, false) => CHEAP_BLOCK,
        };
        if self.in_parallel && bulk.outputs.iter().all(|o| matches!(o.kind, Kind::Reduce { .. })) {
            return self.carried(bound, bulk, Turns { var, body, count, heavy });
        }
        let blocks = self.code.name_int("blocks", blocks_of(count.clone(), block));
        let blocks = self.code.name_int("blocks", expr::max(blocks, expr::int(1)));
        let mode = if self.in_parallel { Mode::Sequential } else { Mode::Parallel };
        let plan = Blocks { turns: Turns { var, body, count, heavy }, block, blocks, mode };
        self.all_blocks(bound, bulk, &plan)
    }

    /// Turns of the loop, one after the other.
    pub(super) fn turns_of(&mut self, turns: &Turns<'_>, sinks: &mut [Sink<'_>], from: Expr, to: Expr) -> Low<()> {
        let name = self.src.vars[turns.var].name.as_str();
        self.for_loop(name, from, to, Mode::Sequential, |this, i| this.one_turn(turns, sinks, i))
    }

    pub(super) fn one_turn(&mut self, turns: &Turns<'_>, sinks: &mut [Sink<'_>], i: Expr) -> Low<()> {
        self.homes.bind(turns.var, Rep::Scalar(i.clone()));
        for sink in sinks.iter_mut() {
            if let Sink::BlockScan(scan) = sink {
                scan.index = i.clone();
            }
        }
        self.steps(turns.body, sinks, false)
    }

    fn all_blocks(&mut self, bound: &[Bound], bulk: &Bulk, plan: &Blocks<'_>) -> Low<()> {
        let mut sinks = Vec::new();
        for (output, bound) in bulk.outputs.iter().zip(bound) {
            sinks.push(self.open_block_sink(output, bound, plan)?);
        }
        self.for_loop("b", expr::int(0), plan.blocks.clone(), plan.mode, |this, b| {
            this.one_block(plan, &mut sinks, b)
        })?;
        for (sink, bound) in sinks.iter_mut().zip(bound) {
            match sink {
                Sink::BlockReduce(sink) => {
                    self.combine_tree(sink.op, &sink.partial, &sink.elems, plan.blocks.clone())?;
                    let total = self.read_all(&sink.partial, &sink.elems, expr::int(0))?;
                    bound.elems.iter().zip(total).for_each(|(var, rep)| self.homes.bind(*var, rep));
                }
                Sink::BlockScan(sink) => self.close_scan(sink, bound, &plan.blocks, &plan.turns.count, plan.mode)?,
                Sink::BlockKeep(sink) => self.close_filter(sink, bound, &plan.blocks, plan.block, plan.mode)?,
                Sink::Array(_)
                | Sink::Update(_)
                | Sink::Reduce(_)
                | Sink::Keep(_)
                | Sink::Jagged(_)
                | Sink::Parts(_)
                | Sink::Slots(_)
                | Sink::Lengths(_)
                | Sink::Rows(_) => {}
            }
        }
        for ((sink, output), bound) in sinks.into_iter().zip(&bulk.outputs).zip(bound) {
            if let Sink::Array(sink) = sink {
                self.close_array(sink, output, bound)?;
            }
        }
        Ok(())
    }

    fn open_block_sink<'b>(&mut self, output: &'b Output, bound: &Bound, plan: &Blocks<'_>) -> Low<Sink<'b>> {
        if let Kind::Gen { .. } = &output.kind {
            return Ok(Sink::Array(self.open_array(output, bound)?));
        }
        let elems = self.elems(output)?;
        let count = match &output.kind {
            Kind::Reduce { .. } => &plan.blocks,
            _ => &plan.turns.count,
        };
        let mut buffers = Vec::new();
        for (i, elem) in elems.iter().enumerate() {
            let hint = bound.elems.get(i).filter(|_| matches!(output.kind, Kind::Scan { .. }));
            // A scan can work in its place as it stands only if that begins at 0.
            let place =
                hint.and_then(|v| self.homes.hints.get(v)).filter(|a| a.offset == expr::int(0)).map(|a| a.buffer);
            buffers.push(match place {
                Some(buffer) => {
                    hint.and_then(|v| self.homes.hints.remove(v));
                    buffer
                }
                None => self.code.alloc("results", elem.prim, expr::capacity(count.clone(), elem.row.clone())),
            });
        }
        let (accs, first) = (Vec::new(), First::Combine);
        match &output.kind {
            Kind::Reduce { op, neutral, .. } => {
                Ok(Sink::BlockReduce(BlockReduce { elems, op, neutral, accs, first, partial: buffers }))
            }
            Kind::Scan { op, .. } => {
                Ok(Sink::BlockScan(BlockScan { elems, op, out: buffers, accs, first, index: expr::int(0) }))
            }
            Kind::Keep => {
                let counts = self.code.alloc("counts", Prim::I64, expr::room_and(plan.blocks.clone(), 1));
                Ok(Sink::BlockKeep(BlockKeep { elems, buffers, counts, kept: None, low: expr::int(0) }))
            }
            Kind::Gen { .. } | Kind::Update { .. } | Kind::Accum { .. } => {
                base::bug!("only reductions, scans and filters go by blocks")
            }
        }
    }

    /// One block: accumulators, the loop, what is left of it.
    fn one_block(&mut self, plan: &Blocks<'_>, sinks: &mut [Sink<'_>], b: Expr) -> Low<()> {
        let low = self.code.name_int("low", expr::mul(b.clone(), expr::int(plan.block)));
        let high = expr::min(expr::add(low.clone(), expr::int(plan.block)), plan.turns.count.clone());
        let high = self.code.name_int("high", high);
        let only = |f: fn(&Sink<'_>) -> bool, sinks: &[Sink<'_>]| sinks.iter().all(f);
        let reduces = only(|s| matches!(s, Sink::BlockReduce(_)), sinks);
        let scans = only(|s| matches!(s, Sink::BlockScan(_)), sinks);
        let flags = plan.turns.heavy || !(reduces || scans);
        self.begin_block(sinks, &b, &low, flags)?;
        if flags {
            self.turns_of(&plan.turns, sinks, low, high.clone())?;
        } else {
            self.peeled(plan, sinks, reduces.then_some(&b), low, high.clone())?;
        }
        self.end_block(sinks, b)
    }

    /// Peels the first turn of a block off, so that the loop over the others need not ask which is the first.
    fn peeled(
        &mut self,
        plan: &Blocks<'_>,
        sinks: &mut [Sink<'_>],
        reduced: Option<&Expr>,
        low: Expr,
        high: Expr,
    ) -> Low<()> {
        let from = self.code.variable("from", low.clone());
        // Block 0 of a reduction starts from the neutral element, which is there already.
        let peeled = match reduced {
            Some(b) => expr::ne(b.clone(), expr::int(0)),
            None => expr::lt(low.clone(), high.clone()),
        };
        set_first(sinks, First::Take);
        self.when(peeled, |this| {
            this.one_turn(&plan.turns, sinks, low.clone())?;
            this.code.emit(Stm::Set(from, expr::add(low, expr::int(1))));
            Ok(())
        })?;
        set_first(sinks, First::Combine);
        self.turns_of(&plan.turns, sinks, Expr::Var(from), high)
    }

    fn begin_block(&mut self, sinks: &mut [Sink<'_>], b: &Expr, low: &Expr, flags: bool) -> Low<()> {
        for sink in sinks.iter_mut() {
            match sink {
                Sink::BlockReduce(sink) => {
                    sink.accs = self.accumulators(&sink.elems);
                    let (accs, neutral) = (sink.accs.clone(), sink.neutral);
                    self.when(expr::eq(b.clone(), expr::int(0)), |this| this.fill_accs(&accs, neutral))?;
                    if flags {
                        sink.first = self.flag(expr::ne(b.clone(), expr::int(0)));
                    }
                }
                Sink::BlockScan(sink) => {
                    sink.accs = self.accumulators(&sink.elems);
                    if flags {
                        sink.first = self.flag(expr::truth(true));
                    }
                }
                Sink::BlockKeep(sink) => {
                    sink.kept = Some(self.code.variable("kept", expr::int(0)));
                    sink.low = low.clone();
                }
                Sink::Array(_)
                | Sink::Update(_)
                | Sink::Reduce(_)
                | Sink::Keep(_)
                | Sink::Jagged(_)
                | Sink::Parts(_)
                | Sink::Slots(_)
                | Sink::Lengths(_)
                | Sink::Rows(_) => {}
            }
        }
        Ok(())
    }

    pub(super) fn flag(&mut self, value: Expr) -> First {
        let flag = self.code.fresh("fresh", Type::Scalar(Prim::Bool));
        self.code.emit(Stm::Declare(flag));
        self.code.emit(Stm::Set(flag, value));
        First::Flag(flag)
    }

    fn end_block(&mut self, sinks: &mut [Sink<'_>], b: Expr) -> Low<()> {
        for sink in sinks.iter() {
            match sink {
                Sink::BlockReduce(sink) => {
                    let accs: Vec<Rep> = sink.accs.iter().map(Slot::rep).collect();
                    self.write_all(&sink.partial, &sink.elems, b.clone(), &accs)?;
                }
                Sink::BlockKeep(sink) => {
                    if let Some(kept) = sink.kept {
                        self.code.emit(Stm::Store { buffer: sink.counts, at: b.clone(), value: Expr::Var(kept) });
                    }
                }
                Sink::BlockScan(_) | Sink::Array(_) => {}
                Sink::Update(_)
                | Sink::Reduce(_)
                | Sink::Keep(_)
                | Sink::Jagged(_)
                | Sink::Parts(_)
                | Sink::Slots(_)
                | Sink::Lengths(_)
                | Sink::Rows(_) => {}
            }
        }
        Ok(())
    }
}

pub(super) fn set_first(sinks: &mut [Sink<'_>], first: First) {
    for sink in sinks {
        match sink {
            Sink::BlockReduce(sink) => sink.first = first,
            Sink::BlockScan(sink) => sink.first = first,
            Sink::BlockKeep(_) | Sink::Array(_) | Sink::Update(_) => {}
            Sink::Reduce(_)
            | Sink::Keep(_)
            | Sink::Jagged(_)
            | Sink::Parts(_)
            | Sink::Slots(_)
            | Sink::Lengths(_)
            | Sink::Rows(_) => {}
        }
    }
}
