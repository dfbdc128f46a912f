//! The turns of a block on a part of the matrix.

use crate::builder::blocks::Blocks;
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use crate::data::rep::Rep;
use base::Map;
use ir::turns::Tiles;
use ir::turns::pivots::{First, Part, Pivots, Point, Range};
use ir::{Atom, Exp, Stm, Var};
use kernel::{Expr, Mode, Op, Var as K};
use scalar::{BinOp, MathOp, Prim};

/// A block of turns.
pub(super) struct Turns<'b> {
    pub pivots: &'b Pivots<'b>,
    /// How many turns are a block, and how large tiles are.
    pub tiles: Tiles,
    /// The first turn, and how many there are.
    pub first: Expr,
    pub count: Expr,
    /// For both axes, the index after the last that has the number of a turn.
    pub ends: [Expr; 2],
    /// Whether all elements are numbers, and stay so.
    pub are_numbers: bool,
    /// Where numbers are kept that depend on the matrix: one for each turn.
    pub numbers: Map<Var, K>,
}

/// A part of the matrix. Its rows and columns are counted from its first ones.
#[derive(Clone)]
pub(super) struct Area {
    /// Element `[r, c]` is at `at + r * stride + c` of this.
    pub buffer: K,
    pub at: Expr,
    pub stride: Expr,
    pub sides: [Side; 2],
    /// Where lines are: turn `t` of what belongs to row or column `x` is at `at + x * by_index + t * by_turn`.
    pub lines: Map<Var, Place>,
}

/// The rows or columns of an area.
#[derive(Clone, Copy)]
pub(super) enum Side {
    /// Those that have the numbers of the block's turns. Which of them change depends on the turn.
    Pivots,
    /// Others, from this one on: all of a range change in every turn. If there is memory for more, so many can be computed,
    /// which are of no use.
    Others { first: Expr, from: Expr, to: Expr, memory: Option<Expr> },
}

/// Where a line is.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub buffer: K,
    pub at: Expr,
    pub by_index: i64,
    pub by_turn: i64,
}

/// An axis that values move along, or stay at the number of the turn.
#[derive(Clone, Copy)]
struct Axis {
    axis: usize,
    counter: Option<Var>,
    /// Whether only elements that are there have a value.
    exact: bool,
}

impl Axis {
    fn new(axis: usize, counter: Option<Var>, pivots: &Pivots<'_>, value: &Point<'_>) -> Axis {
        Axis { axis, counter, exact: pivots.reads_others(value) }
    }
}

