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
use kernel::{Expr, Var as K};
use scalar::Scalar;

/// The lanes of an accumulator.
pub(crate) struct Lanes {
    /// For each component.
    buffers: Vec<K>,
    identities: Vec<Scalar>,
    width: i64,
    /// The lane of the current turn; none outside of turns.
    pub at: Option<Expr>,
}

/// Memory for lanes, if there are several.
pub(crate) fn open(cx: &mut Lower<'_>, op: &Region, elems: &[Elem], chunks: Chunks) -> Option<Lanes> {
    let width = chunks.width() as i64;
    if width == 1 {
        return None;
    }
    let Some(identities) = tree::identities(op) else { base::bug!("lanes of an operator that is not known") };
    let buffers = elems.iter().map(|elem| cx.code.alloc("lanes", elem.prim, expr::int(width))).collect();
    Some(Lanes { buffers, identities, width, at: None })
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
        cx.count_loop("k", expr::int(self.width), |cx, k| {
            let is_kept = exprs.and(exprs.eq(k, expr::int(0)), keep);
            for ((buffer, identity), value) in self.buffers.iter().zip(&self.identities).zip(values) {
                let Rep::Scalar(value) = value else { base::bug!("only numbers go into lanes") };
                cx.code.store(*buffer, k, exprs.select(is_kept, *value, Expr::Const(*identity)));
            }
        });
    }

    /// Combines the current lane with a value.
    pub fn put(&self, cx: &mut Lower<'_>, op: &Region, elems: &[Elem], reps: Vec<Rep>) -> Low<()> {
        let Some(at) = self.at else { base::bug!("a value outside of all turns goes into a lane") };
        let before = columns::read_all(cx, &self.buffers, elems, at);
        scope::with_op(cx, op, before, reps, |cx, made| columns::write_all(cx, &self.buffers, elems, at, &made))
    }

    /// Combines the upper half of the lanes with the lower half until one is left; gives what is in it.
    pub fn end(&self, cx: &mut Lower<'_>, op: &Region, elems: &[Elem]) -> Low<Vec<Rep>> {
        let exprs = cx.code.exprs;
        let mut half = self.width / 2;
        while half > 0 {
            cx.count_loop("k", expr::int(half), |cx, k| {
                let left = columns::read_all(cx, &self.buffers, elems, k);
                let right = columns::read_all(cx, &self.buffers, elems, exprs.add(k, expr::int(half)));
                scope::with_op(cx, op, left, right, |cx, made| columns::write_all(cx, &self.buffers, elems, k, &made))
            })?;
            half /= 2;
        }
        Ok(columns::read_all(cx, &self.buffers, elems, expr::int(0)))
    }
}
