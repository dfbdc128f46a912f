//! Top-level definitions: headers first, so that they see themselves (and, with `rec`, one another), then bodies.

use crate::Checker;
use crate::checker::OpenDef;
use crate::scope::LocalVar;
use base::Name;
use syntax::ast::ValueDec;
use typed::{Body, Def, DefId, Dim, Expr, ExprKind, Param, Pat, PatKind, Ret, Type, TypeParam, TypeVarId};

/// A definition whose parameters are known and whose body is not.
struct Header {
    def: DefId,
    type_params: Vec<TypeParam>,
    params: Vec<Param>,
    written: Option<Ret>,
    ret: Type,
    locals: Vec<LocalVar>,
    types: Vec<(Name, TypeVarId)>,
}

impl Checker<'_> {
    /// Checks definitions that see one another (usually one) and returns their ids.
    pub(crate) fn value_defs(&mut self, values: &[(&ValueDec, Option<String>)]) -> Vec<DefId> {
        let named: Vec<Option<ValueDec>> =
            values.iter().map(|(value, _)| crate::shape_exprs::in_definition(self.sources, value)).collect();
        let values: Vec<(&ValueDec, Option<String>)> = values
            .iter()
            .zip(&named)
            .map(|((value, doc), named)| (named.as_ref().unwrap_or(value), doc.clone()))
            .collect();
        self.plain_value_defs(&values)
    }

    fn plain_value_defs(&mut self, values: &[(&ValueDec, Option<String>)]) -> Vec<DefId> {
        // Whatever was reported since the last definition stands outside of definitions.
        self.broken_declaration |= std::mem::take(&mut self.failed);
        self.lengths.clear();
        let headers: Vec<Header> = values.iter().map(|(value, doc)| self.header(value, doc.clone())).collect();
        // A frame of their own: the one around them may be large.
        self.env.frames.push(Default::default());
        for ((value, _), header) in values.iter().zip(&headers) {
            if !value.params.is_empty() {
                self.env.top().values.insert(value.name.name, header.def);
                let open = self.open_def(header);
                self.open_defs.push(open);
            }
        }
        let mut bodies = Vec::new();
        for ((value, _), header) in values.iter().zip(&headers) {
            bodies.push(self.body(value, header));
        }
        self.env.frames.pop();
        let ids: Vec<DefId> = headers.iter().map(|h| h.def).collect();
        self.close(values, headers, bodies);
        self.open_defs.clear();
        self.later_passes(&ids);
        self.failed = false;
        ids
    }

    fn open_def(&self, header: &Header) -> OpenDef {
        let polymorphic = header.written.is_some() && header.params.iter().all(|p| fully_written(&p.pat));
        let ret = header.written.clone().unwrap_or_else(|| Ret::plain(header.ret.clone()));
        OpenDef {
            def: header.def,
            polymorphic,
            type_params: header.type_params.clone(),
            ty: self.metas.deep(&Type::function(&header.params, ret)),
        }
    }

    fn header(&mut self, value: &ValueDec, doc: Option<String>) -> Header {
        if value.entry && !self.path.is_empty() {
            self.entry_in_module(value.name);
        }
        if matches!(value.name.name.as_str(), "&&" | "||") {
            self.lazy_operator_defined(value.name);
        }
        let (locals, types) = (self.locals.len(), self.type_scope.len());
        let type_params = self.bind_type_params(&value.type_params);
        let params = self.params(&value.params, &value.type_params);
        let written = value.ret.as_ref().map(|r| self.ret_type(r));
        let ret = match &written {
            Some(written) => written.ty.clone(),
            None => self.metas.fresh(value.name.span),
        };
        let def = Def {
            name: self.qualified(value.name.name),
            span: value.name.span,
            doc,
            entry: self.is_entry(value) && self.in_main_file(),
            type_params: Vec::new(),
            params: Vec::new(),
            ret: Ret::plain(Type::Error),
            ret_written: false,
            body: Body::Expr(Expr::new(ExprKind::Error, Type::Error, value.name.span)),
        };
        let def = self.program.defs.push(def);
        Header {
            def,
            type_params,
            params,
            written,
            ret,
            locals: self.locals.split_off(locals),
            types: self.type_scope.split_off(types),
        }
    }

    fn body(&mut self, value: &ValueDec, header: &Header) -> Expr {
        self.scoped(|checker| {
            checker.locals.extend(header.locals.iter().cloned());
            checker.type_scope.extend(header.types.iter().copied());
            let body = checker.expr(&value.body);
            let why = if header.written.is_some() { "the result type is written" } else { "" };
            checker.expect(&header.ret, &body.ty, body.span, why);
            body
        })
    }

    /// Decides what is still open, generalises, and stores the finished definitions.
    fn close(&mut self, values: &[(&ValueDec, Option<String>)], headers: Vec<Header>, bodies: Vec<Expr>) {
        self.answer_all();
        self.close_ranks();
        let types: Vec<Type> = headers.iter().map(|h| Type::function(&h.params, Ret::plain(h.ret.clone()))).collect();
        for (ty, (value, _)) in types.iter().zip(values) {
            self.warn_of_i32(ty, value.name.name);
        }
        self.default_open();
        let mut inferred: Vec<Vec<TypeParam>> = Vec::new();
        for ty in &types {
            inferred.push(self.generalise_top(ty));
        }
        // In a recursive group all members carry what any of them left open.
        let shared: Vec<TypeParam> = inferred.concat();
        for (header, _) in headers.iter().zip(values) {
            let args = header.type_params.iter().chain(&shared).map(crate::zonk::own_type_arg).collect();
            self.recursive_args.insert(header.def, args);
        }
        for (((value, _), header), body) in values.iter().zip(headers).zip(bodies) {
            let def = header.def;
            let mut type_params = header.type_params;
            type_params.extend(shared.iter().copied());
            let mut params = header.params;
            params.iter_mut().for_each(|p| self.zonk_pat(&mut p.pat));
            let mut ret_written = header.written.is_some();
            let mut ret = match header.written {
                Some(ret) => ret,
                None => Ret::plain(self.zonk_type(&header.ret)),
            };
            let mut body = body;
            self.zonk_expr(&mut body);
            if self.is_entry(value) {
                if !ret_written {
                    ret_written = take_lambda(&mut params, &mut ret, &mut body);
                }
                self.expand_entry(&mut params, &mut ret, &mut body);
            }
            let slot = &mut self.program.defs[def];
            slot.type_params = type_params;
            slot.params = params;
            slot.ret = ret;
            slot.ret_written = ret_written;
            slot.body = Body::Expr(body);
            self.after_definition(value, def);
        }
        self.recursive_args.clear();
        self.metas.forget();
    }

    /// An entry point that is a function value (`entry main = f`) gets its parameters.
    fn expand_entry(&mut self, params: &mut Vec<Param>, ret: &mut Ret, body: &mut Expr) {
        let mut args = Vec::new();
        while let Type::Fun(fun) = ret.ty.clone() {
            let local = fun.name.unwrap_or_else(|| self.new_local(Name::new("x"), body.span));
            let bind = Pat { kind: PatKind::Bind(local), ty: fun.param.clone(), span: body.span };
            // In `.rv` the sizes are found, so that rows may differ.
            let kind = match self.is_ravel() {
                true => bind.kind,
                false => PatKind::Ascribe(Box::new(bind), fun.param.clone()),
            };
            let unsized_type = self.zonk_type(&fun.param);
            params.push(Param { pat: Pat { kind, ty: unsized_type.clone(), span: body.span }, diet: fun.diet.clone() });
            args.push(Expr::new(ExprKind::Local(local, Vec::new()), unsized_type, body.span));
            *ret = fun.ret.clone();
        }
        if !args.is_empty() {
            let (ty, span) = (self.zonk_type(&ret.ty), body.span);
            let fun = std::mem::replace(body, Expr::new(ExprKind::Error, Type::Error, span));
            *body = Expr::new(ExprKind::Apply(fun, args), ty, span);
        }
    }

    fn after_definition(&mut self, value: &ValueDec, def: DefId) {
        if !self.failed {
            self.check_coverage(def);
            self.warn_of_own_operator(def);
        }
        if self.in_main_file() {
            self.program.main_defs.push(def);
            if self.is_entry(value) {
                self.program.entries.push(def);
            }
        }
        if self.is_entry(value) && !self.failed {
            self.check_entry(def, value);
        }
    }

    fn in_main_file(&self) -> bool {
        self.current == self.main && self.path.is_empty()
    }

    /// `entry f`, and a `main` of the main file however it is defined.
    fn is_entry(&self, value: &ValueDec) -> bool {
        value.entry || (value.name.name.as_str() == "main" && self.in_main_file())
    }

    /// What an entry point may take and give.
    fn check_entry(&mut self, def: DefId, value: &ValueDec) {
        let found = &self.program.defs[def];
        let (params, ret) = (found.params.clone(), found.ret.ty.clone());
        if found.type_params.iter().any(|p| matches!(p, TypeParam::Type(_))) {
            self.bad_entry(value.name, "it has type parameters, but the arguments of an entry point need known types");
            return;
        }
        for param in &params {
            if self.want_first_order(&param.pat.ty, "an entry point cannot take functions").is_err() {
                self.bad_entry(
                    value.name,
                    "it takes a function, but arguments of an entry point come from the command line or a file",
                );
                return;
            }
            if shaped_records(&param.pat.ty) {
                let why = "in an entry point the elements of `[..s]` must be numbers or booleans";
                self.bad_entry(value.name, why);
                return;
            }
        }
        if self.want_first_order(&ret, "").is_err() {
            self.bad_entry(value.name, "its result is a function (or higher-order), which cannot be printed");
        }
    }
}

