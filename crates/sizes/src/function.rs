//! Definitions, local functions and lambdas.

use super::cx::Cx;
use super::demand::{Decided, Rows};
use super::fixpoint::result_of;
use super::scheme::Scheme;
use super::unify::Mode;
use super::vars::{Kind, Origin, Round};
use base::{Diagnostic, Span};
use typed::walk::Place;
use typed::{
    Body, Def, DefId, Dim, Expr, ExprKind, Lambda, Local, LocalId, Param, Ret, Shape, Size, Type, TypeParam, subst,
    walk,
};

impl Cx<'_> {
    /// Walks a group of definitions that see one another.
    pub(super) fn walk_group(&mut self, group: &[DefId]) -> Vec<(DefId, Def)> {
        let mut taken: Vec<(DefId, Def, Option<Type>)> = Vec::new();
        for id in group {
            // The body is walked here and nowhere else meanwhile; it may be large.
            let hole = Body::Expr(Expr::new(ExprKind::Error, Type::Error, self.program.defs[*id].span));
            let body = std::mem::replace(&mut self.program.defs[*id].body, hole);
            let mut def = Def { body, ..self.program.defs[*id].clone() };
            let declared = self.header(&mut def);
            let recursive = declared.as_ref().map(|ty| self.recursive_type(&def, ty));
            self.open.insert(*id, recursive);
            self.program.defs[*id].params = def.params.clone();
            taken.push((*id, def, declared));
        }
        for (id, def, declared) in &mut taken {
            self.failed = false;
            let ret = self.body(def, declared.as_ref());
            self.generalise(*id, def, ret);
        }
        taken.into_iter().map(|(id, def, _)| (id, def)).collect()
    }

    /// Type parameters and parameters; gives the declared type if the result was written.
    fn header(&mut self, def: &mut Def) -> Option<Type> {
        self.level = 1;
        self.functions += 1;
        self.type_params(&def.type_params, def.span);
        self.level = 2;
        for param in &mut def.params {
            self.level += 1;
            self.given_param(param);
            self.fix_outer(&param.pat.ty.clone());
            self.type_of_functions(&param.pat.ty.clone(), &mut Vec::new());
        }
        if !def.ret_written && matches!(def.body, Body::Expr(_)) {
            return None;
        }
        self.level += 1;
        let ty = self.open_ret(&def.ret, def.span);
        Some(Type::function(&def.params, Ret { exts: Vec::new(), ty, unique: def.ret.unique.clone() }))
    }

    /// A parameter of something that callers see.
    fn given_param(&mut self, param: &mut Param) {
        self.params_are_given = true;
        self.param_pat(&mut param.pat);
        self.params_are_given = false;
        // Futhark finds the sizes of a parameter as it goes.
        let locals = if self.ravel { walk::free_locals(&param.pat.ty) } else { Vec::new() };
        for local in locals {
            if let Some(var) = self.vars.get_mut(&local) {
                var.demand.decided = Decided::Parameter(self.functions);
            }
        }
    }

    /// The type that recursive uses see: what the written result leaves open is existential.
    fn recursive_type(&mut self, def: &Def, declared: &Type) -> Type {
        let ret = result_of(declared, def.params.len());
        let ours: Vec<LocalId> = def.params.iter().flat_map(|p| walk::free_locals(&p.pat.ty)).collect();
        let open = walk::free_locals_at(&ret, &|p| p == Place::Here);
        let open = open.into_iter().filter(|l| !ours.contains(l) && matches!(self.kind(*l), Some(Kind::Free)));
        let mut renamed = Vec::new();
        for local in open.collect::<Vec<_>>() {
            let Local { name, span } = self.program.locals[local].clone();
            renamed.push((local, self.program.locals.push(Local { name, span })));
        }
        let jagged = |l: LocalId| renamed.iter().find(|r| r.0 == l).map(|r| r.1);
        let ty = walk::map_dims(&ret, false, &mut |dim, under| match dim {
            Dim::Size(Size::Local(l)) if under && self.ravel && self.rows(*l) == Rows::MayDiffer => {
                jagged(*l).map_or(dim.clone(), |k| Dim::Jagged(Some(k)))
            }
            Dim::Size(_) | Dim::Jagged(_) | Dim::Shape(_) => dim.clone(),
        });
        let ty = subst::in_type(&ty, &mut |l| renamed.iter().find(|r| r.0 == l).map(|r| Size::Local(r.1)));
        let exts = renamed.iter().map(|r| r.1).collect();
        Type::function(&def.params, Ret { exts, ty, unique: def.ret.unique.clone() })
    }

    /// The outer dimension of a parameter is one size, not one for each row of something.
    fn fix_outer(&mut self, ty: &Type) {
        let mut outer = Vec::new();
        walk::each_dim(ty, &mut |dim, under| {
            if let (Dim::Size(Size::Local(l)), false) = (dim, under) {
                outer.push(*l);
            }
        });
        outer.into_iter().for_each(|l| self.require_rows(l, Rows::One));
    }

    /// A size function is as long as the array is whose rows it describes. Below several dimensions it has a length for
    /// every row of every row, and nothing says how many those are.
    fn type_of_functions(&mut self, ty: &Type, outer: &mut Vec<Dim>) {
        match ty {
            Type::Array(dim, elem) => {
                if let (Dim::Jagged(Some(k)), [rows @ Dim::Size(_)]) = (dim, outer.as_slice())
                    && matches!(self.kind(*k), Some(Kind::Function(origin)) if origin.is_declared())
                {
                    self.bind(*k, Type::array(rows.clone(), Type::I64));
                }
                outer.push(dim.clone());
                self.type_of_functions(elem, outer);
                outer.pop();
            }
            Type::Abstract(..) | Type::Fun(_) => {}
            _ => ty.for_each_child(&mut |t| self.type_of_functions(t, outer)),
        }
    }

    /// Declares type parameters.
    pub(super) fn type_params(&mut self, params: &[TypeParam], span: Span) {
        for param in params {
            match param {
                TypeParam::Size(n) => {
                    let at = self.program.locals[*n].span;
                    self.declare(*n, Kind::Param, at, "a declared size");
                    self.bind(*n, Type::I64);
                }
                TypeParam::Jagged(k) => {
                    let at = self.program.locals[*k].span;
                    self.declare(*k, Kind::Function(Origin::Named), at, "a declared size function");
                    let rows = self.inner_unknown("n", span, "the number of rows");
                    self.bind(*k, Type::array(Dim::Size(Size::Local(rows)), Type::I64));
                }
                TypeParam::Shape(s) => {
                    let at = self.program.locals[*s].span;
                    self.declare(*s, Kind::Param, at, "a declared shape");
                    let rank = self.inner_unknown("r", span, "the number of dimensions");
                    self.bind(*s, Type::array(Dim::Size(Size::Local(rank)), Type::I64));
                }
                TypeParam::Type(_) => {}
            }
        }
    }

    /// A size that belongs to what is being defined, not to its surroundings.
    fn inner_unknown(&mut self, name: &str, span: Span, what: &'static str) -> LocalId {
        self.level += 1;
        let local = self.unknown(name, span, what);
        self.level -= 1;
        local
    }

    /// The body of a definition; gives the type of the result.
    fn body(&mut self, def: &mut Def, declared: Option<&Type>) -> Type {
        self.level = def.params.len() as u32 + 3;
        let span = def.span;
        let ret = declared.map(|ty| result_of(ty, def.params.len()));
        match &mut def.body {
            Body::Intrinsic(_) | Body::Specified => {
                let ret = ret.unwrap_or(Type::Error);
                self.result_sizes_unknown(&def.params, &ret);
                ret
            }
            Body::Expr(body) => self.function_body(&def.params, body, ret, span),
        }
    }

    /// Without a body, a size that only the result has is known when the result is.
    fn result_sizes_unknown(&mut self, params: &[Param], ret: &Type) {
        let ours: Vec<LocalId> = params.iter().flat_map(|p| walk::free_locals(&p.pat.ty)).collect();
        let mut found = Vec::new();
        walk::each_dim(ret, &mut |dim, under| {
            if let Dim::Size(Size::Local(l)) = dim {
                found.push((*l, under));
            }
        });
        for (local, under) in found {
            if ours.contains(&local) || !matches!(self.kind(local), Some(Kind::Free)) {
                continue;
            }
            let jagged = under && self.rows(local) == Rows::MayDiffer;
            self.set(local, if jagged { Kind::Function(Origin::Computed) } else { Kind::Unknown });
        }
    }

    /// Checks a body against the written result, if there is one, and gives the type that is seen from outside.
    fn function_body(&mut self, params: &[Param], body: &mut Expr, declared: Option<Type>, span: Span) -> Type {
        self.expr(body);
        let hidden = hidden_names(params);
        let (found, _) = self.unscope(&body.ty.clone(), &hidden, body.span);
        let Some(declared) = declared else { return found };
        if let Some(name) = walk::free_locals(&declared).into_iter().find(|l| hidden.contains(l)) {
            self.inner_name_in_result(span, name);
        }
        if let Err(mismatch) = self.unify(&declared, &found, body.span, Mode::Strict) {
            self.mismatch(body.span, "the result", &declared, &found, mismatch);
        }
        self.norm(&declared)
    }

    /// `\x -> e`, where a function of the type `wanted` is needed.
    pub(super) fn lambda(&mut self, lambda: &mut Lambda, wanted: Option<&Type>, span: Span) -> Type {
        let outer = self.level;
        let mut wanted = wanted.cloned();
        for param in &mut lambda.params {
            self.level += 1;
            self.param_pat(&mut param.pat);
            if let Some(Type::Fun(fun)) = &wanted {
                let given = self.one_in_all_rows(&fun.param);
                self.unify(&param.pat.ty.clone(), &given, param.pat.span, Mode::Strict).ok();
                wanted = Some(fun.ret.ty.clone());
            }
            self.one_inside(&param.pat.ty.clone(), outer);
        }
        self.level += 1;
        let declared = lambda.ret_written.then(|| self.open_ret(&lambda.ret, span));
        let ret = self.function_body(&lambda.params, &mut lambda.body, declared, span);
        let ret = self.norm(&ret);
        self.norm_params(&mut lambda.params);
        for param in &lambda.params {
            self.decided_outside(&param.pat.ty, outer);
        }
        let hidden = self.made_inside(&lambda.params, &ret);
        self.level = outer;
        self.verify_params(&lambda.params, span);
        let (ty, exts) = if hidden.is_empty() {
            (ret, Vec::new())
        } else {
            let what = "a size that is computed inside the function";
            self.release(&ret, lambda.body.span, what, &|_, l| hidden.contains(&l))
        };
        lambda.ret = Ret { exts, ty, unique: lambda.ret.unique.clone() };
        Type::function(&lambda.params, lambda.ret.clone())
    }

    /// The outer extents of a value are one size each wherever the value is, if not for every value that a name takes.
    pub(super) fn one_inside(&mut self, ty: &Type, outer: u32) {
        let mut extents = Vec::new();
        walk::each_dim(ty, &mut |dim, under| {
            if let (Dim::Size(Size::Local(l)), false) = (dim, under) {
                extents.push(*l);
            }
        });
        for local in extents {
            if let Some(var) = self.vars.get_mut(&local) {
                var.demand.one_in = Some(outer);
            }
        }
    }

    /// What is still open of a lambda's parameter, its caller decides.
    fn decided_outside(&mut self, ty: &Type, outer: u32) {
        for local in walk::free_locals(ty) {
            if self.is_open(local)
                && let Some(var) = self.vars.get_mut(&local)
                && var.level > outer
            {
                var.round = Round::Anew;
            }
        }
    }

    /// The type with only those sizes that are the same in every call of a function that gets values of it.
    fn one_in_all_rows(&self, ty: &Type) -> Type {
        walk::map_dims(&self.norm(ty), false, &mut |dim, _| {
            let differs = match dim {
                Dim::Size(Size::Local(l)) if self.is_open(*l) => self.rows(self.root(*l)) == Rows::MayDiffer,
                Dim::Size(size) => matches!(size, Size::Unknown | Size::Meta(_)) || self.has_row(size),
                Dim::Jagged(_) => true,
                Dim::Shape(_) => false,
            };
            if differs { Dim::Jagged(None) } else { dim.clone() }
        })
    }

    fn norm_params(&mut self, params: &mut [Param]) {
        for param in params {
            param.pat.ty = self.norm(&param.pat.ty);
        }
    }

    /// Sizes that are computed in a lambda's body and unknown outside.
    fn made_inside(&self, params: &[Param], ret: &Type) -> Vec<LocalId> {
        let mut visible: Vec<LocalId> = params.iter().filter_map(Param::name).collect();
        for param in params {
            visible.extend(walk::free_locals_at(&param.pat.ty, &|p| p == Place::Here));
        }
        let inside = |l: &LocalId| {
            self.is_unknown(*l) && !visible.contains(l) && self.vars.get(l).is_some_and(|v| v.level >= self.level)
        };
        walk::free_locals(ret).into_iter().filter(inside).collect()
    }

    /// `let f [n] x = e in body`: declares `f`.
    pub(super) fn let_fun(&mut self, name: LocalId, type_params: &mut Vec<TypeParam>, fun: &mut Lambda, span: Span) {
        let outer = self.level;
        self.level = outer + 1;
        self.functions += 1;
        self.type_params(type_params, span);
        self.level = outer + 2;
        for param in &mut fun.params {
            self.level += 1;
            self.given_param(param);
        }
        self.level += 1;
        let declared = fun.ret_written.then(|| self.open_ret(&fun.ret, span));
        let ret = self.function_body(&fun.params, &mut fun.body, declared, span);
        self.norm_params(&mut fun.params);
        self.verify_params(&fun.params, span);
        self.level = outer + 2;
        fun.ret = self.close_over(type_params, &mut fun.params, ret, fun.ret.unique.clone(), span);
        self.level = outer;
        let ty = Type::function(&fun.params, fun.ret.clone());
        self.types.insert(name, Scheme { params: type_params.clone(), ty });
    }

    /// A parameter may mention earlier parameters only, and only by the name of the whole parameter.
    pub(super) fn verify_params(&mut self, params: &[Param], span: Span) {
        let mut forbidden: Vec<LocalId> = params.iter().flat_map(|p| Cx::pat_names(&p.pat)).collect();
        for param in params {
            let ty = self.norm(&param.pat.ty);
            if let Some(bad) = walk::free_locals(&ty).into_iter().find(|l| forbidden.contains(l)) {
                let name = self.program.locals[bad].name;
                let title = format!("the size `{name}` is not known to the caller");
                let at = format!("this parameter has the type `{}`", self.show(&ty));
                let _ = span;
                self.report(
                    Diagnostic::error("E0309", title, param.pat.span, at)
                        .label(self.program.locals[bad].span, format!("`{name}` is bound here"))
                        .note("the sizes of a parameter may mention earlier parameters, but no parts of a tuple or record")
                        .help(format!("write a type for the parameter that does not mention `{name}`")),
                );
                return;
            }
            if let Some(name) = param.name() {
                forbidden.retain(|l| *l != name);
            }
        }
    }
}

/// Names bound by parameters that are not the name of a whole parameter.
fn hidden_names(params: &[Param]) -> Vec<LocalId> {
    let own: Vec<LocalId> = params.iter().filter_map(Param::name).collect();
    let names = params.iter().flat_map(|p: &Param| Cx::pat_names(&p.pat));
    names.filter(|n| !own.contains(n)).collect()
}

/// The pattern's local of a shape, if the dimension is one.
pub(super) fn shape_local(dim: &Dim) -> Option<LocalId> {
    match dim {
        Dim::Shape(Shape::Local(s)) => Some(*s),
        Dim::Shape(Shape::Meta(_) | Shape::Unknown) | Dim::Size(_) | Dim::Jagged(_) => None,
    }
}
