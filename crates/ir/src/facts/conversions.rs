//! What conversions between types of numbers leave.
//!
//! ```text
//! let x: f64 = f64.max(0.0f64, t)
//! let k: i64 = x as i64                 // here: k >= 0
//! let s: i32 = n as i32
//! for i < s as i64 {                    // here: s <= n
//!   let j: i32 = i as i32               // here: j = i
//! }
//! ```
//!
//! A floating-point number becomes the next integer towards zero, or the last one of the type; NaN and the infinities become 0.
//! Of an integer that is too large for the type, the last bits are left.

use super::terms::Poly;
use super::{Facts, symbols};
use crate::{Atom, Exp, Type, Var};
use scalar::{BinOp, MathOp, Prim};

/// How far back definitions are followed.
const DEPTH: usize = 8;

impl Facts<'_> {
    /// Whether an integer was a floating-point number that is not negative, or none at all.
    pub(super) fn is_natural_conversion(&mut self, atom: Atom) -> bool {
        match atom.var().and_then(|var| self.terms.def(var)) {
            Some(Exp::Convert(from, _, a)) if from.is_float() => self.is_natural_float(*a, DEPTH),
            _ => false,
        }
    }

    /// Whether a floating-point number is not below zero, or is NaN or negative infinity, which become 0. Quotients by the
    /// negative zero are infinite.
    fn is_natural_float(&mut self, atom: Atom, depth: usize) -> bool {
        if self.is_natural_number(atom) {
            return true;
        }
        let Some(def) = atom.var().and_then(|var| self.terms.def(var)).filter(|_| depth > 0) else { return false };
        match def {
            Exp::Atom(a) => self.is_natural_float(*a, depth - 1),
            Exp::Math(MathOp::Abs | MathOp::Sqrt | MathOp::Exp, _, _) => true,
            // The other one may be NaN: then the number is taken.
            Exp::Math(MathOp::Max, _, args) if args.iter().any(|arg| self.is_natural_number(*arg)) => true,
            Exp::Math(
                MathOp::Max | MathOp::Min | MathOp::Floor | MathOp::Ceil | MathOp::Trunc | MathOp::Round,
                _,
                args,
            ) => args.iter().all(|arg| self.is_natural_float(*arg, depth - 1)),
            Exp::Bin(BinOp::Mul, _, a, b) if a == b => true,
            Exp::Bin(BinOp::Add | BinOp::Mul | BinOp::Div, _, a, b) | Exp::Select(_, a, b) => {
                [a, b].into_iter().all(|side| self.is_natural_float(*side, depth - 1))
            }
            Exp::Convert(from, _, a) if from.is_float() => self.is_natural_float(*a, depth - 1),
            _ => false,
        }
    }

    /// Whether a floating-point number is certainly a number that is not negative.
    fn is_natural_number(&mut self, atom: Atom) -> bool {
        match atom {
            Atom::Const(x) => x.prim().is_float() && x.to_f64() >= 0.0,
            Atom::Var(var) => match self.terms.def(var) {
                Some(Exp::Convert(from, _, a)) if from.is_int() => {
                    self.is_unsigned(*a) || {
                        let source = self.terms.poly(*a);
                        self.natural_number(&source)
                    }
                }
                Some(Exp::Convert(Prim::Bool, ..)) => true,
                _ => false,
            },
        }
    }

    /// The number that a narrower integer is, if that is in the range of its type.
    pub(super) fn as_narrow(&mut self, to: Prim, a: Atom) -> Option<Poly> {
        let (low, high) = super::ranges::of_type(to)?;
        let source = self.terms.poly(a);
        let room = [source.add_constant(low.checked_neg()?), source.neg()?.add_constant(high)];
        let fits = room.into_iter().all(|room| room.is_some_and(|room| self.search(&room, 3, &mut { 16 })));
        fits.then_some(source)
    }

    /// What is known of a variable by its type and by the operation that makes it.
    pub(super) fn limits_of_variable(&mut self, var: Var, this: &Poly) -> Vec<Poly> {
        let mut found = match self.range(var) {
            Some((low, high)) => super::prove::between(this, low, high),
            None => self.limits_of_pattern(var.into()).iter().filter_map(|limit| limit.sub(this)).collect(),
        };
        // Without some of its bits a number is not larger, if it is not negative.
        if let (Some(Exp::Convert(Prim::I64, to, a)), Some(Type::Scalar(_))) =
            (self.terms.def(var), self.program.vars.get(var).map(|info| &info.ty))
            && super::ranges::of_type(*to).is_some()
        {
            let source = self.terms.poly(*a);
            if !symbols(&source).is_empty() && self.natural_number(&source) {
                found.extend(source.sub(this));
            }
        }
        found
    }
}
