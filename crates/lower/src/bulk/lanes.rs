//! The accumulators of a block whose values go into several lanes in turn: see `ir::tree`. Empty ones hold what changes
//! nothing, so no code asks whether something went into them.

use crate::builder::blocks::Blocks;
use crate::bulk::columns;
use crate::bulk::form::Elem;
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use crate::data::rep::Rep;
use crate::scope;
use ir::{Chunks, Region, tree};
use kernel::{Expr, Mode, Var as K};
use scalar::Scalar;

/// How many lanes are done at a time where some may be left out: those of one vector, because rows are often shorter than all
/// lanes. With short elements these are all lanes. Then there is no loop over vectors, whose number of turns differs from row
/// to row, so that processors guess it wrong.
pub(crate) fn masked_lanes(elems: &[Elem], width: i64) -> i64 {
    let are_short = elems.iter().all(|elem| elem.prim.bytes() <= 4);
    width.min(if are_short { 16 } else { 8 })
}

/// The lanes of an accumulator.
pub(crate) struct Lanes {
    /// For each component.
    buffers: Vec<K>,
    identities: Vec<Scalar>,
    width: i64,
    /// The lane of the current turn; none outside of turns.
    pub at: Option<Expr>,
    /// Where the values of turns that may be left out are before they are combined.
    apart: Option<Apart>,
}

/// Values of turns that may be left out.
struct Apart {
    /// How many turns.
    count: i64,
    /// For each component, memory for the values of these turns. C compilers make masked vectors of a loop that stores values, but
    /// not of one that also combines them.
    buffers: Vec<K>,
    /// Variables for the value of the current turn; none outside of turns.
    values: Vec<K>,
}

/// Memory for lanes, if there are several.
pub(crate) fn open(cx: &mut Lower<'_>, op: &Region, elems: &[Elem], chunks: Chunks) -> Option<Lanes> {
    let width = chunks.width() as i64;
    if width == 1 {
        return None;
    }
    let Some(identities) = tree::identities(op) else { base::bug!("lanes of an operator that is not known") };
    let buffers = elems.iter().map(|elem| cx.code.alloc("lanes", elem.prim, expr::int(width))).collect();
    Some(Lanes { buffers, identities, width, at: None, apart: None })
}

impl Lanes {
    /// How many there are.
    pub fn width(&self) -> i64 {
        self.width
    }

    /// Empties all lanes; if a condition holds, these values go into the first. One loop does both: C compilers make vectors
    /// of the lanes only where nothing else stores to one of them.
    pub fn begin(&self, cx: &mut Lower<'_>, keep: Expr, values: &[Rep]) {
        let exprs = cx.code.exprs;
        cx.for_loop("k", expr::int(0), expr::int(self.width), Mode::Rolled, |cx, k| {
            let is_kept = exprs.and(exprs.eq(k, expr::int(0)), keep);
            for ((buffer, identity), value) in self.buffers.iter().zip(&self.identities).zip(values) {
                let Rep::Scalar(value) = value else { base::bug!("only numbers go into lanes") };
                cx.code.store(*buffer, k, exprs.select(is_kept, *value, Expr::Const(*identity)));
            }
        });
    }

    /// Memory for values of so many turns that may be left out.
    pub fn open_apart(&mut self, cx: &mut Lower<'_>, elems: &[Elem], count: i64) {
        let new = |elem: &Elem| cx.code.alloc("apart", elem.prim, expr::int(count));
        self.apart = Some(Apart { count, buffers: elems.iter().map(new).collect(), values: Vec::new() });
    }

    /// A turn begins that may be left out: then its value is one that changes nothing.
    pub fn begin_apart(&mut self, cx: &mut Lower<'_>, elems: &[Elem]) {
        let declare = |(elem, identity): (&Elem, &Scalar)| {
            let var = cx.code.declare("value", elem.prim);
            cx.code.set(var, Expr::Const(*identity));
            var
        };
        if let Some(apart) = &mut self.apart {
            apart.values = elems.iter().zip(&self.identities).map(declare).collect();
        }
    }

    /// Such a turn ends, one of a few beginning with 0.
    pub fn end_apart(&mut self, cx: &mut Lower<'_>, turn: Expr) {
        let Some(apart) = &mut self.apart else { base::bug!("no turn is left out") };
        let values = std::mem::take(&mut apart.values);
        apart.buffers.iter().zip(values).for_each(|(buffer, var)| cx.code.store(*buffer, turn, Expr::Var(var)));
    }

    /// Combines the values of the turns with their lanes, which begin with this one.
    pub fn join_apart(&mut self, cx: &mut Lower<'_>, op: &Region, elems: &[Elem], first: Expr) -> Low<()> {
        let Some(apart) = &self.apart else { return Ok(()) };
        let exprs = cx.code.exprs;
        cx.for_loop("k", expr::int(0), expr::int(apart.count), Mode::Rolled, |cx, k| {
            let lane = exprs.add(first, k);
            let before = columns::read_all(cx, &self.buffers, elems, lane);
            let values = columns::read_all(cx, &apart.buffers, elems, k);
            scope::with_op(cx, op, before, values, |cx, made| columns::write_all(cx, &self.buffers, elems, lane, &made))
        })
    }

    /// Takes the value of the current turn.
    pub fn put(&self, cx: &mut Lower<'_>, op: &Region, elems: &[Elem], reps: Vec<Rep>) -> Low<()> {
        if let Some(apart) = self.apart.as_ref().filter(|apart| !apart.values.is_empty()) {
            for (var, rep) in apart.values.iter().zip(&reps) {
                let Rep::Scalar(value) = rep else { base::bug!("only numbers go into lanes") };
                let inside = cx.inside.unwrap_or(expr::truth(true));
                let value = cx.code.exprs.select(inside, *value, Expr::Var(*var));
                cx.code.set(*var, value);
            }
            return Ok(());
        }
        let Some(at) = self.at else { base::bug!("a value outside of all turns goes into a lane") };
        let before = columns::read_all(cx, &self.buffers, elems, at);
        scope::with_op(cx, op, before, reps, |cx, made| columns::write_all(cx, &self.buffers, elems, at, &made))
    }

    /// Combines the upper half of the lanes with the lower half until one is left; gives what is in it. C compilers make one
    /// vector of a half while it is a loop; of copies of its body they make single numbers.
    pub fn end(&self, cx: &mut Lower<'_>, op: &Region, elems: &[Elem]) -> Low<Vec<Rep>> {
        let exprs = cx.code.exprs;
        let mut half = self.width / 2;
        while half > 0 {
            cx.for_loop("k", expr::int(0), expr::int(half), Mode::Rolled, |cx, k| {
                let left = columns::read_all(cx, &self.buffers, elems, k);
                let right = columns::read_all(cx, &self.buffers, elems, exprs.add(k, expr::int(half)));
                scope::with_op(cx, op, left, right, |cx, made| columns::write_all(cx, &self.buffers, elems, k, &made))
            })?;
            half /= 2;
        }
        Ok(columns::read_all(cx, &self.buffers, elems, expr::int(0)))
    }
}
