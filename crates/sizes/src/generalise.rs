//! What a finished definition's type looks like from outside: open sizes become parameters, sizes known only at run
//! time become existential.

use super::causality;
use super::cx::Cx;
use super::demand::Rows;
use super::vars::{Kind, Origin, Tie};
use base::{Diagnostic, Name, Span};
use typed::walk::Place;
use typed::{Body, Def, DefId, Diet, Dim, ExprKind, LocalId, Param, Ret, Size, Type, TypeParam, size, walk};

impl Cx<'_> {
    /// Closes a top-level definition.
    pub(super) fn generalise(&mut self, id: DefId, def: &mut Def, ret: Type) {
        self.level = 2;
        for param in &mut def.params {
            param.pat.ty = self.norm(&param.pat.ty);
        }
        self.verify_params(&def.params, def.span);
        def.ret = self.close_over(&mut def.type_params, &mut def.params, ret, def.ret.unique.clone(), def.span);
        let sizes = def.type_params.iter().any(|p| matches!(p, TypeParam::Size(_)));
        if def.params.is_empty() && sizes && !def.ret.exts.is_empty() && matches!(def.body, Body::Expr(_)) {
            self.report(
                Diagnostic::error(
                    "E0311",
                    "a value with size parameters cannot have a size known only at run time",
                    def.span,
                    format!("its type is `{}`", self.show(&def.ret.ty.clone())),
                )
                .help("make it a function"),
            );
        }
        self.check_entry(def);
        self.check_member(def);
        self.open.remove(&id);
        let done = &mut self.program.defs[id];
        (done.type_params, done.params, done.ret) = (def.type_params.clone(), def.params.clone(), def.ret.clone());
        self.report_ambiguous(def);
        if !self.failed && !self.ravel {
            causality::fault(self, def).into_iter().for_each(|fault| self.report(fault));
        }
    }

    /// The caller of an entry point passes only values, so the values must determine every size.
    fn check_entry(&mut self, def: &Def) {
        if !def.entry || self.failed {
            return;
        }
        let mut shown = Vec::new();
        for param in &def.params {
            let ty = self.expand_all(&param.pat.ty);
            walk::for_each_dim(&ty, &mut |dim, place, _| {
                if let (Dim::Size(Size::Local(l)), Place::Here) = (dim, place) {
                    shown.push(*l);
                }
            });
        }
        let hidden = def.type_params.iter().find_map(|p| match p {
            TypeParam::Size(n) => (!shown.contains(n)).then_some(*n),
            TypeParam::Type(_) | TypeParam::Jagged(_) | TypeParam::Shape(_) => None,
        });
        if let Some(size) = hidden {
            self.entry_size(size, def.span);
        }
    }

    /// A member of a module whose specified type hides a size must be a function: only its result may be of any size.
    fn check_member(&mut self, def: &Def) {
        let Body::Expr(body) = &def.body else { return };
        let hides = |cx: &Cx, ty: &Type| {
            walk::has_anonymous(&cx.expand_all(ty)) && !walk::has_anonymous(ty) && !matches!(ty, Type::Fun(_))
        };
        if !self.ravel && matches!(&*body.kind, ExprKind::Global(..)) && hides(self, &def.ret.ty) {
            let at = format!("it is specified as `{}`", self.show(&def.ret.ty));
            let title = format!("`{}` would be a value of a size that its type hides", def.name);
            self.report(Diagnostic::error("E0311", title, body.span, at).help("make it a function of `()`"));
        }
    }

    /// The type with abstract types replaced by their representations.
    fn expand_all(&self, ty: &Type) -> Type {
        match ty {
            Type::Abstract(id, args) => {
                let typed::Abstract { params, repr, .. } = &self.program.abstracts[*id];
                self.expand_all(&typed::subst::Subst::of(params, args).apply(repr))
            }
            Type::Fun(_) => ty.clone(),
            _ => ty.map_children(&mut |t| self.expand_all(t)),
        }
    }

    /// Sizes of uses that were not found to be existential are ordinary open sizes from here on.
    fn collapse(&mut self) {
        let level = self.level;
        for local in self.order.clone() {
            let Some(var) = self.vars.get(&local) else { continue };
            if var.level < level {
                continue;
            }
            match var.kind {
                Kind::Inst { .. } => self.set(local, Kind::Free),
                Kind::Copy(canonical, _) => {
                    let keep = match self.vars.get(&canonical) {
                        Some(c) => {
                            matches!(c.kind, Kind::Absorbed { .. })
                                || (self.ravel && c.tie != Tie::Whole && (c.demand.rows == Rows::MayDiffer || c.varies))
                        }
                        None => false,
                    };
                    if !keep {
                        self.set(local, Kind::Solved(Dim::Size(Size::Local(canonical))));
                    }
                }
                _ => {}
            }
        }
    }

    /// Closes a function: adds size parameters for open sizes, makes unknown sizes of the result existential.
    pub(super) fn close_over(
        &mut self,
        type_params: &mut Vec<TypeParam>,
        params: &mut [Param],
        ret: Type,
        unique: Diet,
        span: Span,
    ) -> Ret {
        self.collapse();
        for param in params.iter_mut() {
            param.pat.ty = self.norm(&param.pat.ty);
        }
        let ret = self.release_unknown(&ret, span);
        let ret = self.settle_copies(&ret, params, span);
        let ret = self.separate_levels(params, &ret, span);
        let whole = Type::function(params, Ret { exts: Vec::new(), ty: ret.clone(), unique: Diet::Observe });
        for local in walk::free_locals(&whole) {
            self.close_local(local, type_params, &whole, span);
        }
        for param in params.iter_mut() {
            param.pat.ty = self.norm(&param.pat.ty);
        }
        let ret = self.norm(&ret);
        let exts: Vec<LocalId> = walk::free_locals(&ret).into_iter().filter(|l| self.is_unknown(*l)).collect();
        let exts: Vec<LocalId> =
            exts.into_iter().filter(|l| self.vars.get(l).is_some_and(|v| v.level >= self.level)).collect();
        self.name_existentials(&exts, type_params, params, &ret);
        self.unused_sizes(type_params, &whole);
        inject(exts, &ret, unique)
    }

    fn close_local(&mut self, local: LocalId, type_params: &mut Vec<TypeParam>, whole: &Type, span: Span) {
        let declared = |p: &TypeParam| match p {
            TypeParam::Size(n) | TypeParam::Jagged(n) | TypeParam::Shape(n) => *n == local,
            TypeParam::Type(_) => false,
        };
        if type_params.iter().any(declared) {
            return;
        }
        let Some(var) = self.vars.get(&local).cloned() else { return };
        if var.level < self.level {
            return;
        }
        match var.kind {
            // A shape that occurs only in the result is existential: the caller cannot choose it.
            Kind::Free
                if mentions_shape(whole, local)
                    && !walk::free_locals_at(whole, &|p| p == Place::Param).contains(&local) =>
            {
                self.set(local, Kind::Unknown);
            }
            Kind::Free => {
                let shape = mentions_shape(whole, local);
                let jagged = self.ravel && !shape && var.demand.rows == Rows::MayDiffer && only_nested(whole, local);
                let pool: &[&str] = match (shape, jagged) {
                    (true, _) => &["s", "t", "u", "v"],
                    (false, true) => &["k", "l", "h"],
                    (false, false) => &["n", "m", "p", "q", "r"],
                };
                let name = self.nice_name(pool, type_params, whole);
                self.program.locals[local].name = name;
                type_params.push(match (shape, jagged) {
                    (true, _) => TypeParam::Shape(local),
                    (false, true) => TypeParam::Jagged(local),
                    (false, false) => TypeParam::Size(local),
                });
                let kind = if jagged { Kind::Function(Origin::Named) } else { Kind::Param };
                self.set(local, kind);
            }
            Kind::Function(Origin::Anonymous) => {
                let name = self.nice_name(&["k", "l", "h"], type_params, whole);
                self.program.locals[local].name = name;
                type_params.push(TypeParam::Jagged(local));
            }
            Kind::Unknown => {
                let at = |place: Place| walk::free_locals_at(whole, &|p| p == place).contains(&local);
                if at(Place::Param) && !at(Place::Here) {
                    self.unknown_in_parameter(local, whole, span);
                }
            }
            _ => {}
        }
    }

    /// Existential sizes must not look like anything else in the type.
    fn name_existentials(&mut self, exts: &[LocalId], type_params: &[TypeParam], params: &[Param], ret: &Type) {
        let mut mentioned: Vec<LocalId> = type_params.iter().filter_map(size_param).collect();
        for ty in params.iter().map(|p| &p.pat.ty).chain([ret]) {
            walk::for_each_dim(ty, &mut |dim, _, _| walk::dim_locals(dim, &mut mentioned));
        }
        for ext in exts {
            let names = || mentioned.iter().filter(|l| *l != ext).map(|l| self.program.locals[*l].name);
            if names().any(|n| n == self.program.locals[*ext].name) {
                let pool: &[&str] = match (self.is_function(*ext), mentions_shape(ret, *ext)) {
                    (true, _) => &["k", "l", "h"],
                    (false, true) => &["s", "t", "u"],
                    (false, false) => &["m", "p", "q", "r"],
                };
                let name = name_from(pool, &names().collect::<Vec<_>>());
                self.program.locals[*ext].name = name;
            }
        }
    }

    /// A name for an inferred size that nothing in the type has yet.
    fn nice_name(&self, pool: &[&str], type_params: &[TypeParam], whole: &Type) -> Name {
        let mut names: Vec<LocalId> = type_params.iter().filter_map(size_param).collect();
        walk::binders(whole, &mut names);
        name_from(pool, &names.iter().map(|l| self.program.locals[*l].name).collect::<Vec<_>>())
    }

    /// In a result, a compound size of unknowns says nothing that the value does not: it becomes one new unknown.
    fn release_unknown(&mut self, ret: &Type, span: Span) -> Type {
        let ret = self.norm(ret);
        let witnessed: Vec<LocalId> = {
            let mut plain = Vec::new();
            walk::for_each_dim(&ret, &mut |dim, place, _| {
                if let (Dim::Size(Size::Local(l)), Place::Here) = (dim, place) {
                    plain.push(*l);
                }
            });
            plain
        };
        let level = self.level;
        let mut compound = Vec::new();
        walk::for_each_dim(&ret, &mut |dim, _, _| {
            if let Dim::Size(Size::Expr(_)) = dim {
                walk::dim_locals(dim, &mut compound);
            }
        });
        compound.retain(|l| {
            !witnessed.contains(l) && self.is_unknown(*l) && self.vars.get(l).is_some_and(|v| v.level >= level)
        });
        if compound.is_empty() {
            return ret;
        }
        self.release(&ret, span, "a size of the result", &|_, l| compound.contains(&l)).0
    }

    /// Further occurrences of a size that may differ from row to row: in a result, unknown.
    fn settle_copies(&mut self, ty: &Type, params: &[Param], span: Span) -> Type {
        let whole = Type::function(params, Ret { exts: Vec::new(), ty: ty.clone(), unique: Diet::Observe });
        let copies: Vec<(LocalId, bool)> = {
            let mut found = Vec::new();
            walk::each_dim(ty, &mut |dim, under| {
                if let Dim::Size(Size::Local(l)) = self.norm_dim(dim, under)
                    && matches!(self.kind(l), Some(Kind::Copy(..)))
                {
                    found.push((l, under));
                }
            });
            found
        };
        for (copy, under) in copies {
            if !matches!(self.kind(copy), Some(Kind::Copy(..))) || !self.ravel {
                continue;
            }
            let new = if let Some(extent) = self.same_if_regular(copy).filter(|extent| !only_nested(&whole, *extent)) {
                Dim::Size(Size::Local(extent))
            } else if under {
                Dim::Jagged(Some(self.unknown_function(span, "row lengths known only at run time")))
            } else {
                Dim::Size(Size::Local(self.unknown("n", span, "a size known only at run time")))
            };
            self.set(copy, Kind::Solved(new));
        }
        self.norm(ty)
    }

    fn unused_sizes(&mut self, type_params: &[TypeParam], whole: &Type) {
        let used = walk::free_locals(whole);
        for param in type_params {
            let Some(local) = size_param(param) else { continue };
            if !used.contains(&local) {
                self.unused_size(param);
                return;
            }
            if let TypeParam::Jagged(k) = param
                && !self.is_anonymous(*k)
                && only_in_constructors(whole, *k)
            {
                self.lengths_in_constructors(*k);
                return;
            }
        }
    }
}

