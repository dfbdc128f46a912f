//! The single loop of a bulk form that goes by blocks: any range of its turns, or one turn.

use super::walk::{self, Loops, Taker};
use crate::builder::blocks::Blocks;
use crate::context::Lower;
use crate::data::Low;
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

    /// One turn.
    pub fn one(&self, cx: &mut Lower<'_>, take: &mut dyn Taker, i: Expr) -> Low<()> {
        cx.homes.bind(self.var, Rep::Scalar(i));
        walk::steps(cx, self.body, take, Loops::Inside)
    }
}
