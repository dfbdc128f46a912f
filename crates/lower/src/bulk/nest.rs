//! Loops inside of each other that are one index space: any range of its points.
//!
//! ```text
//! points from..to of i < n, j < m:    for from / m <= i < (to - 1) / m + 1 {
//!                                       ..bindings..
//!                                       for max(0, from - i * m) <= j < min(m, to - i * m) { .. }
//!                                     }
//! ```

use super::middle;
use crate::builder::blocks::Blocks;
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use crate::scope;
use ir::nest::Level;
use ir::{Atom, Step, Var};
use kernel::{Expr, Mode};

/// What is done at a point; gets its number.
pub(crate) type AtPoint<'a> = &'a mut dyn FnMut(&mut Lower<'_>, Expr) -> Low<()>;

/// What is done with a range of turns of the innermost loop; gets the number of the point before its turn 0, and the range.
pub(crate) type InRow<'a> = &'a mut dyn FnMut(&mut Lower<'_>, Expr, Expr, Expr) -> Low<()>;

/// The loops.
pub(crate) struct Nest<'b> {
    /// The outermost first; at least one.
    levels: Vec<Level<'b>>,
    /// For each level, how many points one of its turns has.
    inner: Vec<Expr>,
    /// How many points there are; may be negative if there is one loop.
    pub count: Expr,
}

impl<'b> Nest<'b> {
    /// So many loops, beginning with a step.
    pub fn of(cx: &mut Lower<'_>, step: &'b Step, loops: usize) -> Nest<'b> {
        let exprs = cx.code.exprs;
        let mut levels = ir::nest::levels(step);
        levels.truncate(loops);
        if let [only] = levels[..] {
            return Nest { count: cx.homes.scalar(only.count), inner: vec![expr::int(1)], levels };
        }
        let mut count = expr::int(1);
        let mut inner = Vec::new();
        for level in levels.iter().rev() {
            inner.push(count);
            let own = exprs.max(cx.homes.scalar(level.count), expr::int(0));
            count = cx.code.name_int("points", exprs.capacity(own, count));
        }
        inner.reverse();
        Nest { levels, inner, count }
    }

    /// The variables of the loops, and how many turns each has.
    pub fn counts(&self) -> Vec<(Var, Atom)> {
        self.levels.iter().map(|level| (level.var, level.count)).collect()
    }

    /// What is done at a point.
    pub fn body(&self) -> &'b [Step] {
        self.levels.last().map_or(&[], |level| level.body)
    }

    /// The variable of the innermost loop.
    pub fn var(&self) -> Var {
        self.levels[self.levels.len() - 1].var
    }

    /// Whether there is one loop.
    pub fn is_row(&self) -> bool {
        self.levels.len() == 1
    }

    /// The variables of the loops, and how many points one turn of each has.
    pub fn weights(&self) -> Vec<(Var, Expr)> {
        self.levels.iter().map(|level| level.var).zip(self.inner.iter().copied()).collect()
    }

    /// The points of a range, one after the other.
    pub fn range(&self, cx: &mut Lower<'_>, from: Expr, to: Expr, inside: AtPoint<'_>) -> Low<()> {
        let exprs = cx.code.exprs;
        let (var, name) = (self.var(), cx.name_of(self.var()));
        let innermost = &self.levels[self.levels.len() - 1];
        self.rows(cx, from, to, &mut |cx, base, from, to| {
            middle::apart(cx, innermost, from, to, &mut |cx, from, to, mode| {
                cx.for_loop(name, from, to, mode, |cx, i| {
                    cx.bind_index(var, i);
                    inside(cx, exprs.add(base, i))
                })
            })
        })
    }

    /// All turns of one loop, as lanes of vectors.
    pub fn lanes(&self, cx: &mut Lower<'_>, inside: AtPoint<'_>) -> Low<()> {
        let (var, name) = (self.var(), cx.name_of(self.var()));
        cx.for_loop(name, expr::int(0), self.count, Mode::Lanes, |cx, i| {
            cx.bind_index(var, i);
            inside(cx, i)
        })
    }

    /// The points of a range, as ranges of the innermost loop.
    pub fn rows(&self, cx: &mut Lower<'_>, from: Expr, to: Expr, inside: InRow<'_>) -> Low<()> {
        self.level(cx, 0, expr::int(0), from, to, inside)
    }

    /// Points `from..to` of those that one turn of the loop around has, which begin with point `base`.
    fn level(&self, cx: &mut Lower<'_>, at: usize, base: Expr, from: Expr, to: Expr, inside: InRow<'_>) -> Low<()> {
        if at + 1 == self.levels.len() {
            return inside(cx, base, from, to);
        }
        let exprs = cx.code.exprs;
        let Level { var, body, .. } = self.levels[at];
        let name = cx.name_of(var);
        let inner = self.inner[at];
        let first = cx.code.name_int("first", exprs.div(from, exprs.max(inner, expr::int(1))));
        let last = exprs.div(exprs.sub(to, expr::int(1)), exprs.max(inner, expr::int(1)));
        let end = exprs.select(exprs.lt(from, to), exprs.add(last, expr::int(1)), first);
        let end = cx.code.name_int("end", end);
        cx.for_loop(name, first, end, Mode::Sequential, |cx, i| {
            cx.bind_index(var, i);
            let before = cx.code.name_int("before", exprs.mul(i, inner));
            let low = cx.code.name_int("low", exprs.max(exprs.sub(from, before), expr::int(0)));
            let high = cx.code.name_int("high", exprs.min(exprs.sub(to, before), inner));
            let base = exprs.add(base, before);
            let next = |cx: &mut Lower<'_>, step: &Step| match step {
                Step::For { .. } => self.level(cx, at + 1, base, low, high, inside),
                Step::Let(stm) => (cx.lower_stm)(cx, stm),
                Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => base::bug!("something stands between loops"),
            };
            scope::items(cx, body, &[], |m, step| m.step(step), next)
        })
    }

    /// One point.
    pub fn one(&self, cx: &mut Lower<'_>, point: Expr, inside: AtPoint<'_>) -> Low<()> {
        if let [level] = self.levels[..] {
            cx.bind_index(level.var, point);
            return inside(cx, point);
        }
        let exprs = cx.code.exprs;
        self.range(cx, point, exprs.add(point, expr::int(1)), inside)
    }

    /// All points, on several threads, in pieces of work of this many, a power of two.
    pub fn parallel(&self, cx: &mut Lower<'_>, block: i64, inside: AtPoint<'_>) -> Low<()> {
        let exprs = cx.code.exprs;
        if block == 1 && self.levels.len() == 1 {
            let name = cx.name_of(self.var());
            return cx.for_loop(name, expr::int(0), self.count, Mode::Parallel, |cx, p| self.one(cx, p, inside));
        }
        let block = if block == 1 { self.costly_points(cx) } else { expr::int(block) };
        let blocks = match expr::as_int(block) {
            Some(block) => exprs.blocks_of(self.count, block),
            None => exprs.add(exprs.div(exprs.sub(self.count, expr::int(1)), block), expr::int(1)),
        };
        let blocks = cx.code.name_int("blocks", blocks);
        cx.for_loop("b", expr::int(0), blocks, Mode::Parallel, |cx, b| {
            let low = cx.code.name_int("low", exprs.mul(b, block));
            let high = cx.code.name_int("high", exprs.min(exprs.add(low, block), self.count));
            self.range(cx, low, high, inside)
        })
    }

    /// How many costly points make a piece of work: finding a point in its row takes time, so it is one only where there
    /// are few.
    fn costly_points(&self, cx: &mut Lower<'_>) -> Expr {
        let exprs = cx.code.exprs;
        let share = exprs.max(exprs.shr(self.count, expr::int(8)), expr::int(1));
        cx.code.name_int("block", exprs.min(share, expr::int(64)))
    }
}