/// The size, size function or shape that a parameter names.
fn size_param(param: &TypeParam) -> Option<LocalId> {
    match param {
        TypeParam::Size(n) | TypeParam::Jagged(n) | TypeParam::Shape(n) => Some(*n),
        TypeParam::Type(_) => None,
    }
}

/// Whether `[~k]` is only the outer dimension of arrays in constructors, or inside of arrays in constructors among the
/// elements of an array: lengths of one element, if it has that constructor.
fn only_in_constructors(ty: &Type, k: LocalId) -> bool {
    /// Where a type stands.
    #[derive(Clone, Copy, Default)]
    struct Place {
        in_array: bool,
        in_constructor: bool,
        in_element: bool,
    }
    fn ones(ty: &Type, k: LocalId, place: Place) -> usize {
        match ty {
            Type::Array(dim, elem) => {
                let here = place.in_constructor && matches!(dim, Dim::Jagged(Some(local)) if *local == k);
                let inside = Place { in_array: true, in_constructor: place.in_element, ..place };
                usize::from(here) + ones(elem, k, inside)
            }
            Type::Sum(_) => {
                let in_element = place.in_element || place.in_array;
                in_children(ty, k, Place { in_array: false, in_constructor: true, in_element })
            }
            Type::Fun(_) => in_children(ty, k, Place::default()),
            Type::Abstract(..) => 0,
            _ => in_children(ty, k, place),
        }
    }
    fn in_children(ty: &Type, k: LocalId, place: Place) -> usize {
        let mut total = 0;
        ty.for_each_child(&mut |child| total += ones(child, k, place));
        total
    }
    let mut mentioned = Vec::new();
    walk::for_each_dim(ty, &mut |dim, _, _| walk::dim_locals(dim, &mut mentioned));
    let mentioned = mentioned.iter().filter(|local| **local == k).count();
    mentioned > 0 && mentioned == ones(ty, k, Place::default())
}

