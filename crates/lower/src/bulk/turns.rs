//! The turns of a bulk form that goes by blocks: any range of them, or one. A turn is a point of its outermost loops.

use super::nest::{AtPoint, Nest};
use super::walk::{self, Loops, Taker};
use crate::builder::blocks::Blocks;
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use analysis::cost::heavy_steps;
use analysis::masked;
use ir::{Atom, Step, Var};
use kernel::{Expr, Mode, Op};
use scalar::{BinOp, Prim};

/// The loops.
pub(crate) struct Turns<'b> {
    nest: Nest<'b>,
    /// How many turns.
    pub count: Expr,
    /// Whether a turn costs much.
    pub heavy: bool,
}

impl<'b> Turns<'b> {
    /// The points of so many loops, beginning with a step.
    pub fn of(cx: &mut Lower<'_>, step: &'b Step, loops: usize) -> Turns<'b> {
        let nest = Nest::of(cx, step, loops);
        let exprs = cx.code.exprs;
        let count = cx.code.name_int("n", exprs.max(nest.count, expr::int(0)));
        Turns { count, heavy: heavy_steps(nest.body()), nest }
    }

    /// What is done in a turn.
    pub fn body(&self) -> &'b [Step] {
        self.nest.body()
    }

    /// How many loops there are.
    pub fn loops(&self) -> usize {
        self.nest.weights().len()
    }

    /// The variables of the loops, and how many turns each has.
    pub fn counts(&self) -> Vec<(Var, Atom)> {
        self.nest.counts()
    }

    /// The variables of the loops, and how many turns one step of each is.
    pub fn weights(&self) -> Vec<(Var, Expr)> {
        self.nest.weights()
    }

    /// The variable of the innermost loop.
    fn var(&self) -> Var {
        self.nest.var()
    }

    /// The turns of a range, one after the other.
    pub fn range(&self, cx: &mut Lower<'_>, take: &mut dyn Taker, from: Expr, to: Expr) -> Low<()> {
        self.nest.range(cx, from, to, &mut |cx, _| walk::steps(cx, self.body(), take, Loops::Inside))
    }

    /// Does something in each turn of a range, with its number.
    pub fn numbered(&self, cx: &mut Lower<'_>, from: Expr, to: Expr, inside: AtPoint<'_>) -> Low<()> {
        self.nest.range(cx, from, to, inside)
    }

    /// The turns of a range that begins with lane 0, so many at a time.
    pub fn in_lanes(&self, cx: &mut Lower<'_>, take: &mut dyn Taker, from: Expr, to: Expr, width: i64) -> Low<()> {
        let exprs = cx.code.exprs;
        if self.heavy {
            return self.nest.range(cx, from, to, &mut |cx, turn| {
                take.lane(exprs.bit_and(turn, expr::int(width - 1)));
                walk::steps(cx, self.body(), take, Loops::Inside)
            });
        }
        let is_row = self.nest.is_row();
        self.nest.rows(cx, from, to, &mut |cx, base, from, to| {
            if is_row {
                return self.groups(cx, take, from, to, width);
            }
            // A row begins in the middle of a group.
            let lane = cx.code.name_int("lane", exprs.bit_and(exprs.add(base, from), expr::int(width - 1)));
            let left = exprs.bit_and(exprs.sub(expr::int(width), lane), expr::int(width - 1));
            let head = cx.code.name_int("head", exprs.min(left, exprs.sub(to, from)));
            self.lanes(cx, take, (from, lane), head)?;
            let from = cx.code.name_int("from", exprs.add(from, head));
            self.groups(cx, take, from, to, width)
        })
    }

    /// Whether the last vectors of lanes need not be full.
    pub fn may_be_masked(&self) -> bool {
        self.nest.is_row() && expr::as_int(self.count).is_none() && masked::may_be(self.var(), self.body())
    }

    /// As [`Turns::in_lanes`] of one loop, but the turns that are left after the last full group are done in vectors of a few
    /// lanes, the last with a mask that leaves lanes out.
    pub fn in_masked_lanes(
        &self,
        cx: &mut Lower<'_>,
        take: &mut dyn Taker,
        (from, to): (Expr, Expr),
        (width, few): (i64, i64),
    ) -> Low<()> {
        let exprs = cx.code.exprs;
        let rest = self.full_groups(cx, take, from, to, width)?;
        let left = cx.code.name_int("left", exprs.sub(to, rest));
        // Numbers of turns that are left are short: comparing them takes one vector for all lanes.
        let short = |number| exprs.op(Op::Convert(Prim::I64, Prim::I32, number));
        let short_left = cx.code.name("left", Prim::I32, short(left));
        let mut vector = |cx: &mut Lower<'_>, lane: Expr| {
            cx.for_loop("k", expr::int(0), expr::int(few), Mode::Rolled, |cx, k| {
                let turn = exprs.add(lane, k);
                take.begin_apart(cx);
                cx.inside = Some(exprs.op(Op::Bin(BinOp::Lt, Prim::I32, short(turn), short_left)));
                self.at(cx, take, exprs.add(rest, turn))?;
                cx.inside = None;
                take.end_apart(cx, k);
                Low::Ok(())
            })?;
            take.join_apart(cx, lane)
        };
        if few == width {
            return vector(cx, expr::int(0));
        }
        cx.count_loop("v", exprs.blocks_of(left, few), |cx, v| {
            let lane = cx.code.name_int("lane", exprs.mul(v, expr::int(few)));
            vector(cx, lane)
        })
    }

    /// The turns of a range of the innermost loop that begins with lane 0.
    fn groups(&self, cx: &mut Lower<'_>, take: &mut dyn Taker, from: Expr, to: Expr, width: i64) -> Low<()> {
        let exprs = cx.code.exprs;
        let rest = self.full_groups(cx, take, from, to, width)?;
        self.lanes(cx, take, (rest, expr::int(0)), exprs.sub(to, rest))
    }

    /// The turns of such a range that fill all lanes. Gives the first one that is left.
    fn full_groups(&self, cx: &mut Lower<'_>, take: &mut dyn Taker, from: Expr, to: Expr, width: i64) -> Low<Expr> {
        let exprs = cx.code.exprs;
        let groups = cx.code.name_int("groups", exprs.div(exprs.sub(to, from), expr::int(width)));
        let rest = cx.code.name_int("rest", exprs.add(from, exprs.mul(groups, expr::int(width))));
        cx.count_loop("g", groups, |cx, g| {
            let base = cx.code.name_int("base", exprs.add(from, exprs.mul(g, expr::int(width))));
            self.lanes(cx, take, (base, expr::int(0)), expr::int(width))
        })?;
        Ok(rest)
    }

    /// One turn of the innermost loop for each of so many lanes: the first turn, and its lane.
    fn lanes(&self, cx: &mut Lower<'_>, take: &mut dyn Taker, (from, lane): (Expr, Expr), count: Expr) -> Low<()> {
        let exprs = cx.code.exprs;
        cx.count_loop("k", count, |cx, k| {
            take.lane(exprs.add(lane, k));
            self.at(cx, take, exprs.add(from, k))
        })
    }

    /// A turn of the innermost loop.
    fn at(&self, cx: &mut Lower<'_>, take: &mut dyn Taker, turn: Expr) -> Low<()> {
        let name = cx.name_of(self.var());
        let i = cx.code.name_int(name, turn);
        cx.bind_index(self.var(), i);
        walk::steps(cx, self.body(), take, Loops::Inside)
    }

    /// One turn.
    pub fn one(&self, cx: &mut Lower<'_>, take: &mut dyn Taker, turn: Expr) -> Low<()> {
        self.nest.one(cx, turn, &mut |cx, _| walk::steps(cx, self.body(), take, Loops::Inside))
    }
}
