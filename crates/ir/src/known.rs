//! Scalar computations whose value is known before the program runs, or because it was computed before.

use crate::{Atom, Dim, Exp, FunId, Var};
use scalar::{BinOp, MathOp, Prim, Scalar, UnOp};

/// A scalar computation that has one value wherever it stands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Computation {
    /// A binary operator.
    Bin(BinOp, Prim, Atom, Atom),
    /// A prefix operator.
    Un(UnOp, Prim, Atom),
    /// A conversion.
    Convert(Prim, Prim, Atom),
    /// One value or the other.
    Select(Atom, Atom, Atom),
    /// The length of a row.
    Length(Var, Vec<Atom>),
    /// How many elements lie before a row.
    Offset(Var, Vec<Atom>),
    /// The row of an element.
    Row(Var, Atom),
    /// How many elements there are in dimensions.
    Total(Vec<Dim>),
    /// An element of a shape vector.
    Extent(Var, i64),
    /// An element of an array.
    Element(Var, Vec<Atom>),
    /// A numeric function.
    Math(MathOp, Prim, Vec<Atom>),
    /// What a function gives that prints nothing.
    Call(FunId, Vec<Atom>),
}

impl Exp {
    /// What the expression computes, if it is a scalar computation. Those that are equal have the same value.
    pub fn computation(&self) -> Option<Computation> {
        match self {
            Exp::Bin(op, prim, a, b) => Some(Computation::Bin(*op, *prim, *a, *b)),
            Exp::Un(op, prim, a) => Some(Computation::Un(*op, *prim, *a)),
            Exp::Convert(from, to, a) => Some(Computation::Convert(*from, *to, *a)),
            Exp::Select(c, a, b) => Some(Computation::Select(*c, *a, *b)),
            Exp::DescLength(desc, at) => Some(Computation::Length(*desc, at.clone())),
            Exp::DescOffset(desc, at) => Some(Computation::Offset(*desc, at.clone())),
            Exp::DescRow(desc, element) => Some(Computation::Row(*desc, *element)),
            Exp::Total(dims) => Some(Computation::Total(dims.clone())),
            _ => None,
        }
    }

    /// The value of a computation on constants, or of one that changes nothing.
    pub fn known(&self) -> Option<Atom> {
        match self {
            Exp::Atom(atom) => Some(*atom),
            Exp::Bin(op, prim, a, b) => known_bin(*op, *prim, *a, *b),
            Exp::Un(op, _, Atom::Const(x)) => scalar::eval_un(*op, *x).ok().map(Atom::Const),
            Exp::Convert(from, to, a) if from == to => Some(*a),
            Exp::Convert(_, to, Atom::Const(x)) => Some(Atom::Const(scalar::convert(*x, *to))),
            Exp::Select(Atom::Const(Scalar::Bool(c)), a, b) => Some(if *c { *a } else { *b }),
            Exp::Select(_, a, b) if a == b => Some(*a),
            Exp::Total(dims) => known_total(dims),
            _ => None,
        }
    }
}

fn known_bin(op: BinOp, prim: Prim, a: Atom, b: Atom) -> Option<Atom> {
    // Compiled programs call another function, which may round in another way.
    if op == BinOp::Pow && prim.is_float() {
        return None;
    }
    if let (Atom::Const(x), Atom::Const(y)) = (a, b) {
        return scalar::eval_bin(op, x, y).ok().map(Atom::Const);
    }
    let is = |atom: Atom, x: Scalar| atom == Atom::Const(x);
    let either = |x: Scalar| is(a, x) || is(b, x);
    let (zero, one, int) = (prim.zero(), prim.one(), prim.is_int());
    match op {
        BinOp::Add if int && is(a, zero) => Some(b),
        BinOp::Add | BinOp::Sub if int && is(b, zero) => Some(a),
        BinOp::Sub if int && a == b => Some(Atom::Const(zero)),
        BinOp::Mul if int && is(a, one) => Some(b),
        BinOp::Mul if int && is(b, one) => Some(a),
        BinOp::Mul if int && either(zero) => Some(Atom::Const(zero)),
        BinOp::Eq | BinOp::Le | BinOp::Ge if a == b && !prim.is_float() => Some(Atom::bool(true)),
        BinOp::Ne | BinOp::Lt | BinOp::Gt if a == b && !prim.is_float() => Some(Atom::bool(false)),
        BinOp::LogAnd | BinOp::LogOr if a == b => Some(a),
        BinOp::LogAnd if is(a, Scalar::Bool(true)) => Some(b),
        BinOp::LogAnd if is(b, Scalar::Bool(true)) => Some(a),
        BinOp::LogAnd if either(Scalar::Bool(false)) => Some(Atom::bool(false)),
        BinOp::LogOr if is(a, Scalar::Bool(false)) => Some(b),
        BinOp::LogOr if is(b, Scalar::Bool(false)) => Some(a),
        BinOp::LogOr if either(Scalar::Bool(true)) => Some(Atom::bool(true)),
        _ => None,
    }
}

/// How many elements there are, as far as dimensions are numbers or there is only one. What no `i64` can count is the
/// largest count, as at run time.
fn known_total(dims: &[Dim]) -> Option<Atom> {
    let others: Vec<&Dim> = dims.iter().filter(|dim| **dim != Dim::Size(Atom::size(1))).collect();
    if let [Dim::Size(n)] = others[..] {
        return Some(*n);
    }
    let known = others.iter().try_fold(1_i64, |total, dim| match dim {
        Dim::Size(Atom::Const(Scalar::I64(n))) => Some(total.saturating_mul(*n)),
        Dim::Size(_) | Dim::Jagged(_) | Dim::Shape(_) => None,
    });
    known.map(Atom::size)
}
