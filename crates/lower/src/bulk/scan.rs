//! Running combinations. In general they are computed in order ([`Running`]). A loop that only stores them in an array can
//! run by blocks ([`BlockScan`]): each block by itself, from its first value; then the combination of all blocks before a
//! block is put before each of its elements.

use crate::arrays::dims;
use crate::builder::blocks::Blocks;
use crate::bulk::accumulate::{self, Accumulator, Results};
use crate::bulk::form::{Bound, Elem};
use crate::bulk::plan::{Plan, Wave};
use crate::bulk::{columns, form};
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use crate::data::rep::{Array, Rep};
use crate::scope;
use ir::{Atom, Scan, Var};
use kernel::{Expr, Mode, Var as K};

/// A running combination in a walk in order.
pub(crate) struct Running<'b> {
    scan: &'b Scan,
    /// The values of the current block.
    within: Accumulator<'b>,
    /// If there are blocks: all earlier ones, and both together.
    blocks: Option<Earlier<'b>>,
}

struct Earlier<'b> {
    /// Turns of a block.
    block: i64,
    before: Accumulator<'b>,
    all: Accumulator<'b>,
}

/// No values so far.
pub(crate) fn open<'b>(cx: &mut Lower<'_>, scan: &'b Scan) -> Running<'b> {
    let elems = form::elems_of(cx, &scan.vars, &[]);
    let empty = |cx: &mut Lower<'_>| {
        let mut acc = accumulate::open(cx, elems.clone(), &scan.op);
        acc.watch(cx, expr::truth(true));
        acc
    };
    let within = empty(cx);
    let blocks = scan.tree.chunks().map(|chunks| Earlier {
        block: chunks.block.into(),
        before: empty(cx),
        all: accumulate::open(cx, elems.clone(), &scan.op),
    });
    Running { scan, within, blocks }
}

/// A block of a loop begins: what all blocks before it gave is known.
pub(crate) fn open_block<'b>(cx: &mut Lower<'_>, scan: &'b Scan, before: &Results, b: Expr) -> Low<Running<'b>> {
    let elems = form::elems_of(cx, &scan.vars, &[]);
    let empty = |cx: &mut Lower<'_>| {
        let mut acc = accumulate::open(cx, elems.clone(), &scan.op);
        acc.watch(cx, expr::truth(true));
        acc
    };
    let (within, earlier) = (empty(cx), empty(cx));
    earlier.append(cx, before, b)?;
    let all = accumulate::open(cx, elems.clone(), &scan.op);
    Ok(Running { scan, within, blocks: Some(Earlier { block: 1, before: earlier, all }) })
}

impl Running<'_> {
    /// Whether it is this one.
    pub fn is(&self, scan: &Scan) -> bool {
        std::ptr::eq(self.scan, scan)
    }

    /// Turn `turn` of the outermost loop begins.
    pub fn turn(&self, cx: &mut Lower<'_>, turn: Expr) -> Low<()> {
        let Some(Earlier { block, before, .. }) = &self.blocks else { return Ok(()) };
        let exprs = cx.code.exprs;
        let first = exprs.eq(exprs.bit_and(turn, expr::int(block - 1)), expr::int(0));
        let any = exprs.not(self.within.is_empty());
        cx.when(exprs.and(exprs.and(exprs.lt(expr::int(0), turn), first), any), |cx| {
            before.combine(cx, self.within.reps())?;
            self.within.empty(cx);
            Low::Ok(())
        })
    }

    /// Adds the values of the current block to others, if there are any.
    pub fn add_to(&self, cx: &mut Lower<'_>, others: &Accumulator<'_>) -> Low<()> {
        let any = cx.code.exprs.not(self.within.is_empty());
        cx.when(any, |cx| others.combine(cx, self.within.reps()))
    }

    /// Takes the value of a turn and binds the combination of all so far.
    pub fn put(&self, cx: &mut Lower<'_>) -> Low<()> {
        scope::with_block(cx, &self.scan.value, |cx, reps| self.within.combine(cx, reps))?;
        let shown = match &self.blocks {
            None => &self.within,
            Some(Earlier { before, all, .. }) => {
                let within = self.within.reps();
                cx.branch(
                    before.is_empty(),
                    |cx| {
                        all.set(cx, within.clone());
                        Low::Ok(())
                    },
                    |cx| scope::with_op(cx, all.op, before.reps(), self.within.reps(), |cx, made| all.set(cx, made)),
                )?;
                all
            }
        };
        self.scan.vars.iter().zip(shown.reps()).for_each(|(var, rep)| cx.homes.bind(*var, rep));
        Ok(())
    }
}