impl Turns<'_> {
    /// How many turns a block has: so many rows and columns have its numbers.
    pub fn block(&self) -> i64 {
        self.tiles.turns.into()
    }

    /// The rows of a tile.
    pub fn rows(&self) -> i64 {
        self.tiles.rows.into()
    }

    /// The columns of a tile: lanes of vectors.
    pub fn lanes(&self) -> i64 {
        self.tiles.columns.into()
    }

    /// The first index along an axis that changes in a turn, and the one after the last.
    pub fn range(&self, cx: &Lower<'_>, axis: usize, turn: Expr) -> (Expr, Expr) {
        let exprs = cx.code.exprs;
        let Range { first, end } = self.pivots.ranges[axis];
        let first = match first {
            First::Fixed(atom) => cx.homes.scalar(atom),
            First::Turn(more) => exprs.add(turn, expr::int(more)),
        };
        let more = end.1.map_or(expr::int(0), |atom| cx.homes.scalar(atom));
        (first, exprs.add(cx.homes.scalar(end.0), more))
    }

    /// Runs the turns of the block on an area.
    pub fn run(&self, cx: &mut Lower<'_>, area: &Area) -> Low<()> {
        let exprs = cx.code.exprs;
        cx.count_loop("turn", self.count, |cx, t| {
            let turn = cx.code.name_int("k", exprs.add(self.first, t));
            cx.homes.bind(self.pivots.turn, Rep::Scalar(turn));
            self.pivots.parts.iter().try_for_each(|part| self.part(cx, area, t, part))
        })
    }

    fn part(&self, cx: &mut Lower<'_>, area: &Area, t: Expr, part: &Part<'_>) -> Low<()> {
        match part {
            Part::Number(stm, reads) => self.number(cx, area, t, stm, *reads),
            Part::Line { var, axis, counter, value } => match area.sides[1 - axis] {
                Side::Pivots => self.line(cx, area, t, (*var, *axis, *counter), value),
                Side::Others { .. } => Ok(()),
            },
            Part::Update { counters, value } => {
                let skips = |axis: usize| counters[axis].is_none() && matches!(area.sides[axis], Side::Others { .. });
                if skips(0) || skips(1) {
                    return Ok(());
                }
                let [down, across] = [0, 1].map(|axis| Axis::new(axis, counters[axis], self.pivots, value));
                self.along(cx, area, t, down, |cx, r| {
                    self.along(cx, area, t, across, |cx, c| {
                        let result = self.value(cx, area, value, t, [r, c])?;
                        let at = area.place(cx, r, c);
                        cx.code.store(area.buffer, at, result);
                        Ok(())
                    })
                })
            }
        }
    }

    /// Computes a number, or takes it from where it was computed.
    pub fn number(&self, cx: &mut Lower<'_>, area: &Area, t: Expr, stm: &Stm, reads: bool) -> Low<()> {
        let exprs = cx.code.exprs;
        if !reads {
            return (cx.lower_stm)(cx, stm);
        }
        let (var, kept) = (stm.vars[0], self.numbers[&stm.vars[0]]);
        if !matches!(area.sides, [Side::Pivots, Side::Pivots]) {
            cx.bind_scalar(var, exprs.load(kept, t));
            return Ok(());
        }
        match &stm.exp {
            Exp::Index(..) => {
                let at = area.place(cx, t, t);
                cx.bind_scalar(var, exprs.load(area.buffer, at));
            }
            _ => (cx.lower_stm)(cx, stm)?,
        }
        let value = cx.homes.scalar(var.into());
        cx.code.store(kept, t, value);
        Ok(())
    }

    fn line(&self, cx: &mut Lower<'_>, area: &Area, t: Expr, line: (Var, usize, Var), value: &Point<'_>) -> Low<()> {
        let (var, axis, counter) = line;
        let along = Axis::new(axis, Some(counter), self.pivots, value);
        self.along(cx, area, t, along, |cx, x| {
            let own = if axis == 0 { [x, t] } else { [t, x] };
            let result = self.value(cx, area, value, t, own)?;
            let place = area.lines[&var];
            let at = place.of(cx, x, t);
            cx.code.store(place.buffer, at, result);
            Ok(())
        })
    }

    /// Runs through the indices of an area along an axis, or stays at that of the turn. Columns are lanes of vectors.
    fn along(
        &self,
        cx: &mut Lower<'_>,
        area: &Area,
        t: Expr,
        Axis { axis, counter, exact }: Axis,
        work: impl FnOnce(&mut Lower<'_>, Expr) -> Low<()>,
    ) -> Low<()> {
        let exprs = cx.code.exprs;
        let Some(counter) = counter else { return work(cx, t) };
        let turn = exprs.add(self.first, t);
        let (low, high) = self.range(cx, axis, turn);
        let (first, from, to) = match area.sides[axis] {
            Side::Others { first, memory: Some(all), .. } if !exact => (first, expr::int(0), all),
            Side::Others { first, from, to, memory: _ } => (first, from, to),
            Side::Pivots => {
                let from = cx.code.name_int("from", exprs.max(exprs.sub(low, self.first), expr::int(0)));
                let to = exprs.sub(lower_of(cx, high, self.ends[axis]), self.first);
                (self.first, from, cx.code.name_int("to", to))
            }
        };
        let mode = if axis == 1 { Mode::Lanes } else { Mode::Sequential };
        cx.for_loop(cx.name_of(counter), from, to, mode, |cx, x| {
            let index = exprs.sub(exprs.add(first, x), low);
            let index = cx.code.name_int("i", index);
            cx.bind_index(counter, index);
            work(cx, x)
        })
    }

    /// The value of an element.
    fn value(&self, cx: &mut Lower<'_>, area: &Area, value: &Point<'_>, t: Expr, own: [Expr; 2]) -> Low<Expr> {
        let at = area.place(cx, own[0], own[1]);
        let element = cx.code.exprs.load(area.buffer, at);
        self.value_of(cx, area, value, t, (element, own))
    }

    /// The new value of an element that has this one, at this row and column of an area.
    pub fn value_of(
        &self,
        cx: &mut Lower<'_>,
        area: &Area,
        value: &Point<'_>,
        t: Expr,
        (element, own): (Expr, [Expr; 2]),
    ) -> Low<Expr> {
        // The lines that variables are read from, and conditions that are the same for all of the area.
        let (mut read, mut same): (Map<Var, Var>, Map<Var, Expr>) = (Map::default(), Map::default());
        for stm in &value.stms {
            let var = stm.vars[0];
            match &stm.exp {
                Exp::Index(array, _) if self.pivots.matrices.contains(array) => cx.bind_scalar(var, element),
                Exp::Index(array, _) if self.pivots.lines.contains_key(array) => {
                    read.insert(var, *array);
                    self.read_line(cx, var, area.lines[array], own[self.pivots.lines[array]], t);
                }
                Exp::Select(cond, a, b) if area.one_of_two([*cond, *a, *b], &read, &same).is_some() => {
                    let Some((line, cond, places)) = area.one_of_two([*cond, *a, *b], &read, &same) else { continue };
                    let place = either(cx, cond, places);
                    self.read_line(cx, var, place, own[self.pivots.lines[&line]], t);
                }
                exp => match (self.is_before(cx, area, exp), self.pivots.extreme(value, stm)) {
                    (Some(is_before), _) => {
                        same.insert(var, is_before);
                        cx.bind_scalar(var, is_before);
                    }
                    (None, Some((op, old, other))) if self.are_numbers => choose(cx, var, op, [old, other]),
                    (None, _) => (cx.lower_stm)(cx, stm)?,
                },
            }
        }
        Ok(cx.homes.scalar(value.result))
    }
}

