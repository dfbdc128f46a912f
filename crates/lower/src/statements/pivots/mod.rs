//! Loops whose turns change a matrix by one row and one column of itself ([`ir::turns::pivots`]), a block of turns at a time:
//! Core says how many, and how large tiles are.
//!
//! ```text
//!            columns of the block's turns
//!            |      |
//!     tiles  |  C   |  tiles        D  all turns on the rows and columns that have their numbers
//!    --------+------+--------       R  all turns on these rows, a tile's columns at a time, on several threads
//!      R     |  D   |   R           C  all turns on these columns, a tile's rows at a time; and then
//!    --------+------+--------          all turns on the other elements of these rows, by tiles in registers
//!     tiles  |  C   |  tiles
//! ```
//!
//! `D` keeps the numbers that depend on the matrix, `D` and `R` the rows that later parts need, as they are in each turn, and
//! `D` and `C` the columns. So each element goes through the operations of the plain loop, in the same order, and has the same
//! bits. The matrix is read from memory once in a block of turns, and most of the work is done in registers.

mod area;
mod tile;

use crate::arrays::dims;
use crate::builder::blocks::Blocks;
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use crate::data::rep::Array;
use area::{Area, Place, Side, Turns};
use base::Map;
use ir::Var;
use ir::turns::Tiles;
use ir::turns::pivots::{Part, Pivots};
use kernel::{Expr, Mode, Op, Var as K};
use scalar::{BinOp, Prim};

/// Whether there are enough turns, and not more than rows and columns.
pub(super) fn is_large(cx: &mut Lower<'_>, pivots: &Pivots<'_>, tiles: Tiles, matrix: Var) -> Expr {
    let exprs = cx.code.exprs;
    let turns = cx.homes.scalar(pivots.turns);
    // Every turn has its row and column.
    let others = extents(cx, matrix).into_iter().filter(|size| *size != turns);
    others.fold(exprs.le(expr::int(tiles.least.into()), turns), |all, size| exprs.and(all, exprs.le(turns, size)))
}

/// The loop, by blocks of turns.
pub(super) fn lower(cx: &mut Lower<'_>, pivots: &Pivots<'_>, tiles: Tiles, (matrix, array): (Var, &Array)) -> Low<()> {
    let sizes = extents(cx, matrix);
    let panels = Panels::new(cx, pivots, tiles, sizes[1]);
    let blocks =
        |cx: &mut Lower<'_>, are_numbers| all_blocks(cx, (pivots, tiles), &panels, (array, sizes), are_numbers);
    if !pivots.keeps_numbers() {
        return blocks(cx, false);
    }
    let are_numbers = are_numbers(cx, array, sizes);
    cx.branch(are_numbers, |cx| blocks(cx, true), |cx| blocks(cx, false))
}

