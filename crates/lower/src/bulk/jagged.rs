//! Arrays of values whose sizes differ: sizes and elements are appended as values come ([`super::appended`]). Values
//! that do not come in the order of their places are put into order at the end ([`super::arrivals`]).

use super::appended::{self, Rows};
use super::arrivals::{self, Arrivals};
use super::form::Bound;
use super::gaps;
use crate::arrays::{dims, faults, place};
use crate::context::Lower;
use crate::data::rep::Rep;
use crate::data::{Low, expr};
use crate::scope;
use analysis::emits::in_order;
use ir::{Bulk, Coverage, Dim, Emit, Kind, Output};
use kernel::Expr;

/// The values so far.
pub(crate) struct JaggedSink {
    rows: Rows,
    /// Where they go, if they do not come in order.
    arrivals: Option<Arrivals>,
    shape: Vec<Dim>,
    coverage: Coverage,
}

/// No values yet.
pub(crate) fn open(cx: &mut Lower<'_>, output: &Output, bulk: &Bulk) -> JaggedSink {
    let rows = appended::open(cx, output);
    let (shape, coverage, ordered) = match &output.kind {
        Kind::Gen { shape, coverage, .. } => (shape.clone(), *coverage, in_order(shape, bulk)),
        _ => (Vec::new(), Coverage::Exact, true),
    };
    let arrivals = (!ordered).then(|| arrivals::open(cx, &shape, &rows));
    JaggedSink { rows, arrivals, shape, coverage }
}

/// Takes a value.
pub(crate) fn put(cx: &mut Lower<'_>, sink: &JaggedSink, emit: &Emit) -> Low<()> {
    let exprs = cx.code.exprs;
    if let Some(arrivals) = &sink.arrivals {
        let place = place::place_at(cx, &sink.shape, &emit.at)?;
        if let Coverage::Checked { collision, called, .. } = sink.coverage {
            let taken = exprs.not_zero(exprs.load(arrivals.marks, place));
            faults::collision(cx, taken, collision, &emit.at, called);
        }
        cx.code.store(arrivals.marks, place, expr::byte(1));
        arrivals::note(cx, &sink.rows, arrivals, place);
    }
    scope::with_block(cx, &emit.value, |cx, reps| appended::append(cx, &sink.rows, reps, &emit.value.result))
}

/// Makes sure that every place has a value, and binds what was collected.
pub(crate) fn close(cx: &mut Lower<'_>, sink: JaggedSink, output: &Output, bound: &Bound) -> Low<()> {
    let rows = sink.rows;
    let count = rows.count;
    let (sizes, elems) = match &sink.arrivals {
        None => (rows.sizes, rows.elems),
        Some(arrivals) => {
            match (&output.kind, sink.coverage) {
                (Kind::Gen { otherwise: Some(value), .. }, _) => {
                    arrivals::append_otherwise(cx, &rows, arrivals, &sink.shape, value)?;
                }
                (_, Coverage::Checked { gap, called, .. }) => {
                    let count = dims::count(cx, &sink.shape);
                    gaps::check_gaps(cx, &sink.shape, arrivals.marks, count, gap, called);
                }
                (_, Coverage::Exact) => {}
            }
            arrivals::in_place_order(cx, &rows, arrivals, &sink.shape)
        }
    };
    if let Some(var) = bound.count {
        cx.homes.bind(var, Rep::Scalar(Expr::Var(count)));
    }
    appended::bind(cx, sizes, elems, bound);
    Ok(())
}
