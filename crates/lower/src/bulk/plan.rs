//! How a loop is cut into blocks.

use super::turns::Turns;
use crate::context::Lower;
use crate::data::expr;
use ir::Scan;
use kernel::{Expr, Mode};

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
    /// Whether the values of several turns are computed before they are combined.
    pub in_strips: bool,
    /// The running combinations that are only stored.
    pub stored: Vec<&'b Scan>,
}

impl Plan<'_> {
    /// From where to where the turns of a block go.
    pub fn range(&self, cx: &mut Lower<'_>, b: Expr) -> (Expr, Expr) {
        let exprs = cx.code.exprs;
        let low = cx.code.name_int("low", exprs.mul(b, expr::int(self.block)));
        let high = exprs.min(exprs.add(low, expr::int(self.block)), self.turns.count);
        (low, cx.code.name_int("high", high))
    }
}
