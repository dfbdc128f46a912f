//! The walk through expressions.

use super::unify::Mode;
use super::vars::Kind;
use super::{Cx, Scheme, canon, walk};
use base::{Name, Span};
use scalar::BinOp;
use syntax::ast::Lifted;
use typed::{Body, DefId, Dim, Expr, ExprKind, LocalId, Pat, RangeKind, Ret, Size, Type, TypeArg, TypeParam};

impl Cx<'_> {
    /// Finds the sizes in an expression's type, and in everything below it.
    pub(super) fn expr(&mut self, e: &mut Expr) {
        let span = e.span;
        let template = e.ty.clone();
        let (ty, exts) = self.expr_kind(&mut e.kind, &template, span);
        e.ty = ty;
        e.exts = exts;
    }

    fn expr_kind(&mut self, kind: &mut ExprKind, template: &Type, span: Span) -> (Type, Vec<LocalId>) {
        let absorbing = Kind::Inst { lifted: Lifted::Functions, element: false };
        let plain = |ty: Type| (ty, Vec::new());
        match kind {
            ExprKind::Scalar(_) | ExprKind::Error => plain(template.clone()),
            ExprKind::Bytes(bytes) => plain(resize(template, Size::Const(bytes.len() as i64))),
            ExprKind::Hole => {
                let ty = self.template(template, &absorbing, span, "a size of the hole");
                self.must_be_known(&ty);
                plain(ty)
            }
            ExprKind::Local(local, args) => plain(self.local(*local, args, template, span)),
            ExprKind::Global(def, args) => plain(self.global(*def, args, template, span)),
            ExprKind::Operator(_) => plain(self.template(template, &Kind::Free, span, "a size of an operand")),
            ExprKind::Record(fields) => {
                fields.iter_mut().for_each(|(_, e)| self.expr(e));
                plain(Type::record(fields.iter().map(|(n, e)| (*n, e.ty.clone())).collect()))
            }
            ExprKind::Array(items) => self.array(items, template, span),
            ExprKind::Range { first, second, kind, end } => self.range(first, second, *kind, end, template, span),
            ExprKind::Project(record, field) => {
                self.expr(record);
                let ty = match &self.norm(&record.ty) {
                    Type::Record(fields) => fields.iter().find(|f| f.0 == *field).map(|f| f.1.clone()),
                    _ => None,
                };
                plain(ty.unwrap_or_else(|| template.clone()))
            }
            ExprKind::Index(array, indices) => {
                self.indices(indices);
                self.expr(array);
                self.index(&array.ty.clone(), indices, template, span)
            }
            ExprKind::Apply(fun, args) => self.apply(fun, args, span),
            ExprKind::Constr(name, args) => plain(self.constr(*name, args, template, span)),
            ExprKind::Binary { op, lhs, rhs, lifted } => self.binary(*op, lhs, rhs, *lifted, template, span),
            ExprKind::Unary { op: _, arg, lifted } => {
                self.expr(arg);
                plain(if *lifted { arg.ty.clone() } else { template.clone() })
            }
            ExprKind::Lambda(lambda) => plain(self.lambda(lambda, span)),
            ExprKind::If { cond, then, otherwise } => {
                self.expr(cond);
                self.expr(then);
                self.expr(otherwise);
                self.join(&then.ty.clone(), &otherwise.ty.clone(), span)
            }
            ExprKind::Let { sizes, pat, value, body } => self.let_in(sizes, pat, value, body, span),
            ExprKind::LetFun { name, type_params, fun, body } => {
                self.let_fun(*name, type_params, fun, span);
                self.expr(body);
                let (name, ty) = (*name, body.ty.clone());
                self.unscope(&ty, &[name], span)
            }
            ExprKind::LetRec { arrays, body } => {
                self.rec_arrays(arrays);
                self.expr(body);
                let names: Vec<LocalId> = arrays.iter().map(|a| a.name).collect();
                self.unscope(&body.ty.clone(), &names, span)
            }
            ExprKind::Loop { sizes, pat, init, form, body } => self.loop_in(sizes, pat, init, form, body, span),
            ExprKind::Match { value, cases } => self.match_in(value, cases, span),
            ExprKind::With { source, path, value } => plain(self.with(source, path, value, span)),
            ExprKind::Ascribe(inner, written) => {
                let declared = self.open_written(&written.clone(), span);
                self.expr(inner);
                let found = self.norm(&inner.ty);
                if let Err(mismatch) = self.unify(&declared, &found, span, Mode::Strict) {
                    self.mismatch(span, "the type written after `:`", &declared, &found, mismatch);
                }
                *written = declared.clone();
                plain(if self.ravel { declared } else { found })
            }
            ExprKind::Coerce(inner, written) => self.coerce(inner, written, span),
            ExprKind::Assert { cond, text: _, body } => {
                self.expr(cond);
                self.expr(body);
                plain(body.ty.clone())
            }
            ExprKind::Comprehension { body, quals } => self.comprehension(body, quals, span),
            ExprKind::ArrayBy { shape, clauses, otherwise } => {
                self.array_by(shape, clauses, otherwise.as_mut(), template, span)
            }
            ExprKind::Update { array, clauses } => {
                self.expr(array);
                self.clause_values(clauses, &array.ty.clone());
                plain(array.ty.clone())
            }
            ExprKind::Accum { op, neutral, shape, clauses } => self.accum(op, neutral, shape, clauses, template, span),
        }
    }

    pub(super) fn must_be_known(&mut self, ty: &Type) {
        for local in walk::free_locals(ty) {
            if let Some(var) = self.vars.get_mut(&local) {
                var.must_be_known = true;
            }
        }
    }

    fn local(&mut self, local: LocalId, args: &mut Vec<TypeArg>, template: &Type, span: Span) -> Type {
        match self.types.get(&local).cloned() {
            Some(scheme) if scheme.params.is_empty() => self.norm(&scheme.ty),
            Some(scheme) => {
                args.extend(scheme.params.iter().skip(args.len()).map(open_arg).collect::<Vec<_>>());
                self.instantiate(&scheme, args, span, false)
            }
            None => template.clone(),
        }
    }

    fn global(&mut self, def: DefId, args: &mut Vec<TypeArg>, template: &Type, span: Span) -> Type {
        if let Some(declared) = self.open.get(&def).cloned() {
            let Some(ty) = declared else {
                return self.template(template, &Kind::Inst { lifted: Lifted::No, element: false }, span, "a size");
            };
            let params = self.program.defs[def].type_params.clone();
            let ty = if self.ravel { self.refresh(&ty, span) } else { ty };
            return self.instantiate(&Scheme { params, ty }, args, span, false);
        }
        self.open_intrinsic(def);
        let scheme = Scheme { params: self.program.defs[def].type_params.clone(), ty: self.program.defs[def].ty() };
        args.extend(scheme.params.iter().skip(args.len()).map(open_arg).collect::<Vec<_>>());
        let shared = self.ravel && self.is_aligned(def);
        self.instantiate(&scheme, args, span, shared)
    }

    /// Whether values of a type may differ in size for all that the type says.
    pub(super) fn may_vary(&self, ty: &Type) -> bool {
        let lifted = |l: Option<&Lifted>| l.is_some_and(|l| *l != Lifted::No);
        match ty {
            Type::Prim(_) | Type::Meta(_) | Type::Error | Type::Fun(_) => false,
            Type::Var(v) => lifted(self.kinds.vars.get(v)),
            Type::Abstract(id, args) => {
                lifted(self.kinds.abstracts.get(id))
                    || args.iter().any(|a| matches!(a, TypeArg::Type(ty) if self.may_vary(ty)))
            }
            Type::Record(fields) => fields.iter().any(|f| self.may_vary(&f.1)),
            Type::Sum(constrs) => constrs.iter().any(|c| c.1.iter().any(|t| self.may_vary(t))),
            Type::Array(_, elem) => self.may_vary(elem),
        }
    }

    /// The anonymous sizes in the results of an operation that the implementation provides are existential.
    fn open_intrinsic(&mut self, id: DefId) {
        let def = &self.program.defs[id];
        if !matches!(def.body, Body::Intrinsic(_)) || !walk::has_anonymous(&def.ret.ty) {
            return;
        }
        let (params, span, whole, type_params) = (def.params.len(), def.span, def.ty(), def.type_params.clone());
        let mut ty = self.open_scheme(&type_params, &whole, span);
        let mut ret = Ret { exts: Vec::new(), ty: ty.clone(), unique: self.program.defs[id].ret.unique.clone() };
        for _ in 0..params {
            let Type::Fun(fun) = &ty else { break };
            ret = fun.ret.clone();
            ty = ret.ty.clone();
        }
        self.program.defs[id].ret = ret;
    }

    /// Recursive uses of a definition with anonymous sizes may each have their own.
    fn refresh(&mut self, ty: &Type, span: Span) -> Type {
        let ty = self.norm(ty);
        let open: Vec<LocalId> = walk::free_locals(&ty).into_iter().filter(|l| self.is_open(*l)).collect();
        let new: Vec<(LocalId, LocalId)> =
            open.into_iter().map(|l| (l, self.free("n", span, "a size of a recursive call"))).collect();
        walk::substitute(&ty, &mut |l| new.iter().find(|n| n.0 == l).map(|n| Size::Local(n.1)))
    }

    fn array(&mut self, items: &mut [Expr], template: &Type, span: Span) -> (Type, Vec<LocalId>) {
        let Some((first, rest)) = items.split_first_mut() else {
            let ty = self.template(
                template,
                &Kind::Inst { lifted: Lifted::No, element: false },
                span,
                "a size of the (missing) elements",
            );
            let ty = resize(&ty, Size::Const(0));
            self.must_be_known(&ty);
            return (ty, Vec::new());
        };
        self.expr(first);
        let mut elem = first.ty.clone();
        if !self.ravel && self.may_vary(&elem) {
            self.lifted_element(&elem, span);
        }
        let mut exts = Vec::new();
        for item in rest.iter_mut() {
            self.expr(item);
            if self.ravel {
                (elem, exts) = self.join_rows(&elem, &item.ty.clone(), exts, span);
            } else if let Err(mismatch) = self.unify(&elem, &item.ty.clone(), item.span, Mode::Strict) {
                self.mismatch(item.span, "the elements before it", &elem, &item.ty.clone(), mismatch);
            }
        }
        let size = Size::Const(rest.len() as i64 + 1);
        (Type::array(Dim::Size(size), elem), exts)
    }

    fn range(
        &mut self,
        first: &mut Expr,
        second: &mut Option<Expr>,
        kind: RangeKind,
        end: &mut Expr,
        template: &Type,
        span: Span,
    ) -> (Type, Vec<LocalId>) {
        self.expr(first);
        second.iter_mut().for_each(|e| self.expr(e));
        self.expr(end);
        let i64_range = matches!(end.ty, Type::Prim(scalar::Prim::I64));
        let (from, step) = (constant_of(first), second.as_ref().map(constant_of));
        let until = self.size_of(end);
        let start = self.size_of(first);
        let size = match (from, step, kind) {
            _ if !i64_range => None,
            (Some(0), None | Some(Some(1)), RangeKind::UpTo) => until,
            (Some(1), Some(Some(2)), RangeKind::Inclusive) => until,
            (_, None, RangeKind::UpTo) => until.and_then(|u| Some(canon::combine(BinOp::Sub, &u, &start?, span))),
            (_, None, RangeKind::Inclusive) => until.and_then(|u| {
                let difference = canon::combine(BinOp::Sub, &u, &start?, span);
                Some(canon::combine(BinOp::Add, &difference, &Size::Const(1), span))
            }),
            _ => None,
        };
        match size {
            Some(size) if !matches!(size, Size::Unknown) => (resize(template, size), Vec::new()),
            _ => {
                let n = self.unknown("n", span, "the length of the range");
                (resize(template, Size::Local(n)), vec![n])
            }
        }
    }

    fn constr(&mut self, name: Name, args: &mut [Expr], template: &Type, span: Span) -> Type {
        let kind = Kind::Inst { lifted: Lifted::Functions, element: false };
        let ty = self.template(template, &kind, span, "a size of the constructors that are not used here");
        self.must_be_known(&ty);
        args.iter_mut().for_each(|e| self.expr(e));
        if let Type::Sum(constrs) = &ty
            && let Some((_, payload)) = constrs.iter().find(|c| c.0 == name)
        {
            for (expected, arg) in payload.iter().zip(args.iter()) {
                if let Err(mismatch) = self.unify(expected, &arg.ty, arg.span, Mode::Strict) {
                    self.mismatch(arg.span, "the constructor's value", expected, &arg.ty.clone(), mismatch);
                }
            }
        }
        ty
    }

    fn binary(
        &mut self,
        op: BinOp,
        lhs: &mut Expr,
        rhs: &mut Expr,
        lifted: bool,
        template: &Type,
        span: Span,
    ) -> (Type, Vec<LocalId>) {
        self.expr(lhs);
        self.expr(rhs);
        let (left, right) = (lhs.ty.clone(), rhs.ty.clone());
        if !lifted {
            // In `.rv` arrays of different sizes may be compared: they are not equal.
            if !self.ravel
                && let Err(mismatch) = self.unify(&left, &right, span, Mode::Strict)
            {
                self.mismatch(span, "the left operand", &left, &right, mismatch);
            }
            return (template.clone(), Vec::new());
        }
        let arrays = |ty: &Type| matches!(ty, Type::Array(..));
        let shape = match (arrays(&left), arrays(&right)) {
            (true, true) => {
                if let Err(mismatch) = self.unify(&left, &right, span, Mode::Checked) {
                    self.mismatch(span, "the left operand", &left, &right, mismatch);
                }
                left
            }
            (true, false) => left,
            (false, true) => right,
            (false, false) => return (template.clone(), Vec::new()),
        };
        let _ = op;
        let (dims, _) = walk::spine(&shape);
        let (_, elem) = walk::spine(template);
        (walk::wrap(dims, elem), Vec::new())
    }

    fn let_in(
        &mut self,
        sizes: &[LocalId],
        pat: &mut Pat,
        value: &mut Expr,
        body: &mut Expr,
        span: Span,
    ) -> (Type, Vec<LocalId>) {
        self.expr(value);
        let ty = self.norm(&value.ty);
        let outer = self.level;
        let mut open = Vec::new();
        for size in sizes {
            self.bind(*size, Type::I64);
            let name = self.program.locals[*size].name;
            let v = self.free(name.as_str(), self.program.locals[*size].span, "the size of the bound value");
            if let Some(var) = self.vars.get_mut(&v) {
                var.must_be_known = true;
            }
            open.push((*size, v));
        }
        self.level = outer + 1;
        self.value_pat(pat, &ty, &open);
        self.check_let_sizes(sizes, pat);
        self.level = outer + 2;
        let simple = matches!(ty, Type::Prim(scalar::Prim::I64)) && !canon::has_binding(value);
        let bound = pat.name().filter(|_| simple);
        let size = bound.and_then(|_| self.size_of(value));
        if let (Some(name), Some(size), true) = (bound, &size, self.ravel) {
            self.definitions.insert(name, size.clone());
        }
        self.expr(body);
        self.level = outer;
        let body_ty = self.norm(&body.ty);
        if let (Some(name), Some(size)) = (bound, size) {
            return (walk::substitute(&body_ty, &mut |l| (l == name).then(|| size.clone())), Vec::new());
        }
        let mut names = Cx::pat_names(pat);
        names.extend(sizes);
        self.unscope(&body_ty, &names, span)
    }

    fn match_in(&mut self, value: &mut Expr, cases: &mut [(Pat, Expr)], span: Span) -> (Type, Vec<LocalId>) {
        self.expr(value);
        let ty = self.norm(&value.ty);
        let mut types = Vec::new();
        let outer = self.level;
        for (pat, body) in cases.iter_mut() {
            self.level = outer + 1;
            self.value_pat(pat, &ty, &[]);
            self.level = outer + 2;
            self.expr(body);
            self.level = outer;
            types.push(self.unscope(&body.ty.clone(), &Cx::pat_names(pat), body.span));
        }
        let Some(mut joined) = types.pop() else { return (Type::Error, Vec::new()) };
        while let Some((ty, _)) = types.pop() {
            joined = self.join(&ty, &joined.0, span);
        }
        joined
    }

    fn coerce(&mut self, inner: &mut Expr, written: &mut Type, span: Span) -> (Type, Vec<LocalId>) {
        let declared = self.open_written(&written.clone(), span);
        self.expr(inner);
        let found = self.norm(&inner.ty);
        let anonymous: Vec<LocalId> = walk::free_locals(&declared).into_iter().filter(|l| self.is_open(*l)).collect();
        let loose = walk::map_dims(&declared, false, &mut |dim, _| match dim {
            Dim::Size(Size::Local(l)) if anonymous.contains(l) => dim.clone(),
            Dim::Size(_) | Dim::Jagged(_) => {
                let v = self.free("n", span, "a size of the value that is coerced");
                if let Some(var) = self.vars.get_mut(&v) {
                    var.must_be_known = true;
                }
                Dim::Size(Size::Local(v))
            }
            Dim::Shape(_) => dim.clone(),
        });
        let mode = if self.ravel { Mode::Common } else { Mode::Strict };
        if let Err(mismatch) = self.unify(&found, &loose, span, mode) {
            self.mismatch(span, "the value", &found, &loose, mismatch);
        }
        *written = declared.clone();
        let mut exts = Vec::new();
        if self.ravel {
            // What the value's type did not tell, the coercion finds out.
            for local in
                anonymous.iter().filter(|l| matches!(self.kind(**l), Some(Kind::Free))).copied().collect::<Vec<_>>()
            {
                self.set(local, Kind::Unknown);
                exts.push(local);
            }
        }
        (self.norm(&declared), exts)
    }

    /// An expression as a size, if it may stand as one.
    pub(super) fn size_of(&self, e: &Expr) -> Option<Size> {
        let sharp = self.sharpen(e);
        (!canon::has_binding(&sharp)).then(|| self.norm_size(&canon::from_expr(&sharp)))
    }

    /// In `.rv`, `length xs` is the size of `xs`: the expression with such calls replaced.
    pub(super) fn sharpen(&self, e: &Expr) -> Expr {
        if !self.ravel {
            return e.clone();
        }
        if let Some(size) = self.length_call(e)
            && let Some(size) = typed::size_expr(&self.norm_size(&size), e.span)
        {
            return size;
        }
        let mut sharp = e.clone();
        match &mut *sharp.kind {
            ExprKind::Binary { lhs, rhs, .. } => {
                *lhs = self.sharpen(lhs);
                *rhs = self.sharpen(rhs);
            }
            ExprKind::Unary { arg, .. } => *arg = self.sharpen(arg),
            ExprKind::Ascribe(inner, _) => return self.sharpen(inner),
            _ => {}
        }
        sharp
    }

    /// A call of a definition whose body is one of its size parameters.
    fn length_call(&self, e: &Expr) -> Option<Size> {
        let ExprKind::Apply(fun, args) = &*e.kind else { return None };
        let ExprKind::Global(def, type_args) = &*fun.kind else { return None };
        let def = self.program.defs.get(*def)?;
        let Body::Expr(body) = &def.body else { return None };
        let ExprKind::Local(n, _) = &*body.kind else { return None };
        if def.params.len() != 1 || args.len() != 1 {
            return None;
        }
        let at = def.type_params.iter().position(|p| *p == TypeParam::Size(*n))?;
        match type_args.get(at)? {
            TypeArg::Size(size) => Some(size.clone()),
            TypeArg::Type(_) | TypeArg::Jagged(_) | TypeArg::Shape(_) => None,
        }
    }
}

/// What stands for a parameter before anything is known.
pub(super) fn open_arg(param: &TypeParam) -> TypeArg {
    match param {
        TypeParam::Size(_) => TypeArg::Size(Size::Unknown),
        TypeParam::Type(_) => TypeArg::Type(Type::Error),
        TypeParam::Jagged(_) => TypeArg::Jagged(Dim::Jagged(None)),
        TypeParam::Shape(_) => TypeArg::Shape(vec![Dim::Shape(typed::Shape::Unknown)]),
    }
}

/// The array type with another outer size.
pub(super) fn resize(ty: &Type, size: Size) -> Type {
    match ty {
        Type::Array(_, elem) => Type::Array(Dim::Size(size), elem.clone()),
        other => other.clone(),
    }
}

fn constant_of(e: &Expr) -> Option<i64> {
    match canon::from_expr(e) {
        Size::Const(n) => Some(n),
        Size::Local(_) | Size::Expr(_) | Size::Meta(_) | Size::Unknown => None,
    }
}
