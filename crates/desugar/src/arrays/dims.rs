//! The dimensions of arrays that are in memory: writing them in another way, putting them together, measuring them.
//!
//! Everything here takes the builder and an array (or what describes one) and gives an array with the same elements, or
//! a number. Nothing is checked; callers do that before. Example: `flat` of `xs: [n][m]i64` writes
//!
//! ```text
//! let k: i64 = total [n][m]
//! let ys: [k]i64 = reshape xs
//! ```

use crate::arrays::parts::{bind_like, lengths_of, with_front, with_leaves, with_new_dims};
use crate::data::value::{ArrayVal, Val};
use base::Name;
use ir::build::Builder;
use ir::num::Compute;
use ir::{Atom, Block, Dim, Exp, LoopForm, Range, Type, Var};
use scalar::{Prim, Scalar};
use std::rc::Rc;

/// A regular dimension as a jagged one.
pub(crate) fn made_jagged<'t>(b: &mut Builder, array: &ArrayVal<'t>, at: usize) -> ArrayVal<'t> {
    let Dim::Size(n) = array.dims[at] else {
        return array.clone();
    };
    let outer = array.dims[..at].to_vec();
    let desc = b.bind("d", Type::Desc(outer), Exp::DescUniform(n));
    with_dim(b, array, at, Dim::Jagged(desc))
}

/// The length of the first row that a descriptor has; `default` if there are no rows.
pub(crate) fn first_length(b: &mut Builder, desc: Var, outer: &[Dim], default: Atom) -> Atom {
    let rows = b.scalar("rows", Prim::I64, Exp::Total(outer.to_vec()));
    let some = b.num(rows.above(0));
    b.open();
    let (flat, _) = lengths_of(b, desc);
    let first = b.number("len", flat, Atom::size(0));
    let then = Block { stms: b.close(), result: vec![first] };
    let otherwise = Block { stms: Vec::new(), result: vec![default] };
    b.bind("len", Type::I64, Exp::If(some, then, otherwise)).into()
}

/// The array with one dimension written in another way, element by element the same.
pub(crate) fn with_dim<'t>(b: &mut Builder, array: &ArrayVal<'t>, at: usize, dim: Dim) -> ArrayVal<'t> {
    let mut dims = array.dims.clone();
    dims[at] = dim;
    with_new_dims(b, array, &dims)
}

/// Extents as dimensions.
pub(crate) fn sizes(extents: &[Atom]) -> Vec<Dim> {
    extents.iter().map(|n| Dim::Size(*n)).collect()
}

/// How many elements these extents make. Unlike a product in a program it does not wrap: so many do not fit into
/// memory, which must be found out.
pub(crate) fn product(b: &mut Builder, extents: &[Atom]) -> Atom {
    b.total(sizes(extents))
}

/// The length of rows, each of which has checked it. There may be no row, and so no check: then a negative number is
/// no size.
pub(crate) fn size_of_rows(b: &mut Builder, n: Atom) -> Atom {
    let Atom::Var(size) = n else { return n };
    if b.trusted(size).is_some() {
        return n;
    }
    let safe = b.num_as("n", n.below(0).select(0, n));
    if let Atom::Var(safe) = safe {
        b.trust(safe, &[]);
    }
    safe
}

pub(crate) fn not_negative(b: &Builder, n: Atom) -> bool {
    match n {
        Atom::Const(Scalar::I64(n)) => n >= 0,
        Atom::Const(_) => false,
        Atom::Var(var) => b.trusted(var).is_some(),
    }
}

/// All elements one after the other.
pub(crate) fn flat<'t>(b: &mut Builder, array: &ArrayVal<'t>) -> Rc<ArrayVal<'t>> {
    let total = b.total(array.dims.clone());
    Rc::new(flat_rows(b, array, array.dims.len(), total))
}

