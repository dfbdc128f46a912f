//! Recursive bulk forms as data: outputs, clauses, the states of their instances.

use super::form::Elem;
use super::jagged::JaggedSink;
use crate::expr;
use crate::rep::Array;
use ir::{Dim, Emit, Kind, Stm as CoreStm, Var};
use kernel::{Expr, Var as K};
use scalar::{Prim, Scalar};

/// How many recursive bulk forms may be at work inside one another: what a stop says carries the depth. The stack ends
/// long before.
pub(super) const DEPTHS: i64 = 1 << 20;

/// An output on the way.
pub(super) struct RecOutput<'b> {
    pub kind: &'b Kind,
    /// The dimensions of cells.
    pub shape: Vec<Dim>,
    pub cells: Expr,
    /// The number of the first cell.
    pub base: Expr,
    pub arrays: Vec<(Elem, Array)>,
    /// What has come of values that differ in size; then there are no arrays.
    pub rows: Option<JaggedSink>,
}

/// A clause: where its value stands and what is bound around it.
pub(super) struct Clause<'b> {
    pub emit: &'b Emit,
    pub indices: Vec<Var>,
    pub lets: Vec<&'b CoreStm>,
}

/// How far an instance is.
pub(super) const UNTOUCHED: u8 = 0;
pub(super) const RUNNING: u8 = 1;
pub(super) const DONE: u8 = 2;

/// The names by which values read what an output makes.
pub(super) fn rec_names(kind: &Kind) -> &[Var] {
    match kind {
        Kind::Gen { rec, .. } | Kind::Update { rec, .. } => rec,
        Kind::Accum { .. } | Kind::Reduce { .. } | Kind::Scan { .. } | Kind::Keep => &[],
    }
}

/// Whether an instance is in this state.
pub(super) fn state_is(states: K, instance: Expr, state: u8) -> Expr {
    debug_assert!(state != UNTOUCHED);
    let value = Box::new(expr::load(states, instance));
    Expr::Bin(scalar::BinOp::Eq, Prim::U8, value, Box::new(Expr::Const(Scalar::U8(state))))
}

/// Whether an instance is not computed yet.
pub(super) fn is_open(states: K, instance: Expr) -> Expr {
    expr::not(state_is(states, instance, DONE))
}