fn all_blocks(
    cx: &mut Lower<'_>,
    (pivots, tiles): (&Pivots<'_>, Tiles),
    panels: &Panels,
    (array, sizes): (&Array, [Expr; 2]),
    are_numbers: bool,
) -> Low<()> {
    let exprs = cx.code.exprs;
    let turns = cx.homes.scalar(pivots.turns);
    let (block_turns, columns) = (i64::from(tiles.turns), i64::from(tiles.columns));
    let blocks = cx.code.name_int("blocks", exprs.blocks_of(turns, block_turns));
    // C compilers do not know that there are so many: they would write all of them out before they make vectors of them.
    let lanes = cx.code.name_int("lanes", exprs.min(sizes[1], expr::int(columns)));
    cx.count_loop("block", blocks, |cx, block| {
        let first = cx.code.name_int("first", exprs.mul(block, expr::int(block_turns)));
        let after = exprs.add(first, expr::int(block_turns));
        let count = cx.code.name_int("turns", exprs.sub(exprs.min(after, turns), first));
        let ends = sizes.map(|size| cx.code.name_int("end", exprs.min(after, size)));
        let turns = Turns { pivots, tiles, first, count, ends, are_numbers, numbers: panels.numbers.clone() };
        let part = Block { turns, panels, array, sizes, lanes };
        part.diagonal(cx)?;
        part.rows(cx)?;
        part.others(cx)
    })
}

/// Whether no element is NaN.
fn are_numbers(cx: &mut Lower<'_>, array: &Array, sizes: [Expr; 2]) -> Expr {
    let exprs = cx.code.exprs;
    let prim = cx.code.prim_of(array.buffer);
    let wide = if prim == Prim::F64 { Prim::I64 } else { Prim::I32 };
    let one = |yes: bool| Expr::Const(if yes { wide.one() } else { wide.zero() });
    let found = cx.code.variable("nans", expr::int(0));
    cx.count_loop("row", sizes[0], |cx, row| {
        let at = cx.code.name_int("at", exprs.add(array.offset, exprs.mul(row, sizes[1])));
        let here = cx.code.declare("here", wide);
        cx.code.set(here, one(false));
        cx.count_loop("column", sizes[1], |cx, column| {
            let x = cx.code.name("x", prim, exprs.load(array.buffer, exprs.add(at, column)));
            let is_nan = exprs.op(Op::Bin(BinOp::Ne, prim, x, x));
            let more = exprs.select(is_nan, one(true), one(false));
            cx.code.set(here, exprs.op(Op::Bin(BinOp::Or, wide, Expr::Var(here), more)));
        });
        let is_any = exprs.op(Op::Bin(BinOp::Ne, wide, Expr::Var(here), one(false)));
        cx.code.set(found, exprs.select(is_any, expr::int(1), Expr::Var(found)));
    });
    exprs.eq(Expr::Var(found), expr::int(0))
}

fn extents(cx: &mut Lower<'_>, matrix: Var) -> [Expr; 2] {
    let dims = cx.src.ty(matrix).dims();
    [0, 1].map(|axis| dims::count(cx, &dims[axis..=axis]))
}

/// What is kept of lines and numbers.
struct Panels {
    numbers: Map<Var, K>,
    /// For each line its axis, its values at the indices of the block's turns, and those by columns at all others: 16 columns
    /// after the other.
    lines: Vec<(Var, usize, K, Option<Shared>)>,
}

/// Memory that lines share, and where a line begins in it. So where a value is from one of two lines, its place says from which.
#[derive(Clone, Copy)]
struct Shared {
    buffer: K,
    begin: Expr,
}

impl Panels {
    fn new(cx: &mut Lower<'_>, pivots: &Pivots<'_>, tiles: Tiles, columns: Expr) -> Panels {
        let exprs = cx.code.exprs;
        let (block, lanes) = (i64::from(tiles.turns), i64::from(tiles.columns));
        let mut panels = Panels { numbers: Map::default(), lines: Vec::new() };
        let strips = exprs.mul(exprs.blocks_of(columns, lanes), expr::int(block * lanes));
        let mut rows = shared(cx, &lines_along(pivots, 1), |cx, prim, count| {
            let size = cx.code.exprs.mul(expr::int(count), strips);
            cx.code.alloc("lines", prim, size)
        });
        for (number, shared) in rows.values_mut() {
            shared.begin = exprs.mul(expr::int(*number), strips);
        }
        for part in &pivots.parts {
            match part {
                Part::Number(stm, true) => {
                    let prim = cx.prim_of(stm.vars[0].into());
                    let kept = cx.code.alloc("numbers", prim, expr::int(block));
                    panels.numbers.insert(stm.vars[0], kept);
                }
                Part::Line { var, axis, .. } => {
                    let prim = cx.prim_of((*var).into());
                    let own = cx.code.alloc("lines", prim, expr::int(block * block));
                    panels.lines.push((*var, *axis, own, rows.get(var).map(|(_, shared)| *shared)));
                }
                Part::Number(_, false) | Part::Update { .. } => {}
            }
        }
        panels
    }
}

/// The lines along an axis.
fn lines_along(pivots: &Pivots<'_>, wanted: usize) -> Vec<Var> {
    let line = |part: &Part<'_>| match part {
        Part::Line { var, axis, .. } if *axis == wanted => Some(*var),
        Part::Line { .. } | Part::Number(..) | Part::Update { .. } => None,
    };
    pivots.parts.iter().filter_map(line).collect()
}

