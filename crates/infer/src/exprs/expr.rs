//! Expressions: the big case distinction, and the simple cases.

use super::var::Meaning;
use crate::Checker;
use crate::metas::{Prims, array_of};
use crate::scope::Module;
use base::Span;
use scalar::{BinOp, UnOp};
use syntax::ast::{self, Ident, QualName};
use typed::{Expr, ExprKind, RangeKind, Type};

impl Checker<'_> {
    pub(crate) fn expr(&mut self, exp: &ast::Expr) -> Expr {
        use ast::ExprKind as A;
        let span = exp.span;
        if let Some(named) = crate::shape_exprs::in_expr(self.sources, exp) {
            return self.expr(&named);
        }
        match &*exp.kind {
            A::Error => Expr::new(ExprKind::Error, Type::Error, span),
            A::Hole => Expr::new(ExprKind::Hole, self.metas.fresh(span), span),
            A::Literal(lit) => self.literal(lit, span),
            A::Var(name) => self.var(name),
            A::Parens(inner) => self.expr(inner),
            A::Tuple(items) => self.tuple(items, span),
            A::Record(fields) => self.record(fields, span),
            A::Array(items) => self.array_literal(items, span),
            A::Range { first, second, kind, end } => self.range(first, second.as_ref(), *kind, end, span),
            A::Project(inner, field) => {
                let inner = self.expr(inner);
                self.project(inner, field)
            }
            A::Index(array, indices) => self.index_expr(array, indices, span),
            A::OpenIn(module, inner) => self.open_in(module, inner, span),
            A::Apply(fun, args) => self.apply(fun, args, span),
            A::Constr(name, args) => self.constructor(name, args, span),
            A::Binary { op, lhs, rhs } => self.binary_exp(op, lhs, rhs, span),
            A::Negate(inner) => self.negate(inner, span),
            A::Not(inner) => {
                let arg = self.expr(inner);
                self.unary(UnOp::Not, arg, span)
            }
            A::OpSection(op) => self.op_section(op, span),
            A::LeftSection(lhs, op) => self.left_section(lhs, op, span),
            A::RightSection(op, rhs) => self.right_section(op, rhs, span),
            A::PathSection(steps) => self.path_section(steps, span),
            A::Lambda { params, ret, body } => self.lambda(params, ret.as_ref(), body, span),
            A::If { cond, then, otherwise } => self.conditional(cond, then, otherwise, span),
            A::Let { sizes, pat, value, body } => self.let_value(sizes, pat, value, body, span),
            A::LetFun(fun) => self.let_fun(fun, span),
            A::LetWith { name, path, value, body } => self.let_with(name, path, value, body, span),
            A::LetRec { arrays, body } => self.let_rec(arrays, body, span),
            A::Loop { pat, init, form, body } => self.loop_exp(pat, init.as_ref(), form, body, span),
            A::Match { value, cases } => self.match_exp(value, cases, span),
            A::With { source, path, value } => self.with_exp(source, path, value, span),
            A::Ascribe(inner, ty) => self.ascription(inner, ty, false, span),
            A::Coerce(inner, ty) => self.ascription(inner, ty, true, span),
            A::Assert(cond, body) => self.assertion(cond, body, span),
            A::Attr(attr, inner) => self.attributed(attr, inner),
            A::Comprehension { body, quals } => self.comprehension(body, quals, span),
            A::ArrayBy { shape, clauses } => self.array_by(shape, clauses, span),
            A::Update { array, clauses } => self.update(array, clauses, span),
            A::Accum { op, neutral, shape, clauses } => self.accum(op, neutral, shape, clauses, span),
        }
    }

    /// `#[attr] e`. Of an unsafe assertion only the value is left; what it asserts is still checked. A blank value is
    /// made once its sizes are known.
    fn attributed(&mut self, attr: &ast::Attr, inner: &ast::Expr) -> Expr {
        let inner = self.expr(inner);
        match (attr.name.as_str(), *inner.kind) {
            ("unsafe", ExprKind::Assert { body, .. }) => body,
            (name, kind) => {
                if matches!(name, "blank" | "scratch") {
                    self.blanks.insert(inner.span);
                }
                Expr { kind: kind.into(), ..inner }
            }
        }
    }

    fn tuple(&mut self, items: &[ast::Expr], span: Span) -> Expr {
        let items: Vec<Expr> = items.iter().map(|e| self.expr(e)).collect();
        let ty = Type::tuple(items.iter().map(|e| e.ty.clone()));
        let fields = items.into_iter().enumerate().map(|(i, e)| (typed::tuple_field(i), e)).collect();
        Expr::new(ExprKind::Record(fields), ty, span)
    }

    fn record(&mut self, fields: &[(Ident, Option<ast::Expr>)], span: Span) -> Expr {
        let mut typed: Vec<(base::Name, Expr)> = Vec::new();
        let mut seen = base::Set::default();
        for (name, value) in fields {
            if !seen.insert(name.name) {
                self.duplicate("field", *name);
                continue;
            }
            let value = match value {
                Some(value) => self.expr(value),
                None => self.var(&QualName { quals: Vec::new(), name: *name }),
            };
            typed.push((name.name, value));
        }
        let ty = Type::record(typed.iter().map(|(n, e)| (*n, e.ty.clone())).collect());
        Expr::new(ExprKind::Record(typed), ty, span)
    }

    fn array_literal(&mut self, items: &[ast::Expr], span: Span) -> Expr {
        let elem = self.metas.fresh_with(span, |w| w.first_order = Some("arrays cannot contain functions"));
        let mut typed = Vec::new();
        for item in items {
            let item = self.expr(item);
            self.expect(&elem, &item.ty, item.span, "all elements of an array have one type");
            typed.push(item);
        }
        let dim = typed::Dim::Size(typed::Size::Const(items.len() as i64));
        Expr::new(ExprKind::Array(typed), Type::array(dim, elem), span)
    }

    fn range(
        &mut self,
        first: &ast::Expr,
        second: Option<&ast::Expr>,
        kind: ast::RangeKind,
        end: &ast::Expr,
        span: Span,
    ) -> Expr {
        let elem = self.metas.fresh_prim(span, Prims::ints());
        let why = "the bounds of a range are integers of one type";
        let first = self.expr_of_type(first, &elem, why);
        let second = second.map(|e| self.expr_of_type(e, &elem, why));
        let end = self.expr_of_type(end, &elem, why);
        let kind = match kind {
            ast::RangeKind::Inclusive => RangeKind::Inclusive,
            ast::RangeKind::UpTo => RangeKind::UpTo,
            ast::RangeKind::DownTo => RangeKind::DownTo,
        };
        Expr::new(ExprKind::Range { first, second, kind, end }, array_of(elem), span)
    }

    fn open_in(&mut self, module: &QualName, inner: &ast::Expr, span: Span) -> Expr {
        match self.module_named(module) {
            Some(Module::Plain(names)) => {
                self.opened.push((self.locals.len(), names.clone()));
                self.env.frames.push(names);
                let expr = self.expr(inner);
                self.env.frames.pop();
                self.opened.pop();
                expr
            }
            Some(Module::Parametric(_)) => {
                self.parametric_where_plain(module.span());
                Expr::new(ExprKind::Error, Type::Error, span)
            }
            None => Expr::new(ExprKind::Error, Type::Error, span),
        }
    }

    fn constructor(&mut self, name: &Ident, args: &[ast::Expr], span: Span) -> Expr {
        let args: Vec<Expr> = args.iter().map(|e| self.expr(e)).collect();
        let types = args.iter().map(|e| e.ty.clone()).collect();
        let ty = self.metas.fresh_with(span, |w| w.constrs.push((name.name, types)));
        Expr::new(ExprKind::Constr(name.name, args), ty, span)
    }

    fn binary_exp(&mut self, name: &QualName, lhs: &ast::Expr, rhs: &ast::Expr, span: Span) -> Expr {
        match self.operator(name) {
            Meaning::Operator(op) => {
                let (left, errors) = (lhs, self.diagnostics.len());
                let lhs = match self.not_before_comparison(name, lhs, rhs) {
                    Ok(Some(typed)) => typed,
                    Ok(None) => self.expr(lhs),
                    Err(()) => return Expr::new(ExprKind::Error, Type::Error, span),
                };
                if self.function_minus((op, name.span()), &lhs, rhs) {
                    return Expr::new(ExprKind::Error, Type::Error, span);
                }
                if matches!((&*lhs.kind, self.metas.shallow(&lhs.ty)), (ExprKind::Apply(..), Type::Fun(_))) {
                    self.function_as_operand(&lhs, op.symbol());
                    return Expr::new(ExprKind::Error, Type::Error, span);
                }
                // In `reduce + 0 xs` the right side makes no sense either.
                if matches!(self.metas.shallow(&lhs.ty), Type::Fun(_)) && !matches!(op, BinOp::Eq | BinOp::Ne) {
                    self.no_such_operator(op.symbol(), &lhs.ty, super::ops::operand_prims(op), lhs.span);
                    return Expr::new(ExprKind::Error, Type::Error, span);
                }
                let rhs = self.expr(rhs);
                if self.chained_comparison(op, left, &rhs, span, self.diagnostics.len() > errors) {
                    return Expr::new(ExprKind::Error, Type::Error, span);
                }
                self.binary(op, lhs, rhs, span)
            }
            Meaning::Value(fun) if self.is_pipe(&fun, "|>") => {
                let arg = self.expr(lhs);
                let fun = self.expr(rhs);
                self.apply_typed(fun, vec![arg], span)
            }
            Meaning::Value(fun) if self.is_pipe(&fun, "<|") => {
                let fun = self.expr(lhs);
                let arg = self.expr(rhs);
                self.function_first.insert(span);
                self.apply_typed(fun, vec![arg], span)
            }
            Meaning::Value(fun) => {
                let args = vec![self.expr(lhs), self.expr(rhs)];
                self.apply_typed(fun, args, span)
            }
            Meaning::Unknown => {
                self.expr(lhs);
                self.expr(rhs);
                Expr::new(ExprKind::Error, Type::Error, span)
            }
        }
    }

    /// Whether this is the prelude's pipe operator, which is application written the other way round.
    fn is_pipe(&self, fun: &Expr, symbol: &str) -> bool {
        let ExprKind::Global(def, _) = &*fun.kind else { return false };
        let def = &self.program.defs[*def];
        def.name.as_str() == symbol && self.is_std_span(def.span)
    }

    pub(crate) fn is_std_span(&self, span: Span) -> bool {
        self.std_files.contains(&span.file)
    }

    fn negate(&mut self, inner: &ast::Expr, span: Span) -> Expr {
        if let ast::ExprKind::Literal(lit) = &*inner.kind
            && let Some(expr) = self.negative_literal(lit, span)
        {
            return expr;
        }
        let arg = self.expr(inner);
        self.unary(UnOp::Neg, arg, span)
    }

    fn ascription(&mut self, inner: &ast::Expr, ty: &ast::TypeExp, checked: bool, span: Span) -> Expr {
        let inner = self.expr(inner);
        let (written, _) = self.type_exp(ty);
        self.ascribed_rank(&written, &inner.ty, ty.span, checked);
        let result = crate::instantiate::erase_sizes(&written);
        let kind = if checked { ExprKind::Coerce(inner, written) } else { ExprKind::Ascribe(inner, written) };
        Expr::new(kind, result, span)
    }

    /// `:` needs equal types; `:>` may also fix an unknown rank.
    fn ascribed_rank(&mut self, written: &Type, found: &Type, span: Span, checked: bool) {
        if let (true, Type::Record(written), Type::Record(found)) = (checked, written, self.metas.shallow(found))
            && written.len() == found.len()
            && written.iter().zip(found.iter()).all(|(w, f)| w.0 == f.0)
        {
            for (written, found) in written.iter().zip(found.iter()) {
                self.ascribed_rank(&written.1, &found.1, span, checked);
            }
            return;
        }
        if checked {
            let (dims, elem) = self.metas.spine(found);
            let (_, written_elem) = self.metas.spine(written);
            if dims.iter().any(|d| matches!(d, typed::Dim::Shape(typed::Shape::Local(_)))) {
                self.expect(&written_elem, &elem, span, "`:>` changes sizes and rank only");
                return;
            }
            if let Type::Array(typed::Dim::Shape(_), _) = written
                && !matches!(self.metas.shallow(found), Type::Meta(_))
            {
                self.expect(&written_elem, &elem, span, "`:>` changes sizes and rank only");
                return;
            }
        }
        self.expect(written, found, span, "the type is written here");
    }

    fn assertion(&mut self, cond: &ast::Expr, body: &ast::Expr, span: Span) -> Expr {
        let text = self.sources.slice(cond.span).to_string();
        let cond = self.expr_of_type(cond, &Type::BOOL, "an assertion is a `bool`");
        let body = self.expr(body);
        let ty = body.ty.clone();
        Expr::new(ExprKind::Assert { cond, text, body }, ty, span)
    }
}