/// A running combination of which a loop by blocks stores every value.
pub(crate) struct BlockScan<'b> {
    pub scan: &'b Scan,
    pub acc: Accumulator<'b>,
    /// The arrays of results.
    pub out: Vec<K>,
    /// What the number of the current value is made of: variables of loops and their factors.
    pub turn: Vec<(Var, Expr)>,
}

/// Memory for the results of all turns.
pub(crate) fn results(cx: &mut Lower<'_>, elems: &[Elem], bound: &Bound, count: Expr) -> Vec<K> {
    let exprs = cx.code.exprs;
    let new = |(elem, var): (&Elem, &Var)| {
        // Results can go into a place that is given only if it begins at 0.
        match cx.homes.hints.get(var).filter(|place| place.offset == expr::int(0)).map(|place| place.buffer) {
            Some(buffer) => {
                cx.homes.hints.remove(var);
                buffer
            }
            None => cx.code.alloc("results", elem.prim, exprs.capacity(count, elem.row)),
        }
    };
    elems.iter().zip(&bound.elems).map(new).collect()
}

impl BlockScan<'_> {
    /// Takes the value of a turn and stores the combination of those of its block so far.
    pub fn put(&self, cx: &mut Lower<'_>) -> Low<()> {
        let reps = scope::open_block(cx, &self.scan.value)?;
        self.acc.combine(cx, reps)?;
        let index = self.number(cx);
        columns::write_all(cx, &self.out, &self.acc.elems, index, &self.acc.reps());
        cx.code.close_inline();
        Ok(())
    }

    /// The number of the current turn.
    fn number(&self, cx: &Lower<'_>) -> Expr {
        let exprs = cx.code.exprs;
        let parts = self.turn.iter().map(|(var, factor)| exprs.mul(cx.homes.scalar(Atom::Var(*var)), *factor));
        parts.fold(expr::int(0), |sum, part| exprs.add(sum, part))
    }

    /// Puts the combination of all earlier blocks before the elements of each block of a wave: that is the last element
    /// before the block.
    pub fn end_wave(&self, cx: &mut Lower<'_>, plan: &Plan<'_>, wave: Wave) -> Low<()> {
        let exprs = cx.code.exprs;
        let end = |low: Expr| exprs.min(exprs.add(low, expr::int(plan.block)), plan.turns.count);
        let last = |low: Expr| exprs.sub(end(low), expr::int(1));
        if plan.mode == Mode::Parallel {
            // The last elements first, one after the other; then all others at once.
            later_blocks(cx, plan, wave, Mode::Short, |cx, low| self.join(cx, low, last(low), end(low)))?;
            later_blocks(cx, plan, wave, Mode::Parallel, |cx, low| self.join(cx, low, low, last(low)))
        } else {
            later_blocks(cx, plan, wave, Mode::Sequential, |cx, low| self.join(cx, low, low, end(low)))
        }
    }

    /// Binds the results.
    pub fn close(&self, cx: &mut Lower<'_>, bound: &Bound) {
        for (var, buffer) in bound.elems.iter().zip(&self.out) {
            let dims = cx.src.ty(*var).dims();
            let array = dims::packed(cx, *buffer, expr::int(0), dims);
            cx.homes.bind(*var, Rep::Array(Array { whole: true, ..array }));
        }
    }

    /// Puts the last element before block `low` before those from `from` to `to`.
    fn join(&self, cx: &mut Lower<'_>, low: Expr, from: Expr, to: Expr) -> Low<()> {
        let exprs = cx.code.exprs;
        let (elems, out) = (&self.acc.elems, &self.out);
        let before = columns::read_all(cx, out, elems, exprs.sub(low, expr::int(1)));
        cx.for_loop("i", from, to, Mode::Sequential, |cx, i| {
            let own = columns::read_all(cx, out, elems, i);
            scope::with_op(cx, self.acc.op, before, own, |cx, made| columns::write_all(cx, out, elems, i, &made))
        })
    }
}

/// For the start of each block of a wave but the very first.
fn later_blocks(
    cx: &mut Lower<'_>,
    plan: &Plan<'_>,
    wave: Wave,
    mode: Mode,
    turn: impl FnOnce(&mut Lower<'_>, Expr) -> Low<()>,
) -> Low<()> {
    let exprs = cx.code.exprs;
    cx.for_loop("b", exprs.max(wave.first, expr::int(1)), wave.end, mode, |cx, b| {
        let low = cx.code.name_int("low", exprs.mul(b, expr::int(plan.block)));
        turn(cx, low)
    })
}
