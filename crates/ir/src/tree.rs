//! In which order values are combined: a part of what a reduction means, because rounding depends on it.
//!
//! A value goes into an *accumulator*: it is combined with what is there, from the right. A reduction has one accumulator,
//! which holds the neutral element first, and all values go into it in order. If the outermost loops are cut into
//! [`Chunks`], each block of turns has `lanes * chains` accumulators of its own, and the values of turn `t` of the block
//! go into accumulator `t mod (lanes * chains)`. So vector code combines whole vectors. At the end of a block the upper
//! half of its accumulators is combined with the lower half, until one is left: first vectors, then lanes. Then neighbouring
//! blocks are combined in pairs, as a tree, until one is left. What was there before the loop is in the first
//! accumulator of the first block; accumulators that nothing went into are left out.
//!
//! ```text
//! blocks of 4, 2 lanes, 7 turns:   (((n 0) 2) (1 3)) ((4 6) 5)
//! ```
//!
//! Turns are counted, not values: guards may leave values out, and loops inside may give many, in order. So a filter and a
//! reduction are one loop. Several loops can be cut as one: then the points of their nest are the turns.
//!
//! A running combination (a scan) starts anew in each block; what all earlier blocks gave is put before each result. It has
//! one accumulator, so no lanes.
//!
//! This is the one definition: both interpreters use [`Chunked`] and [`Running`], and compiled code does the same.

use crate::{Bulk, Coverage, Dim, Emit, Exp, Kind, Output, Program, Region, Step, Var};
use scalar::{BinOp, MathOp, Prim, Scalar, UnOp};

/// A combination tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tree {
    /// Every order gives the same bits: see [`is_exact`].
    Free,
    /// Of [`crate::Kind::Accum`]: as [`Tree::Free`], and threads may collect values in tables of their own.
    Tables(Tables),
    /// One value after the other.
    InOrder,
    /// Of [`crate::Kind::Accum`]: one value after the other, but a pass may cut the loop into parts.
    Uncut,
    /// The outermost loops are cut.
    Chunks(Chunks),
    /// Of [`crate::Kind::Accum`]: the outermost loop is cut into parts. Each combines its values for an element, in order, and
    /// the element is combined with what the parts gave, in order. Where [`Parts::pay`] says no: in order.
    Parts(Parts),
}

/// How a loop is cut whose values are combined with elements of arrays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parts {
    /// How many parts there are,
    pub parts: u32,
    /// from so many turns on,
    pub least: u32,
    /// if there are at least `turns` turns for `elements` elements.
    pub turns: u32,
    /// See there.
    pub elements: u32,
}

impl Parts {
    /// Whether so many turns are cut into parts. Of the elements that a form combines values with, those of its output with most of
    /// them count.
    pub fn pay(self, turns: i64, elements: i64) -> bool {
        let (per, of) = (i128::from(self.turns), i128::from(self.elements));
        turns >= i64::from(self.least) && i128::from(elements) * per <= i128::from(turns) * of
    }
}

/// Tables in which threads collect values for elements, which are combined in the end: so that threads need not wait for one another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tables {
    /// A thread has so many tables, which take values in turn, if each is small: the same element may come again and again, and the
    /// processor need not wait until the last value is stored.
    pub each: u32,
    /// The most elements of a small table.
    pub small: u32,
    /// There are no tables for fewer turns than this,
    pub least: u32,
    /// or for so few that emptying and adding up all tables takes as long. A turn counts as so many.
    pub weight: u32,
}

/// How a loop is cut. All numbers are powers of two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chunks {
    /// Turns of a block: a multiple of `lanes * chains`.
    pub block: u32,
    /// How many turns in succession go into accumulators of one vector.
    pub lanes: u32,
    /// How many vectors of accumulators there are.
    pub chains: u32,
    /// How many loops are cut as one: a turn is a point of a nest of so many ([`crate::nest`]), the outermost first.
    pub loops: u32,
}

impl Chunks {
    /// Blocks that are worked through one turn after the other.
    pub const PLAIN: Chunks = Chunks { block: 1024, lanes: 1, chains: 1, loops: 1 };

