//! Any bulk form: one walk through its steps, with a sink for each output. Loops whose values go to disjoint places are
//! parallel.

use super::array::{self, ArraySink, Pass};
use super::form::Bound;
use super::jagged::{self, JaggedSink};
use super::keep::{self, KeepSink};
use super::reduce::{self, StreamReduce};
use super::scan::{self, Running};
use super::update::{self, UpdateSink};
use super::walk::{self, Loops, Taker};
use crate::arrays::{copying, vector};
use crate::context::Lower;
use crate::data::Low;
use crate::data::rep::Rep;
use analysis::cost::heavy_lets;
use analysis::{emits, ways};
use ir::{Bulk, Coverage, Emit, Kind, Output, Scan, Var};
use kernel::Expr;

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

/// All outputs of a bulk form, and its running combinations.
struct Sinks<'b> {
    outputs: Vec<Sink<'b>>,
    scans: Vec<Running<'b>>,
    /// How many loops are cut as one.
    loops: usize,
    pass: Pass,
}

impl Taker for Sinks<'_> {
    fn take(&mut self, cx: &mut Lower<'_>, emit: &Emit) -> Low<()> {
        put(cx, &self.outputs[emit.output], emit, self.pass)
    }

    fn scan(&mut self, cx: &mut Lower<'_>, scan: &Scan) -> Low<()> {
        match self.scans.iter().find(|running| running.is(scan)) {
            Some(running) => running.put(cx),
            None => base::bug!("a running combination that was not opened"),
        }
    }

    fn loops(&self) -> usize {
        self.loops
    }

    fn turn(&mut self, cx: &mut Lower<'_>, turn: Expr) -> Low<()> {
        for sink in &mut self.outputs {
            if let Sink::Reduce(sink) = sink {
                reduce::turn(cx, sink, turn)?;
            }
        }
        self.scans.iter().try_for_each(|running| running.turn(cx, turn))
    }

    fn left(&mut self, cx: &mut Lower<'_>) -> Low<()> {
        self.outputs.iter_mut().try_for_each(|sink| match sink {
            Sink::Reduce(sink) => reduce::left(cx, sink),
            Sink::Array(_) | Sink::Update(_) | Sink::Keep(_) | Sink::Jagged(_) => Ok(()),
        })
    }
}

/// Lowers a bulk form.
pub(crate) fn lower(cx: &mut Lower<'_>, bound: &[Bound], bulk: &Bulk, parallel: bool) -> Low<()> {
    cx.code.open();
    let mut outputs = Vec::new();
    for (output, bound) in bulk.outputs.iter().zip(bound) {
        outputs.push(open(cx, output, bound, bulk));
    }
    if bulk.scheduled {
        show_rec_names(cx, bulk, &outputs);
    }
    let scans: Vec<Running<'_>> = emits::scans(&bulk.steps).into_iter().map(|scan| scan::open(cx, scan)).collect();
    let is_checked = bulk.outputs.iter().any(is_checked);
    let loops = ways::loops_cut(bulk);
    let mut sinks = Sinks { outputs, scans, loops, pass: Pass::Both };
    if is_checked && parallel && !heavy_lets(&bulk.steps) {
        // First which places have a value, in order; then the values, in any order.
        sinks.pass = Pass::Marks;
        walk::steps(cx, &bulk.steps, &mut sinks, Loops::InOrder)?;
        sinks.pass = Pass::Values;
        walk::steps(cx, &bulk.steps, &mut sinks, Loops::Parallel)?;
    } else {
        let loops = if parallel && !is_checked { Loops::Parallel } else { Loops::InOrder };
        walk::steps(cx, &bulk.steps, &mut sinks, loops)?;
    }
    for ((sink, output), bound) in sinks.outputs.into_iter().zip(&bulk.outputs).zip(bound) {
        close(cx, sink, output, bound)?;
    }
    walk::close_keeping(cx, bound);
    Ok(())
}

fn open<'b>(cx: &mut Lower<'_>, output: &'b Output, bound: &Bound, bulk: &Bulk) -> Sink<'b> {
    match &output.kind {
        Kind::Gen { .. } | Kind::Keep if !output.sizes.is_empty() => Sink::Jagged(jagged::open(cx, output, bulk)),
        Kind::Gen { .. } => Sink::Array(array::open(cx, output, bound)),
        Kind::Keep => Sink::Keep(keep::open(cx, output)),
        Kind::Update { arrays, rec, .. } if !rec.is_empty() => Sink::Array(renewed(cx, output, arrays, bulk)),
        Kind::Update { arrays, skip, .. } => Sink::Update(update::open(cx, output, arrays, *skip, None, bulk)),
        Kind::Accum { arrays, skip, op, .. } => Sink::Update(update::open(cx, output, arrays, *skip, Some(op), bulk)),
        Kind::Reduce { .. } => Sink::Reduce(reduce::open(cx, output)),
    }
}

/// Lets values read the arrays that are being made, whose elements are there in time.
fn show_rec_names(cx: &mut Lower<'_>, bulk: &Bulk, sinks: &[Sink<'_>]) {
    for (output, sink) in bulk.outputs.iter().zip(sinks) {
        if let Sink::Array(sink) = sink {
            for (name, array) in output.rec().iter().zip(array::arrays(sink)) {
                cx.homes.bind(*name, Rep::Array(array.clone()));
            }
        }
    }
}

/// The arrays of an update whose values read new elements. If some value may read old ones too, new elements go to copies.
fn renewed(cx: &mut Lower<'_>, output: &Output, old: &[Var], bulk: &Bulk) -> ArraySink {
    let waits = update::must_wait(cx, bulk);
    let mut arrays = Vec::new();
    for var in old {
        let array = vector::array(cx, *var);
        let dims = cx.src.ty(*var).dims();
        let stays = !waits && array.is_row_major();
        arrays.push(if stays { array } else { copying::copy(cx, &array, dims) });
    }
    let inner = output.elems.first().map_or(0, |elem| cx.src.ty(*elem).dims().len());
    let dims = old.first().map_or(&[][..], |var| cx.src.ty(*var).dims());
    array::over(cx, output, arrays, dims[..dims.len() - inner].to_vec())
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
        Sink::Reduce(sink) => reduce::close(cx, &sink, bound),
        Sink::Keep(sink) => keep::close(cx, sink, bound),
        Sink::Jagged(sink) => jagged::close(cx, sink, output, bound)?,
    }
    Ok(())
}

/// Whether collisions are looked for.
fn is_checked(output: &Output) -> bool {
    matches!(&output.kind, Kind::Gen { coverage: Coverage::Checked { .. }, .. })
}
