//! Accumulators of reductions, and the results of blocks that wait to be combined. `ir::tree` says in which order.

use crate::arrays::copying;
use crate::arrays::slot::{self, Slot};
use crate::builder::blocks::Blocks;
use crate::bulk::form::Elem;
use crate::bulk::lanes::Lanes;
use crate::bulk::{columns, form};
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use crate::data::rep::Rep;
use crate::scope;
use ir::{Atom, Dim, Emit, Kind, Output, Region, Type};
use kernel::{Expr, Var as K};
use scalar::Prim;

/// How high a tree over blocks can be.
const LEVELS: i64 = 62;

/// What the next value is to an accumulator.
#[derive(Clone, Copy, Debug)]
pub(crate) enum First {
    /// Its first value.
    Take,
    /// Combined with it.
    Combine,
    /// The one or the other, as a variable says: it is true while nothing went into the accumulator.
    Flag(K),
}

/// An accumulator.
pub(crate) struct Accumulator<'b> {
    pub elems: Vec<Elem>,
    pub op: &'b Region,
    pub slots: Vec<Slot>,
    pub first: First,
    /// Where values go in turns of a loop that has lanes.
    pub lanes: Option<Lanes>,
}

/// Results of blocks in numbered slots.
pub(crate) struct Results {
    /// For each component.
    pub values: Vec<K>,
    /// Whether a slot has a value: only if blocks may have none.
    pub there: Option<K>,
}

/// The operator and the neutral element of a reduction.
pub(crate) fn reduction(output: &Output) -> (&Region, &[Atom]) {
    match &output.kind {
        Kind::Reduce { op, neutral, .. } => (op, neutral),
        Kind::Gen { .. } | Kind::Update { .. } | Kind::Accum { .. } | Kind::Keep => {
            base::bug!("only reductions combine")
        }
    }
}

/// An accumulator that nothing went into.
pub(crate) fn open<'b>(cx: &mut Lower<'_>, elems: Vec<Elem>, op: &'b Region) -> Accumulator<'b> {
    let declare = |e: &Elem| slot::declare(cx, "acc", &Type::array(e.prim, e.dims.clone()), false);
    let slots: Vec<Slot> = elems.iter().map(declare).collect();
    slot::own(cx, &slots);
    Accumulator { elems, op, slots, first: First::Take, lanes: None }
}

/// The accumulator of a reduction, with its neutral element.
pub(crate) fn start<'b>(cx: &mut Lower<'_>, output: &'b Output) -> Accumulator<'b> {
    let (op, neutral) = reduction(output);
    let elems = form::elems(cx, output);
    let mut acc = open(cx, elems, op);
    acc.fill(cx, neutral);
    acc.first = First::Combine;
    acc
}

