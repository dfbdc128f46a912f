//! Loops whose turns compute each row of an array from the rows around it ([`ir::turns::bands`]), several turns at a time:
//! Core says how many at most, and for which arrays.
//!
//! ```text
//! for round < rounds {
//!   for band < bands parallel {
//!     for r = first to last {                         rows one after the other
//!       evens[0, r] := array[r]
//!       for level = 1 to turns {
//!         row = r - level * reach                     its neighbours have gone through the turns before
//!         odds[level, row] := .. evens[level - 1, row - reach] .. evens[level - 1, row + reach] ..
//!       }                                             (and the next level the other way round)
//!       next[row] := odds[turns, row]
//!     }
//!   }
//!   array := next
//! }
//! ```
//!
//! Each level follows the one before at the distance that the stencil reaches, and keeps only the rows that the next one still
//! needs, so all of this stays in the cache: memory is read and written once in a round. Bands overlap: the rows at their ends
//! are computed twice, in the same way. So every element goes through the operations of the plain loop and has the same bits.

use crate::arrays::slot::Slot;
use crate::arrays::{dims, place, slot};
use crate::builder::blocks::Blocks;
use crate::builder::homes::Ring;
use crate::bulk::walk::{self, Loops};
use crate::context::Lower;
use crate::data::rep::{Array, Rep};
use crate::data::{Low, expr};
use crate::scope;
use base::Map;
use ir::turns::Rounds;
use ir::turns::bands::Bands;
use ir::{Emit, Var};
use kernel::{Expr, Mode, Op, Stm, Var as K};
use scalar::Prim;

/// The bytes of a cache line.
const LINE: i64 = 64;
/// The bytes that the rows of a band may take.
const CACHE: i64 = 768 << 10;
/// How many bands there are for each thread, if they are large enough.
const PARTS: i64 = 4;
/// Rows are so much further apart than they are long: those at multiples of a power of two would share few places of the cache.
const PADDING: i64 = 16;

/// Numbers that hold for all rounds.
pub(super) struct Plan {
    /// Whether this way is faster.
    pub pays: Expr,
    prim: Prim,
    /// Turns of a round.
    depth: Expr,
    /// How many rows there are, how many elements each has, and how far they are apart.
    rows: Expr,
    length: Expr,
    width: Expr,
    /// How many rows a level keeps.
    kept: i64,
    reach: i64,
    /// The rows of a band.
    height: Expr,
}

impl Plan {
    pub fn new(cx: &mut Lower<'_>, bands: &Bands<'_>, rounds: Rounds) -> Plan {
        let exprs = cx.code.exprs;
        let dims = cx.src.ty(bands.array).dims();
        let prim = cx.prim_of(bands.array.into());
        let (rows, length) = (dims::count(cx, &dims[..1]), dims::count(cx, &dims[1..]));
        let kept = 2 * bands.reach + 1;
        let width = cx.code.name_int("width", exprs.add(length, expr::int(PADDING)));
        // Rows that are too long give fewer than two turns here, before any product could overflow.
        let most = expr::int(CACHE / (prim.bytes() as i64 * kept));
        let levels = exprs.div(most, exprs.max(width, expr::int(1)));
        let depth = exprs.min(exprs.sub(levels, expr::int(1)), expr::int(rounds.turns.into()));
        let depth = cx.code.name_int("depth", depth);
        let least = exprs.mul(depth, expr::int(i64::from(rounds.share) * bands.reach));
        let least = cx.code.name_int("least", least);
        let each = exprs.div(rows, exprs.mul(exprs.op(Op::Threads), expr::int(PARTS)));
        let height = cx.code.name_int("height", exprs.max(least, each));
        let turns = cx.homes.scalar(bands.turns);
        let large = expr::int(i64::from(rounds.bytes) / prim.bytes() as i64);
        let is_large = exprs.le(exprs.div(large, exprs.max(length, expr::int(1))), rows);
        let several = exprs.and(exprs.le(expr::int(2), depth), exprs.le(expr::int(2), turns));
        let is_long = exprs.le(expr::int(i64::from(rounds.row_bytes) / prim.bytes() as i64), length);
        let pays = exprs.and(exprs.and(several, is_long), is_large);
        let pays = exprs.and(pays, exprs.le(exprs.mul(least, expr::int(2)), rows));
        let pays = cx.code.name("in_rounds", Prim::Bool, pays);
        Plan { pays, prim, depth, rows, length, width, kept, reach: bands.reach, height }
    }

