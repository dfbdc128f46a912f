//! The number of an element in row-major order from its subscripts, and back.

use crate::arrays::{dims, vector};
use crate::builder::Builder;
use crate::builder::blocks::Blocks;
use crate::data::Low;
use crate::data::expr;
use crate::data::rep::Array;
use ir::{Atom, Dim, Limitation, Var};
use kernel::Expr;
use scalar::Prim;

/// The number of the element with these indices, one for each of the dimensions.
pub(crate) fn place(cx: &mut Builder<'_>, dims: &[Dim], at: &[Expr]) -> Low<Expr> {
    place_below(cx, expr::int(0), dims, at)
}

/// The same inside of element number `place` of the dimensions around them.
pub(crate) fn place_below(cx: &mut Builder<'_>, place: Expr, dims: &[Dim], at: &[Expr]) -> Low<Expr> {
    let exprs = cx.code.exprs;
    let mut place = place;
    for (dim, i) in dims.iter().zip(at) {
        place = match dim {
            Dim::Size(n) => exprs.mul(place, cx.homes.scalar(*n)),
            Dim::Jagged(d) => {
                let desc = cx.homes.desc(*d);
                let place = cx.code.name_int("row", place);
                dims::offset_at(cx, &desc, place)
            }
            Dim::Shape(_) => return cx.unsupported(Limitation::IndicesOfUnknownRank),
        };
        place = exprs.add(place, *i);
    }
    Ok(cx.code.name_int("at", place))
}

/// The number of the element at a vector of indices in a shape, and how many of the shape's dimensions are used up.
pub(crate) fn place_by_vector(cx: &mut Builder<'_>, shape: Var, at: Var) -> (Expr, Expr) {
    let exprs = cx.code.exprs;
    if let (Some(extents), Some(at)) = (vector::elements(cx, shape), vector::elements(cx, at)) {
        let mut place = expr::int(0);
        for (n, i) in extents.iter().zip(&at) {
            place = exprs.add(exprs.mul(place, *n), *i);
        }
        return (cx.code.name_int("at", place), expr::int(at.len() as i64));
    }
    let used = vector::length(cx, at);
    let place = cx.code.variable("at", expr::int(0));
    cx.short_loop("t", used, |cx, t| {
        let n = vector::element_or_known(cx, shape, t);
        let i = vector::element_or_known(cx, at, t);
        cx.code.set(place, exprs.add(exprs.mul(Expr::Var(place), n), i));
    });
    (Expr::Var(place), used)
}

/// The multi-index of an element in a box of known rank.
pub(crate) fn subscripts(cx: &mut Builder<'_>, index: Expr, extents: &[Expr]) -> Vec<Expr> {
    let exprs = cx.code.exprs;
    let mut left = index;
    let mut subscripts = Vec::new();
    for n in extents.iter().skip(1).rev() {
        subscripts.push(cx.code.name_int("i", exprs.rem(left, *n)));
        left = cx.code.name_int("left", exprs.div(left, *n));
    }
    subscripts.push(left);
    subscripts.truncate(extents.len());
    subscripts.reverse();
    subscripts
}

/// The multi-index of an element in a box whose rank is known at run time.
pub(crate) fn unrank_to_memory(cx: &mut Builder<'_>, index: Expr, shape: Var) -> Array {
    let exprs = cx.code.exprs;
    let rank = vector::length(cx, shape);
    let buffer = cx.code.alloc("subscripts", Prim::I64, rank);
    let left = cx.code.variable("left", index);
    cx.short_loop("t", rank, |cx, t| {
        let at = cx.code.name_int("at", exprs.sub(exprs.sub(rank, expr::int(1)), t));
        let n = vector::element(cx, shape, at);
        let n = cx.code.name_int("n", n);
        cx.code.store(buffer, at, exprs.rem(Expr::Var(left), n));
        cx.code.set(left, exprs.div(Expr::Var(left), n));
    });
    Array::whole(buffer)
}

/// The number of the element at subscripts.
pub(crate) fn place_at(cx: &mut Builder<'_>, shape: &[Dim], at: &[Atom]) -> Low<Expr> {
    if let (Some(Dim::Shape(shape)), [Atom::Var(at)]) = (shape.first(), at) {
        return Ok(place_by_vector(cx, *shape, *at).0);
    }
    let at = cx.homes.scalars(at);
    place(cx, shape, &at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subscripts_are_the_inverse_of_places() {
        let program = ir::Program::default();
        let exprs = expr::ExprBuilder::default();
        let mut cx = Builder::new(&program, &exprs);
        cx.code.open();
        let dims = [2, 3].map(|n| Dim::Size(Atom::size(n)));
        for (i, j) in [(0, 0), (0, 2), (1, 1)] {
            let place = place(&mut cx, &dims, &[i, j].map(expr::int)).expect("regular dimensions");
            assert_eq!(place, expr::int(i * 3 + j));
            assert_eq!(subscripts(&mut cx, place, &[2, 3].map(expr::int)), [i, j].map(expr::int));
        }
    }
}
