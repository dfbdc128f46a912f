//! Operators: on scalars, element by element on arrays, comparison of whole values.

use crate::arrays::dims::{flat, made_jagged, vector_val};
use crate::arrays::parts::{element, retyped};
use crate::context::{Desugar, Made};
use crate::data::form::Form;
use crate::data::value::{ArrayVal, Val, is_shape};
use fault::message;
use ir::num::Compute;
use ir::{Atom, Dim, Exp, Kind, Layout, Limitation, Tree};
use scalar::{BinOp, Prim, UnOp};
use std::rc::Rc;
use typed::Expr;

impl<'t> Desugar<'t> {
    pub(crate) fn binary(&mut self, op: BinOp, lhs: &'t Expr, rhs: &'t Expr, lifted: bool) -> Made<Val<'t>> {
        let left = self.expr(lhs)?;
        if matches!(op, BinOp::LogAnd | BinOp::LogOr) && !lifted {
            let cond = left.scalar("a condition");
            // The right side is evaluated only if it is needed.
            let fixed = |b: bool| Ok(Val::bool(Atom::bool(b)));
            return match op {
                BinOp::LogAnd => self.choose(cond, |d| d.expr(rhs), |_| fixed(false)),
                _ => self.choose(cond, |_| fixed(true), |d| d.expr(rhs)),
            };
        }
        let right = self.expr(rhs)?;
        match lifted {
            true => self.lifted(op, &left, &right),
            false => self.operator(op, &left, &right),
        }
    }

    /// A binary operator on values: `==` and `!=` compare them whole.
    pub(crate) fn operator(&mut self, op: BinOp, left: &Val<'t>, right: &Val<'t>) -> Made<Val<'t>> {
        match (left, right) {
            (Val::Scalar(prim, a), Val::Scalar(_, b)) => {
                let result = op.result(*prim).unwrap_or(*prim);
                Ok(Val::Scalar(result, self.scalar_op(op, *prim, *a, *b)))
            }
            _ if op == BinOp::Eq => Ok(Val::bool(self.equal(left, right)?)),
            _ if op == BinOp::Ne => {
                let equal = self.equal(left, right)?;
                let not = self.b.num(equal.not());
                Ok(Val::bool(not))
            }
            _ => self.lifted(op, left, right),
        }
    }

    /// An operator on scalars, with its checks.
    pub(crate) fn scalar_op(&mut self, op: BinOp, prim: Prim, a: Atom, b: Atom) -> Atom {
        let zero = Atom::Const(prim.zero());
        let cert = match op {
            BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem if prim.is_int() => {
                let fine = self.b.bin(BinOp::Ne, prim, b, zero);
                self.check(fine, message::division(op, prim), [a])
            }
            BinOp::Pow if prim.is_signed() => {
                let fine = self.b.bin(BinOp::Ge, prim, b, zero);
                self.check(fine, message::exponent(prim), [b])
            }
            _ => None,
        };
        self.b.under(cert.as_slice(), |builder| builder.bin(op, prim, a, b))
    }

    pub(crate) fn unary(&mut self, op: UnOp, val: &Val<'t>) -> Made<Val<'t>> {
        match val {
            Val::Scalar(prim, a) => Ok(Val::Scalar(*prim, self.b.scalar("t", *prim, Exp::Un(op, *prim, *a)))),
            Val::Vector(prim, atoms) => {
                let each = |a: &Atom| self.b.scalar("t", *prim, Exp::Un(op, *prim, *a));
                Ok(Val::Vector(*prim, atoms.iter().map(each).collect()))
            }
            _ => {
                let array = self.as_array(val)?;
                self.each_element(&[&array], |d, elem| d.unary(op, &elem[0]))
            }
        }
    }

    /// The array of `f` of the elements in each place of arrays with the same dimensions.
    pub(crate) fn each_element(
        &mut self,
        arrays: &[&ArrayVal<'t>],
        f: impl FnOnce(&mut Self, &[Val<'t>]) -> Made<Val<'t>>,
    ) -> Made<Val<'t>> {
        let flat: Vec<_> = arrays.iter().map(|array| flat(&mut self.b, array)).collect();
        let all = self.build_in(&arrays[0].dims, None, |d, i| {
            let elems: Vec<Val> = flat.iter().map(|array| element(&mut d.b, array, &[i])).collect();
            f(d, &elems)
        })?;
        Ok(Val::Array(all))
    }

    /// An operator element by element; a scalar goes with every element of the other operand.
    pub(crate) fn lifted(&mut self, op: BinOp, left: &Val<'t>, right: &Val<'t>) -> Made<Val<'t>> {
        match (left, right) {
            (Val::Scalar(..), Val::Scalar(..)) => self.operator(op, left, right),
            (Val::Vector(prim, a), Val::Vector(_, b)) if a.len() == b.len() => Ok(self.vector_op(op, *prim, a, b)),
            (Val::Vector(prim, a), Val::Scalar(_, b)) => Ok(self.vector_op(op, *prim, a, &vec![*b; a.len()])),
            (Val::Scalar(_, a), Val::Vector(prim, b)) => Ok(self.vector_op(op, *prim, &vec![*a; b.len()], b)),
            (_, Val::Scalar(..)) => {
                let array = self.as_array(left)?;
                self.each_element(&[&array], |d, x| d.operator(op, &x[0], right))
            }
            (Val::Scalar(..), _) => {
                let array = self.as_array(right)?;
                self.each_element(&[&array], |d, y| d.operator(op, left, &y[0]))
            }
            (_, _) => {
                let (a, b) = (self.as_array(left)?, self.as_array(right)?);
                let (a, b) = self.same_shape(&a, &b, &format!("`{op}` element by element"))?;
                self.each_element(&[&a, &b], |d, elems| d.operator(op, &elems[0], &elems[1]))
            }
        }
    }

    fn vector_op(&mut self, op: BinOp, prim: Prim, a: &[Atom], b: &[Atom]) -> Val<'t> {
        let each = a.iter().zip(b).map(|(a, b)| self.scalar_op(op, prim, *a, *b));
        Val::Vector(op.result(prim).unwrap_or(prim), each.collect())
    }

    /// Two arrays with the same names for their dimensions, which are checked to be equal.
    pub(crate) fn same_shape(
        &mut self,
        a: &Rc<ArrayVal<'t>>,
        b: &Rc<ArrayVal<'t>>,
        what: &str,
    ) -> Made<(Rc<ArrayVal<'t>>, Rc<ArrayVal<'t>>)> {
        if a.dims == b.dims {
            return Ok((a.clone(), b.clone()));
        }
        let (left, right) = (Val::Array(a.clone()), Val::Array(b.clone()));
        let (a, b) = self.comparable(a, b)?;
        let equal = self.equal_dims(&a.dims, &b.dims)?;
        let x = self.describe(&left, 0);
        let y = self.describe(&right, x.args.len());
        let cert = self.check(equal, message::lockstep(x.text, y.text, what), x.args.into_iter().chain(y.args));
        let b = retyped(&mut self.b, &b, a.dims.clone(), cert.as_slice());
        Ok((Rc::new(a), Rc::new(b)))
    }

    /// Two arrays whose dimensions can be compared one by one: shapes stand in the same places, and jagged dimensions
    /// where one of them has such.
    fn comparable(&mut self, a: &ArrayVal<'t>, b: &ArrayVal<'t>) -> Made<(ArrayVal<'t>, ArrayVal<'t>)> {
        let (mut a, mut b) = match alike(a, b) {
            true => (a.clone(), b.clone()),
            false => (self.shape_from(a, 0)?.0, self.shape_from(b, 0)?.0),
        };
        for at in 0..a.dims.len().min(b.dims.len()) {
            match (a.dims[at], b.dims[at]) {
                (Dim::Jagged(_), Dim::Size(_)) => b = made_jagged(&mut self.b, &b, at),
                (Dim::Size(_), Dim::Jagged(_)) => a = made_jagged(&mut self.b, &a, at),
                (_, _) => {}
            }
        }
        Ok((a, b))
    }

    /// Whether dimensions are equal one by one.
    pub(crate) fn equal_dims(&mut self, a: &[Dim], b: &[Dim]) -> Made<Atom> {
        if a.len() != b.len() {
            return Ok(Atom::bool(false));
        }
        self.conjunction(Atom::bool(true), a.iter().zip(b), |d, dims| match dims {
            (Dim::Size(x), Dim::Size(y)) => Ok(d.b.num((*x).equals(*y))),
            (x, y) if x == y => Ok(Atom::bool(true)),
            (Dim::Jagged(x), Dim::Jagged(y)) => Ok(d.b.equal_lengths(*x, *y)),
            (Dim::Shape(x), Dim::Shape(y)) => {
                let (x, y) = (vector_val(&d.b, *x), vector_val(&d.b, *y));
                d.equal(&x, &y)
            }
            (_, _) => d.unsupported(Limitation::DifferentComparison),
        })
    }

    /// Whether two whole values are equal; arrays of different shapes differ.
    pub(crate) fn equal(&mut self, left: &Val<'t>, right: &Val<'t>) -> Made<Atom> {
        match (left, right) {
            (Val::Scalar(prim, a), Val::Scalar(_, b)) => Ok(self.b.bin(BinOp::Eq, *prim, *a, *b)),
            (Val::Vector(_, a), Val::Vector(_, b)) if a.len() != b.len() => Ok(Atom::bool(false)),
            (Val::Vector(prim, a), Val::Vector(_, b)) => {
                let pairs = a.iter().zip(b.iter());
                self.conjunction(Atom::bool(true), pairs, |d, (a, b)| Ok(d.b.bin(BinOp::Eq, *prim, *a, *b)))
            }
            (Val::Record(a), Val::Record(b)) => {
                self.conjunction(Atom::bool(true), a.iter().zip(b.iter()), |d, (x, y)| d.equal(x, y))
            }
            (Val::Sum(a), Val::Sum(b)) => {
                let tags = self.b.bin(BinOp::Eq, Layout::tag_prim(a.cases.len()), a.tag, b.tag);
                self.conjunction(tags, a.common_parts(b), |d, (x, y)| d.equal(x, y))
            }
            (Val::Fun(_), _) | (_, Val::Fun(_)) => self.unsupported(Limitation::FunctionComparison),
            (_, _) => {
                let (a, b) = (self.as_array(left)?, self.as_array(right)?);
                self.equal_arrays(&a, &b)
            }
        }
    }

    /// Whether a condition holds and something holds for each of some things, which are looked at one by one.
    pub(crate) fn conjunction<T>(
        &mut self,
        start: Atom,
        things: impl IntoIterator<Item = T>,
        mut holds: impl FnMut(&mut Self, T) -> Made<Atom>,
    ) -> Made<Atom> {
        things.into_iter().try_fold(start, |all, thing| {
            let one = holds(self, thing)?;
            Ok(self.b.num(all.and(one)))
        })
    }

    fn equal_arrays(&mut self, a: &Rc<ArrayVal<'t>>, b: &Rc<ArrayVal<'t>>) -> Made<Atom> {
        let (a, b) = self.comparable(a, b)?;
        let same = self.equal_dims(&a.dims, &b.dims)?;
        let elements = |d: &mut Self| {
            let (x, y) = (flat(&mut d.b, &a), flat(&mut d.b, &b));
            let total = x.first_size();
            d.all(total, |d, i| {
                let (x, y) = (element(&mut d.b, &x, &[i]), element(&mut d.b, &y, &[i]));
                d.equal(&x, &y)
            })
        };
        let equal = self.choose(same, |d| elements(d).map(Val::bool), |_| Ok(Val::bool(Atom::bool(false))))?;
        Ok(equal.scalar("a comparison"))
    }

    /// Whether something holds for all numbers below `n`.
    pub(crate) fn all(&mut self, n: Atom, holds: impl FnOnce(&mut Self, Atom) -> Made<Atom>) -> Made<Atom> {
        self.combined(n, (Prim::Bool, Atom::bool(true)), holds, |d, a, b| d.b.num(a.and(b)))
    }

    /// The least of some numbers, one of each number below `n`, none of which is above `n`.
    pub(crate) fn least(&mut self, n: Atom, number: impl FnOnce(&mut Self, Atom) -> Made<Atom>) -> Made<Atom> {
        self.combined(n, (Prim::I64, n), number, |d, a, b| d.b.num_as("least", a.below(b).select(a, b)))
    }

    /// The scalars that belong to the numbers below `n`, combined by an operation that commutes.
    fn combined(
        &mut self,
        n: Atom,
        (prim, neutral): (Prim, Atom),
        each: impl FnOnce(&mut Self, Atom) -> Made<Atom>,
        both: impl FnOnce(&mut Self, Atom, Atom) -> Atom,
    ) -> Made<Atom> {
        let form = Form::scalar(prim);
        let op = self.region_by(&form, |d, a, b| {
            Ok(Val::Scalar(prim, both(d, a.scalar("an operand"), b.scalar("an operand"))))
        })?;
        let kind = Kind::Reduce { op, neutral: vec![neutral], commutes: true, tree: Tree::PLAIN };
        let all = self.reduced(kind, (&form, "all"), n, |d, i| Ok(Val::Scalar(prim, each(d, i)?)))?;
        Ok(all.scalar("a reduction of scalars"))
    }
}

/// Whether shapes stand in the same places of two arrays, or in none.
fn alike(a: &ArrayVal, b: &ArrayVal) -> bool {
    a.dims.iter().map(is_shape).eq(b.dims.iter().map(is_shape)) || !a.dims.iter().chain(&b.dims).any(is_shape)
}
