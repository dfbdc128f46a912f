//! Loops whose turns change a matrix by one row and one column of itself: elimination, shortest paths.
//!
//! ```text
//! loop (a: [n][m]f64 = a0) for k < turns {
//!   let p = a[k, k]                                                      a number
//!   let b = bulk { out update (a) .. emit [k + 1 + i, k] => .. p .. }    an update of the column
//!   let c: [n - k - 1]f64 = bulk { .. emit [i] => b[k + 1 + i, k] }      a line, by rows
//!   let r: [m - k - 1]f64 = bulk { .. emit [j] => b[k, k + 1 + j] }      a line, by columns
//!   let d = bulk { out update (b) .. emit [k + 1 + i, k + 1 + j] => f(b[k + 1 + i, k + 1 + j], c[i], r[j]) }
//!   => d
//! }
//! ```
//!
//! In turn `k` an element needs itself, and of all others only those in row `k` and column `k`. So for some turns in
//! succession, first the rows and columns with their numbers can go through all of these turns, and then each other element by
//! itself. Every element goes through the same operations in the same order, with the same operands.
//!
//! Limits: one matrix of scalars; nothing fails; all that moves along an axis has one range, whose ends are fixed or whose
//! first index is `k` or `k + 1`.

use crate::moves;
use crate::traverse::Part as Piece;
use crate::{Atom, Block, Bulk, Coverage, Dim, Exp, Kind, LoopForm, Output, Program, Step, Stm, Type, Var};
use base::{Map, Set};
use scalar::{BinOp, MathOp, Prim};

/// A loop of this kind.
pub struct Pivots<'b> {
    /// The index of a turn.
    pub turn: Var,
    /// How many turns there are.
    pub turns: Atom,
    /// The ranges of rows and columns.
    pub ranges: [Range; 2],
    /// What a turn does, in order.
    pub parts: Vec<Part<'b>>,
    /// Lines, with the axis that they lie along: 0 if they have a value for each row.
    pub lines: Map<Var, usize>,
    /// The names of the matrix.
    pub matrices: Set<Var>,
}

/// The indices that change along an axis.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Range {
    /// The first one.
    pub first: First,
    /// The sum of these is the one after the last.
    pub end: (Atom, Option<Atom>),
}

/// The first index of a range.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum First {
    /// The same in all turns.
    Fixed(Atom),
    /// The number of the turn, plus this.
    Turn(i64),
}

/// A part of a turn.
pub enum Part<'b> {
    /// A number, and whether it depends on the matrix.
    Number(&'b Stm, bool),
    /// Values for rows or columns.
    Line {
        /// The array of these values.
        var: Var,
        /// The axis that it lies along.
        axis: usize,
        /// The index of a value.
        counter: Var,
        /// A value.
        value: Point<'b>,
    },
    /// An update.
    Update {
        /// For each axis the counter that moves along it; without one the subscript is the number of the turn.
        counters: [Option<Var>; 2],
        /// What replaces an element.
        value: Point<'b>,
    },
}

/// The value of an element.
pub struct Point<'b> {
    /// What is computed for it. Reads of the matrix are at the element itself, reads of lines at its row or column. In rows and
    /// columns with the number of the turn other arrays may be read, too.
    pub stms: Vec<&'b Stm>,
    /// The value.
    pub result: Atom,
}

impl Pivots<'_> {
    /// Whether a value reads arrays other than the matrix and its lines: only elements that are there have a value.
    pub fn reads_others(&self, value: &Point<'_>) -> bool {
        value.stms.iter().any(|stm| match &stm.exp {
            Exp::Index(array, _) => !self.matrices.contains(array) && !self.lines.contains_key(array),
            _ => false,
        })
    }
}

