//! The general walk through an index space.

use super::Sink;
use super::array::Pass;
use super::form::{Bound, CHEAP_BLOCK};
use crate::Low;
use crate::context::Lower;
use crate::expr;
use crate::mentions::{heavy_lets, heavy_steps};
use crate::rep::Rep;
use ir::{Bulk, Coverage, Kind, Limitation, Step};
use kernel::{Expr, Mode};

impl Lower<'_> {
    /// A bulk form by the general walk.
    pub fn by_walk(&mut self, bound: &[Bound], bulk: &Bulk) -> Low<()> {
        self.code.open();
        let mut sinks = Vec::new();
        for (output, bound) in bulk.outputs.iter().zip(bound) {
            sinks.push(self.open_sink(output, bound, bulk)?);
        }
        let parallel = !self.in_parallel && bulk.outputs.iter().all(writes_disjoint);
        if !bulk.outputs.iter().any(is_checked) {
            self.steps(&bulk.steps, &mut sinks, parallel)?;
        } else if parallel && !heavy_lets(&bulk.steps) {
            // First who defines what, in order, then the values, in any order.
            set_pass(&mut sinks, Pass::Marks);
            self.steps(&bulk.steps, &mut sinks, false)?;
            set_pass(&mut sinks, Pass::Values);
            self.steps(&bulk.steps, &mut sinks, true)?;
        } else {
            self.steps(&bulk.steps, &mut sinks, false)?;
        }
        for ((sink, output), bound) in sinks.into_iter().zip(&bulk.outputs).zip(bound) {
            self.close_sink(sink, output, bound)?;
        }
        self.close_keeping(bound);
        Ok(())
    }

    /// Closes the innermost block inline; the buffers of what was bound go to the block around it.
    pub fn close_keeping(&mut self, bound: &[Bound]) {
        let mut kept = Vec::new();
        for var in bound.iter().flat_map(|b| b.sizes.iter().chain(&b.elems)) {
            let buffer = self.homes.buffer_of(*var);
            kept.extend(buffer.filter(|b| self.code.disown(*b)));
        }
        self.code.close_inline();
        kept.into_iter().for_each(|b| self.code.own(b));
    }

    fn open_sink<'b>(&mut self, output: &'b ir::Output, bound: &Bound, bulk: &Bulk) -> Low<Sink<'b>> {
        match &output.kind {
            Kind::Gen { .. } if !output.sizes.is_empty() => Ok(Sink::Jagged(self.open_jagged(output, bulk)?)),
            Kind::Keep if !output.sizes.is_empty() => Ok(Sink::Jagged(self.open_jagged(output, bulk)?)),
            Kind::Gen { .. } => Ok(Sink::Array(self.open_array(output, bound)?)),
            Kind::Keep => Ok(Sink::Keep(self.open_keep(output)?)),
            Kind::Update { arrays, skip, .. } => Ok(Sink::Update(self.open_update(output, arrays, *skip, None, bulk)?)),
            Kind::Accum { arrays, skip, op } => {
                Ok(Sink::Update(self.open_update(output, arrays, *skip, Some(op), bulk)?))
            }
            Kind::Reduce { op, neutral, .. } => Ok(Sink::Reduce(self.open_reduce(output, op, neutral)?)),
            Kind::Scan { .. } => self.unsupported(Limitation::ScanOfLoops),
        }
    }

    fn close_sink(&mut self, sink: Sink<'_>, output: &ir::Output, bound: &Bound) -> Low<()> {
        match sink {
            Sink::Array(sink) => self.close_array(sink, output, bound),
            Sink::Update(sink) => self.close_update(sink, bound),
            Sink::Reduce(sink) => self.close_reduce(sink, bound),
            Sink::Keep(sink) => self.close_keep(sink, bound),
            Sink::Jagged(sink) => self.close_jagged(sink, output, bound),
            Sink::Parts(_)
            | Sink::Slots(_)
            | Sink::Lengths(_)
            | Sink::Rows(_)
            | Sink::BlockReduce(_)
            | Sink::BlockScan(_)
            | Sink::BlockKeep(_) => base::bug!("a block outside of its loop"),
        }
    }

    /// Lowers steps into the innermost block.
    pub fn steps(&mut self, steps: &[Step], sinks: &mut [Sink<'_>], parallel: bool) -> Low<()> {
        self.items(steps, &[], |m, step| m.step(step), |this, step| this.step(step, sinks, parallel))
    }

    fn step(&mut self, step: &Step, sinks: &mut [Sink<'_>], parallel: bool) -> Low<()> {
        match step {
            Step::Let(stm) => self.stm(stm),
            Step::Emit(emit) => self.sink(sinks, emit),
            Step::Guard(cond, body) => {
                let cond = self.homes.scalar(*cond);
                self.when(cond, |this| this.steps(body, sinks, parallel))
            }
            Step::For { var, count, body } => {
                let count = self.homes.scalar(*count);
                let turn = |this: &mut Self, i: Expr| {
                    this.homes.bind(*var, Rep::Scalar(i));
                    this.steps(body, sinks, false)
                };
                let name = self.src.vars[*var].name.as_str();
                if !parallel {
                    return self.count_loop(name, count, turn);
                }
                let block = if heavy_steps(body) { 1 } else { CHEAP_BLOCK };
                self.parallel_loop(name, count, block, turn)
            }
        }
    }

    /// A parallel loop, cut into blocks of this many turns.
    pub fn parallel_loop(
        &mut self,
        name: &str,
        count: Expr,
        block: i64,
        turn: impl FnOnce(&mut Self, Expr) -> Low<()>,
    ) -> Low<()> {
        if block == 1 {
            return self.for_loop(name, expr::int(0), count, Mode::Parallel, turn);
        }
        let blocks = self.code.name_int("blocks", blocks_of(count.clone(), block));
        self.for_loop("b", expr::int(0), blocks, Mode::Parallel, |this, b| {
            let low = this.code.name_int("low", expr::mul(b, expr::int(block)));
            let high = this.code.name_int("high", expr::min(expr::add(low.clone(), expr::int(block)), count));
            this.for_loop(name, low, high, Mode::Sequential, turn)
        })
    }
}

/// How many blocks there are, of a power of two each.
pub(super) fn blocks_of(count: Expr, block: i64) -> Expr {
    // Without adding to the count, which may be as large as a number can be.
    let before_last = expr::shr(expr::sub(count, expr::int(1)), expr::int(block.trailing_zeros().into()));
    expr::add(before_last, expr::int(1))
}

/// Whether all values of an output go to places of their own.
fn writes_disjoint(output: &ir::Output) -> bool {
    match &output.kind {
        Kind::Gen { .. } => output.sizes.is_empty(),
        Kind::Update { .. } | Kind::Accum { .. } | Kind::Reduce { .. } | Kind::Scan { .. } | Kind::Keep => false,
    }
}

/// Whether collisions are looked for.
fn is_checked(output: &ir::Output) -> bool {
    matches!(&output.kind, Kind::Gen { coverage: Coverage::Checked { .. }, .. })
}

fn set_pass(sinks: &mut [Sink<'_>], pass: Pass) {
    for sink in sinks {
        if let Sink::Array(sink) = sink {
            sink.pass = pass;
        }
    }
}
