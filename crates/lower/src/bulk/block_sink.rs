//! The outputs of a loop that goes by blocks: what each does at the begin of a block, with a value, at the end of a
//! block, and when all blocks are done.

use super::accumulate::{self, First};
use super::array::{self, ArraySink, Pass};
use super::columns;
use super::filter::{self, BlockKeep};
use super::form::{self, Bound, Elem};
use super::scan::{self, BlockScan};
use super::turns::Turns;
use crate::arrays::slot::Slot;
use crate::builder::blocks::Blocks;
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use crate::data::rep::Rep;
use crate::scope;
use ir::{Atom, Emit, Kind, Output, Region};
use kernel::{Expr, Mode, Var as K};
use scalar::Prim;

/// The loop, for all its blocks.
pub(crate) struct Plan<'b> {
    /// The loop.
    pub turns: Turns<'b>,
    /// Turns of a block.
    pub block: i64,
    /// How many blocks, at least one.
    pub blocks: Expr,
    /// How blocks are run.
    pub mode: Mode,
}

/// What is done with the values of an output.
pub(crate) enum BlockSink<'b> {
    /// Combines the values of a block.
    Reduce(BlockReduce<'b>),
    /// Combines the values of a block and stores every intermediate result.
    Scan(BlockScan<'b>),
    /// Keeps some values of a block.
    Keep(BlockKeep),
    /// Writes to the place that the subscripts name.
    Array(ArraySink),
}

/// A reduction of the values of one block.
pub(crate) struct BlockReduce<'b> {
    pub elems: Vec<Elem>,
    pub op: &'b Region,
    pub neutral: &'b [Atom],
    pub accs: Vec<Slot>,
    pub first: First,
    /// The results of blocks, for each component.
    pub partial: Vec<K>,
}

impl<'b> BlockSink<'b> {
    /// Memory for all blocks.
    pub fn open(cx: &mut Lower<'_>, output: &'b Output, bound: &Bound, plan: &Plan<'_>) -> Self {
        let exprs = cx.code.exprs;
        if let Kind::Gen { .. } = &output.kind {
            return BlockSink::Array(array::open(cx, output, bound));
        }
        let elems = form::elems(cx, output);
        let (accs, first) = (Vec::new(), First::Combine);
        match &output.kind {
            Kind::Reduce { op, neutral, .. } => {
                let partial = results(cx, &elems, plan.blocks);
                BlockSink::Reduce(BlockReduce { elems, op, neutral, accs, first, partial })
            }
            Kind::Scan { op, .. } => {
                let out = scan::results(cx, &elems, bound, plan.turns.count);
                BlockSink::Scan(BlockScan { elems, op, out, accs, first, turn: plan.turns.var })
            }
            Kind::Keep => {
                let buffers = results(cx, &elems, plan.turns.count);
                let counts = cx.code.alloc("counts", Prim::I64, exprs.room_and(plan.blocks, 1));
                BlockSink::Keep(BlockKeep { elems, buffers, counts, kept: None, low: expr::int(0) })
            }
            Kind::Gen { .. } | Kind::Update { .. } | Kind::Accum { .. } => {
                base::bug!("only reductions, scans and filters go by blocks")
            }
        }
    }

    /// Block number `b` begins with turn number `low`. With `flags`, a variable says which value is the block's first.
    pub fn begin(&mut self, cx: &mut Lower<'_>, b: Expr, low: Expr, flags: bool) {
        let exprs = cx.code.exprs;
        match self {
            BlockSink::Reduce(sink) => {
                sink.accs = accumulate::accumulators(cx, &sink.elems);
                let (accs, neutral) = (&sink.accs, sink.neutral);
                cx.when(exprs.eq(b, expr::int(0)), |cx| accumulate::fill_accs(cx, accs, neutral));
                if flags {
                    sink.first = accumulate::flag(cx, exprs.ne(b, expr::int(0)));
                }
            }
            BlockSink::Scan(sink) => {
                sink.accs = accumulate::accumulators(cx, &sink.elems);
                if flags {
                    sink.first = accumulate::flag(cx, expr::truth(true));
                }
            }
            BlockSink::Keep(sink) => {
                sink.kept = Some(cx.code.variable("kept", expr::int(0)));
                sink.low = low;
            }
            BlockSink::Array(_) => {}
        }
    }

    /// Says what the next value of the block is.
    pub fn set_first(&mut self, first: First) {
        match self {
            BlockSink::Reduce(sink) => sink.first = first,
            BlockSink::Scan(sink) => sink.first = first,
            BlockSink::Keep(_) | BlockSink::Array(_) => {}
        }
    }

    /// Takes a value.
    pub fn put(&self, cx: &mut Lower<'_>, emit: &Emit) -> Low<()> {
        match self {
            BlockSink::Reduce(sink) => sink.put(cx, emit),
            BlockSink::Scan(sink) => scan::put(cx, sink, emit),
            BlockSink::Keep(sink) => filter::put(cx, sink, emit),
            BlockSink::Array(sink) => array::put(cx, sink, emit, Pass::Both),
        }
    }

    /// Stores what a block leaves.
    pub fn end(&self, cx: &mut Lower<'_>, b: Expr) {
        match self {
            BlockSink::Reduce(sink) => {
                let accs: Vec<Rep> = sink.accs.iter().map(Slot::rep).collect();
                columns::write_all(cx, &sink.partial, &sink.elems, b, &accs);
            }
            BlockSink::Keep(BlockKeep { counts, kept: Some(kept), .. }) => {
                cx.code.store(*counts, b, Expr::Var(*kept));
            }
            BlockSink::Keep(_) | BlockSink::Scan(_) | BlockSink::Array(_) => {}
        }
    }

    /// Puts the blocks together and binds the results; arrays come later, with [`BlockSink::close_array`].
    pub fn close(&self, cx: &mut Lower<'_>, bound: &Bound, plan: &Plan<'_>) -> Low<()> {
        match self {
            BlockSink::Reduce(sink) => {
                accumulate::combine_tree(cx, sink.op, &sink.partial, &sink.elems, plan.blocks)?;
                let total = columns::read_all(cx, &sink.partial, &sink.elems, expr::int(0));
                bound.elems.iter().zip(total).for_each(|(var, rep)| cx.homes.bind(*var, rep));
            }
            BlockSink::Scan(sink) => scan::close(cx, sink, bound, plan.blocks, plan.turns.count, plan.mode)?,
            BlockSink::Keep(sink) => filter::close(cx, sink, bound, plan.blocks, plan.block, plan.mode),
            BlockSink::Array(_) => {}
        }
        Ok(())
    }

    /// Finishes an array and binds it.
    pub fn close_array(self, cx: &mut Lower<'_>, output: &Output, bound: &Bound) -> Low<()> {
        match self {
            BlockSink::Array(sink) => array::close(cx, sink, output, bound),
            BlockSink::Reduce(_) | BlockSink::Scan(_) | BlockSink::Keep(_) => Ok(()),
        }
    }
}

impl BlockReduce<'_> {
    /// Takes a value.
    pub fn put(&self, cx: &mut Lower<'_>, emit: &Emit) -> Low<()> {
        scope::with_block(cx, &emit.value, |cx, reps| {
            accumulate::accumulate(cx, self.first, self.op, &self.accs, &self.elems, reps)
        })
    }
}

fn results(cx: &mut Lower<'_>, elems: &[Elem], count: Expr) -> Vec<K> {
    let exprs = cx.code.exprs;
    let new = |elem: &Elem| cx.code.alloc("results", elem.prim, exprs.capacity(count, elem.row));
    elems.iter().map(new).collect()
}
