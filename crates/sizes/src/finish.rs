//! Writes what was found into the tree. No type mentions a local that is not bound where the type stands: where nothing
//! in scope names a size, the type says that it is unknown.

use super::cx::Cx;
use super::demand::Rows;
use super::uses::open_arg;
use base::Set;
use std::sync::Arc;
use typed::walk::Place;
use typed::{
    Body, Clause, Def, Dim, Expr, ExprKind, Generator, Lambda, LocalId, LoopForm, Param, Pat, PatKind, Qual, Ret,
    Shape, Size, Type, TypeArg, TypeParam, size, walk,
};

type Scope = Set<LocalId>;

/// How deep sizes inside types inside sizes are followed.
const MAX_DEPTH: u32 = 4;

impl Cx<'_> {
    /// Finishes a definition.
    pub(super) fn finish(&mut self, def: &mut Def) {
        let mut scope = Scope::default();
        add_params(&def.type_params, &mut scope);
        self.finish_params(&mut def.params, &mut scope);
        if let Body::Expr(body) = &mut def.body {
            self.finish_expr(body, &mut scope.clone());
        }
        def.ret = self.final_ret(&def.ret, &scope);
    }

    fn finish_params(&self, params: &mut [Param], scope: &mut Scope) {
        for param in params {
            scope.extend(Cx::pat_names(&param.pat));
            self.finish_pat(&mut param.pat, scope);
        }
    }

    fn finish_pat(&self, pat: &mut Pat, scope: &mut Scope) {
        scope.extend(Cx::pat_names(pat));
        let scope = &*scope;
        pat.for_each_mut(&mut |p| {
            p.ty = self.final_type(&p.ty, false, scope);
            if let PatKind::Ascribe(_, written) = &mut p.kind {
                *written = self.final_type(written, false, scope);
            }
        });
    }

    fn finish_lambda(&self, lambda: &mut Lambda, scope: &Scope) {
        let mut inner = scope.clone();
        let params: Vec<Type> = lambda.params.iter().map(|p| self.norm(&p.pat.ty)).collect();
        self.finish_params(&mut lambda.params, &mut inner);
        self.finish_expr(&mut lambda.body, &mut inner.clone());
        lambda.ret = self.final_ret(&lambda.ret, &inner);
        if !lambda.ret_written {
            let of_rows = |k: LocalId| scope.contains(&k) && params.iter().any(|ty| names_rows(ty, k));
            lambda.ret.ty = without_sums(&lambda.ret.ty, &of_rows);
        }
    }

    /// `scope` holds what is bound where the expression stands; what it binds for what follows is added.
    fn finish_expr(&self, e: &mut Expr, scope: &mut Scope) {
        self.finish_parts(e, scope);
        let ty = self.norm(&e.ty);
        let here = walk::free_locals_at(&ty, &|p| p == Place::Here);
        let mut exts: Vec<LocalId> = Vec::new();
        for ext in std::mem::take(&mut e.exts) {
            let ext = match self.norm_size(&Size::Local(ext)) {
                Size::Local(l) => l,
                _ => ext,
            };
            if here.contains(&ext) && !exts.contains(&ext) && !scope.contains(&ext) {
                exts.push(ext);
            }
        }
        scope.extend(&exts);
        e.ty = self.final_type(&e.ty, false, scope);
        e.exts = exts;
    }

    /// What an expression is made of.
    fn finish_parts(&self, e: &mut Expr, scope: &mut Scope) {
        match &mut *e.kind {
            ExprKind::Local(_, args) => args.iter_mut().for_each(|a| *a = self.final_arg(a, false, scope)),
            ExprKind::Global(def, args) => {
                let params = &self.program.defs[*def].type_params;
                args.extend(params.iter().skip(args.len()).map(open_arg).collect::<Vec<_>>());
                args.iter_mut().for_each(|a| *a = self.final_arg(a, false, scope));
            }
            ExprKind::Lambda(lambda) => self.finish_lambda(lambda, scope),
            ExprKind::If { cond, then, otherwise } => {
                self.finish_expr(cond, scope);
                self.finish_expr(then, &mut scope.clone());
                self.finish_expr(otherwise, &mut scope.clone());
            }
            ExprKind::Ascribe(inner, ty) | ExprKind::Coerce(inner, ty) => {
                self.finish_expr(inner, scope);
                let mut own = scope.clone();
                own.extend(e.exts.iter());
                *ty = self.final_type(ty, false, &own);
            }
            ExprKind::Apply(fun, args) => {
                args.iter_mut().rev().for_each(|a| self.finish_expr(a, scope));
                self.finish_expr(fun, scope);
            }
            ExprKind::ArrayBy { shape, clauses, otherwise } => {
                self.finish_expr(shape, scope);
                self.finish_clauses(clauses, scope);
                otherwise.iter_mut().for_each(|e| self.finish_expr(e, &mut scope.clone()));
            }
            ExprKind::Update { array, clauses } => {
                self.finish_expr(array, scope);
                self.finish_clauses(clauses, scope);
            }
            ExprKind::Accum { op, neutral, shape, clauses } => {
                [op, neutral, shape].into_iter().for_each(|e| self.finish_expr(e, scope));
                self.finish_clauses(clauses, scope);
            }
            ExprKind::Let { .. } | ExprKind::LetFun { .. } | ExprKind::LetRec { .. } => self.finish_binder(e, scope),
            ExprKind::Loop { .. } | ExprKind::Match { .. } | ExprKind::Comprehension { .. } => {
                self.finish_binder(e, scope);
            }
            _ => e.for_each_child_mut(&mut |child| self.finish_expr(child, scope)),
        }
    }

    /// The same for expressions that bind names in a part of them.
    fn finish_binder(&self, e: &mut Expr, scope: &mut Scope) {
        let mut inner = scope.clone();
        match &mut *e.kind {
            ExprKind::Let { sizes, pat, value, body } => {
                self.finish_expr(value, scope);
                inner.clone_from(scope);
                inner.extend(sizes.iter());
                self.finish_pat(pat, &mut inner);
                self.finish_expr(body, &mut inner);
            }
            ExprKind::LetFun { name, type_params, fun, body } => {
                add_params(type_params, &mut inner);
                self.finish_lambda(fun, &inner);
                let mut rest = scope.clone();
                rest.insert(*name);
                self.finish_expr(body, &mut rest);
            }
            ExprKind::LetRec { arrays, body } => {
                inner.extend(arrays.iter().map(|a| a.name));
                for array in arrays.iter_mut() {
                    array.ty = self.final_type(&array.ty, false, &inner);
                    self.finish_expr(&mut array.value, &mut inner);
                }
                self.finish_expr(body, &mut inner);
            }
            ExprKind::Loop { sizes, pat, init, form, body } => {
                self.finish_expr(init, scope);
                inner.clone_from(scope);
                inner.extend(sizes.iter());
                self.finish_loop(pat, form, body, scope, inner);
            }
            ExprKind::Match { value, cases } => {
                self.finish_expr(value, scope);
                for (pat, body) in cases {
                    inner.clone_from(scope);
                    self.finish_pat(pat, &mut inner);
                    self.finish_expr(body, &mut inner);
                }
            }
            ExprKind::Comprehension { body, quals } => {
                self.finish_quals(quals, &mut inner);
                self.finish_expr(body, &mut inner);
            }
            _ => e.for_each_child_mut(&mut |child| self.finish_expr(child, scope)),
        }
    }

    fn finish_loop(&self, pat: &mut Pat, form: &mut LoopForm, body: &mut Expr, scope: &mut Scope, mut inner: Scope) {
        match form {
            LoopForm::For(counter, bound) => {
                self.finish_expr(bound, scope);
                inner.insert(*counter);
            }
            LoopForm::ForIn(element, array) => {
                self.finish_expr(array, scope);
                inner.extend(scope.iter());
                self.finish_pat(element, &mut inner);
            }
            LoopForm::While(_) => {}
        }
        self.finish_pat(pat, &mut inner);
        if let LoopForm::While(condition) = form {
            self.finish_expr(condition, &mut inner.clone());
        }
        self.finish_expr(body, &mut inner);
    }

    fn finish_quals(&self, quals: &mut [Qual], scope: &mut Scope) {
        for qual in quals {
            match qual {
                Qual::For(generators, _) => generators.iter_mut().for_each(|g| self.finish_generator(g, scope)),
                Qual::Let(pat, value) => {
                    self.finish_expr(value, scope);
                    self.finish_pat(pat, scope);
                }
                Qual::If(condition) => self.finish_expr(condition, scope),
            }
        }
    }

    fn finish_generator(&self, generator: &mut Generator, scope: &mut Scope) {
        match generator {
            Generator::In(pat, array) => {
                self.finish_expr(array, scope);
                self.finish_pat(pat, scope);
            }
            Generator::Range { lo, var, hi, step, vector: _, span: _ } => {
                lo.iter_mut().for_each(|e| self.finish_expr(e, scope));
                self.finish_expr(hi, scope);
                step.iter_mut().for_each(|e| self.finish_expr(e, scope));
                scope.insert(*var);
            }
        }
    }

    fn finish_clauses(&self, clauses: &mut [Clause], scope: &Scope) {
        for clause in clauses {
            let mut inner = scope.clone();
            match clause {
                Clause::Element { subscripts, value, quals, span: _ } => {
                    self.finish_quals(quals, &mut inner);
                    for index in subscripts {
                        match index {
                            typed::Index::At(e) | typed::Index::Vector(e) => self.finish_expr(e, &mut inner),
                            typed::Index::Slice { start, end, stride, span: _ } => {
                                let parts = [start, end, stride];
                                parts.into_iter().flatten().for_each(|e| self.finish_expr(e, &mut inner));
                            }
                        }
                    }
                    self.finish_expr(value, &mut inner);
                }
                Clause::Group { quals, clauses, span: _ } => {
                    self.finish_quals(quals, &mut inner);
                    self.finish_clauses(clauses, &inner);
                }
            }
        }
    }

    fn final_ret(&self, ret: &Ret, scope: &Scope) -> Ret {
        let mut inner = scope.clone();
        inner.extend(&ret.exts);
        Ret { exts: ret.exts.clone(), ty: self.final_type(&ret.ty, false, &inner), unique: ret.unique.clone() }
    }

    fn final_type(&self, ty: &Type, under: bool, scope: &Scope) -> Type {
        if !walk::has_dims(ty) {
            return ty.clone();
        }
        match ty {
            Type::Abstract(id, args) => {
                Type::Abstract(*id, args.iter().map(|a| self.final_arg(a, under, scope)).collect())
            }
            Type::Array(dim, elem) => {
                Type::array(self.final_dim(dim, under, scope), self.final_type(elem, true, scope))
            }
            Type::Fun(fun) => {
                let mut inner = scope.clone();
                inner.extend(fun.name);
                fun.with(self.final_type(&fun.param, false, scope), self.final_ret(&fun.ret, &inner))
            }
            _ => ty.map_children(&mut |t| self.final_type(t, under, scope)),
        }
    }

    fn final_arg(&self, arg: &TypeArg, under: bool, scope: &Scope) -> TypeArg {
        match arg {
            TypeArg::Type(ty) => TypeArg::Type(without_sums(&self.final_type(ty, under, scope), &|_| true)),
            _ => arg.map_dims(under, &mut |dim, under| self.final_dim(dim, under, scope)),
        }
    }

    fn final_dim(&self, dim: &Dim, under: bool, scope: &Scope) -> Dim {
        if matches!(dim, Dim::Size(Size::Local(v)) if self.vars.get(v).is_some_and(|v| v.varies)) {
            // The first of several occurrences does not speak for the others.
            return if under { Dim::Jagged(None) } else { Dim::Size(Size::Unknown) };
        }
        match self.norm_dim(dim, under) {
            Dim::Size(Size::Local(l)) if self.is_function(l) => Dim::Size(Size::Unknown),
            Dim::Size(Size::Local(l)) if !scope.contains(&l) => {
                let open = self.ravel && under && self.is_open(l) && self.rows(self.root(l)) == Rows::MayDiffer;
                if open { Dim::Jagged(None) } else { Dim::Size(Size::Unknown) }
            }
            Dim::Size(size @ Size::Expr(_)) => Dim::Size(self.final_size(size, scope)),
            Dim::Jagged(Some(k)) if !scope.contains(&k) || self.is_per_round(dim) => Dim::Jagged(None),
            Dim::Shape(Shape::Local(s)) if !scope.contains(&s) => Dim::Shape(Shape::Unknown),
            dim => dim,
        }
    }

    /// A compound size: all of its variables must be in scope, and none of them may mean the current row.
    fn final_size(&self, size: Size, scope: &Scope) -> Size {
        let mut locals = Vec::new();
        size::locals(&size, &mut locals);
        if !locals.iter().all(|l| scope.contains(l)) || self.has_row(&size) {
            return Size::Unknown;
        }
        match size {
            Size::Expr(expr) => {
                // The types inside a size mention sizes in turn; there is no need to go on for ever.
                if self.depth.get() >= MAX_DEPTH {
                    return Size::Unknown;
                }
                self.depth.set(self.depth.get() + 1);
                let mut expr = (*expr).clone();
                self.finish_expr(&mut expr, &mut scope.clone());
                self.depth.set(self.depth.get() - 1);
                Size::Expr(Arc::new(expr))
            }
            Size::Const(_) | Size::Local(_) | Size::Meta(_) | Size::Unknown => size,
        }
    }
}

/// The type without sums of these row lengths, where they may be others than the names outside say. A type parameter may be
/// instantiated to rows that differ; a function may be applied to every row of an array.
fn without_sums(ty: &Type, varies: &dyn Fn(LocalId) -> bool) -> Type {
    walk::map_dims(ty, false, &mut |dim, _| {
        let mut arrays = Vec::new();
        if let Dim::Size(size) = dim {
            size::array_locals(size, &mut arrays);
        }
        if arrays.into_iter().any(varies) { Dim::Size(Size::Unknown) } else { dim.clone() }
    })
}

/// Whether a type has rows whose lengths have this name.
fn names_rows(ty: &Type, name: LocalId) -> bool {
    walk::dims(ty).iter().any(|(dim, _)| matches!(dim, Dim::Jagged(Some(k)) if *k == name))
}

fn add_params(params: &[TypeParam], scope: &mut Scope) {
    for param in params {
        match param {
            TypeParam::Size(n) | TypeParam::Jagged(n) | TypeParam::Shape(n) => drop(scope.insert(*n)),
            TypeParam::Type(_) => {}
        }
    }
}