    /// The distance that a level has kept from the first one.
    fn behind(&self, cx: &Lower<'_>, levels: Expr) -> Expr {
        cx.code.exprs.mul(levels, expr::int(self.reach))
    }

    /// Where a level keeps a row.
    fn place(&self, cx: &mut Lower<'_>, level: Expr, row: Expr) -> Expr {
        let exprs = cx.code.exprs;
        let kept = expr::int(self.kept);
        // A row before the first one is never read, but its place must be one.
        let slot = exprs.rem(exprs.add(row, kept), kept);
        let number = exprs.add(exprs.mul(exprs.div(level, expr::int(2)), kept), slot);
        cx.code.name_int("place", exprs.mul(number, self.width))
    }
}

/// Does all turns; the slot has the array before and after.
pub(super) fn lower(cx: &mut Lower<'_>, bands: &Bands<'_>, plan: &Plan, slots: &[Slot]) -> Low<()> {
    let exprs = cx.code.exprs;
    let dims = cx.src.ty(bands.array).dims();
    let turns = cx.homes.scalar(bands.turns);
    let full = exprs.div(exprs.sub(turns, expr::int(1)), plan.depth);
    let rounds = cx.code.name_int("rounds", exprs.add(full, expr::int(1)));
    let full_bands = exprs.div(exprs.sub(plan.rows, expr::int(1)), plan.height);
    let count = cx.code.name_int("bands", exprs.add(full_bands, expr::int(1)));
    cx.count_loop("round", rounds, |cx, round| {
        let first = cx.code.name_int("first", exprs.mul(round, plan.depth));
        let turns = cx.code.name_int("turns", exprs.min(plan.depth, exprs.sub(turns, first)));
        let total = dims::capacity(cx, dims);
        let next = cx.code.alloc("next", plan.prim, total);
        let Some(Rep::Array(array)) = slots.first().map(Slot::rep) else { base::bug!("a slot without an array") };
        let mode = if cx.code.in_parallel { Mode::Sequential } else { Mode::Parallel };
        cx.for_loop("band", expr::int(0), count, mode, |cx, band| {
            let begin = cx.code.name_int("begin", exprs.mul(band, plan.height));
            let end = cx.code.name_int("end", exprs.min(exprs.add(begin, plan.height), plan.rows));
            Round { bands, plan, first, turns, array: &array, next, rows: [begin, end] }.band(cx)
        })?;
        slot::refill(cx, slots, vec![Rep::Array(Array::whole(next))], &[dims]);
        Low::Ok(())
    })
}

/// Some turns on some rows.
struct Round<'r> {
    bands: &'r Bands<'r>,
    plan: &'r Plan,
    /// The number of the first turn, and how many there are.
    first: Expr,
    turns: Expr,
    /// The array before and after.
    array: &'r Array,
    next: K,
    /// The first row, and the one after the last.
    rows: [Expr; 2],
}

