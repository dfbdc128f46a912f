//! Between which numbers an integer lies because of its type, or because of the operation that makes it: `i64.u8 x`, `x & 15`,
//! `u64` remainders.

use super::Facts;
use crate::{Atom, Exp, Type, Var};
use scalar::{BinOp, MathOp, Prim};

/// How far back definitions are followed.
const DEPTH: usize = 4;

impl Facts<'_> {
    /// The least and the greatest value of a variable, if both are known.
    pub(super) fn range(&self, var: Var) -> Option<(i64, i64)> {
        self.range_of(var.into(), DEPTH)
    }

    fn range_of(&self, atom: Atom, depth: usize) -> Option<(i64, i64)> {
        let var = match atom {
            Atom::Var(var) => var,
            Atom::Const(constant) => {
                let known = constant.prim().is_int() && (constant.prim() != Prim::U64 || constant.to_i64() >= 0);
                return known.then(|| (constant.to_i64(), constant.to_i64()));
            }
        };
        let Type::Scalar(prim) = self.program.vars.get(var)?.ty else { return None };
        let made = match self.terms.def(var).filter(|_| depth > 0) {
            Some(Exp::Bin(BinOp::Shr, Prim::U64, a, by)) if self.range_of(*a, depth - 1).is_none() => {
                let by = self.divisor(*by).filter(|by| *by < 64);
                by.and_then(|by| i64::try_from(u64::MAX >> by).ok()).map(|high| (0, high))
            }
            Some(Exp::Bin(BinOp::Shr, prim, a, by)) if prim.is_int() => {
                let bits = 8 * prim.bytes() as i64;
                let by = self.divisor(*by).filter(|by| *by < bits);
                let shifted = |by: i64| self.range_of(*a, depth - 1).map(|(low, high)| (low >> by, high >> by));
                by.and_then(shifted)
            }
            Some(Exp::Bin(op, prim, a, b)) if prim.is_int() => self.of_operation(*op, *a, *b, depth - 1),
            Some(Exp::Math(MathOp::Popc | MathOp::Clz | MathOp::Ctz, prim, _)) => Some((0, 8 * prim.bytes() as i64)),
            Some(Exp::Convert(Prim::Bool, to, _)) if to.is_int() => Some((0, 1)),
            Some(Exp::Convert(_, to, a)) if to.is_int() => {
                // What the type cannot hold wraps around.
                let within = |(low, high): &(i64, i64)| of_type(*to).is_none_or(|(l, h)| l <= *low && *high <= h);
                let signs = |(low, _): &(i64, i64)| *to != Prim::U64 || *low >= 0;
                self.range_of(*a, depth - 1).filter(within).filter(signs)
            }
            _ => None,
        };
        made.or_else(|| of_type(prim))
    }

    fn of_operation(&self, op: BinOp, a: Atom, b: Atom, depth: usize) -> Option<(i64, i64)> {
        let natural = |range: &(i64, i64)| range.0 >= 0;
        match op {
            BinOp::And => {
                let sides = [a, b].map(|side| self.range_of(side, depth).filter(natural));
                let high = sides.into_iter().flatten().map(|(_, high)| high).min()?;
                Some((0, high))
            }
            BinOp::Mod => Some((0, self.divisor(b)? - 1)),
            BinOp::Rem => {
                let last = self.divisor(b)? - 1;
                let unsigned = self.is_unsigned(a) || self.range_of(a, depth).is_some_and(|range| natural(&range));
                Some((if unsigned { 0 } else { -last }, last))
            }
            _ => None,
        }
    }

    /// A constant above zero.
    fn divisor(&self, atom: Atom) -> Option<i64> {
        self.range_of(atom, 0).map(|(low, _)| low).filter(|low| atom.var().is_none() && *low > 0)
    }
}

/// The values of a type, if all of them are values of `i64`, and few of those.
pub(super) fn of_type(prim: Prim) -> Option<(i64, i64)> {
    match prim {
        Prim::U8 => Some((0, u8::MAX.into())),
        Prim::U16 => Some((0, u16::MAX.into())),
        Prim::U32 => Some((0, u32::MAX.into())),
        Prim::I8 => Some((i8::MIN.into(), i8::MAX.into())),
        Prim::I16 => Some((i16::MIN.into(), i16::MAX.into())),
        Prim::I32 => Some((i32::MIN.into(), i32::MAX.into())),
        _ => None,
    }
}
