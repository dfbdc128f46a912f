//! Values that are appended as they come.

use crate::arrays::dims;
use crate::bulk::form::{Bound, Elem};
use crate::bulk::{columns, form, values};
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use crate::data::rep::{Array, Rep};
use ir::{Emit, Output};
use kernel::{Expr, Var as K};

/// What has been kept so far.
pub(crate) struct KeepSink {
    elems: Vec<Elem>,
    buffers: Vec<K>,
    kept: K,
}

pub(crate) fn open(cx: &mut Lower<'_>, output: &Output) -> KeepSink {
    let elems = form::elems(cx, output);
    let mut buffers = Vec::new();
    for elem in &elems {
        buffers.push(cx.code.growing("kept", elem.prim));
    }
    let kept = cx.code.variable("count", expr::int(0));
    KeepSink { elems, buffers, kept }
}

pub(crate) fn put(cx: &mut Lower<'_>, sink: &KeepSink, emit: &Emit) -> Low<()> {
    columns::grow_all(cx, &sink.buffers, &sink.elems, Expr::Var(sink.kept));
    let arrays: Vec<(Elem, Array)> =
        (sink.elems.iter().cloned()).zip(sink.buffers.iter().map(|k| Array::at(*k, expr::int(0)))).collect();
    values::put(cx, &arrays, Expr::Var(sink.kept), &emit.value)?;
    cx.code.increment(sink.kept);
    Ok(())
}

pub(crate) fn close(cx: &mut Lower<'_>, sink: KeepSink, bound: &Bound) {
    if let Some(count) = bound.count {
        cx.homes.bind(count, Rep::Scalar(Expr::Var(sink.kept)));
    }
    for (var, buffer) in bound.elems.iter().zip(sink.buffers) {
        let dims = cx.src.ty(*var).dims();
        let array = dims::packed(cx, buffer, expr::int(0), dims);
        cx.homes.bind(*var, Rep::Array(Array { whole: true, ..array }));
    }
}
