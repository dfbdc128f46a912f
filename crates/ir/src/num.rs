//! Scalar expressions: computations on sizes and truth values, written as in Rust.
//!
//! ```
//! # use ir::{Atom, build::Builder, num::Compute};
//! # let mut b = Builder::default();
//! # b.open();
//! # let (start, i, stride, extent) = (Atom::size(1), Atom::size(2), Atom::size(3), Atom::size(9));
//! let at = b.num(start + i * stride);
//! let inside = b.num(Atom::size(0).at_most(at).and(at.below(extent)));
//! # assert_eq!((at, inside), (Atom::size(7), Atom::bool(true)));
//! ```
//!
//! [`Builder::num`] writes the statements, operands from left to right. Nothing of it can fail, but [`Compute::div`],
//! [`Compute::rem`] and [`Compute::modulo`], whose divisor must not be 0.

use crate::build::Builder;
use crate::{Atom, Exp, Var};
use scalar::{BinOp, Prim};
use std::ops::{Add, Mul, Sub};

/// A computation that gives an `i64` or a truth value.
#[derive(Clone, Debug)]
pub enum Num {
    /// Something known.
    Atom(Atom),
    /// An operator on operands of one type.
    Bin(BinOp, Prim, Box<(Num, Num)>),
    /// The opposite of a truth value.
    Not(Box<Num>),
    /// One or the other, of this type.
    Select(Prim, Box<(Num, Num, Num)>),
}

impl From<Atom> for Num {
    fn from(atom: Atom) -> Num {
        Num::Atom(atom)
    }
}

impl From<Var> for Num {
    fn from(var: Var) -> Num {
        Num::Atom(var.into())
    }
}

impl From<i64> for Num {
    fn from(n: i64) -> Num {
        Num::Atom(Atom::size(n))
    }
}

fn bin(op: BinOp, prim: Prim, a: impl Into<Num>, b: impl Into<Num>) -> Num {
    Num::Bin(op, prim, Box::new((a.into(), b.into())))
}

/// What can be computed with.
pub trait Compute: Into<Num> + Sized {
    /// `self == other`.
    fn equals(self, other: impl Into<Num>) -> Num {
        bin(BinOp::Eq, Prim::I64, self, other)
    }

    /// `self != other`.
    fn differs(self, other: impl Into<Num>) -> Num {
        bin(BinOp::Ne, Prim::I64, self, other)
    }

    /// `self < other`.
    fn below(self, other: impl Into<Num>) -> Num {
        bin(BinOp::Lt, Prim::I64, self, other)
    }

    /// `self <= other`.
    fn at_most(self, other: impl Into<Num>) -> Num {
        bin(BinOp::Le, Prim::I64, self, other)
    }

    /// `self > other`.
    fn above(self, other: impl Into<Num>) -> Num {
        bin(BinOp::Gt, Prim::I64, self, other)
    }

    /// `self >= other`.
    fn at_least(self, other: impl Into<Num>) -> Num {
        bin(BinOp::Ge, Prim::I64, self, other)
    }

    /// Both of two truth values.
    fn and(self, other: impl Into<Num>) -> Num {
        bin(BinOp::LogAnd, Prim::Bool, self, other)
    }

    /// One of two truth values.
    fn or(self, other: impl Into<Num>) -> Num {
        bin(BinOp::LogOr, Prim::Bool, self, other)
    }

    /// The opposite of a truth value.
    fn not(self) -> Num {
        Num::Not(Box::new(self.into()))
    }

    /// The first number where this holds, the second where it does not.
    fn select(self, then: impl Into<Num>, otherwise: impl Into<Num>) -> Num {
        Num::Select(Prim::I64, Box::new((self.into(), then.into(), otherwise.into())))
    }

    /// The same of truth values.
    fn either(self, then: impl Into<Num>, otherwise: impl Into<Num>) -> Num {
        Num::Select(Prim::Bool, Box::new((self.into(), then.into(), otherwise.into())))
    }

    /// The quotient, rounded down.
    fn div(self, other: impl Into<Num>) -> Num {
        bin(BinOp::Div, Prim::I64, self, other)
    }

    /// What division leaves, with the sign of the dividend.
    fn rem(self, other: impl Into<Num>) -> Num {
        bin(BinOp::Rem, Prim::I64, self, other)
    }

    /// What division leaves: between 0 and the divisor, if that is positive.
    fn modulo(self, other: impl Into<Num>) -> Num {
        bin(BinOp::Mod, Prim::I64, self, other)
    }
}

impl Compute for Num {}
impl Compute for Atom {}
impl Compute for Var {}

macro_rules! arithmetic {
    ($($name:ident $method:ident $of:ty),*) => {
        $(impl<T: Into<Num>> $name<T> for $of {
            type Output = Num;
            fn $method(self, other: T) -> Num {
                bin(BinOp::$name, Prim::I64, self, other)
            }
        })*
    };
}

arithmetic!(Add add Num, Add add Atom, Add add Var, Sub sub Num, Sub sub Atom, Mul mul Num, Mul mul Atom, Mul mul Var);

impl Builder {
    /// The value of a computation.
    pub fn num(&mut self, num: impl Into<Num>) -> Atom {
        self.num_as("t", num)
    }

    /// The same under a name.
    pub fn num_as(&mut self, name: &str, num: impl Into<Num>) -> Atom {
        match num.into() {
            Num::Atom(atom) => atom,
            Num::Bin(op, prim, operands) => {
                let (a, b) = *operands;
                let (a, b) = (self.num(a), self.num(b));
                self.scalar(name, op.result(prim).unwrap_or(prim), Exp::Bin(op, prim, a, b))
            }
            Num::Not(a) => {
                let a = self.num(*a);
                self.scalar(name, Prim::Bool, Exp::Un(scalar::UnOp::Not, Prim::Bool, a))
            }
            Num::Select(prim, operands) => {
                let (cond, then, otherwise) = *operands;
                let (cond, then, otherwise) = (self.num(cond), self.num(then), self.num(otherwise));
                self.scalar(name, prim, Exp::Select(cond, then, otherwise))
            }
        }
    }
}
