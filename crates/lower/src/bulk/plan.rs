//! How a loop is cut into blocks.

use super::turns::Turns;
use crate::builder::blocks::Blocks;
use crate::context::Lower;
use crate::data::{Low, expr};
use ir::{Bulk, Kind, Scan};
use kernel::{Expr, Mode, Op};

/// How many blocks each of several threads gets in a wave.
const BLOCKS_OF_THREAD: i64 = 64;
/// How many blocks a wave has if there is one thread.
const BLOCKS_ALONE: i64 = 16;
/// How many parts of blocks there are at most.
const MOST_PARTS: i64 = 16;

/// The loop, for all its blocks.
pub(crate) struct Plan<'b> {
    /// The loop.
    pub turns: Turns<'b>,
    /// Turns of a block.
    pub block: i64,
    /// How many blocks, at least one.
    pub blocks: Expr,
    /// How many blocks are worked through before what they stored is moved or joined: so few that it is still in the cache.
    pub wave: Expr,
    /// Where values are combined with elements beside: how many parts of blocks in a row there are, each of which runs on one
    /// thread.
    pub parts: Option<Expr>,
    /// How blocks are run.
    pub mode: Mode,
    /// Whether the values of several turns are computed before they are combined.
    pub in_strips: bool,
    /// The running combinations that are only stored.
    pub stored: Vec<&'b Scan>,
}

/// Some blocks, which are worked through at the same time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wave {
    /// The number of the first.
    pub first: Expr,
    /// The number behind the last.
    pub end: Expr,
}

/// How many blocks of so many a wave has. Threads wait for each other at the end of a wave, so only filters, which would need
/// more memory, have more than one wave on several threads.
pub(crate) fn wave(cx: &mut Lower<'_>, bulk: &Bulk, stored: &[&Scan], blocks: Expr, mode: Mode) -> Expr {
    let exprs = cx.code.exprs;
    let keeps = bulk.outputs.iter().any(|output| matches!(output.kind, Kind::Keep));
    if !keeps && stored.is_empty() {
        return blocks;
    }
    if mode != Mode::Parallel {
        return expr::int(1);
    }
    let threads = cx.code.name_int("threads", exprs.op(Op::Threads));
    let many = if keeps { exprs.mul(threads, expr::int(BLOCKS_OF_THREAD)) } else { blocks };
    let wave = exprs.select(exprs.eq(threads, expr::int(1)), expr::int(BLOCKS_ALONE), many);
    let wave = cx.code.name_int("wave", wave);
    cx.code.name_int("wave", exprs.min(wave, blocks))
}

/// How many parts the blocks of a loop have, where values are combined with so many elements beside: few enough that
/// combining the elements of all parts costs no more than the loop.
pub(crate) fn parts(cx: &mut Lower<'_>, cells: Expr, turns: &Turns<'_>, blocks: Expr) -> Expr {
    let exprs = cx.code.exprs;
    let most = exprs.min(blocks, expr::int(MOST_PARTS));
    if turns.heavy {
        return cx.code.name_int("parts", most);
    }
    let worth = exprs.max(exprs.div(turns.count, exprs.capacity(cells, expr::int(2))), expr::int(1));
    cx.code.name_int("parts", exprs.min(most, worth))
}

impl Plan<'_> {
    /// Does something for each wave.
    pub fn waves(&self, cx: &mut Lower<'_>, turn: impl FnOnce(&mut Lower<'_>, Wave) -> Low<()>) -> Low<()> {
        let exprs = cx.code.exprs;
        let reach = exprs.add(self.blocks, exprs.sub(self.wave, expr::int(1)));
        let waves = cx.code.name_int("waves", exprs.div(reach, self.wave));
        cx.short_loop("w", waves, |cx, w| {
            let first = cx.code.name_int("first", exprs.mul(w, self.wave));
            let end = cx.code.name_int("end", exprs.min(exprs.add(first, self.wave), self.blocks));
            turn(cx, Wave { first, end })
        })
    }

    /// From where to where the turns of a block go.
    pub fn range(&self, cx: &mut Lower<'_>, b: Expr) -> (Expr, Expr) {
        let exprs = cx.code.exprs;
        let low = cx.code.name_int("low", exprs.mul(b, expr::int(self.block)));
        let high = exprs.min(exprs.add(low, expr::int(self.block)), self.turns.count);
        (low, cx.code.name_int("high", high))
    }
}
