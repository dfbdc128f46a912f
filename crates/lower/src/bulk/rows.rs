//! Rows of different lengths in parallel: first the lengths alone, then all rows at once, each in its place.
//!
//! This is for rows whose lengths are known before the rows are (`map iota ks`, maps over rows): the code for the
//! lengths runs twice, so it must be cheap.

use crate::arrays::{dims, place};
use crate::builder::blocks::Blocks;
use crate::bulk::form::{Bound, Elem};
use crate::bulk::walk::Loops;
use crate::bulk::{form, values, walk};
use crate::context::Lower;
use crate::data::Low;
use crate::data::expr;
use crate::data::rep::{Array, Desc, Rep};
use crate::scope;
use analysis::ways::lengths_alone;
use ir::{Atom, Block, Bulk, Dim, Emit, Kind, Output, Var};
use kernel::{Expr, Var as K};
use scalar::Prim;

/// Takes lengths.
pub(crate) struct LengthSink {
    shape: Vec<Dim>,
    /// For each size, its offsets; the length of row `i` goes to place `i + 1`.
    offsets: Vec<K>,
}

/// Takes rows.
pub(crate) struct RowSink {
    shape: Vec<Dim>,
    sizes: Vec<Var>,
    offsets: Vec<K>,
    columns: Vec<(Elem, Array)>,
}

/// Lowers a bulk form of this kind.
pub(crate) fn lower(cx: &mut Lower<'_>, bound: &[Bound], bulk: &Bulk) -> Low<()> {
    let exprs = cx.code.exprs;
    let ([output], [own]) = (&bulk.outputs[..], bound) else { base::bug!("only one output goes by rows") };
    let Kind::Gen { shape, .. } = &output.kind else { base::bug!("rows have no shape") };
    cx.code.open();
    let count = dims::capacity(cx, shape);
    let mut offsets = Vec::new();
    for _ in &output.sizes {
        offsets.push(cx.code.alloc("offsets", Prim::I64, exprs.room_and(count, 1)));
    }
    let sink = LengthSink { shape: shape.clone(), offsets: offsets.clone() };
    walk::steps(cx, &bulk.steps, &mut |cx: &mut Lower<'_>, emit: &Emit| put_length(cx, &sink, emit), Loops::Parallel)?;
    for buffer in &offsets {
        sum_lengths(cx, *buffer, count);
    }
    let columns = row_columns(cx, (output, own), &offsets, count);
    let sink = RowSink { shape: shape.clone(), sizes: output.sizes.clone(), offsets: offsets.clone(), columns };
    walk::steps(cx, &bulk.steps, &mut |cx: &mut Lower<'_>, emit: &Emit| put_row(cx, &sink, emit), Loops::Parallel)?;
    for (var, offsets) in own.sizes.iter().zip(offsets) {
        cx.homes.bind(*var, Rep::Desc(Desc::in_memory(offsets, expr::int(0))));
    }
    for (var, (_, array)) in own.elems.iter().zip(sink.columns) {
        cx.homes.bind(*var, Rep::Array(array));
    }
    walk::close_keeping(cx, bound);
    Ok(())
}

/// From lengths to offsets.
fn sum_lengths(cx: &mut Lower<'_>, offsets: K, count: Expr) {
    let exprs = cx.code.exprs;
    cx.code.store(offsets, expr::int(0), expr::int(0));
    let sum = cx.code.variable("sum", expr::int(0));
    cx.count_loop("k", count, |cx, k| {
        let at = cx.code.name_int("at", exprs.add(k, expr::int(1)));
        let length = cx.code.name_int("length", exprs.load(offsets, at));
        cx.code.set(sum, exprs.capacity_sum(Expr::Var(sum), length));
        cx.code.store(offsets, at, Expr::Var(sum));
    })
}

/// Memory for the elements, and how many of them one element of a row's first dimension has.
fn row_columns(cx: &mut Lower<'_>, (output, own): (&Output, &Bound), offsets: &[K], count: Expr) -> Vec<(Elem, Array)> {
    let exprs = cx.code.exprs;
    let mut columns = Vec::new();
    for (elem, var) in form::elems(cx, output).into_iter().zip(&own.elems) {
        if elem.has_given_rows(&output.sizes) {
            let dims = cx.src.ty(*var).dims();
            let array = dims::new_array(cx, "data", elem.prim, dims);
            columns.push((elem, array));
            continue;
        }
        let (row, rows) = match size_of(&elem.dims, &output.sizes) {
            Some(size) => (dims::capacity(cx, &elem.dims[1..]), exprs.load(offsets[size], count)),
            None => (elem.row, count),
        };
        let rows = cx.code.name_int("rows", rows);
        let buffer = cx.code.alloc("data", elem.prim, exprs.capacity(rows, row));
        columns.push((Elem { row, ..elem }, Array::whole(buffer)));
    }
    columns
}

pub(crate) fn put_length(cx: &mut Lower<'_>, sink: &LengthSink, emit: &Emit) -> Low<()> {
    let exprs = cx.code.exprs;
    let place = place::place_at(cx, &sink.shape, &emit.at)?;
    let lengths = lengths_alone(cx.src, &emit.value, sink.offsets.len());
    cx.code.open();
    scope::stms_of(cx, &lengths)?;
    for (buffer, length) in sink.offsets.iter().zip(&lengths.result) {
        // A negative length fails where the row is made: until then nothing may rely on it.
        let value = exprs.max(cx.homes.scalar(*length), expr::int(0));
        cx.code.store(*buffer, exprs.add(place, expr::int(1)), value);
    }
    cx.code.close_inline();
    Ok(())
}

pub(crate) fn put_row(cx: &mut Lower<'_>, sink: &RowSink, emit: &Emit) -> Low<()> {
    let exprs = cx.code.exprs;
    let place = place::place_at(cx, &sink.shape, &emit.at)?;
    let mut starts = Vec::new();
    for (size, offsets) in sink.sizes.iter().zip(&sink.offsets) {
        let start = cx.code.name_int("start", exprs.load(*offsets, place));
        let end = exprs.load(*offsets, exprs.add(place, expr::int(1)));
        let length = cx.code.name_int("length", exprs.sub(end, start));
        cx.homes.bind(*size, Rep::Scalar(length));
        starts.push(start);
    }
    let mut places = Vec::new();
    for (elem, array) in &sink.columns {
        let start = size_of(&elem.dims, &sink.sizes).map_or(place, |i| starts[i]);
        let at = exprs.add(array.offset, elem.start(cx, start));
        let at = cx.code.name_int("slot", at);
        places.push((array.buffer, at, elem.dims.clone()));
    }
    let value = Block { stms: emit.value.stms.clone(), result: emit.value.result[sink.sizes.len()..].to_vec() };
    values::put_into(cx, &places, &value)
}

/// The size that the first dimension of a component is.
fn size_of(dims: &[Dim], sizes: &[Var]) -> Option<usize> {
    match dims.first() {
        Some(Dim::Size(Atom::Var(v))) => sizes.iter().position(|s| s == v),
        _ => None,
    }
}