impl Accumulator<'_> {
    /// What is in it.
    pub fn reps(&self) -> Vec<Rep> {
        self.slots.iter().map(Slot::rep).collect()
    }

    /// Puts values into it; it is empty.
    pub fn fill(&self, cx: &mut Lower<'_>, atoms: &[Atom]) {
        for (slot, atom) in self.slots.iter().zip(atoms) {
            let (rep, dims) = (cx.homes.atom(*atom), cx.dims_of(*atom));
            slot::fill(cx, slot, rep, dims, false);
        }
    }

    /// Replaces what is in it.
    pub fn set(&self, cx: &mut Lower<'_>, reps: Vec<Rep>) {
        let dims: Vec<&[Dim]> = self.elems.iter().map(|e| e.dims.as_slice()).collect();
        slot::refill(cx, &self.slots, reps, &dims);
    }

    /// Takes the value of a step.
    pub fn put(&self, cx: &mut Lower<'_>, emit: &Emit) -> Low<()> {
        scope::with_block(cx, &emit.value, |cx, reps| self.combine(cx, reps))
    }

    /// Says into which lane the values of the next turn go.
    pub fn lane(&mut self, lane: Expr) {
        if let Some(lanes) = &mut self.lanes {
            lanes.at = Some(lane);
        }
    }

    /// How many lanes it has.
    pub fn width(&self) -> i64 {
        self.lanes.as_ref().map_or(1, Lanes::width)
    }

    /// A block begins. What is in it goes into the first lane if a condition holds.
    pub fn begin_lanes(&self, cx: &mut Lower<'_>, keep: Expr) {
        if let Some(lanes) = &self.lanes {
            lanes.begin(cx, keep, &self.reps());
        }
    }

    /// A block ends: takes what is in its lanes.
    pub fn end_lanes(&mut self, cx: &mut Lower<'_>) -> Low<()> {
        if let Some(lanes) = &mut self.lanes {
            lanes.at = None;
            let all = lanes.end(cx, self.op, &self.elems)?;
            self.set(cx, all);
        }
        Ok(())
    }

    /// Combines it with a value, which comes after what is there.
    pub fn combine(&self, cx: &mut Lower<'_>, reps: Vec<Rep>) -> Low<()> {
        if let Some(lanes) = self.lanes.as_ref().filter(|lanes| lanes.at.is_some()) {
            return lanes.put(cx, self.op, &self.elems, reps);
        }
        let with = |cx: &mut Lower<'_>, reps| {
            scope::with_op(cx, self.op, self.reps(), reps, |cx, results| self.set(cx, results))
        };
        match self.first {
            First::Take => {
                self.set(cx, reps);
                Ok(())
            }
            First::Combine => with(cx, reps),
            First::Flag(empty) => {
                let same = reps.clone();
                cx.branch(
                    Expr::Var(empty),
                    |cx| {
                        cx.code.set(empty, expr::truth(false));
                        self.set(cx, reps);
                        Ok(())
                    },
                    |cx| with(cx, same),
                )
            }
        }
    }

    /// Makes a variable say whether something is in it.
    pub fn watch(&mut self, cx: &mut Lower<'_>, empty: Expr) {
        let flag = cx.code.declare("empty", Prim::Bool);
        cx.code.set(flag, empty);
        self.first = First::Flag(flag);
    }

    /// Whether nothing went into it.
    pub fn is_empty(&self) -> Expr {
        match self.first {
            First::Take => expr::truth(true),
            First::Combine => expr::truth(false),
            First::Flag(empty) => Expr::Var(empty),
        }
    }

    /// Nothing is in it any more.
    pub fn empty(&self, cx: &mut Lower<'_>) {
        if let First::Flag(flag) = self.first {
            cx.code.set(flag, expr::truth(true));
        }
    }

    /// Stores what is in it as the result of a block.
    pub fn save(&self, cx: &mut Lower<'_>, results: &Results, at: Expr) {
        let exprs = cx.code.exprs;
        match (results.there, self.first) {
            (Some(there), First::Flag(empty)) => {
                let full = exprs.not(Expr::Var(empty));
                cx.code.store(there, at, exprs.select(full, expr::byte(1), expr::byte(0)));
                cx.when(full, |cx| columns::write_all(cx, &results.values, &self.elems, at, &self.reps()));
            }
            (_, _) => columns::write_all(cx, &results.values, &self.elems, at, &self.reps()),
        }
    }

    /// Puts the result of an earlier block before what is in it.
    pub fn meet(&self, cx: &mut Lower<'_>, results: &Results, at: Expr) -> Low<()> {
        let exprs = cx.code.exprs;
        let meet = |cx: &mut Lower<'_>| {
            let before = columns::read_all(cx, &results.values, &self.elems, at);
            scope::with_op(cx, self.op, before, self.reps(), |cx, results| self.set(cx, results))
        };
        match (results.there, self.first) {
            (Some(there), First::Flag(empty)) => cx.when(exprs.not_zero(exprs.load(there, at)), |cx| {
                cx.branch(Expr::Var(empty), |cx| self.load(cx, results, at), meet)
            }),
            (_, _) => meet(cx),
        }
    }

    /// Puts the result of a block, if there is one, behind what is in it.
    pub fn append(&self, cx: &mut Lower<'_>, results: &Results, at: Expr) -> Low<()> {
        let exprs = cx.code.exprs;
        let is_there = results.there.map_or(expr::truth(true), |there| exprs.not_zero(exprs.load(there, at)));
        cx.when(is_there, |cx| {
            let reps = columns::read_all(cx, &results.values, &self.elems, at);
            self.combine(cx, reps)
        })
    }

    /// Takes a result, which is there.
    pub fn load(&self, cx: &mut Lower<'_>, results: &Results, at: Expr) -> Low<()> {
        if let First::Flag(empty) = self.first {
            cx.code.set(empty, expr::truth(false));
        }
        // Results that grow must not be shared.
        let reps = columns::read_all(cx, &results.values, &self.elems, at);
        let reps =
            reps.into_iter().zip(&self.elems).map(|(rep, elem)| copying::owned_copy(cx, rep, &elem.dims)).collect();
        self.set(cx, reps);
        Ok(())
    }

    /// Combines the results of blocks pairwise, as a tree, into slot 0.
    pub fn combine_tree(&self, cx: &mut Lower<'_>, results: &Results, blocks: Expr) -> Low<()> {
        let exprs = cx.code.exprs;
        cx.when(exprs.lt(expr::int(1), blocks), |cx| {
            cx.short_loop("level", expr::int(LEVELS), |cx, level| {
                let width = cx.code.name_int("width", exprs.shl(expr::int(1), level));
                let level = cx.code.name_int("level", exprs.add(level, expr::int(1)));
                let reach = exprs.add(blocks, exprs.sub(width, expr::int(1)));
                let pairs = cx.code.name_int("pairs", exprs.shr(reach, level));
                cx.short_loop("p", pairs, |cx, p| {
                    let left = cx.code.name_int("left", exprs.shl(p, level));
                    let right = cx.code.name_int("right", exprs.add(left, width));
                    self.combine_pair(cx, results, left, right)
                })
            })
        })
    }

    fn combine_pair(&self, cx: &mut Lower<'_>, results: &Results, left: Expr, right: Expr) -> Low<()> {
        let exprs = cx.code.exprs;
        let (values, elems) = (&results.values, &self.elems);
        let both = |cx: &mut Lower<'_>| {
            let lefts = columns::read_all(cx, values, elems, left);
            let rights = columns::read_all(cx, values, elems, right);
            scope::with_op(cx, self.op, lefts, rights, |cx, made| columns::write_all(cx, values, elems, left, &made))
        };
        let Some(there) = results.there else { return both(cx) };
        let is_there = |at| exprs.not_zero(exprs.load(there, at));
        cx.when(is_there(right), |cx| {
            cx.branch(is_there(left), both, |cx| {
                cx.code.store(there, left, expr::byte(1));
                let rights = columns::read_all(cx, values, elems, right);
                columns::write_all(cx, values, elems, left, &rights);
                Low::Ok(())
            })
        })
    }
}

