//! The part of an array at leading indices, without a copy.

use crate::arrays::dims::{is_jagged, is_regular};
use crate::arrays::{dims, place, vector};
use crate::builder::Builder;
use crate::data::Low;
use crate::data::expr::{self, ExprBuilder};
use crate::data::rep::{Array, Strides};
use ir::{Dim, Type, Var};
use kernel::Expr;

/// Binds the part of an array at these indices.
pub(crate) fn bind_part(cx: &mut Builder<'_>, var: Var, from: &Array, dims: &[Dim], at: &[Expr]) -> Low<()> {
    let part = match dims.first() {
        Some(Dim::Shape(shape)) => part_of_unknown_rank(cx, var, from, *shape, dims, at)?,
        _ => part(cx, from, dims, at)?,
    };
    cx.bind_view(var, part);
    Ok(())
}

/// The part of an array at leading indices.
pub(crate) fn part(cx: &mut Builder<'_>, from: &Array, dims: &[Dim], at: &[Expr]) -> Low<Array> {
    let exprs = cx.code.exprs;
    let (used, rest) = dims.split_at(at.len().min(dims.len()));
    if let (Strides::Explicit(strides), true) = (&from.strides, is_regular(dims)) {
        let steps = at.iter().zip(strides).map(|(i, s)| exprs.mul(*i, *s));
        let offset = steps.fold(from.offset, |at, step| exprs.add(at, step));
        let offset = view_offset(cx, offset, rest);
        let strides = Strides::Explicit(strides[used.len()..].to_vec());
        return Ok(Array { buffer: from.buffer, offset, strides, whole: false });
    }
    part_below(cx, from, expr::int(0), dims, at)
}

/// The part at leading indices of dimensions, inside of element number `place` of those around them.
pub(crate) fn part_below(cx: &mut Builder<'_>, from: &Array, place: Expr, dims: &[Dim], at: &[Expr]) -> Low<Array> {
    let exprs = cx.code.exprs;
    let (used, rest) = dims.split_at(at.len().min(dims.len()));
    let place = place::place_below(cx, place, used, at)?;
    let (place, rest) = dims::row(cx, place, rest);
    // Below a jagged dimension that is left, descriptors say where elements are.
    if is_jagged(rest) {
        return Ok(Array { whole: false, ..from.clone() });
    }
    let rows = dims::inside(cx, rest)?;
    let offset = view_offset(cx, exprs.add(from.offset, exprs.mul(place, rows)), rest);
    Ok(Array::at(from.buffer, offset))
}

/// The offset of a view, with a name if it is used more than once.
fn view_offset(cx: &mut Builder<'_>, offset: Expr, rest: &[Dim]) -> Expr {
    if rest.is_empty() { offset } else { cx.code.name_int("view", offset) }
}

/// Single indices into an array of unknown rank: the type of the result tells the rank, if it is not used up.
fn part_of_unknown_rank(
    cx: &mut Builder<'_>,
    var: Var,
    from: &Array,
    shape: Var,
    dims: &[Dim],
    at: &[Expr],
) -> Low<Array> {
    let exprs = cx.code.exprs;
    let scalar = matches!(cx.src.ty(var), Type::Scalar(_));
    let rank = if scalar { at.len().saturating_sub(dims.len() - 1) } else { at.len() };
    let mut place = expr::int(0);
    for (t, i) in at.iter().take(rank).enumerate() {
        let n = match vector::elements(cx, shape) {
            Some(known) if t < known.len() => known[t],
            _ => vector::element(cx, shape, expr::int(t as i64)),
        };
        place = cx.code.name_int("at", exprs.add(exprs.mul(place, n), *i));
    }
    let mut rest =
        if scalar { expr::int(1) } else { dims::product(cx, shape, expr::int(rank as i64), ExprBuilder::mul) };
    for (dim, i) in dims[1..].iter().zip(at[rank..].iter().map(Some).chain(std::iter::repeat(None))) {
        let n = dims::inside(cx, &[*dim])?;
        match i {
            Some(i) => place = exprs.add(exprs.mul(place, n), *i),
            None => rest = exprs.mul(rest, n),
        }
    }
    let offset = cx.code.name_int("view", exprs.add(from.offset, exprs.mul(place, rest)));
    Ok(Array::at(from.buffer, offset))
}

/// The first elements of a vector of indices.
pub(crate) fn leading(cx: &mut Builder<'_>, at: Var, count: usize) -> Vec<Expr> {
    if let Some(known) = vector::elements(cx, at)
        && known.len() >= count
    {
        return known[..count].to_vec();
    }
    let mut found = Vec::new();
    for t in 0..count {
        let element = vector::element_or_known(cx, at, expr::int(t as i64));
        found.push(cx.code.name_int("i", element));
    }
    found
}
