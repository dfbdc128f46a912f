//! Slices: a view where that is possible; otherwise rows are copied one after the other.

use crate::arrays::dims::{is_jagged, is_regular};
use crate::arrays::{dims, place};
use crate::builder::Builder;
use crate::builder::blocks::Blocks;
use crate::data::Low;
use crate::data::expr::{self, ExprBuilder};
use crate::data::rep::{Array, Rep, Strides};
use ir::{Atom, Dim, Limitation, Range, Type, Var};
use kernel::{Expr, Stm, Var as K};

/// Binds parts of leading dimensions of an array.
pub(crate) fn bind(cx: &mut Builder<'_>, var: Var, from: &Array, dims: &[Dim], ranges: &[Range]) -> Low<()> {
    let exprs = cx.code.exprs;
    if is_regular(dims) {
        let view = regular_slice(cx, from, dims, ranges);
        cx.homes.bind(var, Rep::Array(view));
        return Ok(());
    }
    match (&dims[0], ranges) {
        (Dim::Shape(shape), [range]) if range.stride == Atom::size(1) => {
            let start = cx.homes.scalar(range.start);
            let rest = dims::product(cx, *shape, expr::int(1), ExprBuilder::mul);
            let inner = exprs.mul(rest, dims::inside(cx, &dims[1..])?);
            let offset = cx.code.name_int("view", exprs.add(from.offset, exprs.mul(start, inner)));
            cx.homes.bind(var, Rep::Array(Array::at(from.buffer, offset)));
            Ok(())
        }
        (Dim::Size(_), [range]) if !is_jagged(dims) && range.stride == Atom::size(1) => {
            let start = cx.homes.scalar(range.start);
            let inner = dims::inside(cx, &dims[1..])?;
            let offset = cx.code.name_int("view", exprs.add(from.offset, exprs.mul(start, inner)));
            cx.homes.bind(var, Rep::Array(Array::at(from.buffer, offset)));
            Ok(())
        }
        // Descriptors are windows that count from where they did: the data stays where it is. Rows that do not follow
        // one another have no such window.
        (Dim::Size(_), [range]) if is_jagged(dims) && range.stride == Atom::size(1) => {
            cx.homes.bind(var, Rep::Array(Array { whole: false, ..from.clone() }));
            Ok(())
        }
        (_, _) => gathered_slice(cx, var, from, dims, ranges),
    }
}

fn regular_slice(cx: &mut Builder<'_>, from: &Array, dims: &[Dim], ranges: &[Range]) -> Array {
    let exprs = cx.code.exprs;
    let mut strides = dims::strides(cx, from, dims);
    let mut offset = from.offset;
    let plain = from.is_row_major() && ranges.len() == 1 && ranges[0].stride == Atom::size(1);
    for (range, stride) in ranges.iter().zip(strides.iter_mut()) {
        let (start, step) = (cx.homes.scalar(range.start), cx.homes.scalar(range.stride));
        offset = exprs.add(offset, exprs.mul(start, *stride));
        *stride = cx.code.name_int("stride", exprs.mul(*stride, step));
    }
    let offset = cx.code.name_int("view", offset);
    let strides = if plain { Strides::RowMajor } else { Strides::Explicit(strides) };
    Array { buffer: from.buffer, offset, strides, whole: false }
}

/// A slice of several dimensions around or across jagged ones, or with a stride: rows are copied one after the other.
fn gathered_slice(cx: &mut Builder<'_>, var: Var, from: &Array, dims: &[Dim], ranges: &[Range]) -> Low<()> {
    let Type::Array(prim, to_dims) = cx.src.ty(var) else { base::bug!("a slice that is no array") };
    if matches!(dims[0], Dim::Shape(_)) {
        return cx.unsupported(Limitation::SliceOfUnknownRank);
    }
    let to = dims::new_array(cx, "slice", *prim, to_dims);
    let at = cx.code.variable("to", expr::int(0));
    gather_rows(cx, &to, at, from, dims, ranges, &mut Vec::new())?;
    cx.homes.bind(var, Rep::Array(to));
    Ok(())
}

fn gather_rows(
    cx: &mut Builder<'_>,
    to: &Array,
    at: K,
    from: &Array,
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
            gather_rows(cx, to, at, from, dims, inner, indices)?;
            indices.pop();
            Ok(())
        });
    }
    let place = place::place(cx, &dims[..indices.len()], indices)?;
    let (first, last) = dims::span_below(cx, &dims[indices.len()..], place);
    let count = cx.code.name_int("count", exprs.sub(last, first));
    let from_at = exprs.add(from.offset, first);
    let to_at = Expr::Var(at);
    cx.code.emit(Stm::Copy { to: to.buffer, to_at, from: from.buffer, from_at, count, past: false });
    cx.code.set(at, exprs.add(Expr::Var(at), count));
    Ok(())
}