/// The first name of the pool that is not taken; then its first one with a number.
fn name_from(pool: &[&str], taken: &[Name]) -> Name {
    let plain = pool.iter().map(|n| Name::new(n)).find(|n| !taken.contains(n));
    let mut counted = (1..).map(|i| Name::new(&format!("{}{i}", pool[0])));
    plain.or_else(|| counted.find(|n| !taken.contains(n))).unwrap_or(Name::new(pool[0]))
}

/// Whether the local stands as a shape.
fn mentions_shape(ty: &Type, local: LocalId) -> bool {
    let mut found = false;
    walk::for_each_dim(ty, &mut |dim, _, _| found |= super::function::shape_local(dim) == Some(local));
    found
}

/// Whether a size is the extent of dimensions inside others only.
fn only_nested(ty: &Type, local: LocalId) -> bool {
    let mut nested = true;
    walk::each_dim(ty, &mut |dim, under| {
        let mut locals = Vec::new();
        match dim {
            // Where all row lengths are mentioned, they may differ.
            Dim::Size(size) => size::scalar_locals(size, &mut locals),
            Dim::Jagged(_) | Dim::Shape(_) => walk::dim_locals(dim, &mut locals),
        }
        let plain = matches!(dim, Dim::Size(Size::Local(l)) if *l == local) && under;
        nested &= plain || !locals.contains(&local);
    });
    nested
}

/// Binds existential sizes in the innermost result that shows them.
fn inject(exts: Vec<LocalId>, ty: &Type, unique: Diet) -> Ret {
    if exts.is_empty() {
        return Ret { exts, ty: ty.clone(), unique };
    }
    let here = walk::free_locals_at(ty, &|p| p == Place::Here);
    let (exts, deeper): (Vec<LocalId>, Vec<LocalId>) = exts.into_iter().partition(|l| here.contains(l));
    Ret { exts, ty: inject_deeper(deeper, ty), unique }
}

fn inject_deeper(exts: Vec<LocalId>, ty: &Type) -> Type {
    if exts.is_empty() {
        return ty.clone();
    }
    match ty {
        Type::Array(..) | Type::Abstract(..) => ty.clone(),
        Type::Fun(fun) => {
            let Ret { exts: own, ty, unique } = &fun.ret;
            let mut all = exts;
            all.extend(own.iter().filter(|e| !all.contains(e)).copied().collect::<Vec<_>>());
            fun.with(fun.param.clone(), inject(all, ty, unique.clone()))
        }
        _ => ty.map_children(&mut |t| inject_deeper(exts.clone(), t)),
    }
}
