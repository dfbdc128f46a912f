//! Uses of names, and expressions as sizes.

use super::canon;
use super::cx::Cx;
use super::scheme::Scheme;
use super::vars::Kind;
use base::Span;
use syntax::ast::Lifted;
use typed::{Body, DefId, Dim, Expr, ExprKind, LocalId, Ret, Shape, Size, Type, TypeArg, TypeParam, size, subst, walk};

impl Cx<'_> {
    /// A local variable, or a use of a local function.
    pub(super) fn local(&mut self, local: LocalId, args: &mut Vec<TypeArg>, template: &Type, span: Span) -> Type {
        match self.types.get(&local).cloned() {
            Some(scheme) if scheme.params.is_empty() => self.norm(&scheme.ty),
            Some(scheme) => {
                args.extend(scheme.params.iter().skip(args.len()).map(open_arg).collect::<Vec<_>>());
                self.instantiate(&scheme, args, span, false)
            }
            None => template.clone(),
        }
    }

    /// A use of a definition.
    pub(super) fn global(&mut self, def: DefId, args: &mut Vec<TypeArg>, template: &Type, span: Span) -> Type {
        if let Some(declared) = self.open.get(&def).cloned() {
            let Some(ty) = declared else {
                return match self.assumptions.result(def) {
                    Some(scheme) => {
                        // Its own types are the ones of this definition; its sizes may be others.
                        let own = |p: &TypeParam| match p {
                            TypeParam::Type(var) => TypeArg::Type(Type::Var(*var)),
                            TypeParam::Size(_) | TypeParam::Jagged(_) | TypeParam::Shape(_) => open_arg(p),
                        };
                        let mut args: Vec<TypeArg> = scheme.params.iter().map(own).collect();
                        self.instantiate(&scheme, &mut args, span, false)
                    }
                    // The first walk finds what the result is where it does not come from a recursive call.
                    None => {
                        let kind = Kind::Inst { lifted: Lifted::No, element: false };
                        self.template(template, &kind, span, "a size of a recursive call")
                    }
                };
            };
            let params = self.program.defs[def].type_params.clone();
            let ty = if self.ravel { self.refresh(&ty, span) } else { ty };
            return self.instantiate(&Scheme { params, ty }, args, span, false);
        }
        self.open_intrinsic(def);
        let scheme = Scheme { params: self.program.defs[def].type_params.clone(), ty: self.program.defs[def].ty() };
        if self.program.defs[def].params.is_empty() {
            self.know_row_lengths(&scheme.ty);
        }
        args.extend(scheme.params.iter().skip(args.len()).map(open_arg).collect::<Vec<_>>());
        let shared = self.ravel && self.is_aligned(def);
        self.instantiate(&scheme, args, span, shared)
    }

    /// The row lengths of a constant have names that belong to its definition. Here they are arrays that nothing else
    /// mentions.
    fn know_row_lengths(&mut self, constant: &Type) {
        let mut found = Vec::new();
        walk::for_each_dim(constant, &mut |dim, _, _| {
            if let Dim::Jagged(Some(k)) = dim {
                found.push(*k);
            }
        });
        for k in found {
            if self.kind(k).is_none() {
                let ty = Type::array(Dim::Size(Size::Unknown), Type::I64);
                self.types.entry(k).or_insert_with(|| Scheme::plain(ty));
            }
        }
    }

    /// Whether values of a type may differ in size for all that the type says.
    pub(super) fn may_vary(&self, ty: &Type) -> bool {
        let lifted = |l: Option<&Lifted>| l.is_some_and(|l| *l != Lifted::No);
        match ty {
            Type::Fun(_) => false,
            Type::Var(v) => lifted(self.kinds.vars.get(v)),
            Type::Abstract(id, _) if lifted(self.kinds.abstracts.get(id)) => true,
            _ => ty.any_child(&mut |t| self.may_vary(t)),
        }
    }

    /// The anonymous sizes in the results of an operation that the implementation provides are existential.
    fn open_intrinsic(&mut self, id: DefId) {
        let def = &self.program.defs[id];
        if matches!(def.body, Body::Expr(_)) || !walk::has_anonymous(&def.ret.ty) {
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
        subst::in_type(&ty, &mut |l| new.iter().find(|n| n.0 == l).map(|n| Size::Local(n.1)))
    }

    /// An expression as a size, if it may stand as one.
    pub(super) fn size_of(&self, e: &Expr) -> Option<Size> {
        let sharp = self.sharpen(e);
        (!canon::has_binding(&sharp)).then(|| self.norm_size(&size::from_expr(&sharp)))
    }

    /// The expression as a size is compared: by original names, and in `.rv` with the size of `xs` for `length xs`.
    pub(super) fn sharpen(&self, e: &Expr) -> Expr {
        let mut sharp = e.clone();
        self.resolve_names(&mut sharp);
        if self.ravel { self.without_length_calls(&sharp) } else { sharp }
    }

    fn without_length_calls(&self, e: &Expr) -> Expr {
        if let Some(size) = self.length_call(e)
            && let Some(size) = typed::size_expr(&self.norm_size(&size), e.span)
        {
            return size;
        }
        let mut sharp = e.clone();
        match &mut *sharp.kind {
            ExprKind::Binary { lhs, rhs, .. } => {
                *lhs = self.without_length_calls(lhs);
                *rhs = self.without_length_calls(rhs);
            }
            ExprKind::Unary { arg, .. } => *arg = self.without_length_calls(arg),
            ExprKind::Ascribe(inner, _) => return self.without_length_calls(inner),
            _ => {}
        }
        sharp
    }

    /// The dimensions that a vector is known to hold: `[n, m]`, `shape a`, or a name for one of these.
    pub(super) fn shape_of(&self, e: &Expr) -> Option<Vec<Dim>> {
        match &*e.kind {
            ExprKind::Local(local, _) => self.shapes.get(local).cloned(),
            ExprKind::Array(items) => items.iter().map(|item| self.size_of(item).map(Dim::Size)).collect(),
            ExprKind::Apply(..) => self.shape_call(e),
            ExprKind::Ascribe(inner, _) => self.shape_of(inner),
            _ => None,
        }
    }

    /// A call of a definition whose body is a shape parameter of its parameter: `shape a`.
    fn shape_call(&self, e: &Expr) -> Option<Vec<Dim>> {
        let ExprKind::Apply(fun, args) = &*e.kind else { return None };
        let ExprKind::Global(def, type_args) = &*fun.kind else { return None };
        let def = self.program.defs.get(*def)?;
        let Body::Expr(body) = &def.body else { return None };
        let ExprKind::Local(s, _) = &*body.kind else { return None };
        if def.params.len() != 1 || args.len() != 1 {
            return None;
        }
        let at = def.type_params.iter().position(|p| *p == TypeParam::Shape(*s))?;
        let TypeArg::Shape(dims) = type_args.get(at)? else { return None };
        let dims: Vec<Dim> = dims.iter().enumerate().map(|(i, d)| self.norm_dim(d, i > 0)).collect();
        let known = |d: &Dim| !matches!(d, Dim::Jagged(_) | Dim::Size(Size::Unknown) | Dim::Shape(Shape::Unknown));
        dims.iter().all(known).then_some(dims)
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

/// The argument for a parameter before anything is known.
pub(super) fn open_arg(param: &TypeParam) -> TypeArg {
    match param {
        TypeParam::Size(_) => TypeArg::Size(Size::Unknown),
        TypeParam::Type(_) => TypeArg::Type(Type::Error),
        TypeParam::Jagged(_) => TypeArg::Jagged(Dim::Jagged(None)),
        TypeParam::Shape(_) => TypeArg::Shape(vec![Dim::Shape(typed::Shape::Unknown)]),
    }
}
