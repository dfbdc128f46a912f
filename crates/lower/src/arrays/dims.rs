//! Dimensions as expressions: how many elements, their strides, where one of them is.
//!
//! All of it follows one walk. Outside of all dimensions there is one element, number 0. A dimension of extent `n`
//! turns element `p` into the elements `p * n .. (p + 1) * n`; a jagged one turns it into `offsets[start + p] ..
//! offsets[start + p + 1]`, which is `(start + p) * n .. (start + p + 1) * n` where all rows have `n` elements.

use crate::arrays::vector;
use crate::builder::Builder;
use crate::builder::blocks::Blocks;
use crate::data::Low;
use crate::data::expr::{self, ExprBuilder};
use crate::data::rep::{Array, Desc, Offsets, Strides};
use ir::{Dim, Limitation, Var};
use kernel::{Expr, Mode, Var as K};
use scalar::Prim;

/// Whether all dimensions have one extent.
pub(crate) fn is_regular(dims: &[Dim]) -> bool {
    dims.iter().all(|d| matches!(d, Dim::Size(_)))
}

/// Whether the numbers that descriptors give say where elements are.
pub(crate) fn is_jagged(dims: &[Dim]) -> bool {
    dims.iter().any(|d| matches!(d, Dim::Jagged(_)))
}

/// How many elements lie inside of dimensions none of which is jagged.
pub(crate) fn inside(cx: &mut Builder<'_>, dims: &[Dim]) -> Low<Expr> {
    let exprs = cx.code.exprs;
    let mut count = expr::int(1);
    for dim in dims {
        let n = match dim {
            Dim::Size(n) => cx.homes.scalar(*n),
            Dim::Shape(v) => product(cx, *v, expr::int(0), ExprBuilder::mul),
            Dim::Jagged(_) => return cx.unsupported(Limitation::IrregularDimensions),
        };
        count = exprs.mul(count, n);
    }
    Ok(count)
}

/// Extents of regular dimensions.
pub(crate) fn extents(cx: &Builder<'_>, dims: &[Dim]) -> Vec<Expr> {
    let extent = |dim: &Dim| match dim {
        Dim::Size(n) => cx.homes.scalar(*n),
        Dim::Jagged(_) | Dim::Shape(_) => base::bug!("{dim:?} in the place of a regular dimension"),
    };
    dims.iter().map(extent).collect()
}

/// An offset of a descriptor.
pub(crate) fn offset_at(cx: &mut Builder<'_>, desc: &Desc, row: Expr) -> Expr {
    if let Some(known) = cx.homes.rows.iter().find(|known| known.number == row && known.desc == *desc) {
        return known.begin;
    }
    let value = desc.offset(cx.code.exprs, row);
    cx.code.name_int("off", value)
}

/// The numbers of the first element in dimensions and of the one after the last.
pub(crate) fn span_of(cx: &mut Builder<'_>, dims: &[Dim]) -> (Expr, Expr) {
    walk_span(cx, dims, (expr::int(0), expr::int(1)), ExprBuilder::mul)
}

/// The elements in dimensions that lie inside element number `place` of those around them.
pub(crate) fn span_below(cx: &mut Builder<'_>, dims: &[Dim], place: Expr) -> (Expr, Expr) {
    let exprs = cx.code.exprs;
    let behind = cx.code.name_int("behind", exprs.add(place, expr::int(1)));
    walk_span(cx, dims, (place, behind), ExprBuilder::mul)
}

/// How numbers of elements are multiplied: exactly, or so that a product that is too large stays so.
type Product = fn(&ExprBuilder, Expr, Expr) -> Expr;

fn walk_span(cx: &mut Builder<'_>, dims: &[Dim], (mut first, mut last): (Expr, Expr), times: Product) -> (Expr, Expr) {
    let exprs = cx.code.exprs;
    for dim in dims {
        match dim {
            Dim::Size(n) => {
                let n = cx.homes.scalar(*n);
                first = cx.code.name_int("first", exprs.mul(first, n));
                last = cx.code.name_int("count", times(exprs, last, n));
            }
            Dim::Jagged(d) => {
                let desc = cx.homes.desc(*d);
                first = offset_at(cx, &desc, first);
                last = match desc.offsets {
                    Offsets::Memory(_) => offset_at(cx, &desc, last),
                    Offsets::Uniform(n) => cx.code.name_int("count", times(exprs, exprs.add(desc.start, last), n)),
                };
            }
            Dim::Shape(v) => {
                let n = product(cx, *v, expr::int(0), times);
                first = cx.code.name_int("first", exprs.mul(first, n));
                last = cx.code.name_int("count", times(exprs, last, n));
            }
        }
    }
    (first, last)
}

