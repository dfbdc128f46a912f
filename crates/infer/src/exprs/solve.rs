//! Unification at a place: reports what does not agree.

use crate::Checker;
use base::Span;
use syntax::ast;
use typed::{Expr, Type};

impl Checker<'_> {
    /// Requires `found` to be `wanted`; reports it otherwise. `why` says where the requirement comes from.
    pub(crate) fn expect(&mut self, wanted: &Type, found: &Type, span: Span, why: &str) -> bool {
        match self.unify(wanted, found) {
            Ok(()) => true,
            Err(mismatch) => {
                self.type_mismatch(wanted, found, span, why, mismatch);
                false
            }
        }
    }

    /// Infers an expression that must have this type.
    pub(crate) fn expr_of_type(&mut self, exp: &ast::Expr, wanted: &Type, why: &str) -> Expr {
        let expr = self.expr(exp);
        self.expect(wanted, &expr.ty, expr.span, why);
        expr
    }
}
