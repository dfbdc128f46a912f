//! Reading recursive arrays under construction: the cells that are read are demanded first.

use crate::arrays::dims::is_regular;
use crate::arrays::{demand, dims, place, slices, views};
use crate::builder::Builder;
use crate::builder::blocks::Blocks;
use crate::data::Low;
use crate::data::expr::{self, ExprBuilder};
use crate::data::rec_array::RecArray;
use crate::data::rep::{Array, Rep};
use base::bug;
use ir::{Dim, Limitation, Range, Type, Var};
use kernel::{Expr, Var as K};
use scalar::Prim;

/// The number of the value of the element at indices, which is demanded, and how many indices lead to an element.
fn row(cx: &mut Builder<'_>, rec: &RecArray, number: K, at: &[Expr]) -> Low<(Expr, usize)> {
    let exprs = cx.code.exprs;
    let Some(cell_dims) = rec.cell_dims else { bug!("rows of different lengths in other dimensions") };
    if at.len() < cell_dims {
        return cx.unsupported(Limitation::RecRows);
    }
    let place = place::place(cx, &rec.dims[..cell_dims], &at[..cell_dims])?;
    demand::cell(cx, rec, place);
    Ok((cx.code.snapshot("number", Prim::I64, exprs.load(number, place)), cell_dims))
}

/// The element at indices, or what further indices lead to in it.
fn row_part(cx: &mut Builder<'_>, var: Var, rec: &RecArray, number: K, at: &[Expr]) -> Low<()> {
    let (row, cell_dims) = row(cx, rec, number, at)?;
    let part = views::part_below(cx, &rec.array, row, &rec.dims[cell_dims..], &at[cell_dims..])?;
    cx.bind_view(var, part);
    Ok(())
}

/// The number by which a descriptor of a recursive array counts the row at indices.
pub(crate) fn desc_row(cx: &mut Builder<'_>, desc: Var, at: &[Expr]) -> Low<Option<Expr>> {
    let Some((rec, number)) = cx.recs.get(&desc).cloned().and_then(|rec| rec.number.map(|number| (rec, number))) else {
        return Ok(None);
    };
    let (row, cell_dims) = row(cx, &rec, number, at)?;
    let used = at.len().min(rec.dims.len());
    Ok(Some(place::place_below(cx, row, &rec.dims[cell_dims..used], &at[cell_dims..])?))
}

/// Demands the cells inside element number `place` of the dimensions around `below`.
fn demand_below(cx: &mut Builder<'_>, rec: &RecArray, below: &[Dim], place: Expr) {
    let exprs = cx.code.exprs;
    if below.is_empty() {
        return demand::cell(cx, rec, place);
    }
    let (first, last) = dims::span_below(cx, below, place);
    let count = cx.code.name_int("count", exprs.sub(last, first));
    demand::cells(cx, rec, first, count);
}

/// The same array under an equal type: readers go by the dimensions that it has had before.
pub(crate) fn rename(cx: &mut Builder<'_>, var: Var, array: Var) {
    let (rec, rep) = (demand::rec_array(cx, array), cx.homes.rep(array));
    cx.homes.bind(var, rep);
    cx.recs.insert(var, rec);
}

/// The same elements in other dimensions: unless all dimensions lead to cells, readers count elements from now on.
pub(crate) fn reshape(cx: &mut Builder<'_>, var: Var, array: Var) -> Low<()> {
    let rec = demand::rec_array(cx, array);
    if rec.number.is_some() {
        return cx.unsupported(Limitation::RecReshaped);
    }
    let dims = cx.src.ty(var).dims();
    let scalars = rec.cell_dims == Some(rec.dims.len()) && is_regular(&rec.dims) && is_regular(dims);
    cx.homes.bind(var, Rep::Array(rec.array.clone()));
    cx.recs.insert(var, RecArray { cell_dims: scalars.then_some(dims.len()), dims: dims.to_vec(), ..rec });
    Ok(())
}

/// Binds elements that follow one another.
fn flat_read(cx: &mut Builder<'_>, var: Var, rec: &RecArray, view: Array) {
    let exprs = cx.code.exprs;
    let offset = cx.code.name_int("at", view.offset);
    let count = dims::count(cx, cx.src.ty(var).dims());
    cx.when(exprs.lt(expr::int(0), count), |cx| {
        let start = exprs.sub(offset, rec.array.offset);
        let first = cx.code.name_int("first", exprs.div(start, rec.row));
        let end = exprs.sub(exprs.add(start, count), expr::int(1));
        let last = exprs.add(exprs.div(end, rec.row), expr::int(1));
        let cells = cx.code.name_int("cells", exprs.sub(last, first));
        demand::cells(cx, rec, first, cells)
    });
    cx.bind_view(var, Array { offset, ..view })
}

