//! A group of recursive arrays as data: its outputs, its clauses, and the list of their instances.

use crate::bulk::appended::Rows;
use crate::bulk::arrivals::Arrivals;
use crate::bulk::form::Elem;
use crate::data::rep::Array;
use ir::{Dim, Emit, Kind, Stm as CoreStm, Var};
use kernel::{Expr, Var as K};

/// A group under construction.
pub(crate) struct Group<'b> {
    pub outputs: Vec<RecOutput<'b>>,
    pub clauses: Vec<Clause<'b>>,
    pub instances: Instances,
    /// The state of each instance.
    pub states: K,
    /// The number of recursive bulk forms that this one runs in, itself included.
    pub depth: Expr,
}

/// An output under construction.
pub(crate) struct RecOutput<'b> {
    pub kind: &'b Kind,
    /// The dimensions of cells.
    pub shape: Vec<Dim>,
    pub cells: Expr,
    /// The number of the first cell.
    pub base: Expr,
    pub values: Values,
}

/// Where the values of an output are.
pub(crate) enum Values {
    /// Each at its place.
    Placed(Vec<(Elem, Array)>),
    /// Values that differ in size, in the order in which they came.
    Appended(Rows, Arrivals),
}

/// A clause: its value, the loop variables around it, and the bindings around it.
pub(crate) struct Clause<'b> {
    pub emit: &'b Emit,
    pub indices: Vec<Var>,
    pub lets: Vec<&'b CoreStm>,
}

/// The instances.
pub(crate) struct Instances {
    /// How many there are.
    pub count: K,
    /// For each cell, the instance that defines it, or -1.
    pub owner: K,
    /// The clause of each instance; numbers after those of clauses are for the `otherwise` of outputs.
    pub clause: K,
    /// The cell of each instance.
    pub cell: K,
    /// The indices of each instance.
    pub env: K,
    /// How many indices an instance has space for.
    pub width: i64,
}

/// The names by which values read what an output makes.
pub(crate) fn rec_names(kind: &Kind) -> &[Var] {
    match kind {
        Kind::Gen { rec, .. } | Kind::Update { rec, .. } => rec,
        Kind::Accum { .. } | Kind::Reduce { .. } | Kind::Keep => &[],
    }
}