impl Turns<'_> {
    /// Reads a line at a row or column of an area.
    fn read_line(&self, cx: &mut Lower<'_>, var: Var, place: Place, own: Expr, t: Expr) {
        let at = place.of(cx, own, t);
        let loaded = cx.code.exprs.load(place.buffer, at);
        cx.bind_scalar(var, loaded);
    }

    /// Whether rows or columns come before that of the turn, where a condition asks for it. That is the same for all that have the
    /// number of no turn in the block.
    fn is_before(&self, cx: &Lower<'_>, area: &Area, exp: &Exp) -> Option<Expr> {
        let Exp::Bin(BinOp::Le, Prim::I64, Atom::Var(counter), turn) = exp else { return None };
        let axis = self.pivots.axis_of(*counter).filter(|_| *turn == self.pivots.turn.into())?;
        match area.sides[axis] {
            Side::Others { first, .. } => Some(cx.code.exprs.lt(first, self.first)),
            Side::Pivots => None,
        }
    }
}

impl Area {
    /// If a choice is between values of two lines in one memory, and is the same for all of an area: one of the lines, the
    /// condition, and where both are.
    fn one_of_two(
        &self,
        [cond, a, b]: [Atom; 3],
        read: &Map<Var, Var>,
        same: &Map<Var, Expr>,
    ) -> Option<(Var, Expr, [Place; 2])> {
        let cond = *same.get(&cond.var()?)?;
        let [a, b] = [*read.get(&a.var()?)?, *read.get(&b.var()?)?];
        let places = [self.lines[&a], self.lines[&b]];
        (places[0].buffer == places[1].buffer).then_some((a, cond, places))
    }

    /// Where an element is.
    pub fn place(&self, cx: &Lower<'_>, row: Expr, column: Expr) -> Expr {
        let exprs = cx.code.exprs;
        exprs.add(exprs.add(self.at, exprs.mul(row, self.stride)), column)
    }
}

impl Place {
    fn of(self, cx: &Lower<'_>, index: Expr, turn: Expr) -> Expr {
        let exprs = cx.code.exprs;
        let [index, turn] = [(index, self.by_index), (turn, self.by_turn)].map(|(x, by)| exprs.mul(x, expr::int(by)));
        exprs.add(exprs.add(self.at, turn), index)
    }
}

/// One of two places where lines of one memory are.
fn either(cx: &mut Lower<'_>, cond: Expr, [a, b]: [Place; 2]) -> Place {
    let at = cx.code.exprs.select(cond, a.at, b.at);
    let at = cx.code.name_int("line", at);
    Place { at, ..a }
}

/// Binds the least or greatest of a number and a value. If the value is none, it is not less and not greater, so one
/// instruction is enough.
fn choose(cx: &mut Lower<'_>, var: Var, op: MathOp, operands: [Atom; 2]) {
    let exprs = cx.code.exprs;
    let prim = cx.prim_of(var.into());
    let [number, value] = operands.map(|atom| cx.homes.scalar(atom));
    let compare = if op == MathOp::Min { BinOp::Lt } else { BinOp::Gt };
    let is_better = exprs.op(Op::Bin(compare, prim, value, number));
    cx.bind_scalar(var, exprs.select(is_better, value, number));
}

/// The lower one of two ends.
pub(super) fn lower_of(cx: &Lower<'_>, end: Expr, other: Expr) -> Expr {
    if end == other { end } else { cx.code.exprs.min(end, other) }
}