impl Pivots<'_> {
    /// The axis of which a counter is the index, as in a condition that compares it with the number of the turn.
    pub fn axis_of(&self, counter: Var) -> Option<usize> {
        let axis = self.parts.iter().find_map(|part| match part {
            Part::Line { axis, counter: own, .. } if *own == counter => Some(*axis),
            Part::Update { counters, .. } => counters.iter().position(|own| *own == Some(counter)),
            Part::Line { .. } | Part::Number(..) => None,
        })?;
        (self.ranges[axis].first == First::Fixed(Atom::size(0))).then_some(axis)
    }

    /// Whether elements that are numbers stay numbers: each update takes the least or greatest of an element and a value.
    pub fn keeps_numbers(&self) -> bool {
        self.parts.iter().all(|part| match part {
            Part::Update { value, .. } => value.stms.iter().any(|stm| self.extreme(value, stm).is_some()),
            Part::Number(..) | Part::Line { .. } => true,
        })
    }

    /// The operator, the element and the value, if a statement takes the least or greatest of an element and a value, and its
    /// result replaces the element.
    pub fn extreme(&self, value: &Point<'_>, stm: &Stm) -> Option<(MathOp, Atom, Atom)> {
        let Exp::Math(op @ (MathOp::Min | MathOp::Max), prim, args) = &stm.exp else { return None };
        let [element, other] = args[..] else { return None };
        let is_element = value.stms.iter().any(|stm| match &stm.exp {
            Exp::Index(array, _) => Atom::Var(stm.vars[0]) == element && self.matrices.contains(array),
            _ => false,
        });
        let is_result = value.result == Atom::Var(stm.vars[0]);
        (prim.is_float() && is_element && is_result).then_some((*op, element, other))
    }
}

/// Recognises a loop that carries one matrix.
pub fn of<'b>(program: &Program, params: &[(Var, Atom)], form: &LoopForm, body: &'b Block) -> Option<Pivots<'b>> {
    let ([(array, _)], LoopForm::For(turn, turns)) = (params, form) else { return None };
    let Type::Array(prim, dims) = program.ty(*array) else { return None };
    let is_matrix = matches!(dims[..], [Dim::Size(_), Dim::Size(_)]) && *prim != Prim::Bool;
    let mut defs: Map<Var, Option<&Exp>> = Map::default();
    defs.extend([(*turn, None), (*array, None)]);
    let mut finder = Finder {
        program,
        turn: *turn,
        defs,
        current: *array,
        matrices: Set::from_iter([*array]),
        lines: Map::default(),
        read: Set::default(),
        ranges: [None, None],
    };
    let parts: Option<Vec<Part<'b>>> = body.stms.iter().map(|stm| finder.part(stm)).collect();
    let parts = parts.filter(|_| is_matrix && body.result == [Atom::Var(finder.current)])?;
    let is_wide = |part: &Part<'_>| matches!(part, Part::Update { counters: [Some(_), Some(_)], .. });
    let ranges = [finder.range(0)?, finder.range(1)?];
    let Finder { lines, matrices, .. } = finder;
    parts.iter().any(is_wide).then_some(Pivots { turn: *turn, turns: *turns, ranges, parts, lines, matrices })
}

/// The loop so far.
struct Finder<'p, 'b> {
    program: &'p Program,
    turn: Var,
    /// What the turn binds, and how; none for what is not computed by an expression.
    defs: Map<Var, Option<&'b Exp>>,
    /// The matrix now.
    current: Var,
    matrices: Set<Var>,
    lines: Map<Var, usize>,
    /// Numbers that depend on the matrix.
    read: Set<Var>,
    /// For each axis what is added to a counter, and how far the counter goes.
    ranges: [Option<(Option<Atom>, Atom)>; 2],
}