    /// How many accumulators a block has.
    pub fn width(self) -> usize {
        self.lanes as usize * self.chains as usize
    }

    /// Whether the numbers make sense.
    pub fn is_sound(self) -> bool {
        let Chunks { block, lanes, chains, loops } = self;
        [block, lanes, chains].iter().all(|n| n.is_power_of_two()) && self.width() <= block as usize && loops > 0
    }
}

impl Tree {
    /// The tree of the source program.
    pub const PLAIN: Tree = Tree::Chunks(Chunks::PLAIN);

    /// How the outermost loops are cut.
    pub fn chunks(&self) -> Option<Chunks> {
        match self {
            Tree::Chunks(chunks) => Some(*chunks),
            Tree::Free | Tree::Tables(_) | Tree::InOrder | Tree::Uncut | Tree::Parts(_) => None,
        }
    }
}

/// Whether a bulk form may combine its values in parts: its steps are bindings and one loop, and its outputs take scalars to be
/// combined with elements, at as many subscripts as the arrays have dimensions, and not in order. There may be new arrays beside.
pub fn may_have_parts(program: &Program, bulk: &Bulk) -> bool {
    let Some((Step::For { body, .. }, before)) = bulk.steps.split_last() else { return false };
    let combines = |output: &Output| matches!(output.kind, Kind::Accum { .. });
    let rank = |array: &Var| program.ty(*array).dims().len();
    let in_order = |output: &Output| matches!(output.kind, Kind::Accum { tree: Tree::InOrder, .. });
    let full = |emit: &Emit| match &bulk.outputs[emit.output].kind {
        Kind::Accum { arrays, .. } => arrays.iter().all(|array| rank(array) == emit.at.len()),
        _ => true,
    };
    bulk.outputs.iter().any(combines)
        && !bulk.outputs.iter().any(in_order)
        && bulk.outputs.iter().all(|output| fits_parts(program, output))
        && before.iter().all(|step| matches!(step, Step::Let(_)))
        && all_emits(body, &full)
}

fn fits_parts(program: &Program, output: &Output) -> bool {
    match &output.kind {
        Kind::Accum { arrays, .. } => {
            let is_regular = |array: &Var| program.ty(*array).dims().iter().all(|dim| matches!(dim, Dim::Size(_)));
            output.elems.iter().all(|elem| program.ty(*elem).dims().is_empty()) && arrays.iter().all(is_regular)
        }
        Kind::Gen { otherwise, coverage, rec, .. } => {
            otherwise.is_none() && *coverage == Coverage::Exact && rec.is_empty() && output.sizes.is_empty()
        }
        Kind::Update { .. } | Kind::Reduce { .. } | Kind::Keep => false,
    }
}

fn all_emits(steps: &[Step], holds: &dyn Fn(&Emit) -> bool) -> bool {
    steps.iter().all(|step| match step {
        Step::For { body, .. } | Step::Guard(_, body) => all_emits(body, holds),
        Step::Let(_) => true,
        Step::Scan(_) => false,
        Step::Emit(emit) => holds(emit),
    })
}

/// Whether an operator gives the same bits in every order: each component is combined by an operation on integers or truth
/// values that is associative and commutative.
pub fn is_exact(op: &Region) -> bool {
    components(op).is_some_and(|parts| parts.iter().all(|(exp, prim)| !prim.is_float() && is_commutative(exp)))
}

/// For each component, what can stand for an accumulator that nothing went into: combined with any value it gives that
/// value, bit by bit. Only of operators that take their operands in any order.
pub fn identities(op: &Region) -> Option<Vec<Scalar>> {
    components(op)?.iter().map(|(exp, prim)| identity(exp, *prim)).collect()
}