impl Round<'_> {
    fn band(&self, cx: &mut Lower<'_>) -> Low<()> {
        let exprs = cx.code.exprs;
        let plan = self.plan;
        let levels = exprs.add(exprs.div(plan.depth, expr::int(2)), expr::int(1));
        let room = exprs.mul(exprs.mul(levels, expr::int(plan.kept)), plan.width);
        let room = cx.code.name_int("room", room);
        let rings = ["evens", "odds"].map(|name| cx.code.alloc(name, plan.prim, room));
        let margin = plan.behind(cx, self.turns);
        let first = cx.code.name_int("from", exprs.max(exprs.sub(self.rows[0], margin), expr::int(0)));
        let last = cx.code.name_int("to", exprs.add(self.rows[1], margin));
        cx.for_loop("r", first, last, Mode::Sequential, |cx, r| {
            cx.when(exprs.lt(r, plan.rows), |cx| {
                let to_at = plan.place(cx, expr::int(0), r);
                let from_at = exprs.add(self.array.offset, exprs.mul(r, plan.length));
                let (to, from, count) = (rings[0], self.array.buffer, plan.length);
                cx.code.emit(Stm::Copy { to, to_at, from, from_at, count, past: false });
            });
            let pairs = exprs.div(exprs.add(self.turns, expr::int(1)), expr::int(2));
            let pairs = cx.code.name_int("pairs", pairs);
            let lines = exprs.blocks_of(plan.length, LINE / plan.prim.bytes() as i64);
            let share = exprs.div(exprs.add(lines, exprs.sub(pairs, expr::int(1))), pairs);
            let share = cx.code.name_int("lines", share);
            cx.count_loop("pair", pairs, |cx, pair| {
                self.fetch(cx, exprs.add(r, expr::int(1)), exprs.mul(pair, share), share);
                let odd = cx.code.name_int("level", exprs.add(exprs.mul(pair, expr::int(2)), expr::int(1)));
                self.level(cx, r, odd, rings)?;
                let even = cx.code.name_int("level", exprs.add(odd, expr::int(1)));
                cx.when(exprs.le(even, self.turns), |cx| self.level(cx, r, even, [rings[1], rings[0]]))
            })
        })
    }

    /// Asks memory for some cache lines of a row, from a number on.
    fn fetch(&self, cx: &mut Lower<'_>, row: Expr, first: Expr, count: Expr) {
        let exprs = cx.code.exprs;
        let elements = expr::int(LINE / self.plan.prim.bytes() as i64);
        let begin = exprs.add(self.array.offset, exprs.mul(row, self.plan.length));
        let begin = cx.code.name_int("next", exprs.add(begin, exprs.mul(first, elements)));
        cx.count_loop("line", count, |cx, line| {
            cx.code.emit(Stm::Prefetch(self.array.buffer, exprs.add(begin, exprs.mul(line, elements))));
        });
    }

    /// A row of a level, if the band needs it.
    fn level(&self, cx: &mut Lower<'_>, r: Expr, level: Expr, [from, to]: [K; 2]) -> Low<()> {
        let exprs = cx.code.exprs;
        let plan = self.plan;
        let behind = plan.behind(cx, level);
        let row = cx.code.name_int("row", exprs.sub(r, behind));
        let margin = plan.behind(cx, exprs.sub(self.turns, level));
        let low = exprs.max(exprs.sub(self.rows[0], margin), expr::int(0));
        let high = exprs.min(exprs.add(self.rows[1], margin), plan.rows);
        let is_needed = exprs.and(exprs.le(low, row), exprs.lt(row, high));
        cx.when(is_needed, |cx| {
            let to_at = plan.place(cx, level, row);
            self.row(cx, row, level, from, (to, to_at))?;
            cx.when(exprs.eq(level, self.turns), |cx| {
                let (to, from) = (self.next, to);
                let (to_at, from_at) = (exprs.mul(row, plan.length), to_at);
                cx.code.emit(Stm::Copy { to, to_at, from, from_at, count: plan.length, past: true });
            });
            Low::Ok(())
        })
    }

    /// Computes a row from those of the level before.
    fn row(&self, cx: &mut Lower<'_>, row: Expr, level: Expr, from: K, to: (K, Expr)) -> Low<()> {
        let exprs = cx.code.exprs;
        let before = exprs.sub(level, expr::int(1));
        let mut distances: Vec<(Var, i64)> = self.bands.reads.iter().map(|(var, distance)| (*var, *distance)).collect();
        distances.sort_unstable();
        let mut rows = Map::default();
        for (var, distance) in distances {
            let read = exprs.add(row, expr::int(distance));
            rows.insert(var, self.plan.place(cx, before, read));
        }
        cx.homes.rings.insert(self.bands.array, Ring { buffer: from, rows });
        let turn = cx.code.name_int("turn", exprs.add(self.first, before));
        cx.bind_index(self.bands.turn, turn);
        cx.bind_index(self.bands.row, row);
        let dims = cx.src.ty(self.bands.array).dims();
        for stm in self.bands.before {
            (cx.lower_stm)(cx, stm)?;
        }
        let mut take = |cx: &mut Lower<'_>, emit: &Emit| {
            let inside = cx.homes.scalars(&emit.at[1..]);
            let at = place::place(cx, &dims[1..], &inside)?;
            scope::with_block(cx, &emit.value, |cx, reps| {
                let [Rep::Scalar(value)] = reps[..] else { base::bug!("an element is no number") };
                cx.code.store(to.0, exprs.add(to.1, at), value);
                Low::Ok(())
            })
        };
        walk::steps(cx, self.bands.steps, &mut take, Loops::Inside)?;
        cx.homes.rings.remove(&self.bands.array);
        Ok(())
    }
}