/// The array with all dimensions before number `at` as one.
pub(crate) fn flat_rows<'t>(b: &mut Builder, array: &ArrayVal<'t>, at: usize, total: Atom) -> ArrayVal<'t> {
    let front = [Dim::Size(total)];
    if array.dims[..at] == front { array.clone() } else { with_front(b, array, at, &front) }
}

/// The array with its dimensions in another order.
pub(crate) fn rearranged<'t>(b: &mut Builder, array: &ArrayVal<'t>, order: &[usize]) -> ArrayVal<'t> {
    let dims: Vec<Dim> = order.iter().map(|i| array.dims[*i]).collect();
    let depth = order.len();
    let rows = with_leaves(b, &array.rows, &dims, |b, prim, var, dims| {
        let order = order.iter().copied().chain(depth..dims.len()).collect();
        bind_like(b, prim, var, dims, Exp::Rearrange(var, order))
    });
    ArrayVal { dims, rows }
}

/// The length of a shape vector.
pub(crate) fn rank_of(b: &Builder, shape: Var) -> Atom {
    match b.ty(shape).dims() {
        [Dim::Size(rank)] => *rank,
        // The verifier would not let another vector be a shape.
        _ => Atom::size(0),
    }
}

/// A vector that is a variable.
pub(crate) fn vector_val<'t>(b: &Builder, vector: Var) -> Val<'t> {
    Val::array(b.ty(vector).dims().to_vec(), Val::size(vector.into()))
}

/// The shape of what lies below the first `count` dimensions.
pub(crate) fn shape_below(b: &mut Builder, shape: Var, count: Atom) -> Var {
    let rest = b.num(rank_of(b, shape) - count);
    let ty = Type::Array(Prim::I64, vec![Dim::Size(rest)]);
    let range = Range { start: count, count: rest, stride: Atom::size(1) };
    b.bind("s", ty, Exp::Slice(shape, vec![range]))
}

/// The number of the element, or of the part, that a vector of indices leads to.
pub(crate) fn row_major(b: &mut Builder, shape: Var, iv: Var) -> Atom {
    let count = rank_of(b, iv);
    let [place, k, end] = ["at", "k", "at"].map(|name| b.var(Name::new(name), Type::I64));
    b.open();
    let n = b.bind("n", Type::I64, Exp::Index(shape, vec![k.into()]));
    let i = b.bind("i", Type::I64, Exp::Index(iv, vec![k.into()]));
    let next = b.num(place * n + i);
    let body = Block { stms: b.close(), result: vec![next] };
    let exp = Exp::repeat(vec![(place, Atom::size(0))], LoopForm::For(k, count), body);
    b.bind_all(vec![end], exp);
    end.into()
}

/// `0 <= i < n`.
pub(crate) fn is_inside(b: &mut Builder, i: Atom, n: Atom) -> Atom {
    b.num(Atom::size(0).at_most(i).and(i.below(n)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_constants_do_not_wrap() {
        let mut b = Builder::default();
        let mut total = |extents: &[i64]| product(&mut b, &extents.iter().map(|n| Atom::size(*n)).collect::<Vec<_>>());
        assert_eq!(total(&[]), Atom::size(1));
        assert_eq!(total(&[3, 1, 4]), Atom::size(12));
        assert_eq!(total(&[1 << 40, 1 << 40]), Atom::size(i64::MAX));
    }

    #[test]
    fn a_flat_array_has_one_dimension_and_a_vector_stays_as_it_is() {
        let mut b = Builder::default();
        b.open();
        let [n, m] = [3, 4].map(|n| Dim::Size(Atom::size(n)));
        let xs = b.var(Name::new("xs"), Type::Array(Prim::I64, vec![n, m]));
        let array = ArrayVal { dims: vec![n, m], rows: Val::size(xs.into()) };
        let once = flat(&mut b, &array);
        assert_eq!(once.dims.len(), 1);
        assert_eq!(flat(&mut b, &once).dims, once.dims);
        let written = b.close();
        assert!(matches!(written.last().map(|stm| &stm.exp), Some(Exp::Reshape(from)) if *from == xs));
    }
}