/// Memory for lines, one for all of a type: for each line its number in it, and the memory.
fn shared(
    cx: &mut Lower<'_>,
    lines: &[Var],
    mut alloc: impl FnMut(&mut Lower<'_>, Prim, i64) -> K,
) -> Map<Var, (i64, Shared)> {
    let mut found = Map::default();
    for (position, line) in lines.iter().enumerate() {
        let prim = cx.prim_of((*line).into());
        let same: Vec<Var> =
            lines[position..].iter().copied().filter(|var| cx.prim_of((*var).into()) == prim).collect();
        if found.contains_key(line) {
            continue;
        }
        let buffer = alloc(cx, prim, same.len() as i64);
        let shared = Shared { buffer, begin: expr::int(0) };
        found.extend(same.into_iter().enumerate().map(|(number, var)| (var, (number as i64, shared))));
    }
    found
}

/// A block of turns.
struct Block<'b> {
    turns: Turns<'b>,
    panels: &'b Panels,
    array: &'b Array,
    /// How many rows and columns there are.
    sizes: [Expr; 2],
    /// How many columns are done at a time.
    lanes: Expr,
}

impl Block<'_> {
    /// The turns on rows and columns that both have their numbers.
    fn diagonal(&self, cx: &mut Lower<'_>) -> Low<()> {
        let first = self.turns.first;
        let area = self.area(cx, [first, first], [Side::Pivots; 2], &Map::default());
        self.turns.run(cx, &area)
    }

    /// The turns on rows that have their numbers, and all other columns.
    fn rows(&self, cx: &mut Lower<'_>) -> Low<()> {
        let strips = self.strips(cx, 1, self.turns.lanes());
        cx.for_loop("strip", expr::int(0), strips, mode(cx), |cx, strip| {
            let columns = self.window(cx, 1, self.turns.lanes(), strip);
            when_any(cx, columns, |cx| {
                let exprs = cx.code.exprs;
                let (first, from, to) = columns;
                let all = Side::Others { first, from, to, memory: Some(self.lanes) };
                let sides = [Side::Pivots, all];
                let area = self.area(cx, [self.turns.first, first], sides, &Map::default());
                let prim = cx.code.prim_of(area.buffer);
                let lanes = self.turns.lanes();
                let copy = cx.code.local("rows", prim, (self.turns.block() * lanes) as u32);
                let copied = Area { buffer: copy, at: expr::int(0), stride: expr::int(lanes), ..area.clone() };
                let rows = cx.code.name_int("rows", exprs.sub(self.turns.ends[0], self.turns.first));
                let window = [(self.turns.first, expr::int(0), rows), columns];
                tile::fetch(cx, &area, &copied, (rows, lanes), window);
                self.turns.run(cx, &copied)?;
                tile::put_back(cx, &area, &copied, lanes, window);
                Ok(())
            })
        })
    }

    /// The turns on all other rows.
    fn others(&self, cx: &mut Lower<'_>) -> Low<()> {
        let bands = self.strips(cx, 0, self.turns.rows());
        cx.for_loop("band", expr::int(0), bands, mode(cx), |cx, band| {
            let rows = self.window(cx, 0, self.turns.rows(), band);
            when_any(cx, rows, |cx| {
                let (first, from, to) = rows;
                let near = self.near_lines(cx, rows);
                let side = Side::Others { first, from, to, memory: None };
                let columns = self.area(cx, [first, self.turns.first], [side, Side::Pivots], &near);
                self.turns.run(cx, &columns)?;
                let strips = self.strips(cx, 1, self.turns.lanes());
                cx.count_loop("strip", strips, |cx, strip| {
                    let columns = self.window(cx, 1, self.turns.lanes(), strip);
                    when_any(cx, columns, |cx| {
                        let across = Side::Others { first: columns.0, from: columns.1, to: columns.2, memory: None };
                        let area = self.area(cx, [first, columns.0], [side, across], &near);
                        tile::run(cx, &self.turns, &area, [rows, columns])
                    })
                })
            })
        })
    }

    /// Memory for the lines by rows of a band. Rows that there are not have zeros.
    fn near_lines(&self, cx: &mut Lower<'_>, (_, from, to): (Expr, Expr, Expr)) -> Map<Var, Shared> {
        let exprs = cx.code.exprs;
        let near = self.turns.rows() * self.turns.block();
        let is_ragged = exprs.lt(exprs.sub(to, from), expr::int(self.turns.rows()));
        let lines = shared(cx, &lines_along(self.turns.pivots, 0), |cx, prim, count| {
            let size = count * near;
            let lines = cx.code.local("lines", prim, size as u32);
            cx.when(is_ragged, |cx| {
                cx.count_loop("i", expr::int(size), |cx, i| cx.code.store(lines, i, Expr::Const(prim.zero())));
            });
            lines
        });
        let begin = |number: i64| expr::int(number * near);
        lines.into_iter().map(|(var, (number, shared))| (var, Shared { begin: begin(number), ..shared })).collect()
    }

    /// How many strips of rows or columns there are beside those that have the numbers of the turns.
    fn strips(&self, cx: &mut Lower<'_>, axis: usize, width: i64) -> Expr {
        let exprs = cx.code.exprs;
        let before = exprs.div(self.turns.first, expr::int(width));
        let behind = exprs.blocks_of(exprs.sub(self.sizes[axis], self.turns.ends[axis]), width);
        cx.code.name_int("strips", exprs.add(before, behind))
    }

    /// Where a strip begins, and which of its rows or columns change in all turns; others do in none.
    fn window(&self, cx: &mut Lower<'_>, axis: usize, width: i64, strip: Expr) -> (Expr, Expr, Expr) {
        let exprs = cx.code.exprs;
        let before = exprs.div(self.turns.first, expr::int(width));
        let behind = exprs.add(self.turns.ends[axis], exprs.mul(exprs.sub(strip, before), expr::int(width)));
        let first = exprs.select(exprs.lt(strip, before), exprs.mul(strip, expr::int(width)), behind);
        let first = cx.code.name_int("first", first);
        let last = exprs.sub(exprs.add(self.turns.first, self.turns.count), expr::int(1));
        let (low, high) = self.turns.range(cx, axis, last);
        let from = cx.code.name_int("from", exprs.max(exprs.sub(low, first), expr::int(0)));
        let end = area::lower_of(cx, high, self.sizes[axis]);
        let to = cx.code.name_int("to", exprs.min(exprs.sub(end, first), expr::int(width)));
        (first, from, to)
    }

    /// The part of the matrix that begins at a row and a column, and where it finds its lines.
    fn area(&self, cx: &mut Lower<'_>, firsts: [Expr; 2], sides: [Side; 2], near: &Map<Var, Shared>) -> Area {
        let exprs = cx.code.exprs;
        let (stride, block) = (self.sizes[1], self.turns.block());
        let at = exprs.add(self.array.offset, exprs.add(exprs.mul(firsts[0], stride), firsts[1]));
        let at = cx.code.name_int("at", at);
        let mut lines = Map::default();
        for (var, axis, own, all) in &self.panels.lines {
            let here = Place { buffer: *own, at: expr::int(0), by_index: block, by_turn: 1 };
            let place = match (axis, sides[*axis]) {
                (0, Side::Pivots) => here,
                (0, Side::Others { .. }) => {
                    near.get(var).map_or(here, |near| Place { buffer: near.buffer, at: near.begin, ..here })
                }
                (_, Side::Pivots) => Place { by_index: 1, by_turn: block, ..here },
                (_, Side::Others { .. }) => {
                    let Some(Shared { buffer, begin }) = *all else { base::bug!("a line by columns has no strips") };
                    // A strip begins at a multiple of its width.
                    let at = cx.code.name_int("panel", exprs.add(begin, exprs.mul(firsts[1], expr::int(block))));
                    Place { buffer, at, by_index: 1, by_turn: self.turns.lanes() }
                }
            };
            lines.insert(*var, place);
        }
        Area { buffer: self.array.buffer, at, stride, sides, lines }
    }
}

/// How the strips of a block run.
fn mode(cx: &Lower<'_>) -> Mode {
    if cx.code.in_parallel { Mode::Sequential } else { Mode::Parallel }
}

/// Writes code for a strip that has rows or columns to change.
fn when_any(
    cx: &mut Lower<'_>,
    (_, from, to): (Expr, Expr, Expr),
    work: impl FnOnce(&mut Lower<'_>) -> Low<()>,
) -> Low<()> {
    let any = cx.code.exprs.lt(from, to);
    cx.when(any, work)
}
