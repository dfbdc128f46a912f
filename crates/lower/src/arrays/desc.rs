//! Descriptors of jagged dimensions: making them, reading them, parts of them. A descriptor is a window of offsets, so
//! most parts cost nothing.

use crate::arrays::dims::is_jagged;
use crate::arrays::{copying, dims, place, rec_read, vector};
use crate::builder::Builder;
use crate::builder::blocks::Blocks;
use crate::data::Low;
use crate::data::expr;
use crate::data::rep::{Array, Desc, Offsets, Rep, Row};
use ir::{Atom, Dim, Range, Var};
use kernel::{Expr, Mode, Stm, Var as K};
use scalar::Prim;

/// New offsets for the rows of dimensions. The loop's body says how long row number `k` is; offset 0 is 0. Rows
/// count from the first that the dimensions have.
pub(crate) fn new_offsets(
    cx: &mut Builder<'_>,
    dims: &[Dim],
    length: impl FnOnce(&mut Builder<'_>, Expr) -> Expr,
) -> Desc {
    let exprs = cx.code.exprs;
    let (first, _) = dims::span_of(cx, dims);
    let rows = dims::capacity(cx, dims);
    let offsets = cx.code.alloc("offsets", Prim::I64, exprs.room_and(rows, 1));
    let sum = cx.code.variable("sum", expr::int(0));
    cx.code.store(offsets, expr::int(0), expr::int(0));
    cx.count_loop("k", rows, |cx, k| {
        let length = length(cx, k);
        let length = cx.code.name_int("length", length);
        cx.code.set(sum, exprs.capacity_sum(Expr::Var(sum), length));
        cx.code.store(offsets, exprs.add(k, expr::int(1)), Expr::Var(sum));
    });
    let start = cx.code.name_int("start", exprs.sub(expr::int(0), first));
    Desc::in_memory(offsets, start)
}

/// All rows have this length.
pub(crate) fn uniform(cx: &mut Builder<'_>, var: Var, length: Atom) {
    let offsets = Offsets::Uniform(cx.homes.scalar(length));
    cx.homes.bind(var, Rep::Desc(Desc { offsets, start: expr::int(0) }));
}

/// Rows of these lengths.
pub(crate) fn of_lengths(cx: &mut Builder<'_>, var: Var, lengths: Var) {
    let exprs = cx.code.exprs;
    let array = vector::array(cx, lengths);
    let dims = cx.src.ty(lengths).dims();
    let array = copying::contiguous(cx, &array, dims);
    let begin = dims::begin(cx, &array, dims);
    let desc = new_offsets(cx, cx.src.ty(var).dims(), |_, k| exprs.load(array.buffer, exprs.add(begin, k)));
    cx.homes.bind(var, Rep::Desc(desc));
}

/// The row lengths as an array.
pub(crate) fn lengths(cx: &mut Builder<'_>, var: Var, desc: Var) {
    let array = lengths_array(cx, desc);
    cx.homes.bind(var, Rep::Array(array));
}

/// The row lengths of a descriptor in memory.
pub(crate) fn lengths_array(cx: &mut Builder<'_>, desc: Var) -> Array {
    let exprs = cx.code.exprs;
    let dims = cx.src.ty(desc).dims();
    let desc = cx.homes.desc(desc);
    let (first, last) = dims::span_of(cx, dims);
    let array = dims::new_array(cx, "lengths", Prim::I64, dims);
    let rows = cx.code.name_int("rows", exprs.sub(last, first));
    cx.count_loop("k", rows, |cx, k| {
        let row = cx.code.name_int("row", exprs.add(first, k));
        let value = row_length(cx, &desc, row);
        cx.code.store(array.buffer, k, value);
    });
    array
}

/// The length of a row by its number.
pub(crate) fn row_length(cx: &mut Builder<'_>, desc: &Desc, row: Expr) -> Expr {
    let exprs = cx.code.exprs;
    match desc.offsets {
        Offsets::Uniform(length) => length,
        Offsets::Memory(offsets) => {
            let at = cx.code.name_int("at", exprs.add(desc.start, row));
            let behind = exprs.load(offsets, exprs.add(at, expr::int(1)));
            exprs.sub(behind, exprs.load(offsets, at))
        }
    }
}

/// The length of one row.
pub(crate) fn length(cx: &mut Builder<'_>, var: Var, desc: Var, at: &[Atom]) -> Low<()> {
    let at = cx.homes.scalars(at);
    let row = match rec_read::desc_row(cx, desc, &at)? {
        Some(row) => row,
        None => place::place(cx, cx.src.ty(desc).dims(), &at)?,
    };
    let desc = cx.homes.desc(desc);
    let Offsets::Memory(_) = desc.offsets else {
        let length = row_length(cx, &desc, row);
        cx.bind_scalar(var, length);
        return Ok(());
    };
    let exprs = cx.code.exprs;
    let number = cx.code.name_int("row", row);
    let begin = dims::offset_at(cx, &desc, number);
    let end = desc.offset(exprs, exprs.add(number, expr::int(1)));
    cx.bind_scalar(var, exprs.sub(end, begin));
    cx.homes.row_starts.insert(var, Row { desc, number, begin });
    Ok(())
}

/// How many elements lie before a row. Descriptors may count from any number on.
pub(crate) fn offset(cx: &mut Builder<'_>, var: Var, d: Var, at: &[Atom]) -> Low<()> {
    let exprs = cx.code.exprs;
    let at = cx.homes.scalars(at);
    let row = place::place(cx, cx.src.ty(d).dims(), &at)?;
    let desc = cx.homes.desc(d);
    let (first, _) = dims::span_of(cx, cx.src.ty(d).dims());
    let (begin, offset) = (dims::offset_at(cx, &desc, first), dims::offset_at(cx, &desc, row));
    cx.bind_scalar(var, exprs.sub(offset, begin));
    Ok(())
}

/// The number of the row of an element: the last row that does not begin behind it, by binary search.
pub(crate) fn row_of(cx: &mut Builder<'_>, var: Var, d: Var, element: Atom) {
    let exprs = cx.code.exprs;
    let (first, last) = dims::span_of(cx, cx.src.ty(d).dims());
    let desc = cx.homes.desc(d);
    let begin = dims::offset_at(cx, &desc, first);
    let element = cx.code.name_int("element", exprs.add(begin, cx.homes.scalar(element)));
    let (low, high) = (cx.code.variable("low", first), cx.code.variable("high", last));
    let several = exprs.lt(exprs.add(Expr::Var(low), expr::int(1)), Expr::Var(high));
    cx.while_loop(several, |cx| {
        let sum = exprs.add(Expr::Var(low), Expr::Var(high));
        let middle = cx.code.snapshot("middle", Prim::I64, exprs.shr(sum, expr::int(1)));
        let offset = dims::offset_at(cx, &desc, middle);
        let before = exprs.le(offset, element);
        let before = cx.code.snapshot("before", Prim::Bool, before);
        cx.code.set(low, exprs.select(before, middle, Expr::Var(low)));
        cx.code.set(high, exprs.select(before, Expr::Var(high), middle));
    });
    cx.bind_scalar(var, exprs.sub(Expr::Var(low), first))
}

/// The descriptor of a subarray.
pub(crate) fn index(cx: &mut Builder<'_>, var: Var, desc: Var, at: &[Atom]) -> Low<()> {
    let exprs = cx.code.exprs;
    let dims = cx.src.ty(desc).dims();
    let at = cx.homes.scalars(at);
    let (used, rest) = dims.split_at(at.len().min(dims.len()));
    let from = cx.homes.desc(desc);
    let place = match rec_read::desc_row(cx, desc, &at)? {
        Some(place) => place,
        None => place::place(cx, used, &at)?,
    };
    let (place, rest) = dims::row(cx, place, rest);
    let start = if !is_jagged(rest) {
        let rows = dims::inside(cx, rest)?;
        cx.code.name_int("start", exprs.add(from.start, exprs.mul(place, rows)))
    } else {
        // A descriptor in between says which rows there are.
        from.start
    };
    cx.homes.bind(var, Rep::Desc(Desc { offsets: from.offsets, start }));
    Ok(())
}

/// The descriptor of a slice.
pub(crate) fn slice(cx: &mut Builder<'_>, var: Var, desc: Var, ranges: &[Range]) -> Low<()> {
    let exprs = cx.code.exprs;
    let dims = cx.src.ty(desc).dims();
    let from = cx.homes.desc(desc);
    let (Some(range), true) = (ranges.first(), ranges.len() == 1 && ranges[0].stride == Atom::size(1)) else {
        return gathered_desc(cx, var, &from, dims, ranges);
    };
    let mut start = from.start;
    if !is_jagged(dims) {
        let rows = dims::inside(cx, &dims[1..])?;
        let first = cx.homes.scalar(range.start);
        start = cx.code.name_int("start", exprs.add(start, exprs.mul(first, rows)));
    }
    cx.homes.bind(var, Rep::Desc(Desc { offsets: from.offsets, start }));
    Ok(())
}

/// The descriptor of a slice of several dimensions, or with a stride, whose data is copied: it counts from 0.
fn gathered_desc(cx: &mut Builder<'_>, var: Var, from: &Desc, dims: &[Dim], ranges: &[Range]) -> Low<()> {
    let exprs = cx.code.exprs;
    let to_dims = cx.src.ty(var).dims();
    let (first, _) = dims::span_of(cx, to_dims);
    let rows = dims::capacity(cx, to_dims);
    let offsets = cx.code.alloc("offsets", Prim::I64, exprs.room_and(rows, 1));
    cx.code.store(offsets, expr::int(0), expr::int(0));
    let (sum, at) = (cx.code.variable("sum", expr::int(0)), cx.code.variable("to", expr::int(0)));
    gather_lengths(cx, (offsets, sum, at), from, dims, ranges, &mut Vec::new())?;
    let start = cx.code.name_int("start", exprs.sub(expr::int(0), first));
    cx.homes.bind(var, Rep::Desc(Desc::in_memory(offsets, start)));
    Ok(())
}

fn gather_lengths(
    cx: &mut Builder<'_>,
    to: (K, K, K),
    from: &Desc,
    dims: &[Dim],
    ranges: &[Range],
    indices: &mut Vec<Expr>,
) -> Low<()> {
    let exprs = cx.code.exprs;
    if let Some((range, inner)) = ranges.split_first() {
        let (start, count, step) =
            (cx.homes.scalar(range.start), cx.homes.scalar(range.count), cx.homes.scalar(range.stride));
        return cx.count_loop("r", count, |cx, r| {
            indices.push(cx.code.name_int("i", exprs.add(start, exprs.mul(r, step))));
            gather_lengths(cx, to, from, dims, inner, indices)?;
            indices.pop();
            Ok(())
        });
    }
    let (offsets, sum, at) = to;
    let place = place::place(cx, &dims[..indices.len()], indices)?;
    let (first, last) = dims::span_below(cx, &dims[indices.len()..], place);
    cx.for_loop("row", first, last, Mode::Sequential, |cx, row| {
        let length = row_length(cx, from, row);
        cx.code.set(sum, exprs.add(Expr::Var(sum), length));
        cx.code.increment(at);
        cx.code.store(offsets, Expr::Var(at), Expr::Var(sum));
        Ok(())
    })
}

/// Whether two descriptors have the same lengths.
pub(crate) fn equal(cx: &mut Builder<'_>, var: Var, a: Var, b: Var) {
    let exprs = cx.code.exprs;
    let (a_first, a_last) = dims::span_of(cx, cx.src.ty(a).dims());
    let (b_first, b_last) = dims::span_of(cx, cx.src.ty(b).dims());
    let (a, b) = (cx.homes.desc(a), cx.homes.desc(b));
    let rows = cx.code.name_int("rows", exprs.sub(a_last, a_first));
    let same = cx.code.declare("same", Prim::Bool);
    cx.code.set(same, exprs.eq(rows, exprs.sub(b_last, b_first)));
    let k = cx.code.variable("k", expr::int(0));
    let cond = exprs.and(Expr::Var(same), exprs.lt(Expr::Var(k), rows));
    cx.code.open();
    let row = cx.code.name_int("row", exprs.add(a_first, Expr::Var(k)));
    let left = row_length(cx, &a, row);
    let row = cx.code.name_int("row", exprs.add(b_first, Expr::Var(k)));
    let right = row_length(cx, &b, row);
    cx.code.set(same, exprs.eq(left, right));
    cx.code.increment(k);
    let body = cx.code.close();
    cx.code.emit(Stm::While { head: Vec::new(), cond, body });
    cx.bind_scalar(var, Expr::Var(same))
}
