//! Running combinations that a filter keeps, by blocks. A block stores the combinations of its own values. When a wave of
//! blocks is done, it is known what all blocks before each of them give, and that is put before its values where they are
//! moved.

use crate::arrays::copying;
use crate::builder::blocks::Blocks;
use crate::bulk::accumulate::{self, Accumulator, Results};
use crate::bulk::form::{self, Elem};
use crate::bulk::{columns, plan::Plan};
use crate::context::Lower;
use crate::data::{Low, expr};
use crate::scope;
use ir::{Atom, Block, Scan};
use kernel::{Expr, Var as K};

/// A running combination whose values a filter keeps.
pub(crate) struct KeptScan<'b> {
    pub scan: &'b Scan,
    /// Which components of the kept values it gives.
    pub columns: Vec<usize>,
    /// The values of the current block.
    within: Option<Accumulator<'b>>,
    /// The values of all blocks so far.
    before: Accumulator<'b>,
    /// For each block of a wave, what all blocks before it give.
    befores: Results,
}

/// A combination that is among the components of a kept value.
pub(crate) fn open<'b>(cx: &mut Lower<'_>, scan: &'b Scan, value: &Block, plan: &Plan<'_>) -> KeptScan<'b> {
    let column = |var: &ir::Var| value.result.iter().position(|atom| *atom == Atom::Var(*var));
    let columns = scan.vars.iter().filter_map(column).collect();
    let elems = form::elems_of(cx, &scan.vars, &[]);
    let befores = accumulate::results(cx, &elems, plan.wave, true);
    KeptScan { scan, columns, within: None, before: empty(cx, scan, &elems), befores }
}

fn empty<'b>(cx: &mut Lower<'_>, scan: &'b Scan, elems: &[Elem]) -> Accumulator<'b> {
    let mut acc = accumulate::open(cx, elems.to_vec(), &scan.op);
    acc.watch(cx, expr::truth(true));
    acc
}

impl KeptScan<'_> {
    /// A block begins.
    pub fn begin(&mut self, cx: &mut Lower<'_>) {
        self.within = Some(empty(cx, self.scan, &self.before.elems));
    }

    /// Takes the value of a turn and binds the combination of those of its block so far.
    pub fn put(&self, cx: &mut Lower<'_>) -> Low<()> {
        let Some(within) = &self.within else { base::bug!("a running combination outside of its blocks") };
        scope::with_block(cx, &self.scan.value, |cx, reps| within.combine(cx, reps))?;
        self.scan.vars.iter().zip(within.reps()).for_each(|(var, rep)| cx.homes.bind(*var, rep));
        Ok(())
    }

    /// Block number `k` of a wave, whose last value is at `last` if it has some, follows all that came before.
    pub fn add_up(&self, cx: &mut Lower<'_>, buffers: &[K], k: Expr, has_some: Expr, last: Expr) -> Low<()> {
        self.before.save(cx, &self.befores, k);
        let buffers = self.of(buffers);
        cx.when(has_some, |cx| {
            let total = columns::read_all(cx, &buffers, &self.before.elems, last);
            // The next wave writes to the same memory.
            let own = total.into_iter().zip(&self.before.elems);
            let own = own.map(|(rep, elem)| copying::owned_copy(cx, rep, &elem.dims)).collect();
            self.before.combine(cx, own)
        })
    }

    /// Moves so many values of block number `k` of a wave, behind what all blocks before it give.
    pub fn join(&self, cx: &mut Lower<'_>, k: Expr, from: (&[K], Expr), to: (&[K], Expr), count: Expr) -> Low<()> {
        let exprs = cx.code.exprs;
        let ((from, low), (to, start)) = ((self.of(from.0), from.1), (self.of(to.0), to.1));
        let elems = &self.before.elems;
        let Some(there) = self.befores.there else { base::bug!("blocks may have no values") };
        cx.branch(
            exprs.not_zero(exprs.load(there, k)),
            |cx| {
                let before = columns::read_all(cx, &self.befores.values, elems, k);
                cx.count_loop("i", count, |cx, i| {
                    let own = columns::read_all(cx, &from, elems, exprs.add(low, i));
                    let place = exprs.add(start, i);
                    scope::with_op(cx, self.before.op, before, own, |cx, made| {
                        columns::write_all(cx, &to, elems, place, &made);
                    })
                })
            },
            |cx| {
                columns::copy_all(cx, elems, (&from, low), (&to, start), count);
                Low::Ok(())
            },
        )
    }

    /// Its own components.
    fn of(&self, all: &[K]) -> Vec<K> {
        self.columns.iter().map(|column| all[*column]).collect()
    }
}
