//! Types that the user wrote: anonymous sizes become variables, in results of functions existential sizes.

use super::canon;
use super::cx::Cx;
use super::demand::Rows;
use super::vars::{Kind, Origin};
use base::{Map, Name, Span};
use typed::walk::Place;
use typed::{Dim, FunType, Local, LocalId, Ret, Shape, Size, Type, TypeArg, TypeParam, size, subst, walk};

/// What happens to the sizes of one written type.
struct Opening {
    span: Span,
    /// Names of open sizes.
    renamed: Map<LocalId, LocalId>,
    /// Names bound by the function types around.
    bound: Vec<LocalId>,
    /// Existential sizes of the function result we are in, if we are in one.
    exts: Option<Vec<LocalId>>,
}

impl Cx<'_> {
    /// A written type with variables in place of its anonymous sizes.
    pub(super) fn open_written(&mut self, ty: &Type, span: Span) -> Type {
        let mut opening = Opening { span, renamed: Map::default(), bound: Vec::new(), exts: None };
        self.open_type(ty, false, &mut opening)
    }

    /// The same for a type with parameters of its own.
    pub(super) fn open_scheme(&mut self, params: &[TypeParam], ty: &Type, span: Span) -> Type {
        let bound = params.iter().filter_map(|p| match p {
            TypeParam::Size(n) | TypeParam::Jagged(n) | TypeParam::Shape(n) => Some(*n),
            TypeParam::Type(_) => None,
        });
        let mut opening = Opening { span, renamed: Map::default(), bound: bound.collect(), exts: None };
        self.open_type(ty, false, &mut opening)
    }

    /// The same for a written result: `?[k].[k]t` leaves `k` open too.
    pub(super) fn open_ret(&mut self, ret: &Ret, span: Span) -> Type {
        let mut opening = Opening { span, renamed: Map::default(), bound: Vec::new(), exts: None };
        for ext in &ret.exts {
            let name = self.program.locals[*ext].name;
            let open = self.free(name.as_str(), span, "a size of the result");
            opening.renamed.insert(*ext, open);
        }
        self.existentials_used(&ret.exts, &ret.ty, span);
        self.open_type(&ret.ty, false, &mut opening)
    }

    /// `?[n].t`: the value must show what `n` is.
    fn existentials_used(&mut self, exts: &[LocalId], ty: &Type, span: Span) {
        let here = walk::free_locals_at(ty, &|p| p == Place::Here);
        if let Some(unused) = exts.iter().find(|e| !here.contains(e)) {
            self.unused_existential(*unused, span);
        }
    }

    fn open_type(&mut self, ty: &Type, under: bool, opening: &mut Opening) -> Type {
        if !walk::has_dims(ty) {
            return ty.clone();
        }
        match ty {
            Type::Abstract(id, args) => {
                Type::Abstract(*id, args.iter().map(|a| self.open_arg(a, under, opening)).collect())
            }
            Type::Array(dim, elem) => {
                let dim = self.open_dim(dim, under, opening);
                Type::array(dim, self.open_type(elem, true, opening))
            }
            Type::Fun(fun) => self.open_fun(fun, opening),
            _ => ty.map_children(&mut |t| self.open_type(t, under, opening)),
        }
    }

    fn open_fun(&mut self, fun: &FunType, opening: &mut Opening) -> Type {
        let ret = &fun.ret;
        // Sizes of parameters belong to the whole type.
        let outer = opening.exts.take();
        let param = self.open_type(&fun.param, false, opening);
        let depth = opening.bound.len();
        opening.bound.extend(fun.name);
        opening.bound.extend(&ret.exts);
        for ext in ret.exts.iter().filter(|e| self.stands_for_rows(&ret.ty, **e)).copied().collect::<Vec<_>>() {
            self.declare(ext, Kind::Function(Origin::Computed), opening.span, "the row lengths of a result");
        }
        opening.exts = Some(ret.exts.clone());
        let ty = self.open_type(&ret.ty, false, opening);
        self.existentials_used(&ret.exts, &ty, opening.span);
        let exts = std::mem::replace(&mut opening.exts, outer).unwrap_or_default();
        opening.bound.truncate(depth);
        fun.with(param, Ret { exts, ty, unique: ret.unique.clone() })
    }

    fn open_arg(&mut self, arg: &TypeArg, under: bool, opening: &mut Opening) -> TypeArg {
        match arg {
            TypeArg::Type(ty) => TypeArg::Type(self.open_type(ty, under, opening)),
            _ => arg.map_dims(under, &mut |dim, under| self.open_dim(dim, under, opening)),
        }
    }

    fn open_dim(&mut self, dim: &Dim, under: bool, opening: &mut Opening) -> Dim {
        if matches!(dim, Dim::Jagged(_)) && !under {
            self.outer_jagged(opening.span);
        }
        match dim {
            Dim::Size(Size::Unknown | Size::Meta(_)) => self.anonymous(under, Rows::Rectangle, opening),
            Dim::Size(Size::Const(_)) => dim.clone(),
            Dim::Size(Size::Local(local)) => Dim::Size(Size::Local(self.written_name(*local, opening))),
            Dim::Size(size @ Size::Expr(expr)) => {
                let mut expr = (**expr).clone();
                self.expr(&mut expr);
                let sharp = self.sharpen(&expr);
                let size = if canon::has_binding(&sharp) { size.clone() } else { size::from_expr(&sharp) };
                let mut locals = Vec::new();
                size::locals(&size, &mut locals);
                let names: Map<LocalId, LocalId> =
                    locals.into_iter().map(|l| (l, self.written_name(l, opening))).collect();
                Dim::Size(subst::in_size(&size, &mut |l| names.get(&l).map(|n| Size::Local(*n))))
            }
            Dim::Jagged(None) => self.anonymous(under, Rows::MayDiffer, opening),
            Dim::Jagged(Some(k)) => Dim::Jagged(Some(self.written_name(*k, opening))),
            Dim::Shape(Shape::Local(s)) => Dim::Shape(Shape::Local(self.written_name(*s, opening))),
            Dim::Shape(Shape::Unknown | Shape::Meta(_)) => match &mut opening.exts {
                Some(exts) => {
                    let new = self.program.locals.push(Local { name: Name::new("s"), span: opening.span });
                    exts.push(new);
                    Dim::Shape(Shape::Local(new))
                }
                None => Dim::Shape(Shape::Local(self.free("s", opening.span, "an anonymous shape"))),
            },
        }
    }

    fn anonymous(&mut self, under: bool, rows: Rows, opening: &mut Opening) -> Dim {
        let jagged = rows == Rows::MayDiffer;
        if let Some(exts) = &mut opening.exts {
            let name = Name::new(if jagged { "k" } else { "n" });
            let new = self.program.locals.push(Local { name, span: opening.span });
            exts.push(new);
            if jagged {
                let span = opening.span;
                self.declare(new, Kind::Function(Origin::Computed), span, "the row lengths of a result");
                return Dim::Jagged(Some(new));
            }
            return Dim::Size(Size::Local(new));
        }
        if jagged && self.params_are_given {
            return Dim::Jagged(Some(self.given_function(opening.span)));
        }
        let new = self.free(if jagged { "k" } else { "n" }, opening.span, "an anonymous size in a type");
        if let Some(var) = self.vars.get_mut(&new) {
            var.demand.known = !jagged;
            var.demand.rows = if under { rows } else { Rows::MayDiffer };
        }
        Dim::Size(Size::Local(new))
    }

    /// A name in a written type; one that nothing in scope binds is existential there, hence open.
    fn written_name(&mut self, local: LocalId, opening: &mut Opening) -> LocalId {
        if let Some(open) = opening.renamed.get(&local) {
            return *open;
        }
        let known = self.vars.contains_key(&local) || self.types.contains_key(&local);
        if known || opening.bound.contains(&local) {
            return local;
        }
        if let Some(exts) = &mut opening.exts {
            if !exts.contains(&local) {
                exts.push(local);
            }
            return local;
        }
        let name = self.program.locals[local].name;
        let open = self.free(name.as_str(), opening.span, "a size of the type");
        opening.renamed.insert(local, open);
        open
    }
}