/// Not what the user says is neutral: `0.0 + -0.0` is not `-0.0`.
fn identity(exp: &Exp, prim: Prim) -> Option<Scalar> {
    match exp {
        // Half floats have so few bits that another order gives a number that is far away.
        Exp::Bin(BinOp::Add | BinOp::Mul, ..) if prim == Prim::F16 => None,
        Exp::Bin(BinOp::Add, ..) if prim.is_float() => scalar::eval_un(UnOp::Neg, prim.zero()).ok(),
        Exp::Bin(BinOp::Add | BinOp::Or | BinOp::Xor, ..) => Some(prim.zero()),
        Exp::Bin(BinOp::Mul, ..) => Some(prim.one()),
        Exp::Bin(BinOp::And, ..) => scalar::eval_un(UnOp::Not, prim.zero()).ok(),
        Exp::Bin(BinOp::LogAnd, ..) => Some(Scalar::Bool(true)),
        Exp::Bin(BinOp::LogOr, ..) => Some(Scalar::Bool(false)),
        // The least of a number and no number is the number.
        Exp::Math(MathOp::Min | MathOp::Max, ..) if prim.is_float() => {
            Some(scalar::convert(Scalar::F64(f64::NAN), prim))
        }
        _ => None,
    }
}

/// The operations by which each component is combined with its counterpart, if the operator is no more than these.
fn components(op: &Region) -> Option<Vec<(&Exp, Prim)>> {
    let (left, right) = op.params.split_at(op.params.len() / 2);
    let mut parts = Vec::with_capacity(left.len());
    for (result, (a, b)) in op.body.result.iter().zip(left.iter().zip(right)) {
        let stm = op.body.stms.iter().find(|stm| stm.vars.first().is_some_and(|var| Some(*var) == result.var()))?;
        let (x, y, prim) = match &stm.exp {
            Exp::Bin(_, prim, x, y) => (x.var()?, y.var()?, *prim),
            Exp::Math(_, prim, args) => match args[..] {
                [x, y] => (x.var()?, y.var()?, *prim),
                _ => return None,
            },
            _ => return None,
        };
        if (x, y) != (*a, *b) && (x, y) != (*b, *a) {
            return None;
        }
        parts.push((&stm.exp, prim));
    }
    (parts.len() == left.len() && op.body.stms.len() == parts.len()).then_some(parts)
}

fn is_commutative(exp: &Exp) -> bool {
    match exp {
        Exp::Bin(op, _, _, _) => {
            use BinOp::{Add, And, LogAnd, LogOr, Mul, Or, Xor};
            [Add, Mul, And, Or, Xor, LogAnd, LogOr].contains(op)
        }
        Exp::Math(op, _, _) => matches!(op, MathOp::Min | MathOp::Max),
        _ => false,
    }
}

/// The accumulators of one loop that is cut into chunks, while it runs.
pub struct Chunked<T> {
    chunks: Chunks,
    turn: usize,
    accumulators: Vec<Option<T>>,
    /// Results of finished blocks: how many pairs deep, and what; neighbours of the same depth are combined.
    finished: Vec<(u32, Option<T>)>,
}

impl<T> Chunked<T> {
    /// No turn has begun.
    pub fn new(chunks: Chunks) -> Chunked<T> {
        let accumulators = (0..chunks.width()).map(|_| None).collect();
        Chunked { chunks, turn: 0, accumulators, finished: Vec::new() }
    }

    /// Leaves the accumulator of the last turn, or what was before the loop, and begins a turn: gives its accumulator.
    pub fn turn<E>(&mut self, turn: usize, last: Option<T>, op: &mut Op<'_, T, E>) -> Result<Option<T>, E> {
        self.put(last);
        if turn / self.chunks.block as usize != self.turn / self.chunks.block as usize {
            self.end_block(op)?;
        }
        self.turn = turn;
        let at = turn % self.chunks.width();
        Ok(self.accumulators[at].take())
    }

    /// What the loop gives in the end.
    pub fn end<E>(mut self, last: Option<T>, op: &mut Op<'_, T, E>) -> Result<Option<T>, E> {
        self.put(last);
        self.end_block(op)?;
        let mut result = None;
        while let Some((_, left)) = self.finished.pop() {
            result = both(left, result, op)?;
        }
        Ok(result)
    }

