//! Application and lambdas.

use crate::Checker;
use base::Span;
use syntax::ast;
use typed::{Expr, ExprKind, FunType, Lambda, Param, Ret, Type};

impl Checker<'_> {
    pub(crate) fn apply(&mut self, fun: &ast::Expr, args: &[ast::Expr], span: Span) -> Expr {
        if let Some(name) = self.condition_word(args) {
            self.unknown_name(&name);
            return Expr::new(ExprKind::Error, Type::Error, span);
        }
        if let Some(expr) = self.foreign_call(fun, args, span) {
            return expr;
        }
        let fun = self.expr(fun);
        let asks_shape = matches!(args, [_]) && self.asks_only_shape(&fun);
        let args = args.iter().map(|a| if asks_shape { self.array_operand(a) } else { self.expr(a) }).collect();
        self.apply_typed(fun, args, span)
    }

    /// `xs where c`: the word, which is no name here. All else would only be wrong because of it.
    fn condition_word(&self, args: &[ast::Expr]) -> Option<ast::Ident> {
        args.iter().find_map(|arg| match &*arg.kind {
            ast::ExprKind::Var(name) if name.quals.is_empty() && name.name.name.as_str() == "where" => {
                let word = name.name.name;
                let opened = self.opened.iter().any(|(_, names)| names.values.contains_key(&word));
                let known = opened || self.local(word).is_some() || self.env.value(word).is_some();
                (!known).then_some(name.name)
            }
            _ => None,
        })
    }

    /// `f x y` where the parts are typed.
    pub(crate) fn apply_typed(&mut self, fun: Expr, args: Vec<Expr>, span: Span) -> Expr {
        let mut ty = fun.ty.clone();
        let mut wrong = false;
        for (i, arg) in args.iter().enumerate() {
            ty = match self.metas.shallow(&ty) {
                Type::Fun(f) => {
                    match self.unify(&f.param, &arg.ty) {
                        Ok(()) => self.result_of(&f, arg),
                        // The other arguments would only follow in the complaint.
                        Err(_) if self.swapped(&f, &args[i..]) => {
                            self.swapped_arguments(&fun, i, (arg, &args[i + 1]));
                            Type::Error
                        }
                        Err(_) if self.hides_operator(&fun, arg, span) => Type::Error,
                        Err(_) if args[..i].iter().any(|f| self.hides_operator(f, arg, span)) => Type::Error,
                        Err(mismatch) if self.curried(&fun, i, arg).is_some() => {
                            self.argument_mismatch(&fun, i, &f.param, arg, mismatch);
                            Type::Error
                        }
                        Err(mismatch) => {
                            self.argument_mismatch(&fun, i, &f.param, arg, mismatch);
                            wrong = true;
                            self.result_of(&f, arg)
                        }
                    }
                }
                Type::Error => Type::Error,
                Type::Meta(_) => {
                    let (fun_ty, param, ret) = self.fresh_function(arg.span);
                    let known = ty.clone();
                    self.expect(&fun_ty, &known, fun.span, "it is applied to an argument");
                    self.expect(&param, &arg.ty, arg.span, "");
                    ret
                }
                _ => {
                    self.not_a_function(&fun, i, arg.span);
                    Type::Error
                }
            };
        }
        let fun_is_error = matches!(*fun.kind, ExprKind::Error);
        // What the argument would have decided stays open; complaints about it would only follow.
        let open = wrong && self.is_open(&ty);
        let ty = if fun_is_error || open { Type::Error } else { ty };
        if args.is_empty() {
            return fun;
        }
        // `f x y` in two steps is `f x y` in one.
        if let ExprKind::Apply(..) = &*fun.kind {
            let ExprKind::Apply(inner, mut all) = *fun.kind else { return Expr::new(ExprKind::Error, ty, span) };
            all.extend(args);
            return Expr::new(ExprKind::Apply(inner, all), ty, span);
        }
        Expr::new(ExprKind::Apply(fun, args), ty, span)
    }

    /// Whether this applies an operator of the program that hides a built-in one; if so, that is reported.
    fn hides_operator(&mut self, fun: &Expr, arg: &Expr, span: Span) -> bool {
        let ExprKind::Global(def, _) = &*fun.kind else { return false };
        let def = &self.program.defs[*def];
        // Members of modules are called `module.+`.
        let (name, defined) = (def.name.as_str().rsplit('.').next().unwrap_or_default(), def.span);
        if self.is_std_span(defined) || scalar::BinOp::from_symbol(name).is_none() {
            return false;
        }
        self.operator_hidden(name, defined, arg, span);
        true
    }

    /// Whether a result or the elements of an array that results are of a type that nothing has decided.
    fn is_open(&self, ty: &Type) -> bool {
        let (_, elem) = self.metas.spine(ty);
        matches!(self.metas.shallow(&elem), Type::Meta(_))
    }

    /// Whether a function is wanted, none is given, and the next argument is one.
    fn swapped(&self, fun: &FunType, args: &[Expr]) -> bool {
        let is_fun = |ty: &Type| matches!(self.metas.shallow(ty), Type::Fun(_));
        let is_data = |ty: &Type| matches!(self.metas.shallow(ty), Type::Array(..) | Type::Prim(_) | Type::Record(_));
        is_fun(&fun.param) && matches!(args, [data, next, ..] if is_data(&data.ty) && is_fun(&next.ty))
    }

    /// The result type; a shape that is a parameter's name (`[..v]`) is the argument's.
    fn result_of(&mut self, fun: &FunType, arg: &Expr) -> Type {
        match fun.name {
            Some(name) if typed::print::mentions(&fun.ret.ty, name) => {
                let dims = self.dims_of_shape(arg);
                let subst = typed::subst::Subst { shapes: [(name, dims)].into_iter().collect(), ..Default::default() };
                subst.apply(&fun.ret.ty)
            }
            _ => fun.ret.ty.clone(),
        }
    }

    /// Whether a function looks at its argument's shape only, so that a recursive array may be its argument.
    fn asks_only_shape(&self, fun: &Expr) -> bool {
        let ExprKind::Global(def, _) = &*fun.kind else { return false };
        let def = &self.program.defs[*def];
        matches!(def.name.as_str(), "shape" | "rank" | "length" | "null") && self.is_std_span(def.span)
    }

    /// Parameters and their types, brought into scope.
    pub(crate) fn params(&mut self, pats: &[ast::Pat], type_params: &[ast::TypeParam]) -> Vec<Param> {
        let sizes = type_params.iter().filter(|p| !matches!(p.kind, ast::TypeParamKind::Type(_)));
        let mut bound = sizes.map(|p| (p.name.name, p.name.span)).collect();
        let mut params = Vec::new();
        for pat in pats {
            let ty = self.metas.fresh(pat.span);
            params.push(self.param(pat, &ty, &mut bound));
        }
        params
    }

    pub(crate) fn lambda(
        &mut self,
        pats: &[ast::Pat],
        ret: Option<&ast::TypeExp>,
        body: &ast::Expr,
        span: Span,
    ) -> Expr {
        let lambda = self.scoped(|checker| {
            let params = checker.params(pats, &[]);
            let written = ret.map(|r| checker.ret_type(r));
            let body = checker.expr(body);
            let ret_written = written.is_some();
            let ret = match written {
                Some(written) => {
                    checker.expect(&written.ty, &body.ty, body.span, "the result type is written");
                    written
                }
                None => Ret::plain(body.ty.clone()),
            };
            Lambda { params, ret, ret_written, body }
        });
        let ty = Type::function(&lambda.params, lambda.ret.clone());
        Expr::new(ExprKind::Lambda(lambda), crate::instantiate::erase_sizes(&ty), span)
    }
}
