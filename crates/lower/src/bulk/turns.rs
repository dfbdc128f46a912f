//! The single loop of a bulk form that goes by blocks: any range of its turns, or one turn.

use super::walk::{self, Loops, Taker};
use crate::builder::blocks::Blocks;
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use crate::data::rep::Rep;
use ir::{Step, Var};
use kernel::{Expr, Mode};

/// The loop.
pub(crate) struct Turns<'b> {
    /// The loop's variable.
    pub var: Var,
    /// Its body.
    pub body: &'b [Step],
    /// How many turns.
    pub count: Expr,
    /// Whether a turn costs much.
    pub heavy: bool,
}

impl Turns<'_> {
    /// The turns of a range, one after the other.
    pub fn range(&self, cx: &mut Lower<'_>, take: &mut dyn Taker, from: Expr, to: Expr) -> Low<()> {
        let name = cx.name_of(self.var);
        cx.for_loop(name, from, to, Mode::Sequential, |cx, i| self.one(cx, take, i))
    }

    /// The turns of a range that begins with lane 0, so many at a time.
    pub fn in_lanes(&self, cx: &mut Lower<'_>, take: &mut dyn Taker, from: Expr, to: Expr, width: i64) -> Low<()> {
        let exprs = cx.code.exprs;
        if self.heavy {
            let name = cx.name_of(self.var);
            return cx.for_loop(name, from, to, Mode::Sequential, |cx, i| {
                take.lane(exprs.bit_and(i, expr::int(width - 1)));
                self.one(cx, take, i)
            });
        }
        let groups = cx.code.name_int("groups", exprs.div(exprs.sub(to, from), expr::int(width)));
        let rest = cx.code.name_int("rest", exprs.add(from, exprs.mul(groups, expr::int(width))));
        cx.count_loop("g", groups, |cx, g| {
            let base = cx.code.name_int("base", exprs.add(from, exprs.mul(g, expr::int(width))));
            self.lanes(cx, take, base, expr::int(width))
        })?;
        self.lanes(cx, take, rest, exprs.sub(to, rest))
    }

    /// One turn for each lane.
    fn lanes(&self, cx: &mut Lower<'_>, take: &mut dyn Taker, base: Expr, count: Expr) -> Low<()> {
        let exprs = cx.code.exprs;
        cx.count_loop("k", count, |cx, k| {
            let name = cx.name_of(self.var);
            let i = cx.code.name_int(name, exprs.add(base, k));
            take.lane(k);
            self.one(cx, take, i)
        })
    }

    /// One turn.
    pub fn one(&self, cx: &mut Lower<'_>, take: &mut dyn Taker, i: Expr) -> Low<()> {
        cx.homes.bind(self.var, Rep::Scalar(i));
        walk::steps(cx, self.body, take, Loops::Inside)
    }
}
