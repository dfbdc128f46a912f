//! Literals: numbers take the type that their use asks for.

use crate::Checker;
use crate::metas::{Number, Prims, array_of};
use base::Span;
use scalar::{Prim, Scalar};
use syntax::ast::Lit;
use typed::{Expr, ExprKind, Type};

impl Checker<'_> {
    pub(crate) fn literal(&mut self, lit: &Lit, span: Span) -> Expr {
        let (kind, ty) = match lit {
            Lit::Bool(b) => (ExprKind::Scalar(Scalar::Bool(*b)), Type::BOOL),
            Lit::Str(bytes) => (ExprKind::Bytes(bytes.clone()), array_of(Type::Prim(Prim::U8))),
            Lit::Int { .. } | Lit::Float { .. } | Lit::Char(_) => {
                let ty = self.number_type(lit, false, span);
                (ExprKind::Scalar(Scalar::Bool(false)), ty)
            }
        };
        Expr::new(kind, ty, span)
    }

    /// `-lit`, folded so that the lowest number of a type can be written.
    pub(crate) fn negative_literal(&mut self, lit: &Lit, span: Span) -> Option<Expr> {
        match lit {
            Lit::Int { .. } | Lit::Float { .. } => {
                let ty = self.number_type(lit, true, span);
                Some(Expr::new(ExprKind::Scalar(Scalar::Bool(false)), ty, span))
            }
            Lit::Bool(_) | Lit::Str(_) | Lit::Char(_) => None,
        }
    }

    /// The type of a number; its value is remembered until the type is known.
    pub(crate) fn number_type(&mut self, lit: &Lit, negative: bool, span: Span) -> Type {
        let (number, suffix, prims) = match lit {
            Lit::Int { value, suffix } => (Number::Int { magnitude: *value, negative }, *suffix, Prims::numeric()),
            Lit::Char(code) => (Number::Int { magnitude: u128::from(*code), negative }, None, Prims::numeric()),
            Lit::Float { value, suffix } => {
                (Number::Float(if negative { -value } else { *value }), *suffix, Prims::floats())
            }
            Lit::Bool(_) => return Type::BOOL,
            Lit::Str(_) => return array_of(Type::Prim(Prim::U8)),
        };
        self.metas.literals.insert(span, number);
        match suffix {
            Some(prim) => Type::Prim(prim),
            None => self.metas.fresh_prim(span, prims),
        }
    }

    /// The literal at this place as a value of its type.
    pub(crate) fn number_at(&mut self, span: Span, prim: Prim) -> Option<Scalar> {
        let number = *self.metas.literals.get(&span)?;
        match number {
            Number::Float(value) => {
                let converted = scalar::convert(Scalar::F64(value), prim);
                if converted.to_f64().is_infinite() {
                    self.literal_too_big(span, prim);
                }
                Some(converted)
            }
            Number::Int { magnitude, negative } if prim.is_float() => {
                let value = magnitude as f64;
                Some(scalar::convert(Scalar::F64(if negative { -value } else { value }), prim))
            }
            Number::Int { magnitude, negative } => {
                let bits = prim.bits();
                // Bit patterns (`0xff`, `0b1`) may use the sign bit; and an unsigned literal may be negated.
                let text = self.sources.slice(span).trim_start_matches('-').trim_start();
                let pattern = text.starts_with("0x")
                    || text.starts_with("0b")
                    || text.starts_with("0X")
                    || text.starts_with("0B");
                let limit: u128 = if prim.is_signed() && !pattern { 1 << (bits - 1) } else { 1 << bits };
                let suffixed = text.ends_with(prim.name());
                let fits = match (negative, prim.is_signed() || suffixed) {
                    (true, true) => magnitude <= limit,
                    (true, false) => magnitude == 0,
                    (false, _) => magnitude < limit,
                };
                // In Futhark a literal with a suffix wraps around: `255i8` is -1.
                if !fits && (self.is_ravel() || !suffixed) {
                    self.literal_too_big(span, prim);
                }
                let value = (magnitude & u128::from(u64::MAX)) as u64;
                let value = if negative { value.wrapping_neg() } else { value };
                Some(scalar::convert(Scalar::U64(value), prim))
            }
        }
    }
}