/// Memory for the results of so many blocks.
pub(crate) fn results(cx: &mut Lower<'_>, elems: &[Elem], blocks: Expr, may_lack: bool) -> Results {
    let exprs = cx.code.exprs;
    let new = |elem: &Elem| {
        let room = exprs.capacity(blocks, elem.row);
        cx.code.table("results", elem.prim, room)
    };
    let values = elems.iter().map(new).collect();
    let there = may_lack.then(|| cx.code.table("there", Prim::U8, exprs.capacity(blocks, expr::int(1))));
    Results { values, there }
}

/// Memory for results that grows.
pub(crate) fn growing(cx: &mut Lower<'_>, elems: &[Elem], may_lack: bool) -> Results {
    let values = elems.iter().map(|elem| cx.code.growing("waiting", elem.prim)).collect();
    let there = may_lack.then(|| cx.code.growing("there", Prim::U8));
    Results { values, there }
}

impl Results {
    /// Makes space for one more after `used` ones.
    pub fn grow(&self, cx: &mut Lower<'_>, elems: &[Elem], used: Expr) {
        let exprs = cx.code.exprs;
        columns::grow_all(cx, &self.values, elems, used);
        if let Some(there) = self.there {
            cx.code.grow(there, used, exprs.add(used, expr::int(1)));
        }
    }
}
