//! What the steps of a bulk form hand to its outputs: data only.

use super::columns::Columns;
use super::levels::Level;
use super::val::{Array, Val};
use base::{Map, Span};
use ir::tree::{Chunked, Running};
use ir::{Block, Output, Scan, Var};

/// The owner of a place that no value defines.
pub(super) const NOBODY: usize = usize::MAX;

/// What was handed to an output.
pub(super) struct Sink<'p> {
    pub output: &'p Output,
    /// The dimensions that subscripts run through.
    pub outer: Vec<Level>,
    /// For `Gen`, and for all recursive arrays, which value defines each place: a value's number, or while recursive
    /// arrays are computed the instance's.
    pub owner: Vec<usize>,
    /// For `Update` and `Accum`, the places of the values and the values' numbers.
    pub places: Vec<(usize, usize)>,
    /// For `Accum`, the turn of the outermost loop in which each value came, and how many turns there are.
    pub turns: (Vec<usize>, usize),
    /// For `Reduce`, what was combined so far.
    pub combined: Combined,
    /// For `Update` and `Accum`, the arrays as they were.
    pub old: Vec<Array>,
    pub columns: Columns,
}

/// What a reduction has combined so far.
#[derive(Default)]
pub(super) struct Combined {
    /// The accumulator of this turn.
    pub now: Option<Vec<Val>>,
    /// Those of other turns, while the outermost loop runs.
    pub chunked: Option<Chunked<Vec<Val>>>,
}

/// The walk of one bulk form.
pub(super) struct Walk<'p> {
    pub sinks: Vec<Sink<'p>>,
    /// Running combinations.
    pub running: Map<*const Scan, Running<Vec<Val>>>,
    /// The loops around: the turn, and how many turns there are.
    pub turns: Vec<(usize, usize)>,
    /// If arrays are recursive, values wait here until all are known by their places.
    pub instances: Option<Vec<Instance<'p>>>,
    /// Variables of the steps around.
    pub path: Vec<Var>,
}

/// A value to be computed.
pub(super) struct Instance<'p> {
    pub output: usize,
    pub place: usize,
    pub value: &'p Block,
    /// The variables of the steps around that the value needs.
    pub env: Vec<(Var, Val)>,
    pub span: Span,
    pub progress: Progress,
}

/// How far its computation is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    Untouched,
    Running,
    Done,
}

/// Recursive arrays under construction.
pub(super) struct Recursive<'p> {
    pub sinks: Vec<Sink<'p>>,
    /// For each instance the number of its value, or [`NOBODY`].
    pub slots: Vec<usize>,
}
