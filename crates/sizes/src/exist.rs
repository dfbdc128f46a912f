//! Sizes that leave their scope: they become existential, bound where the value is.

use super::canon;
use super::cx::Cx;
use super::vars::Kind;
use base::Span;
use typed::walk::Place;
use typed::{Dim, LocalId, Ret, Shape, Size, Type, TypeArg, size, subst, walk};

/// Replaces the sizes of one type.
struct Release<'a> {
    gone: &'a dyn Fn(&Cx, LocalId) -> bool,
    span: Span,
    what: &'static str,
    /// What was replaced by what, in the scopes around.
    known: Vec<(Dim, LocalId)>,
    exts: Vec<LocalId>,
}

impl Cx<'_> {
    /// The type with every size that mentions a local which is `gone` replaced by a new unknown one. New sizes of
    /// function results are bound there, all others are returned.
    pub(super) fn release(
        &mut self,
        ty: &Type,
        span: Span,
        what: &'static str,
        gone: &dyn Fn(&Cx, LocalId) -> bool,
    ) -> (Type, Vec<LocalId>) {
        let ty = self.norm(ty);
        if !walk::free_locals(&ty).iter().any(|l| gone(self, *l)) {
            return (ty, Vec::new());
        }
        let mut release = Release { gone, span, what, known: Vec::new(), exts: Vec::new() };
        self.release_witnesses(&ty, &mut release);
        let ty = self.release_type(&ty, &mut release);
        (ty, release.exts)
    }

    /// Names that go out of scope take their sizes with them.
    pub(super) fn unscope(&mut self, ty: &Type, names: &[LocalId], span: Span) -> (Type, Vec<LocalId>) {
        self.release(ty, span, "a size whose name goes out of scope here", &|_, l| names.contains(&l))
    }

    /// Dimensions that are a name or another indivisible expression (`ks[0]`) go first: what else mentions them, such as
    /// `n - ks[0]`, can then be said with the new name.
    fn release_witnesses(&mut self, ty: &Type, release: &mut Release) {
        let mut plain = Vec::new();
        walk::for_each_dim(ty, &mut |dim, place, bound| {
            if let Dim::Size(size @ (Size::Local(_) | Size::Expr(_))) = dim
                && place == Place::Here
                && !size::mentions_any(size, bound)
                && canon::is_atom(size, &self.definitions)
            {
                plain.push(dim.clone());
            }
        });
        // Names before expressions, which may mention them.
        plain.sort_by_key(|dim| matches!(dim, Dim::Size(Size::Expr(_))));
        plain.iter().for_each(|dim| drop(self.release_dim(dim, release)));
    }

    fn release_type(&mut self, ty: &Type, release: &mut Release) -> Type {
        match ty {
            ty if ty.is_plain() => ty.clone(),
            Type::Abstract(id, args) => {
                Type::Abstract(*id, args.iter().map(|a| self.release_arg(a, release)).collect())
            }
            Type::Array(dim, elem) => {
                let dim = self.release_dim(dim, release);
                Type::array(dim, self.release_type(elem, release))
            }
            Type::Fun(fun) => {
                let param = self.release_type(&fun.param, release);
                fun.with(param, self.release_ret(&fun.ret, release))
            }
            _ => ty.map_children(&mut |t| self.release_type(t, release)),
        }
    }

    /// The new sizes of a result are bound there.
    fn release_ret(&mut self, ret: &Ret, release: &mut Release) -> Ret {
        let (known, outer) = (release.known.len(), std::mem::take(&mut release.exts));
        self.release_witnesses(&ret.ty, release);
        let ty = self.release_type(&ret.ty, release);
        let mut exts = ret.exts.clone();
        exts.extend(std::mem::replace(&mut release.exts, outer));
        release.known.truncate(known);
        Ret { exts, ty, unique: ret.unique.clone() }
    }

    fn release_arg(&mut self, arg: &TypeArg, release: &mut Release) -> TypeArg {
        match arg {
            TypeArg::Type(ty) => TypeArg::Type(self.release_type(ty, release)),
            _ => arg.map_dims(false, &mut |dim, _| self.release_dim(dim, release)),
        }
    }

    fn release_dim(&mut self, dim: &Dim, release: &mut Release) -> Dim {
        let mut locals = Vec::new();
        walk::dim_locals(dim, &mut locals);
        if !locals.iter().any(|l| (release.gone)(self, *l)) {
            return dim.clone();
        }
        let same = |cx: &Cx, a: &Dim, b: &Dim| match (a, b) {
            (Dim::Size(a), Dim::Size(b)) => canon::equal(a, b, &cx.definitions),
            (Dim::Jagged(a), Dim::Jagged(b)) => a == b,
            (Dim::Shape(a), Dim::Shape(b)) => a == b,
            _ => false,
        };
        let known = release.known.iter().find(|(d, _)| same(self, d, dim)).map(|k| k.1);
        let new = match (known, dim) {
            (Some(new), _) => new,
            (None, Dim::Size(size)) => {
                let replaced = self.say_with(&release.known, size, release.span);
                let mut rest = Vec::new();
                size::locals(&replaced, &mut rest);
                if !rest.iter().any(|l| (release.gone)(self, *l)) {
                    return Dim::Size(replaced);
                }
                let name = self.name_of(size);
                self.unknown(&name, release.span, release.what)
            }
            (None, Dim::Jagged(_)) => self.unknown_function(release.span, release.what),
            (None, Dim::Shape(_)) => self.fresh(Kind::Unknown, "s", release.span, release.what),
        };
        if known.is_none() {
            release.known.push((dim.clone(), new));
            release.exts.push(new);
        }
        match dim {
            Dim::Size(_) => Dim::Size(Size::Local(new)),
            Dim::Jagged(_) => Dim::Jagged(Some(new)),
            Dim::Shape(_) => Dim::Shape(Shape::Local(new)),
        }
    }

    /// A size said with the new names of what it mentions.
    fn say_with(&self, known: &[(Dim, LocalId)], size: &Size, span: Span) -> Size {
        let names = subst::in_size(size, &mut |l| {
            let found = known.iter().find(|(d, _)| matches!(d, Dim::Size(Size::Local(k)) if *k == l));
            found.map(|k| Size::Local(k.1))
        });
        let parts = known.iter().filter_map(|(dim, new)| match dim {
            Dim::Size(part @ Size::Expr(_)) => Some((part, Size::Local(*new))),
            Dim::Size(_) | Dim::Jagged(_) | Dim::Shape(_) => None,
        });
        parts.fold(names, |size, (part, new)| {
            canon::replace_atom(&size, part, &new, &self.definitions, span).unwrap_or(size)
        })
    }

    fn name_of(&self, size: &Size) -> String {
        match size {
            Size::Local(l) => self.program.locals[*l].name.to_string(),
            Size::Const(_) | Size::Expr(_) | Size::Meta(_) | Size::Unknown => "n".into(),
        }
    }
}
