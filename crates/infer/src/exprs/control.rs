//! Bindings, branches, loops and updates.

use super::generators::GeneratorSource;
use crate::Checker;
use crate::metas::Prims;
use crate::scope::LocalVar;
use base::Span;
use scalar::Scalar;
use syntax::ast::{self, Ident};
use typed::{Expr, ExprKind, Lambda, LoopForm, Pat, PatKind, Ret, Step, Type};

impl Checker<'_> {
    pub(crate) fn conditional(
        &mut self,
        cond: &ast::Expr,
        then: &ast::Expr,
        otherwise: &ast::Expr,
        span: Span,
    ) -> Expr {
        let cond = self.expr_of_type(cond, &Type::BOOL, "a condition is a `bool`");
        let then = self.expr(then);
        let otherwise = self.expr(otherwise);
        self.branches_agree((&then.ty, then.span), &otherwise);
        self.no_functions(&then.ty.clone(), span, "the branches of `if` cannot return functions");
        let ty = then.ty.clone();
        Expr::new(ExprKind::If { cond, then, otherwise }, ty, span)
    }

    fn branches_agree(&mut self, first: (&Type, Span), other: &Expr) {
        if let Err(mismatch) = self.unify(first.0, &other.ty) {
            self.branch_mismatch(first, other, mismatch);
        }
    }

    pub(crate) fn no_functions(&mut self, ty: &Type, span: Span, why: &'static str) {
        if let Err(why) = self.want_first_order(ty, why) {
            self.bad_kind(span, &why);
        }
    }

    /// What a `let` binds. If that is an array by clauses that mentions itself, `rec` was forgotten.
    fn let_right_side(&mut self, pat: &ast::Pat, value: &ast::Expr) -> Expr {
        match (&pat.kind, &*value.kind) {
            (ast::PatKind::Name(name), ast::ExprKind::ArrayBy { .. } | ast::ExprKind::Update { .. }) => {
                self.defining.push(*name);
                let value = self.expr(value);
                self.defining.pop();
                value
            }
            _ => self.expr(value),
        }
    }

    pub(crate) fn let_value(
        &mut self,
        sizes: &[ast::SizeName],
        pat: &ast::Pat,
        value: &ast::Expr,
        body: &ast::Expr,
        span: Span,
    ) -> Expr {
        let value = self.let_right_side(pat, value);
        let length = self.length_of(&value);
        self.scoped(|checker| {
            let mut bound: super::pattern::Bound = sizes.iter().map(|n| (n.name.name, n.name.span)).collect();
            let sizes = sizes.iter().map(|n| checker.bind_size(n)).collect();
            let pat = checker.pattern_into(pat, &value.ty, &mut bound);
            if let Some(local) = pat.name() {
                checker.note_length(local, length, &value.ty);
            }
            let body = checker.expr(body);
            let ty = body.ty.clone();
            Expr::new(ExprKind::Let { sizes, pat: Box::new(pat), value, body }, ty, span)
        })
    }

    /// Remembers how long a vector is that a local names.
    pub(crate) fn note_length(&mut self, local: typed::LocalId, length: super::vectors::Length, ty: &Type) {
        if matches!(self.metas.shallow(ty), Type::Array(..)) && self.known_length(&length).is_some() {
            self.lengths.insert(local, length);
        }
    }

    pub(crate) fn let_fun(&mut self, fun: &ast::LetFun, span: Span) -> Expr {
        let ast::LetFun { name, type_params, params, ret, value, body } = fun;
        self.metas.level += 1;
        let waiting = std::mem::take(&mut self.deferred);
        let errors = self.diagnostics.len();
        let (mut type_params, lambda) = self.scoped(|checker| {
            let bound = checker.bind_type_params(type_params);
            let params = checker.params(params, type_params);
            let type_params = bound;
            let written = ret.as_ref().map(|r| checker.ret_type(r));
            checker.functions.push(name.name);
            let value = checker.expr(value);
            checker.functions.pop();
            let ret_written = written.is_some();
            let ret = match written {
                Some(written) => {
                    checker.expect(&written.ty, &value.ty, value.span, "the result type is written");
                    written
                }
                None => Ret::plain(value.ty.clone()),
            };
            (type_params, Lambda { params, ret, ret_written, body: value })
        });
        self.metas.level -= 1;
        self.answer_some();
        let ty = Type::function(&lambda.params, lambda.ret.clone());
        type_params.extend(self.generalise_local(&ty));
        // What is inferred from a body with errors is not worth complaints about its uses.
        let known = lambda.ret_written || self.diagnostics.len() == errors;
        let ty = if known { self.metas.deep(&ty) } else { Type::Error };
        self.deferred.splice(0..0, waiting);
        let local = self.new_local(name.name, name.span);
        let scheme = LocalVar { name: name.name, id: local, type_params: type_params.clone(), ty };
        self.scoped(|checker| {
            checker.locals.push(scheme);
            let body = checker.expr(body);
            let ty = body.ty.clone();
            Expr::new(ExprKind::LetFun { name: local, type_params, fun: Box::new(lambda), body }, ty, span)
        })
    }

    pub(crate) fn let_with(
        &mut self,
        name: &Ident,
        path: &[ast::Step],
        value: &ast::Expr,
        body: &ast::Expr,
        span: Span,
    ) -> Expr {
        let source = self.var(&ast::QualName { quals: Vec::new(), name: *name });
        let updated = self.with_typed(source, path, value, name.span.to(value.span));
        self.scoped(|checker| {
            let local = checker.bind_local(*name, updated.ty.clone());
            let pat = Box::new(Pat { kind: PatKind::Bind(local), ty: updated.ty.clone(), span: name.span });
            let body = checker.expr(body);
            let ty = body.ty.clone();
            Expr::new(ExprKind::Let { sizes: Vec::new(), pat, value: updated, body }, ty, span)
        })
    }

    pub(crate) fn with_exp(&mut self, source: &ast::Expr, path: &[ast::Step], value: &ast::Expr, span: Span) -> Expr {
        let source = self.expr(source);
        self.with_typed(source, path, value, span)
    }

    fn with_typed(&mut self, source: Expr, path: &[ast::Step], value: &ast::Expr, span: Span) -> Expr {
        let mut place = Expr::new(ExprKind::Error, source.ty.clone(), source.span);
        let mut steps = Vec::new();
        for step in path {
            match step {
                ast::Step::Field(field) => {
                    place = self.project(place, field);
                    steps.push(Step::Field(field.name));
                }
                ast::Step::Index(indices, at) => {
                    let (indices, types) = self.indices(indices);
                    let ty = self.index_type(&place.ty, types, *at);
                    place = Expr::new(ExprKind::Error, ty, *at);
                    steps.push(Step::Index(indices));
                }
            }
        }
        let value = self.expr(value);
        self.expect(&place.ty, &value.ty, value.span, "the new value has the type of what it replaces");
        let ty = source.ty.clone();
        Expr::new(ExprKind::With { source, path: steps, value }, ty, span)
    }

    pub(crate) fn loop_exp(
        &mut self,
        pat: &ast::Pat,
        init: Option<&ast::Expr>,
        form: &ast::LoopForm,
        body: &ast::Expr,
        span: Span,
    ) -> Expr {
        let init = match init {
            Some(init) => self.expr(init),
            None => match pattern_as_expr(pat) {
                Some(init) => self.expr(&init),
                None => {
                    self.loop_without_init(pat.span);
                    Expr::new(ExprKind::Error, Type::Error, pat.span)
                }
            },
        };
        self.no_functions(&init.ty.clone(), init.span, "loop values cannot contain functions");
        self.scoped(|checker| {
            // The bound of a `for` is evaluated once, before the loop.
            let bound = checker.loop_bound(form);
            let pat = checker.pattern(pat, &init.ty);
            let form = match (form, bound) {
                (ast::LoopForm::While(cond), _) => {
                    LoopForm::While(checker.expr_of_type(cond, &Type::BOOL, "a condition is a `bool`"))
                }
                (_, Some((LoopBound::For(var, ty), bound))) => LoopForm::For(checker.bind_local(var, ty), bound),
                (_, Some((LoopBound::In(elem_pat, elem), array))) => {
                    LoopForm::ForIn(checker.pattern(&elem_pat, &elem), array)
                }
                (ast::LoopForm::For(..) | ast::LoopForm::Range(_) | ast::LoopForm::ForIn(..), None) => {
                    return Expr::new(ExprKind::Error, Type::Error, span);
                }
            };
            let body = checker.expr(body);
            checker.expect(
                &init.ty,
                &body.ty,
                body.span,
                "each iteration of a loop gives a value of the type that the loop started with",
            );
            let ty = init.ty.clone();
            let (pat, form) = (Box::new(pat), Box::new(form));
            Expr::new(ExprKind::Loop { sizes: Vec::new(), pat, init, form, body }, ty, span)
        })
    }

    /// What a `for` loop runs over; none for `while`.
    fn loop_bound(&mut self, form: &ast::LoopForm) -> Option<(LoopBound, Expr)> {
        match form {
            ast::LoopForm::For(var, bound) => {
                let span = var.span.to(bound.span);
                let bound = self.expr(bound);
                if self.is_ravel() && matches!(self.metas.shallow(&bound.ty), Type::Array(..)) {
                    let source = GeneratorSource::Range { lo: None, var: *var, hi: bound, step: None, span };
                    return Some(self.range_bound(*var, source, span));
                }
                let ty = self.metas.fresh_prim(bound.span, Prims::ints());
                self.expect(&ty, &bound.ty, bound.span, "the bound of a `for` loop is an integer");
                Some((LoopBound::For(*var, ty), bound))
            }
            ast::LoopForm::Range(generator) => {
                let ast::GeneratorKind::Range { var, .. } = &generator.kind else { return None };
                let source = self.generator_source(generator);
                Some(self.range_bound(*var, source, generator.span))
            }
            ast::LoopForm::ForIn(pat, array) => {
                let array = self.expr(array);
                let elem = self.elem_of_or_report(&array, crate::errors::IN_ARRAY);
                Some((LoopBound::In(pat.clone(), elem), array))
            }
            ast::LoopForm::While(_) => None,
        }
    }

    /// A loop over a range runs over the array of its values; compiled code does not make that array. A range without
    /// a lower bound begins at 0, and a negative upper bound makes it empty, as in `for i < n`.
    fn range_bound(&mut self, var: Ident, mut source: GeneratorSource<'_>, span: Span) -> (LoopBound, Expr) {
        if let GeneratorSource::Range { lo: lo @ None, .. } = &mut source {
            *lo = Some(Expr::new(ExprKind::Scalar(Scalar::I64(0)), Type::I64, span));
        }
        let (array, elem) = self.range_array(source, span);
        let pat = ast::Pat { span: var.span, kind: ast::PatKind::Name(var.name) };
        (LoopBound::In(pat, elem), array)
    }

    pub(crate) fn elem_of_or_report(&mut self, array: &Expr, why: &str) -> Type {
        match self.elem_of(&array.ty.clone(), array.span) {
            Ok(elem) => elem,
            Err(mismatch) => {
                let wanted = crate::metas::array_of(self.metas.fresh(array.span));
                self.type_mismatch(&wanted, &array.ty, array.span, why, mismatch);
                Type::Error
            }
        }
    }

    pub(crate) fn match_exp(&mut self, value: &ast::Expr, cases: &[ast::Case], span: Span) -> Expr {
        let value = self.expr(value);
        let mut typed: Vec<(Pat, Expr)> = Vec::new();
        for case in cases {
            let (pat, body) = self.scoped(|checker| {
                let pat = checker.pattern(&case.pat, &value.ty);
                (pat, checker.expr(&case.body))
            });
            if let Some((_, first)) = typed.first() {
                let (ty, span) = (first.ty.clone(), first.span);
                self.branches_agree((&ty, span), &body);
            }
            typed.push((pat, body));
        }
        let ty = typed.first().map_or(Type::Error, |c| c.1.ty.clone());
        self.no_functions(&ty, span, "the cases of `match` cannot return functions");
        Expr::new(ExprKind::Match { value, cases: typed }, ty, span)
    }
}