/// The element or subarray at indices.
pub(crate) fn index(cx: &mut Builder<'_>, var: Var, array: Var, at: &[Expr]) -> Low<()> {
    let rec = demand::rec_array(cx, array);
    if let Some(number) = rec.number {
        return row_part(cx, var, &rec, number, at);
    }
    let Some(cell_dims) = rec.cell_dims else {
        let view = views::part(cx, &rec.array, &rec.dims, at)?;
        flat_read(cx, var, &rec, view);
        return Ok(());
    };
    if let Some(Dim::Shape(_)) = rec.dims.first() {
        return cx.unsupported(Limitation::RecIndices);
    }
    let used = at.len().min(cell_dims);
    let place = place::place(cx, &rec.dims[..used], &at[..used])?;
    demand_below(cx, &rec, &rec.dims[used..cell_dims], place);
    views::bind_part(cx, var, &rec.array, &rec.dims, at)
}

/// The element or subarray at a vector of indices.
pub(crate) fn index_vector(cx: &mut Builder<'_>, var: Var, array: Var, at: Var) -> Low<()> {
    let exprs = cx.code.exprs;
    let rec = demand::rec_array(cx, array);
    let Some(Dim::Shape(shape)) = rec.dims.first() else {
        let used = rec.dims.len() - cx.src.ty(var).dims().len().min(rec.dims.len());
        let at = views::leading(cx, at, used);
        return index(cx, var, array, &at);
    };
    let (place, used) = place::place_by_vector(cx, *shape, at);
    let scalar = matches!(cx.src.ty(var), Type::Scalar(_));
    if rec.cell_dims.is_none() {
        let inner = dims::inside(cx, &rec.dims[1..])?;
        let outer = if scalar { expr::int(1) } else { dims::product(cx, *shape, used, ExprBuilder::mul) };
        let first = exprs.mul(place, exprs.mul(outer, inner));
        let offset = cx.code.name_int("view", exprs.add(rec.array.offset, first));
        flat_read(cx, var, &rec, Array::at(rec.array.buffer, offset));
        return Ok(());
    }
    let count = if scalar { expr::int(1) } else { dims::product(cx, *shape, used, ExprBuilder::mul) };
    let first = cx.code.name_int("first", exprs.mul(place, count));
    demand::cells(cx, &rec, first, count);
    let inner = dims::inside(cx, &rec.dims[1..])?;
    let offset = cx.code.name_int("view", exprs.add(rec.array.offset, exprs.mul(first, inner)));
    cx.bind_view(var, Array::at(rec.array.buffer, offset));
    Ok(())
}

/// Parts of leading dimensions.
pub(crate) fn slice(cx: &mut Builder<'_>, var: Var, array: Var, ranges: &[Range]) -> Low<()> {
    let rec = demand::rec_array(cx, array);
    if let Some(Dim::Shape(_)) = rec.dims.first() {
        return cx.unsupported(Limitation::RecSlice);
    }
    let Some(cell_dims) = rec.cell_dims else {
        return cx.unsupported(Limitation::RecReshaped);
    };
    let sliced = &ranges[..ranges.len().min(cell_dims)];
    demand_ranges(cx, &rec, cell_dims, sliced, &mut Vec::new())?;
    slices::bind(cx, var, &rec.array, &rec.dims, ranges)
}

fn demand_ranges(
    cx: &mut Builder<'_>,
    rec: &RecArray,
    cell_dims: usize,
    ranges: &[Range],
    at: &mut Vec<Expr>,
) -> Low<()> {
    let exprs = cx.code.exprs;
    let Some((range, inner)) = ranges.split_first() else {
        let place = place::place(cx, &rec.dims[..at.len()], at)?;
        demand_below(cx, rec, &rec.dims[at.len()..cell_dims], place);
        return Ok(());
    };
    let (start, count, step) =
        (cx.homes.scalar(range.start), cx.homes.scalar(range.count), cx.homes.scalar(range.stride));
    cx.count_loop("r", count, |cx, r| {
        at.push(cx.code.name_int("i", exprs.add(start, exprs.mul(r, step))));
        demand_ranges(cx, rec, cell_dims, inner, at)?;
        at.pop();
        Ok(())
    })
}
