//! Copies of arrays, and single values read from and written to buffers.

use crate::arrays::dims::is_regular;
use crate::arrays::{dims, vector};
use crate::builder::Builder;
use crate::builder::blocks::Blocks;
use crate::data::expr;
use crate::data::rep::{Array, Rep, Strides};
use ir::Dim;
use kernel::{Expr, Stm, Var as K};
use scalar::Prim;

/// Copies an array into a buffer from a place on, in row-major order. The two do not overlap.
pub(crate) fn copy_to(cx: &mut Builder<'_>, to: K, to_at: Expr, from: &Array, dims: &[Dim]) {
    let strides = match &from.strides {
        Strides::Explicit(strides) if is_regular(dims) => strides.clone(),
        Strides::Explicit(_) | Strides::RowMajor => {
            let from_at = dims::begin(cx, from, dims);
            let count = dims::count(cx, dims);
            cx.code.emit(Stm::Copy { to, to_at, from: from.buffer, from_at, count, past: false });
            return;
        }
    };
    let extents = dims::extents(cx, dims);
    let to_strides = dims::row_major(cx, dims);
    copy_nest(cx, (to, to_at), &to_strides, (from.buffer, from.offset), &strides, &extents)
}

/// Copies an array to a place with strides.
pub(crate) fn copy_strided(cx: &mut Builder<'_>, to: &Array, to_strides: &[Expr], from: &Array, dims: &[Dim]) {
    let extents = dims::extents(cx, dims);
    let strides = dims::strides(cx, from, dims);
    let (to_at, from_at) = ((to.buffer, to.offset), (from.buffer, from.offset));
    copy_nest(cx, to_at, to_strides, from_at, &strides, &extents)
}

fn copy_nest(
    cx: &mut Builder<'_>,
    to: (K, Expr),
    to_strides: &[Expr],
    from: (K, Expr),
    strides: &[Expr],
    extents: &[Expr],
) {
    let exprs = cx.code.exprs;
    let Some((n, inner)) = extents.split_first() else {
        cx.code.store(to.0, to.1, exprs.load(from.0, from.1));
        return;
    };
    cx.count_loop("c", *n, |cx, i| {
        let to_at = cx.code.name_int("to", exprs.add(to.1, exprs.mul(i, to_strides[0])));
        let from_at = cx.code.name_int("from", exprs.add(from.1, exprs.mul(i, strides[0])));
        copy_nest(cx, (to.0, to_at), &to_strides[1..], (from.0, from_at), &strides[1..], inner)
    })
}

/// A value in memory of its own.
pub(crate) fn owned_copy(cx: &mut Builder<'_>, rep: Rep, dims: &[Dim]) -> Rep {
    match rep {
        Rep::Array(array) => Rep::Array(copy(cx, &array, dims)),
        Rep::Scalar(_) | Rep::Vector(..) | Rep::Desc(_) | Rep::Cert | Rep::Box(_) => rep,
    }
}

/// Writes a value of one component (a scalar or an array of these dimensions) into a buffer from a place on. The
/// value may be a view of that very place.
pub(crate) fn write(cx: &mut Builder<'_>, to: K, at: Expr, rep: &Rep, dims: &[Dim]) {
    if let Rep::Scalar(value) = rep {
        cx.code.store(to, at, *value);
        return;
    }
    let mut from = vector::in_memory(cx, rep.clone());
    if cx.aliases.may_alias(from.buffer, to) {
        from = copy(cx, &from, dims);
    }
    copy_to(cx, to, at, &from, dims)
}

/// Reads one component of a value from a buffer at a place.
pub(crate) fn read(cx: &mut Builder<'_>, from: K, at: Expr, dims: &[Dim]) -> Rep {
    let exprs = cx.code.exprs;
    if dims.is_empty() {
        let prim = cx.code.prim_of(from);
        return Rep::Scalar(cx.code.snapshot("x", prim, exprs.load(from, at)));
    }
    Rep::Array(dims::packed(cx, from, at, dims))
}

/// The same array in memory of its own.
pub(crate) fn copy(cx: &mut Builder<'_>, from: &Array, dims: &[Dim]) -> Array {
    let prim = cx.code.prim_of(from.buffer);
    let to = dims::new_array(cx, "copy", prim, dims);
    copy_to(cx, to.buffer, expr::int(0), from, dims);
    to
}

/// The same array in row-major order: itself where it is, which may turn out at run time, otherwise a copy.
pub(crate) fn contiguous(cx: &mut Builder<'_>, array: &Array, dims: &[Dim]) -> Array {
    let exprs = cx.code.exprs;
    let Strides::Explicit(strides) = &array.strides else {
        return array.clone();
    };
    let wanted = dims::row_major(cx, dims);
    let extents = dims::extents(cx, dims);
    let mut same = expr::truth(true);
    for ((have, want), n) in strides.iter().zip(&wanted).zip(&extents) {
        // A dimension of one element may have any stride.
        let fits = exprs.or(exprs.eq(*have, *want), exprs.le(*n, expr::int(1)));
        same = exprs.and(same, fits);
    }
    let prim = cx.code.prim_of(array.buffer);
    let buffer = cx.code.declare_buffer("rows", prim);
    let offset = cx.code.declare("offset", Prim::I64);
    let from = array.clone();
    cx.branch(
        same,
        |cx| {
            cx.code.emit(Stm::Share { to: buffer, from: from.buffer });
            cx.code.set(offset, from.offset);
        },
        |cx| {
            let room = dims::memory(cx, dims);
            let span = cx.code.span;
            cx.code.emit(Stm::Alloc { buffer, count: room, reuse: None, span });
            cx.code.set(offset, expr::int(0));
            copy_to(cx, buffer, expr::int(0), &from, dims)
        },
    );
    cx.code.own(buffer);
    cx.aliases.merge(buffer, array.buffer);
    Array { whole: array.whole, ..Array::at(buffer, Expr::Var(offset)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::Atom;

    fn copied(strides: Strides) -> Vec<Stm> {
        let program = ir::Program::default();
        let exprs = expr::ExprBuilder::default();
        let mut cx = Builder::new(&program, &exprs);
        cx.code.open();
        let buffer = cx.code.declare_buffer("xs", Prim::I64);
        let dims = [2, 3].map(|n| Dim::Size(Atom::size(n)));
        copy(&mut cx, &Array { strides, ..Array::whole(buffer) }, &dims);
        cx.code.close()
    }

    #[test]
    fn only_arrays_in_another_order_are_copied_element_by_element() {
        let whole = |stms: &[Stm]| stms.iter().any(|stm| matches!(stm, Stm::Copy { .. }));
        let nest = |stms: &[Stm]| stms.iter().any(|stm| matches!(stm, Stm::For { .. }));
        let (rows, transposed) = (copied(Strides::RowMajor), copied(Strides::Explicit([1, 2].map(expr::int).to_vec())));
        assert!(whole(&rows) && !nest(&rows));
        assert!(!whole(&transposed) && nest(&transposed));
    }
}
