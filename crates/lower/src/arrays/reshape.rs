//! The same elements in other dimensions or under other types, copies, and multi-indices.

use crate::arrays::dims::is_regular;
use crate::arrays::{copying, demand, dims, place, rec_read, vector};
use crate::builder::Builder;
use crate::data::Low;
use crate::data::expr;
use crate::data::rep::{Array, Desc, Rep};
use ir::{Atom, Type, Var};
use scalar::Prim;

/// The same elements in other dimensions.
pub(crate) fn reshape(cx: &mut Builder<'_>, var: Var, array: Var) -> Low<()> {
    if cx.recs.contains_key(&array) {
        return rec_read::reshape(cx, var, array);
    }
    packed_as(cx, var, array);
    Ok(())
}

/// Binds the elements of an array, one after the other, in the dimensions of a variable.
fn packed_as(cx: &mut Builder<'_>, var: Var, array: Var) {
    let (from_dims, to_dims) = (cx.src.ty(array).dims(), cx.src.ty(var).dims());
    let from = vector::array(cx, array);
    let from = copying::contiguous(cx, &from, from_dims);
    let begin = dims::begin(cx, &from, from_dims);
    let to = dims::packed(cx, from.buffer, begin, to_dims);
    cx.bind_view(var, Array { whole: from.whole, ..to })
}

/// The same value in memory of its own.
pub(crate) fn uninit(cx: &mut Builder<'_>, var: Var) {
    let array = match cx.homes.hints.remove(&var) {
        Some(place) => place,
        None => {
            let ty = cx.src.ty(var);
            let Some(prim) = ty.prim() else { base::bug!("memory for something that is no data") };
            let (name, dims) = (cx.name_of(var), ty.dims());
            let count = dims::memory(cx, dims);
            let buffer = cx.code.alloc(name, prim, count);
            let array = dims::packed(cx, buffer, expr::int(0), dims);
            Array { whole: true, ..array }
        }
    };
    cx.homes.bind(var, Rep::Array(array));
}

/// A copy.
pub(crate) fn copy(cx: &mut Builder<'_>, var: Var, array: Var) {
    if cx.recs.contains_key(&array) {
        demand::whole(cx, array);
    }
    let rep = cx.homes.rep(array);
    let dims = cx.src.ty(array).dims();
    let copy = match rep {
        Rep::Array(from) => match cx.homes.hints.remove(&var) {
            Some(place) => {
                copying::copy_to(cx, place.buffer, place.offset, &from, dims);
                Rep::Array(place)
            }
            None => Rep::Array(copying::copy(cx, &from, dims)),
        },
        // New memory has no aliases.
        Rep::Vector(prim, elements) => Rep::Array(vector::store_vector(cx, prim, &elements)),
        Rep::Scalar(_) | Rep::Desc(_) | Rep::Cert | Rep::Box(_) => rep,
    };
    cx.homes.bind(var, copy);
}

/// The same value under an equal type. Descriptors that are equal may count from different numbers.
pub(crate) fn retype(cx: &mut Builder<'_>, var: Var, from: Var) {
    let exprs = cx.code.exprs;
    if cx.recs.contains_key(&from) {
        return rec_read::rename(cx, var, from);
    }
    let rep = cx.homes.rep(from);
    if let Some(known) = cx.homes.known.get(&from).cloned() {
        cx.homes.known.insert(var, known);
    }
    let (from_dims, to_dims) = (cx.src.ty(from).dims(), cx.src.ty(var).dims());
    if is_regular(from_dims) && is_regular(to_dims) || from_dims == to_dims {
        cx.homes.bind(var, rep);
        return;
    }
    match rep {
        Rep::Array(_) | Rep::Vector(..) => packed_as(cx, var, from),
        Rep::Desc(desc) => {
            let (first, _) = dims::span_of(cx, from_dims);
            let (new_first, _) = dims::span_of(cx, to_dims);
            let start = cx.code.name_int("start", exprs.sub(exprs.add(desc.start, first), new_first));
            cx.homes.bind(var, Rep::Desc(Desc { offsets: desc.offsets, start }));
        }
        Rep::Scalar(_) | Rep::Cert | Rep::Box(_) => cx.homes.bind(var, rep),
    }
}

/// The multi-index of an element.
pub(crate) fn unrank(cx: &mut Builder<'_>, var: Var, index: Atom, shape: Var) {
    let index = cx.homes.scalar(index);
    if let Some(extents) = vector::elements(cx, shape) {
        let subscripts = place::subscripts(cx, index, &extents);
        vector::bind(cx, var, Prim::I64, subscripts);
        return;
    }
    let array = place::unrank_to_memory(cx, index, shape);
    if matches!(cx.src.ty(var), Type::Scalar(_)) {
        base::bug!("a multi-index that is a scalar");
    }
    cx.homes.bind(var, Rep::Array(array));
}