impl<'b> Finder<'_, 'b> {
    fn part(&mut self, stm: &'b Stm) -> Option<Part<'b>> {
        let [var] = stm.vars[..] else { return None };
        let found = match &stm.exp {
            Exp::Bulk(bulk) => match &bulk.outputs[..] {
                [Output { kind: Kind::Update { .. }, .. }] => self.update(bulk),
                [Output { kind: Kind::Gen { .. }, .. }] => self.line(var, bulk),
                _ => None,
            },
            _ => self.number(stm),
        }?;
        self.defs.insert(var, Some(&stm.exp));
        match &found {
            Part::Number(_, true) => drop(self.read.insert(var)),
            Part::Number(_, false) => {}
            Part::Line { axis, .. } => drop(self.lines.insert(var, *axis)),
            Part::Update { .. } => {
                self.current = var;
                self.matrices.insert(var);
            }
        }
        Some(found)
    }

    /// A number: of the matrix, only the element that both lines share is read.
    fn number(&self, stm: &'b Stm) -> Option<Part<'b>> {
        let uses = uses(stm);
        let depends = uses.iter().any(|var| self.read.contains(var));
        let reads = match &stm.exp {
            Exp::Index(array, at) if *array == self.current => (at[..] == [Atom::Var(self.turn); 2]).then_some(true)?,
            Exp::Index(array, _) => {
                (!self.matrices.contains(array) && !self.lines.contains_key(array) && !depends).then_some(false)?
            }
            _ => self.is_arithmetic(stm).then_some(depends)?,
        };
        matches!(self.program.ty(stm.vars[0]), Type::Scalar(_)).then_some(Part::Number(stm, reads))
    }

    /// An array of a value for each row or column.
    fn line(&mut self, var: Var, bulk: &'b Bulk) -> Option<Part<'b>> {
        let ([Output { kind, sizes, elems: _ }], [Step::For { var: counter, count, body, .. }]) =
            (&bulk.outputs[..], &bulk.steps[..])
        else {
            return None;
        };
        let Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec } = kind else { return None };
        let (Step::Emit(emit), lets) = body.split_last()? else { return None };
        let is_plain = rec.is_empty() && sizes.is_empty() && emit.at == [Atom::Var(*counter)];
        (is_plain && shape[..] == [Dim::Size(*count)] && !bulk.scheduled).then_some(())?;
        let value = point(lets, &emit.value)?;
        let read = value.stms.iter().find_map(|stm| match &stm.exp {
            Exp::Index(array, at) if *array == self.current && at.len() == 2 => Some(at),
            _ => None,
        })?;
        let axis = read.iter().position(|at| *at != Atom::Var(self.turn))?;
        (read[1 - axis] == Atom::Var(self.turn)).then_some(())?;
        let mut counters = [None, None];
        counters[axis] = Some(*counter);
        self.moves(axis, read[axis], (*counter, *count), &value)?;
        self.is_own(&value, read, counters).then_some(Part::Line { var, axis, counter: *counter, value })
    }

    /// An update in place of elements at which the matrix is read.
    fn update(&mut self, bulk: &'b Bulk) -> Option<Part<'b>> {
        let [Output { kind: Kind::Update { arrays, skip: false, rec }, .. }] = &bulk.outputs[..] else { return None };
        (arrays[..] == [self.current] && rec.is_empty() && !bulk.scheduled).then_some(())?;
        let moves = moves::of(bulk)?;
        let mut lets = Vec::new();
        lets_of(&bulk.steps, &mut lets)?;
        let value = Point {
            stms: lets.into_iter().chain(&moves.emit.value.stms).collect(),
            result: *moves.emit.value.result.first()?,
        };
        let mut counters = [None, None];
        (moves.emit.at.len() == 2).then_some(())?;
        for (axis, (at, moved)) in moves.emit.at.iter().zip(&moves.loops).enumerate() {
            match moved {
                Some(moved) => {
                    moved.alone.then_some(())?;
                    counters[axis] = Some(moved.counter);
                    self.moves(axis, *at, (moved.counter, moved.count), &value)?;
                }
                None => (*at == Atom::Var(self.turn)).then_some(())?,
            }
        }
        self.is_own(&value, &moves.emit.at, counters).then_some(Part::Update { counters, value })
    }

    /// Notes that a subscript moves along an axis with a counter. All that move along an axis must do so in the same way.
    fn moves(&mut self, axis: usize, at: Atom, (counter, count): (Var, Atom), value: &Point<'_>) -> Option<()> {
        let def = value.stms.iter().find(|stm| at.var().is_some_and(|var| stm.vars.contains(&var))).map(|stm| &stm.exp);
        let added = match def {
            None => (at == Atom::Var(counter)).then_some(None)?,
            Some(Exp::Bin(BinOp::Add, Prim::I64, a, b)) if *b == Atom::Var(counter) => Some(*a),
            Some(Exp::Bin(BinOp::Add, Prim::I64, a, b)) if *a == Atom::Var(counter) => Some(*b),
            Some(_) => return None,
        };
        let range = (added, count);
        (*self.ranges[axis].get_or_insert(range) == range).then_some(())
    }

    /// Whether a value only reads the matrix at these subscripts and lines at these counters, and cannot fail.
    fn is_own(&self, value: &Point<'_>, own: &[Atom], counters: [Option<Var>; 2]) -> bool {
        value.stms.iter().all(|stm| match &stm.exp {
            Exp::Index(array, at) if *array == self.current => at == own,
            Exp::Index(array, _) if !self.lines.contains_key(array) => {
                !self.matrices.contains(array) && counters.contains(&None)
            }
            Exp::Index(array, at) => (self.lines.get(array))
                .is_some_and(|axis| counters[*axis].is_some_and(|counter| at[..] == [Atom::Var(counter)])),
            _ => self.is_arithmetic(stm),
        })
    }

    fn is_arithmetic(&self, stm: &Stm) -> bool {
        let is_scalar = match &stm.exp {
            Exp::Atom(_) | Exp::Un(..) | Exp::Math(..) | Exp::Convert(..) | Exp::Select(..) => true,
            Exp::Bin(..) => !stm.exp.is_partial(),
            _ => false,
        };
        let arrays = uses(stm).into_iter().any(|var| self.matrices.contains(&var) || self.lines.contains_key(&var));
        is_scalar && stm.vars.len() == 1 && !arrays
    }

    /// The range of an axis, if it is one of those that are known.
    fn range(&self, axis: usize) -> Option<Range> {
        let (added, count) = self.ranges[axis]?;
        let first = added.unwrap_or(Atom::size(0));
        if self.is_fixed(first) && self.is_fixed(count) {
            return Some(Range { first: First::Fixed(first), end: (count, added) });
        }
        let [low, length] = [self.linear(first)?, self.linear(count)?];
        let end = low.plus(length)?;
        let first = match low {
            Linear { base: None, constant: more @ (0 | 1), turns: 1 } => First::Turn(more),
            Linear { turns: 0, .. } => First::Fixed(first),
            _ => return None,
        };
        let constant = Atom::size(end.constant);
        let end = (end.turns == 0).then(|| end.base.map_or((constant, None), |base| (base.into(), Some(constant))))?;
        Some(Range { first, end })
    }

    fn is_fixed(&self, atom: Atom) -> bool {
        atom.var().is_none_or(|var| !self.defs.contains_key(&var))
    }

    /// A number as a sum.
    fn linear(&self, atom: Atom) -> Option<Linear> {
        let zero = Linear { base: None, constant: 0, turns: 0 };
        match atom {
            Atom::Const(_) => Some(Linear { constant: atom.as_size()?, ..zero }),
            Atom::Var(var) if var == self.turn => Some(Linear { turns: 1, ..zero }),
            Atom::Var(var) if self.is_fixed(atom) => Some(Linear { base: Some(var), ..zero }),
            Atom::Var(var) => match self.defs.get(&var)?.as_ref()? {
                Exp::Bin(BinOp::Add, Prim::I64, a, b) => self.linear(*a)?.plus(self.linear(*b)?),
                Exp::Bin(BinOp::Sub, Prim::I64, a, b) => self.linear(*a)?.plus(self.linear(*b)?.opposite()?),
                Exp::Atom(atom) => self.linear(*atom),
                _ => None,
            },
        }
    }
}

/// A variable that does not change, if there is one, a constant, and so many times the number of the turn.
#[derive(Clone, Copy)]
struct Linear {
    base: Option<Var>,
    constant: i64,
    turns: i64,
}

impl Linear {
    fn plus(self, other: Linear) -> Option<Linear> {
        let base = match (self.base, other.base) {
            (Some(_), Some(_)) => return None,
            (base, None) | (None, base) => base,
        };
        let constant = self.constant.checked_add(other.constant)?;
        Some(Linear { base, constant, turns: self.turns.checked_add(other.turns)? })
    }

    fn opposite(self) -> Option<Linear> {
        let [constant, turns] = [self.constant.checked_neg()?, self.turns.checked_neg()?];
        self.base.is_none().then_some(Linear { base: None, constant, turns })
    }
}

/// The value of an element, with what is bound before it.
fn point<'b>(lets: &'b [Step], value: &'b Block) -> Option<Point<'b>> {
    let mut stms = Vec::new();
    lets_of(lets, &mut stms)?;
    stms.extend(&value.stms);
    Some(Point { stms, result: *value.result.first()? })
}

/// What steps bind, if there is nothing else but loops and a value.
fn lets_of<'b>(steps: &'b [Step], found: &mut Vec<&'b Stm>) -> Option<()> {
    for step in steps {
        match step {
            Step::For { body, .. } => lets_of(body, found)?,
            Step::Let(stm) => found.push(stm),
            Step::Emit(_) => {}
            Step::Guard(..) | Step::Scan(_) => return None,
        }
    }
    Some(())
}

fn uses(stm: &Stm) -> Vec<Var> {
    let mut found = Vec::new();
    stm.exp.for_each_part(&mut |part| {
        if let Piece::Atom(Atom::Var(var)) | Piece::Use(var) = part {
            found.push(*var);
        }
    });
    found
}
