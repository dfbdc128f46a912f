//! Operators and field paths as functions: `(+)`, `(x -)`, `(/ y)`, `(.a.b)`, `(.[i])`.

use super::var::Meaning;
use crate::Checker;
use base::{Name, Span};
use scalar::BinOp;
use syntax::ast::{self, QualName, Step};
use typed::{Diet, Expr, ExprKind, Lambda, LocalId, Param, Pat, PatKind, Ret, Type};

impl Checker<'_> {
    pub(crate) fn op_section(&mut self, op: &QualName, span: Span) -> Expr {
        match self.operator(op) {
            Meaning::Unknown => Expr::new(ExprKind::Error, Type::Error, span),
            Meaning::Value(fun) => Expr { span, ..fun },
            Meaning::Operator(op) => {
                let (x, y) = (self.metas.fresh(span), self.metas.fresh(span));
                let (px, ex) = self.made_up("x", &x, span);
                let (py, ey) = self.made_up("y", &y, span);
                let body = self.binary(op, ex, ey, span);
                self.made_up_lambda(vec![px, py], body, span)
            }
        }
    }

    pub(crate) fn left_section(&mut self, lhs: &ast::Expr, op: &QualName, span: Span) -> Expr {
        match self.operator(op) {
            Meaning::Unknown => Expr::new(ExprKind::Error, Type::Error, span),
            Meaning::Value(fun) => {
                let lhs = self.expr(lhs);
                self.apply_typed(fun, vec![lhs], span)
            }
            Meaning::Operator(op) => {
                let lhs = self.expr(lhs);
                self.half_applied(op, lhs, span, |c, op, given, other| c.binary(op, given, other, span))
            }
        }
    }

    pub(crate) fn right_section(&mut self, op: &QualName, rhs: &ast::Expr, span: Span) -> Expr {
        match self.operator(op) {
            Meaning::Unknown => Expr::new(ExprKind::Error, Type::Error, span),
            Meaning::Operator(op) => {
                let rhs = self.expr(rhs);
                self.half_applied(op, rhs, span, |c, op, given, other| c.binary(op, other, given, span))
            }
            Meaning::Value(fun) => {
                let rhs = self.expr(rhs);
                let (pat, given) = self.made_up("y", &rhs.ty.clone(), span);
                let ty = self.metas.fresh(span);
                let (px, ex) = self.made_up("x", &ty, span);
                let body = self.apply_typed(fun, vec![ex, given], span);
                if matches!(body.ty, Type::Error) {
                    return body;
                }
                let lambda = self.made_up_lambda(vec![px], body, span);
                self.made_up_let(pat, rhs, lambda, span)
            }
        }
    }

    /// `\x -> given op x` with `given` evaluated once.
    fn half_applied(
        &mut self,
        op: BinOp,
        value: Expr,
        span: Span,
        build: impl FnOnce(&mut Self, BinOp, Expr, Expr) -> Expr,
    ) -> Expr {
        let simple = matches!(*value.kind, ExprKind::Scalar(_) | ExprKind::Local(..));
        let ty = self.metas.fresh(span);
        let (px, ex) = self.made_up("x", &ty, span);
        if simple {
            let body = build(self, op, value, ex);
            return self.made_up_lambda(vec![px], body, span);
        }
        let (pat, given) = self.made_up("y", &value.ty.clone(), span);
        let body = build(self, op, given, ex);
        let lambda = self.made_up_lambda(vec![px], body, span);
        self.made_up_let(pat, value, lambda, span)
    }

    pub(crate) fn path_section(&mut self, steps: &[Step], span: Span) -> Expr {
        let ty = self.metas.fresh(span);
        let (param, mut expr) = self.made_up("x", &ty, span);
        for step in steps {
            expr = match step {
                Step::Field(field) => self.project(expr, field),
                Step::Index(indices, at) => {
                    let (indices, types) = self.indices(indices);
                    let result = self.index_type(&expr.ty, types, *at);
                    Expr::new(ExprKind::Index(expr, indices), result, *at)
                }
            };
        }
        self.made_up_lambda(vec![param], expr, span)
    }

    /// A local that the source does not name, as pattern and as expression.
    pub(crate) fn made_up(&mut self, name: &str, ty: &Type, span: Span) -> (Pat, Expr) {
        let local: LocalId = self.new_local(Name::new(name), span);
        let pat = Pat { kind: PatKind::Bind(local), ty: ty.clone(), span };
        (pat, Expr::new(ExprKind::Local(local, Vec::new()), ty.clone(), span))
    }

    pub(crate) fn made_up_lambda(&mut self, pats: Vec<Pat>, body: Expr, span: Span) -> Expr {
        let params: Vec<Param> = pats.into_iter().map(|pat| Param { pat, diet: Diet::Observe }).collect();
        let ret = Ret::plain(body.ty.clone());
        let ty = Type::function(&params, ret.clone());
        Expr::new(ExprKind::Lambda(Lambda { params, ret, ret_written: false, body }), ty, span)
    }

    pub(crate) fn made_up_let(&mut self, pat: Pat, value: Expr, body: Expr, span: Span) -> Expr {
        let ty = body.ty.clone();
        Expr::new(ExprKind::Let { sizes: Vec::new(), pat: Box::new(pat), value, body }, ty, span)
    }
}
