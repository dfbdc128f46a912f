//! The overloaded operators: their names and the types they work at.

use crate::{Prim, Scalar};
use std::fmt;

/// A binary operator on two values of one type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum BinOp {
    /// `+`, wrapping on integers.
    Add,
    /// `-`, wrapping on integers.
    Sub,
    /// `*`, wrapping on integers.
    Mul,
    /// `**`, wrapping on integers; a negative integer exponent is an error.
    Pow,
    /// `/`; on integers rounds toward negative infinity.
    Div,
    /// `%`; on integers the remainder of `/` (sign of the divisor), on floats it is C's `fmod` (sign of the dividend).
    Mod,
    /// `//`, integer division toward zero.
    Quot,
    /// `%%`, the remainder of `//`.
    Rem,
    /// `<<`.
    Shl,
    /// `>>`; repeats the sign bit on signed types.
    Shr,
    /// `>>>`; always inserts zeros.
    ShrZero,
    /// `&`.
    And,
    /// `|`.
    Or,
    /// `^`.
    Xor,
    /// `==`.
    Eq,
    /// `!=`.
    Ne,
    /// `<`.
    Lt,
    /// `<=`.
    Le,
    /// `>`.
    Gt,
    /// `>=`.
    Ge,
    /// `&&`; an evaluator must evaluate the right side only if the left one is true.
    LogAnd,
    /// `||`; an evaluator must evaluate the right side only if the left one is false.
    LogOr,
}

use BinOp::*;

impl BinOp {
    /// Every binary operator.
    pub const ALL: [BinOp; 22] = [
        Add, Sub, Mul, Pow, Div, Mod, Quot, Rem, Shl, Shr, ShrZero, And, Or, Xor, Eq, Ne, Lt, Le, Gt, Ge, LogAnd, LogOr,
    ];

    /// The operator as written.
    pub const fn symbol(self) -> &'static str {
        match self {
            Add => "+",
            Sub => "-",
            Mul => "*",
            Pow => "**",
            Div => "/",
            Mod => "%",
            Quot => "//",
            Rem => "%%",
            Shl => "<<",
            Shr => ">>",
            ShrZero => ">>>",
            And => "&",
            Or => "|",
            Xor => "^",
            Eq => "==",
            Ne => "!=",
            Lt => "<",
            Le => "<=",
            Gt => ">",
            Ge => ">=",
            LogAnd => "&&",
            LogOr => "||",
        }
    }

    /// The operator written so.
    pub fn from_symbol(symbol: &str) -> Option<BinOp> {
        BinOp::ALL.into_iter().find(|op| op.symbol() == symbol)
    }

    /// Whether the result is a bool for operands of every type.
    pub const fn is_comparison(self) -> bool {
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge)
    }

    /// Whether the operator works on operands of this type.
    pub const fn accepts(self, prim: Prim) -> bool {
        match self {
            Add | Sub | Mul | Pow | Div | Mod => prim.is_numeric(),
            Quot | Rem | Shl | Shr | ShrZero | And | Or | Xor => prim.is_int(),
            Eq | Ne | Lt | Le | Gt | Ge => true,
            LogAnd | LogOr => matches!(prim, Prim::Bool),
        }
    }

    /// The type of the result on operands of this type; none where the operator does not work.
    pub const fn result(self, prim: Prim) -> Option<Prim> {
        if !self.accepts(prim) {
            None
        } else if self.is_comparison() {
            Some(Prim::Bool)
        } else {
            Some(prim)
        }
    }
}

impl fmt::Display for BinOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol())
    }
}

/// A prefix operator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum UnOp {
    /// `-`, wrapping on integers; `not` on bools, as in Futhark.
    Neg,
    /// `!`: `not` on bools, all bits flipped on integers.
    Not,
}

impl UnOp {
    /// The operator as written.
    pub const fn symbol(self) -> &'static str {
        match self {
            UnOp::Neg => "-",
            UnOp::Not => "!",
        }
    }

    /// Whether the operator works at this type; the result has the same type.
    pub const fn accepts(self, prim: Prim) -> bool {
        match self {
            UnOp::Neg => true,
            UnOp::Not => !prim.is_float(),
        }
    }
}

impl fmt::Display for UnOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol())
    }
}

/// Why an operation has no value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ScalarError {
    /// An integer was divided by zero; holds the operator and the dividend.
    DivisionByZero(BinOp, Scalar),
    /// An integer was raised to a negative power; holds the exponent.
    NegativeExponent(Scalar),
    /// The operands are of types the operation does not have: a bug of the caller, not of the program.
    WrongTypes,
}

impl fmt::Display for ScalarError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScalarError::DivisionByZero(_, x) => write!(f, "division by zero of {x}"),
            ScalarError::NegativeExponent(x) => write!(f, "negative exponent {x} on an integer"),
            ScalarError::WrongTypes => f.write_str("operands of the wrong types"),
        }
    }
}

impl std::error::Error for ScalarError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_come_back() {
        for op in BinOp::ALL {
            assert_eq!(BinOp::from_symbol(op.symbol()), Some(op));
        }
        assert_eq!(BinOp::from_symbol("=>"), None);
    }

    #[test]
    fn types() {
        assert_eq!(Add.result(Prim::F16), Some(Prim::F16));
        assert_eq!(Lt.result(Prim::U8), Some(Prim::Bool));
        assert_eq!(Xor.result(Prim::F32), None);
        assert_eq!(LogOr.result(Prim::I32), None);
    }
}
