//! Powers with known exponents: a few multiplications, roots or divisions instead of a function that takes any exponent.
//!
//! ```text
//! x ** 2      x * x                        x ** 0.5      sqrt x
//! x ** 3      x * x * x                    x ** (-1.5)   r * sqrt r   where r = 1 / x
//! ```
//!
//! Special values stay as they are. A float has at most four roundings, of which each adds at most one unit in the last place:
//! that is why there are no larger exponents.

use super::rule::{New, Rewriter};
use ir::{Atom, Exp, Stm};
use scalar::{BinOp, MathOp, Prim, Scalar};

/// The largest exponents.
const MOST_OF_INT: i64 = 16;
const MOST_OF_FLOAT: f64 = 5.0;

pub(super) fn known_exponent(rw: &mut Rewriter<'_>, stm: &Stm) -> Option<New> {
    let Exp::Bin(BinOp::Pow, prim, x, Atom::Const(exponent)) = stm.exp else { return None };
    if prim.is_int() {
        let Scalar::I64(exponent) = scalar::convert(exponent, Prim::I64) else { return None };
        if !(1..=MOST_OF_INT).contains(&exponent) {
            return None;
        }
        return Some(Powers { rw, prim }.whole(x, exponent).into());
    }
    let Scalar::F64(exponent) = scalar::convert(exponent, Prim::F64) else { return None };
    let mut powers = Powers { rw, prim };
    let is_whole = exponent == exponent.trunc() && (1.0..=MOST_OF_FLOAT).contains(&exponent);
    let made = match exponent {
        _ if is_whole => powers.whole(x, exponent as i64),
        -1.0 => powers.inverse(x),
        -2.0 => {
            let r = powers.inverse(x);
            powers.times(r, r)
        }
        0.5 => {
            let positive = powers.without_sign(x);
            let root = powers.root(positive);
            powers.unless_endless(x, f64::INFINITY, root)
        }
        1.5 => {
            let positive = powers.without_sign(x);
            let root = powers.root(positive);
            let made = powers.times(positive, root);
            powers.unless_endless(x, f64::INFINITY, made)
        }
        -0.5 => {
            // Not the root of an inverse: that of a subnormal number is infinite.
            let positive = powers.without_sign(x);
            let root = powers.root(positive);
            let made = powers.inverse(root);
            powers.unless_endless(x, 0.0, made)
        }
        -1.5 => {
            let positive = powers.without_sign(x);
            let r = powers.inverse(positive);
            let root = powers.root(r);
            powers.times(r, root)
        }
        _ => return None,
    };
    Some(made.into())
}

/// Makes powers of numbers of a type.
struct Powers<'r, 'a> {
    rw: &'r mut Rewriter<'a>,
    prim: Prim,
}

impl Powers<'_, '_> {
    fn bin(&mut self, op: BinOp, a: Atom, b: Atom) -> Atom {
        self.rw.scalar(Exp::Bin(op, self.prim, a, b), self.prim)
    }

    fn times(&mut self, a: Atom, b: Atom) -> Atom {
        self.bin(BinOp::Mul, a, b)
    }

    /// By squares: the exponent is at least 1.
    fn whole(&mut self, x: Atom, exponent: i64) -> Atom {
        if exponent == 1 {
            return x;
        }
        let half = self.whole(x, exponent / 2);
        let square = self.times(half, half);
        if exponent % 2 == 0 { square } else { self.times(square, x) }
    }

    fn inverse(&mut self, x: Atom) -> Atom {
        self.bin(BinOp::Div, Atom::Const(self.prim.one()), x)
    }

    /// The number, but `0` for `-0`: powers that are roots make no difference between them.
    fn without_sign(&mut self, x: Atom) -> Atom {
        self.bin(BinOp::Add, x, Atom::Const(self.prim.zero()))
    }

    fn root(&mut self, x: Atom) -> Atom {
        self.rw.scalar(Exp::Math(MathOp::Sqrt, self.prim, vec![x]), self.prim)
    }

    /// What powers of negative infinity are, though it has no root.
    fn unless_endless(&mut self, x: Atom, power: f64, made: Atom) -> Atom {
        let number = |x: f64| scalar::convert(Scalar::F64(x), self.prim);
        let (least, power) = (number(f64::NEG_INFINITY), number(power));
        let is_least = Exp::Bin(BinOp::Eq, self.prim, x, Atom::Const(least));
        let is_least = self.rw.scalar(is_least, Prim::Bool);
        self.rw.scalar(Exp::Select(is_least, Atom::Const(power), made), self.prim)
    }
}