/// `entry main = \x -> e` is `entry main x = e`. Says whether the type of the result is written.
fn take_lambda(params: &mut Vec<Param>, ret: &mut Ret, body: &mut Expr) -> bool {
    if !matches!(&*body.kind, ExprKind::Lambda(_)) {
        return false;
    }
    let span = body.span;
    let function = std::mem::replace(body, Expr::new(ExprKind::Error, Type::Error, span));
    if let ExprKind::Lambda(lambda) = *function.kind {
        params.extend(lambda.params);
        *ret = lambda.ret;
        *body = lambda.body;
        return lambda.ret_written;
    }
    false
}

/// Whether a type has arrays of any rank with elements that are no scalars.
fn shaped_records(ty: &Type) -> bool {
    match ty {
        Type::Array(Dim::Shape(_), elem) => !matches!(&**elem, Type::Prim(_)),
        Type::Abstract(..) | Type::Fun(_) => false,
        _ => ty.any_child(&mut shaped_records),
    }
}

/// Whether a pattern's type is written.
fn fully_written(pat: &typed::Pat) -> bool {
    match &pat.kind {
        typed::PatKind::Ascribe(..) => true,
        typed::PatKind::Record(fields) => fields.iter().all(|f| fully_written(&f.1)),
        typed::PatKind::Bind(_)
        | typed::PatKind::Wildcard
        | typed::PatKind::Literal(_)
        | typed::PatKind::Constr(..) => false,
    }
}