enum LoopBound {
    For(Ident, Type),
    In(ast::Pat, Type),
}

/// `loop (x, y) ...` starts from the values that `x` and `y` have outside.
fn pattern_as_expr(pat: &ast::Pat) -> Option<ast::Expr> {
    let expr = |kind| Some(ast::Expr { span: pat.span, kind: Box::new(kind) });
    match &pat.kind {
        ast::PatKind::Name(name) => {
            let name = Ident { name: *name, span: pat.span };
            expr(ast::ExprKind::Var(ast::QualName { quals: Vec::new(), name }))
        }
        ast::PatKind::Parens(inner) | ast::PatKind::Attr(_, inner) | ast::PatKind::Ascribe(inner, _) => {
            pattern_as_expr(inner)
        }
        ast::PatKind::Tuple(items) => {
            expr(ast::ExprKind::Tuple(items.iter().map(pattern_as_expr).collect::<Option<Vec<_>>>()?))
        }
        ast::PatKind::Record(fields) => {
            let mut init = Vec::new();
            for (name, pat) in fields {
                init.push((
                    *name,
                    match pat {
                        Some(pat) => Some(pattern_as_expr(pat)?),
                        None => None,
                    },
                ));
            }
            expr(ast::ExprKind::Record(init))
        }
        ast::PatKind::Wildcard | ast::PatKind::Literal { .. } | ast::PatKind::Constr(..) | ast::PatKind::Error => None,
    }
}
