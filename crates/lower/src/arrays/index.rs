//! Elements and views: indexing, slices, permuted dimensions. Recursive arrays are read by [`super::rec_read`].

use crate::arrays::dims::is_regular;
use crate::arrays::{copying, dims, place, rec_read, slices, vector, views};
use crate::builder::Builder;
use crate::data::Low;
use crate::data::expr::{self, ExprBuilder};
use crate::data::rep::{Array, Rep, Strides};
use ir::Limitation;
use ir::{Atom, Dim, Range, Type, Var};

/// The element or subarray at these indices.
pub(crate) fn index(cx: &mut Builder<'_>, var: Var, array: Var, at: &[Atom]) -> Low<()> {
    if let Some((buffer, row)) = cx.homes.row_in_ring(array, at) {
        let inside = cx.homes.scalars(&at[1..]);
        let place = place::place(cx, &cx.src.ty(array).dims()[1..], &inside)?;
        cx.bind_element(var, buffer, cx.code.exprs.add(row, place));
        return Ok(());
    }
    let at = cx.homes.scalars(at);
    if cx.recs.contains_key(&array) {
        return rec_read::index(cx, var, array, &at);
    }
    if let (Some(known), [at]) = (cx.homes.known.get(&array), &at[..])
        && let Some(element) = expr::as_int(*at).and_then(|i| known.get(usize::try_from(i).ok()?))
    {
        let element = *element;
        cx.bind_scalar(var, element);
        return Ok(());
    }
    let from = vector::array(cx, array);
    views::bind_part(cx, var, &from, cx.src.ty(array).dims(), &at)
}

/// The element or subarray at a vector of indices.
pub(crate) fn index_vector(cx: &mut Builder<'_>, var: Var, array: Var, at: Var) -> Low<()> {
    let exprs = cx.code.exprs;
    let dims = cx.src.ty(array).dims();
    if cx.recs.contains_key(&array) {
        return rec_read::index_vector(cx, var, array, at);
    }
    let result_unknown = matches!(cx.src.ty(var).dims().first(), Some(Dim::Shape(_)));
    if let Some(Dim::Shape(shape)) = dims.first() {
        return index_unknown_rank(cx, var, array, *shape, at);
    }
    if !result_unknown {
        let used = dims.len() - cx.src.ty(var).dims().len().min(dims.len());
        let at = views::leading(cx, at, used);
        let from = vector::array(cx, array);
        return views::bind_part(cx, var, &from, dims, &at);
    }
    // How many indices there are is known only at run time: what is left over counts as 0.
    let from = vector::array(cx, array);
    let from = copying::contiguous(cx, &from, dims);
    let length = vector::length(cx, at);
    let mut indices = Vec::new();
    for t in 0..dims.len() {
        let element = vector::element_or_known(cx, at, expr::int(t as i64));
        indices.push(exprs.select(exprs.lt(expr::int(t as i64), length), element, expr::int(0)));
    }
    let place = place::place(cx, dims, &indices)?;
    let offset = cx.code.name_int("view", exprs.add(from.offset, place));
    cx.bind_view(var, Array::at(from.buffer, offset));
    Ok(())
}

fn index_unknown_rank(cx: &mut Builder<'_>, var: Var, array: Var, shape: Var, at: Var) -> Low<()> {
    let exprs = cx.code.exprs;
    let from = vector::array(cx, array);
    let dims = cx.src.ty(array).dims();
    let (place, used) = place::place_by_vector(cx, shape, at);
    let inner = dims::inside(cx, &dims[1..])?;
    let scalar = matches!(cx.src.ty(var), Type::Scalar(_));
    let outer = if scalar { expr::int(1) } else { dims::product(cx, shape, used, ExprBuilder::mul) };
    let step = exprs.mul(place, exprs.mul(outer, inner));
    let offset = cx.code.name_int("view", exprs.add(from.offset, step));
    cx.bind_view(var, Array::at(from.buffer, offset));
    Ok(())
}

/// Parts of leading dimensions.
pub(crate) fn slice(cx: &mut Builder<'_>, var: Var, array: Var, ranges: &[Range]) -> Low<()> {
    let dims = cx.src.ty(array).dims();
    if cx.recs.contains_key(&array) {
        return rec_read::slice(cx, var, array, ranges);
    }
    let from = vector::array(cx, array);
    slices::bind(cx, var, &from, dims, ranges)
}

/// The dimensions in another order.
pub(crate) fn rearrange(cx: &mut Builder<'_>, var: Var, array: Var, order: &[usize]) -> Low<()> {
    let from = vector::array(cx, array);
    if order.iter().copied().eq(0..order.len()) {
        cx.homes.bind(var, Rep::Array(from));
        return Ok(());
    }
    let dims = cx.src.ty(array).dims();
    if !is_regular(dims) {
        return cx.unsupported(Limitation::IrregularDimensions);
    }
    let strides = dims::strides(cx, &from, dims);
    if let Some(k) = order.iter().find(|k| **k >= strides.len()) {
        base::bug!("dimension {k} of an array with fewer");
    }
    let strides = Strides::Explicit(order.iter().map(|k| strides[*k]).collect());
    cx.homes.bind(var, Rep::Array(Array { strides, ..from }));
    Ok(())
}
