//! The built-in operators: which types they take, element by element on arrays in Ravel.

use super::deferred::Deferred;
use crate::Checker;
use crate::instantiate::erase_dim;
use crate::metas::Prims;
use base::Span;
use scalar::{BinOp, UnOp};
use typed::walk::wrap;
use typed::{Dim, Expr, ExprKind, Type};

/// The primitive types an operator takes.
pub(crate) fn operand_prims(op: BinOp) -> Prims {
    use BinOp::*;
    match op {
        Add | Sub | Mul | Pow | Div | Mod => Prims::numeric(),
        Quot | Rem | Shl | Shr | ShrZero | And | Or | Xor => Prims::ints(),
        Eq | Ne | Lt | Le | Gt | Ge => Prims::of(|_| true),
        LogAnd | LogOr => Prims::of(|p| p == scalar::Prim::Bool),
    }
}

/// Whether the result is `bool` whatever the operands.
pub(crate) fn gives_bool(op: BinOp) -> bool {
    use BinOp::*;
    match op {
        Add | Sub | Mul | Pow | Div | Mod | Quot | Rem | Shl | Shr | ShrZero | And | Or | Xor => false,
        Eq | Ne | Lt | Le | Gt | Ge | LogAnd | LogOr => true,
    }
}

impl Checker<'_> {
    /// `lhs op rhs` with a built-in operator.
    pub(crate) fn binary(&mut self, op: BinOp, lhs: Expr, rhs: Expr, span: Span) -> Expr {
        let result = self.binary_type(op, &lhs.ty, &rhs.ty, span);
        Expr::new(ExprKind::Binary { op, lhs, rhs, lifted: false }, result, span)
    }

    /// The type of `lhs op rhs`.
    pub(crate) fn binary_type(&mut self, op: BinOp, lhs: &Type, rhs: &Type, span: Span) -> Type {
        if matches!(op, BinOp::Eq | BinOp::Ne) {
            let both = self.metas.fresh_with(span, |w| {
                w.equality = true;
            });
            self.operands_agree(op, &both, lhs, span);
            self.operands_agree(op, &both, rhs, span);
            return Type::BOOL;
        }
        let result = self.metas.fresh(span);
        self.ask(Deferred::Binary { op, lhs: lhs.clone(), rhs: rhs.clone(), result: result.clone(), span });
        self.metas.shallow(&result)
    }

    /// `-e` or `!e`.
    pub(crate) fn unary(&mut self, op: UnOp, arg: Expr, span: Span) -> Expr {
        let result = self.metas.fresh(span);
        self.ask(Deferred::Unary { op, arg: arg.ty.clone(), result: result.clone(), span });
        let result = self.metas.shallow(&result);
        Expr::new(ExprKind::Unary { op, arg, lifted: false }, result, span)
    }

    fn operands_agree(&mut self, op: BinOp, a: &Type, b: &Type, span: Span) -> bool {
        let unified = self.unify(a, b);
        if let Err(mismatch) = unified {
            self.operand_mismatch(op.symbol(), a, b, span, mismatch);
            return false;
        }
        true
    }

    /// `wanted` on a scalar operand; reports what has no such operator.
    fn want_operand(&mut self, symbol: &str, ty: &Type, prims: Prims, span: Span) -> bool {
        let wanted = self.metas.fresh_prim(span, prims);
        if self.unify(&wanted, ty).is_err() {
            self.no_such_operator(symbol, ty, prims, span);
            return false;
        }
        true
    }

    pub(crate) fn answer_binary(
        &mut self,
        op: BinOp,
        lhs: &Type,
        rhs: &Type,
        result: &Type,
        span: Span,
        now: bool,
    ) -> bool {
        let (l, r) = (self.metas.shallow(lhs), self.metas.shallow(rhs));
        let is_array = |t: &Type| matches!(t, Type::Array(..));
        if self.is_ravel() && (is_array(&l) || is_array(&r)) {
            return self.answer_lifted(op, &l, &r, result, span, now);
        }
        let scalar_result = matches!(self.metas.shallow(result), Type::Prim(_));
        let known = self.metas.is_scalar(&l) && self.metas.is_scalar(&r);
        if !known && !scalar_result && !now {
            return false;
        }
        let fine = self.want_operand(op.symbol(), &l, operand_prims(op), span) && self.operands_agree(op, &l, &r, span);
        let wrong = matches!(l, Type::Error) || matches!(r, Type::Error);
        let elem = if gives_bool(op) { Type::BOOL } else { l };
        let elem = if fine && !wrong { elem } else { Type::Error };
        self.expect(result, &elem, span, "");
        true
    }

    /// At least one operand is an array: so is the result.
    fn answer_lifted(&mut self, op: BinOp, l: &Type, r: &Type, result: &Type, span: Span, now: bool) -> bool {
        let array = if matches!(l, Type::Array(..)) { l } else { r };
        let (dims, elem) = self.metas.spine(array);
        let result_elem = if gives_bool(op) { Type::BOOL } else { elem.clone() };
        let dims: Vec<Dim> = dims.iter().map(erase_dim).collect();
        self.expect(result, &wrap(dims, result_elem), span, "");
        let both = matches!(l, Type::Array(..)) && matches!(r, Type::Array(..));
        if both {
            if self.operands_agree(op, l, r, span) {
                self.want_operand(op.symbol(), &elem, operand_prims(op), span);
            }
            return true;
        }
        let other = if matches!(l, Type::Array(..)) { r } else { l };
        if !self.metas.is_scalar(other) && !now {
            return false;
        }
        if self.operands_agree(op, &elem, other, span) {
            self.want_operand(op.symbol(), &elem, operand_prims(op), span);
        }
        true
    }

    pub(crate) fn answer_unary(&mut self, op: UnOp, arg: &Type, result: &Type, span: Span, now: bool) -> bool {
        let known = self.metas.shallow(arg);
        let (dims, elem) = self.metas.spine(&known);
        let lifted = self.is_ravel() && !dims.is_empty();
        if !lifted && !now && !self.metas.is_scalar(&known) {
            return false;
        }
        let (symbol, prims) = match op {
            UnOp::Neg => ("-", Prims::numeric()),
            UnOp::Not => ("!", Prims::of(|p| !p.is_float())),
        };
        let operand = if lifted { elem } else { known.clone() };
        let fine = self.want_operand(symbol, &operand, prims, span);
        self.expect(result, if fine { &known } else { &Type::Error }, span, "");
        true
    }
}
