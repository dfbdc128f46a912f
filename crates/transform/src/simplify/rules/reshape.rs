//! Where an element of a reshaped array lies.
//!
//! Dimensions that both shapes have at the front or at the back keep their indices. In between, a multi-index becomes a number
//! by multiplications and additions. A number becomes a multi-index only where the quotient is known: `i*m + j` with
//! `j < m` is `[i, j]`. A division for each element would cost more than the view.

use super::rule::Rewriter;
use crate::simplify::forms::{Form, as_atom};
use ir::{Atom, Dim, Var};
use scalar::BinOp;

/// The indices of an element of `root`, given its indices in the reshaped `array`.
pub(super) fn index(rw: &mut Rewriter<'_>, array: Var, root: Var, at: &[Atom]) -> Option<Vec<Atom>> {
    let (outer, inner) = (extents(rw, array)?, extents(rw, root)?);
    let front = same(rw, outer.iter().zip(&inner));
    let most = outer.len().min(inner.len()) - front;
    let back = same(rw, outer.iter().rev().zip(inner.iter().rev()).take(most));
    let middle = &at[front..at.len() - back];
    let number = row_major(rw, &outer[front..outer.len() - back], middle);
    let split = split(rw, &inner[front..inner.len() - back], number)?;
    Some([&at[..front], &split, &at[at.len() - back..]].concat())
}

fn extents(rw: &Rewriter<'_>, array: Var) -> Option<Vec<Atom>> {
    let size = |dim: &Dim| match dim {
        Dim::Size(n) => Some(*n),
        Dim::Jagged(_) | Dim::Shape(_) => None,
    };
    rw.program.ty(array).dims().iter().map(size).collect()
}

/// How many pairs of extents are equal, from the first on.
fn same<'a>(rw: &Rewriter<'_>, pairs: impl Iterator<Item = (&'a Atom, &'a Atom)>) -> usize {
    pairs.take_while(|(a, b)| rw.defs.form(**a) == rw.defs.form(**b)).count()
}

/// The number of an element in row-major order.
fn row_major(rw: &mut Rewriter<'_>, extents: &[Atom], at: &[Atom]) -> Atom {
    let mut number = Atom::size(0);
    for (extent, index) in extents.iter().zip(at) {
        let rows = rw.size(BinOp::Mul, number, *extent);
        number = rw.size(BinOp::Add, rows, *index);
    }
    number
}

/// The multi-index of an element, if that takes no division.
fn split(rw: &mut Rewriter<'_>, extents: &[Atom], number: Atom) -> Option<Vec<Atom>> {
    match extents {
        [] => Some(Vec::new()),
        [_] => Some(vec![number]),
        [outer @ .., last] => {
            let (quotient, remainder) = divided(rw, number, *last)?;
            let mut all = split(rw, outer, quotient)?;
            all.push(remainder);
            Some(all)
        }
    }
}

/// Quotient and remainder of a number by a variable or constant, if they can be read off its form: the terms that contain the
/// divisor, and an index of a loop with as many turns.
fn divided(rw: &Rewriter<'_>, number: Atom, by: Atom) -> Option<(Atom, Atom)> {
    let Atom::Var(divisor) = by else { return by_constant(number.as_size()?, by.as_size()?) };
    let form = rw.defs.form(number);
    let (with, without): (Vec<_>, Vec<_>) =
        form.terms().iter().cloned().partition(|(product, _)| product.contains(&divisor));
    let less = |(product, k): (Vec<Var>, i64)| {
        let place = product.iter().position(|var| *var == divisor);
        let rest = product.iter().enumerate().filter(|(i, _)| Some(*i) != place).map(|(_, var)| *var);
        (rest.collect::<Vec<Var>>(), k)
    };
    let quotient = with.into_iter().map(less);
    let (constant, linear): (Vec<_>, Vec<_>) = quotient.partition(|(product, _)| product.is_empty());
    let quotient = Form::from_terms(linear, constant.iter().map(|(_, k)| *k).sum())?;
    let remainder = Form::from_terms(without, form.constant_part())?;
    let (quotient, remainder) = (as_atom(&quotient)?, as_atom(&remainder)?);
    (remainder.var().and_then(|var| rw.defs.turns(var)) == Some(by)).then_some((quotient, remainder))
}

/// The same of constants.
fn by_constant(number: i64, by: i64) -> Option<(Atom, Atom)> {
    (number >= 0 && by > 0).then(|| (Atom::size(number / by), Atom::size(number % by)))
}