/// How many elements there are.
pub(crate) fn count(cx: &mut Builder<'_>, dims: &[Dim]) -> Expr {
    let exprs = cx.code.exprs;
    let (first, last) = span_of(cx, dims);
    cx.code.name_int("count", exprs.sub(last, first))
}

/// How many elements there are; too many to allocate if the number is too large.
pub(crate) fn capacity(cx: &mut Builder<'_>, dims: &[Dim]) -> Expr {
    let exprs = cx.code.exprs;
    let (first, last) = walk_span(cx, dims, (expr::int(0), expr::int(1)), ExprBuilder::capacity);
    cx.code.name_int("count", exprs.sub(last, first))
}

/// How much to allocate for an array that is filled row by row.
pub(crate) fn memory(cx: &mut Builder<'_>, dims: &[Dim]) -> Expr {
    let exprs = cx.code.exprs;
    let (first, last) = walk_span(cx, dims, (expr::int(0), expr::int(1)), ExprBuilder::memory);
    cx.code.name_int("count", exprs.sub(last, first))
}

/// The product of a shape vector's elements from one on.
pub(crate) fn product(cx: &mut Builder<'_>, shape: Var, from: Expr, times: Product) -> Expr {
    let exprs = cx.code.exprs;
    if let (Some(elements), Some(from)) = (vector::elements(cx, shape), expr::as_int(from)) {
        let mut product = expr::int(1);
        for n in elements.into_iter().skip(from as usize) {
            product = cx.code.name_int("count", times(exprs, product, n));
        }
        return product;
    }
    let length = vector::length(cx, shape);
    let product = cx.code.variable("count", expr::int(1));
    cx.for_loop("t", from, length, Mode::Short, |cx, t| {
        let n = vector::element(cx, shape, t);
        let n = cx.code.name_int("n", n);
        cx.code.set(product, times(exprs, Expr::Var(product), n));
    });
    Expr::Var(product)
}

/// Strides of regular dimensions in row-major order.
pub(crate) fn row_major(cx: &mut Builder<'_>, dims: &[Dim]) -> Vec<Expr> {
    let exprs = cx.code.exprs;
    let extents = extents(cx, dims);
    let mut strides = vec![expr::int(1); dims.len()];
    for k in (1..dims.len()).rev() {
        strides[k - 1] = cx.code.name_int("stride", exprs.mul(strides[k], extents[k]));
    }
    strides
}

/// The strides of an array with regular dimensions.
pub(crate) fn strides(cx: &mut Builder<'_>, array: &Array, dims: &[Dim]) -> Vec<Expr> {
    match &array.strides {
        Strides::Explicit(strides) => strides.clone(),
        Strides::RowMajor => row_major(cx, dims),
    }
}

/// If a jagged dimension comes next, its row with this number: where that begins, and the dimensions inside.
pub(crate) fn row<'d>(cx: &mut Builder<'_>, place: Expr, dims: &'d [Dim]) -> (Expr, &'d [Dim]) {
    match dims.split_first() {
        Some((Dim::Jagged(d), inside)) => {
            let desc = cx.homes.desc(*d);
            (offset_at(cx, &desc, place), inside)
        }
        _ => (place, dims),
    }
}

/// An array of these dimensions packed into a buffer from a place on.
pub(crate) fn packed(cx: &mut Builder<'_>, buffer: K, at: Expr, dims: &[Dim]) -> Array {
    let exprs = cx.code.exprs;
    let first = if is_regular(dims) { expr::int(0) } else { span_of(cx, dims).0 };
    let offset = cx.code.name_int("base", exprs.sub(at, first));
    Array::at(buffer, offset)
}

/// The number of the first element in memory: where a row-major array begins.
pub(crate) fn begin(cx: &mut Builder<'_>, array: &Array, dims: &[Dim]) -> Expr {
    let exprs = cx.code.exprs;
    if is_regular(dims) {
        return array.offset;
    }
    let (first, _) = span_of(cx, dims);
    cx.code.name_int("begin", exprs.add(array.offset, first))
}

/// A new array of these dimensions, row-major.
pub(crate) fn new_array(cx: &mut Builder<'_>, name: &str, prim: Prim, dims: &[Dim]) -> Array {
    let room = memory(cx, dims);
    let buffer = cx.code.alloc(name, prim, room);
    let array = packed(cx, buffer, expr::int(0), dims);
    Array { whole: true, ..array }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::Atom;

    #[test]
    fn constant_dimensions_need_no_code() {
        let program = ir::Program::default();
        let exprs = expr::ExprBuilder::default();
        let mut cx = Builder::new(&program, &exprs);
        cx.code.open();
        let dims = [2, 3, 4].map(|n| Dim::Size(Atom::size(n)));
        assert_eq!(count(&mut cx, &dims), expr::int(24));
        assert_eq!(row_major(&mut cx, &dims), [12, 4, 1].map(expr::int));
        assert!(cx.code.close().is_empty());
    }
}
