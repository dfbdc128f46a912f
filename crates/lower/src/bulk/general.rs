//! Any bulk form: one walk through its steps, with a sink for each output. Loops whose values go to disjoint places are
//! parallel.

use super::array::{self, ArraySink, Pass};
use super::form::Bound;
use super::jagged::{self, JaggedSink};
use super::keep::{self, KeepSink};
use super::reduce::{self, StreamReduce};
use super::update::{self, UpdateSink};
use super::walk;
use crate::analysis::cost::heavy_lets;
use crate::context::Lower;
use crate::data::Low;
use ir::{Bulk, Coverage, Emit, Kind, Limitation, Output};

/// What is done with the values of an output.
enum Sink<'b> {
    /// Writes to the place that the subscripts name.
    Array(ArraySink),
    /// Writes into existing arrays, or combines values with their elements.
    Update(UpdateSink<'b>),
    /// Combines all values, as they come.
    Reduce(StreamReduce<'b>),
    /// Appends values.
    Keep(KeepSink),
    /// Appends values of different sizes.
    Jagged(JaggedSink),
}

/// Lowers a bulk form.
pub(crate) fn lower(cx: &mut Lower<'_>, bound: &[Bound], bulk: &Bulk) -> Low<()> {
    cx.code.open();
    let mut sinks = Vec::new();
    for (output, bound) in bulk.outputs.iter().zip(bound) {
        sinks.push(open(cx, output, bound, bulk)?);
    }
    let parallel = !cx.code.in_parallel && bulk.outputs.iter().all(writes_disjoint);
    if bulk.outputs.iter().any(is_checked) && parallel && !heavy_lets(&bulk.steps) {
        // First which places have a value, in order; then the values, in any order.
        walk_sinks(cx, bulk, &sinks, Pass::Marks, false)?;
        walk_sinks(cx, bulk, &sinks, Pass::Values, true)?;
    } else {
        let in_order = bulk.outputs.iter().any(is_checked);
        walk_sinks(cx, bulk, &sinks, Pass::Both, parallel && !in_order)?;
    }
    for ((sink, output), bound) in sinks.into_iter().zip(&bulk.outputs).zip(bound) {
        close(cx, sink, output, bound)?;
    }
    walk::close_keeping(cx, bound);
    Ok(())
}

fn walk_sinks(cx: &mut Lower<'_>, bulk: &Bulk, sinks: &[Sink<'_>], pass: Pass, parallel: bool) -> Low<()> {
    let take = &mut |cx: &mut Lower<'_>, emit: &Emit| put(cx, &sinks[emit.output], emit, pass);
    walk::steps(cx, &bulk.steps, take, parallel)
}

fn open<'b>(cx: &mut Lower<'_>, output: &'b Output, bound: &Bound, bulk: &Bulk) -> Low<Sink<'b>> {
    match &output.kind {
        Kind::Gen { .. } | Kind::Keep if !output.sizes.is_empty() => Ok(Sink::Jagged(jagged::open(cx, output, bulk))),
        Kind::Gen { .. } => Ok(Sink::Array(array::open(cx, output, bound))),
        Kind::Keep => Ok(Sink::Keep(keep::open(cx, output))),
        Kind::Update { arrays, skip, .. } => Ok(Sink::Update(update::open(cx, output, arrays, *skip, None, bulk))),
        Kind::Accum { arrays, skip, op } => Ok(Sink::Update(update::open(cx, output, arrays, *skip, Some(op), bulk))),
        Kind::Reduce { op, neutral, .. } => Ok(Sink::Reduce(reduce::open(cx, output, op, neutral))),
        Kind::Scan { .. } => cx.unsupported(Limitation::ScanOfLoops),
    }
}

fn put(cx: &mut Lower<'_>, sink: &Sink<'_>, emit: &Emit, pass: Pass) -> Low<()> {
    match sink {
        Sink::Array(sink) => array::put(cx, sink, emit, pass),
        Sink::Update(sink) => update::put(cx, sink, emit),
        Sink::Reduce(sink) => reduce::put(cx, sink, emit),
        Sink::Keep(sink) => keep::put(cx, sink, emit),
        Sink::Jagged(sink) => jagged::put(cx, sink, emit),
    }
}

fn close(cx: &mut Lower<'_>, sink: Sink<'_>, output: &Output, bound: &Bound) -> Low<()> {
    match sink {
        Sink::Array(sink) => array::close(cx, sink, output, bound)?,
        Sink::Update(sink) => update::close(cx, sink, bound)?,
        Sink::Reduce(sink) => reduce::close(cx, sink, bound)?,
        Sink::Keep(sink) => keep::close(cx, sink, bound),
        Sink::Jagged(sink) => jagged::close(cx, sink, output, bound)?,
    }
    Ok(())
}

/// Whether all values of an output go to disjoint places.
fn writes_disjoint(output: &Output) -> bool {
    match &output.kind {
        Kind::Gen { .. } => output.sizes.is_empty(),
        Kind::Update { .. } | Kind::Accum { .. } | Kind::Reduce { .. } | Kind::Scan { .. } | Kind::Keep => false,
    }
}

/// Whether collisions are looked for.
fn is_checked(output: &Output) -> bool {
    matches!(&output.kind, Kind::Gen { coverage: Coverage::Checked { .. }, .. })
}