    fn put(&mut self, value: Option<T>) {
        let at = self.turn % self.chunks.width();
        self.accumulators[at] = value;
    }

    fn end_block<E>(&mut self, op: &mut Op<'_, T, E>) -> Result<(), E> {
        let mut half = self.chunks.width() / 2;
        while half > 0 {
            for at in 0..half {
                let (left, right) = (self.accumulators[at].take(), self.accumulators[at + half].take());
                self.accumulators[at] = both(left, right, op)?;
            }
            half /= 2;
        }
        let mut block = (0, self.accumulators[0].take());
        while let Some((depth, left)) = self.finished.pop_if(|last| last.0 == block.0) {
            block = (depth + 1, both(left, block.1, op)?);
        }
        self.finished.push(block);
        Ok(())
    }
}

/// Combines two values; may fail.
pub type Op<'a, T, E> = dyn FnMut(T, T) -> Result<T, E> + 'a;

/// Combines what is there.
pub fn both<T, E>(left: Option<T>, right: Option<T>, op: &mut Op<'_, T, E>) -> Result<Option<T>, E> {
    match (left, right) {
        (Some(left), Some(right)) => op(left, right).map(Some),
        (one, other) => Ok(one.or(other)),
    }
}

/// A running combination: that of all values so far.
pub struct Running<T> {
    block: Option<usize>,
    turn: usize,
    /// What earlier blocks gave.
    before: Option<T>,
    /// What this block gave so far.
    within: Option<T>,
}

impl<T: Clone> Running<T> {
    /// No value so far. `block` is how many turns a block has, if there are blocks.
    pub fn new(block: Option<u32>) -> Running<T> {
        Running { block: block.map(|n| n as usize), turn: 0, before: None, within: None }
    }

    /// The next value belongs to this turn of the loop that is cut into blocks.
    pub fn turn<E>(&mut self, turn: usize, op: &mut Op<'_, T, E>) -> Result<(), E> {
        if self.block.is_some_and(|block| turn / block != self.turn / block) {
            self.before = both(self.before.take(), self.within.take(), op)?;
        }
        self.turn = turn;
        Ok(())
    }

    /// The combination of all values up to this one.
    pub fn next<E>(&mut self, value: T, op: &mut Op<'_, T, E>) -> Result<T, E> {
        let within = match self.within.take() {
            Some(within) => op(within, value)?,
            None => value,
        };
        self.within = Some(within.clone());
        match &self.before {
            Some(before) => op(before.clone(), within),
            None => Ok(within),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    fn shown(chunks: Chunks, turns: usize, has_value: impl Fn(usize) -> bool) -> String {
        let mut op = |a: String, b: String| Ok::<_, Infallible>(format!("({a} {b})"));
        let (mut chunked, mut acc) = (Chunked::new(chunks), Some("n".to_string()));
        for turn in 0..turns {
            let Ok(before) = chunked.turn(turn, acc.take(), &mut op);
            let value = has_value(turn).then(|| turn.to_string());
            let Ok(after) = both(before, value, &mut op);
            acc = after;
        }
        let Ok(result) = chunked.end(acc, &mut op);
        result.unwrap_or_default()
    }

    #[test]
    fn trees_are_as_the_head_of_the_file_says() {
        let chunks = Chunks { block: 4, lanes: 2, chains: 1, loops: 1 };
        assert_eq!(shown(chunks, 7, |_| true), "((((n 0) 2) (1 3)) ((4 6) 5))");
        assert_eq!(shown(Chunks { lanes: 1, ..chunks }, 7, |_| true), "(((((n 0) 1) 2) 3) ((4 5) 6))");
        assert_eq!(shown(chunks, 0, |_| true), "n");
    }

    #[test]
    fn turns_without_a_value_are_left_out() {
        let chunks = Chunks { block: 2, lanes: 1, chains: 1, loops: 1 };
        assert_eq!(shown(chunks, 10, |turn| turn == 5 || turn == 9), "((n 5) 9)");
        assert_eq!(shown(chunks, 10, |turn| (4..8).contains(&turn)), "(n ((4 5) (6 7)))");
    }
}
