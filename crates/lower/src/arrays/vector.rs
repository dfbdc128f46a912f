//! Short vectors whose elements are known one by one, such as subscripts and shapes: they get memory only if something
//! other than indexing needs it. Also the memory of any array.

use crate::arrays::demand;
use crate::builder::Builder;
use crate::data::expr;
use crate::data::rep::{Array, Rep, Strides};
use ir::{Dim, Var};
use kernel::Expr;
use scalar::Prim;

/// An element of a vector at a place known at run time.
pub(crate) fn element_or_known(cx: &mut Builder<'_>, var: Var, at: Expr) -> Expr {
    let exprs = cx.code.exprs;
    if let Rep::Vector(_, elements) = cx.homes.rep(var) {
        let last = elements.last().cloned().unwrap_or(expr::int(0));
        let choose = |rest, (i, e): (usize, &Expr)| exprs.select(exprs.eq(at, expr::int(i as i64)), *e, rest);
        return elements.iter().enumerate().rev().skip(1).fold(last, choose);
    }
    element(cx, var, at)
}

/// The longest vector whose elements are known one by one.
const LONGEST: usize = 16;

/// Binds a vector with these elements.
pub(crate) fn bind(cx: &mut Builder<'_>, var: Var, prim: Prim, elements: Vec<Expr>) {
    let rep = if cx.memory.contains(&var) || elements.len() > LONGEST {
        Rep::Array(store_vector(cx, prim, &elements))
    } else {
        Rep::Vector(prim, elements.clone())
    };
    if elements.len() <= LONGEST {
        cx.homes.known.insert(var, elements);
    }
    cx.homes.bind(var, rep);
}

/// A new vector in memory.
pub(crate) fn store_vector(cx: &mut Builder<'_>, prim: Prim, elements: &[Expr]) -> Array {
    let buffer = cx.code.alloc("literal", prim, expr::int(elements.len() as i64));
    for (i, value) in elements.iter().enumerate() {
        cx.code.store(buffer, expr::int(i as i64), *value);
    }
    Array::whole(buffer)
}

/// The elements of a vector of `i64`, if its length is a constant.
pub(crate) fn elements(cx: &mut Builder<'_>, var: Var) -> Option<Vec<Expr>> {
    if let Some(known) = cx.homes.known.get(&var) {
        return Some(known.clone());
    }
    let length = vector_length(cx, var)?;
    let mut elements = Vec::new();
    for i in 0..length {
        let element = element(cx, var, expr::int(i));
        elements.push(cx.code.name_int("e", element));
    }
    Some(elements)
}

fn vector_length(cx: &Builder<'_>, var: Var) -> Option<i64> {
    match cx.src.ty(var).dims() {
        [Dim::Size(n)] => expr::as_int(cx.homes.scalar(*n)).filter(|n| *n <= LONGEST as i64),
        _ => None,
    }
}

/// How many elements a vector has.
pub(crate) fn length(cx: &Builder<'_>, var: Var) -> Expr {
    match cx.src.ty(var).dims() {
        [Dim::Size(n)] => cx.homes.scalar(*n),
        _ => base::bug!("a vector that is no vector"),
    }
}

/// An element of a vector that lies in memory.
pub(crate) fn element(cx: &mut Builder<'_>, var: Var, at: Expr) -> Expr {
    let exprs = cx.code.exprs;
    let array = array(cx, var);
    let stride = match &array.strides {
        Strides::RowMajor => expr::int(1),
        Strides::Explicit(strides) => strides.first().cloned().unwrap_or(expr::int(1)),
    };
    exprs.load(array.buffer, exprs.add(array.offset, exprs.mul(at, stride)))
}

/// An array in memory; a vector that has none gets some, here and now.
pub(crate) fn array(cx: &mut Builder<'_>, var: Var) -> Array {
    if cx.recs.contains_key(&var) {
        demand::whole(cx, var);
    }
    in_memory(cx, cx.homes.rep(var))
}

/// An array in memory.
pub(crate) fn in_memory(cx: &mut Builder<'_>, rep: Rep) -> Array {
    match rep {
        Rep::Array(array) => array,
        Rep::Vector(prim, elements) => store_vector(cx, prim, &elements),
        Rep::Scalar(_) | Rep::Desc(_) | Rep::Cert | Rep::Box(_) => base::bug!("{rep:?} in the place of an array"),
    }
}
