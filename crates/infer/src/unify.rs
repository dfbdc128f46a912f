//! Unification of types with sizes erased. Ranks matter, extents do not: those are the next pass's.

use crate::Checker;
use crate::metas::{Wanted, array_of};
use base::{Name, Set};
use std::sync::Arc;
use syntax::ast::Lifted;
use typed::walk::wrap;
use typed::{Dim, FunType, MetaId, Ret, Shape, Type};

/// Why two types do not agree.
#[derive(Debug)]
pub(crate) enum Mismatch {
    /// Different constructors; the whole types say it best.
    Differ,
    /// An unknown would contain itself.
    Infinite,
    /// A record lacks fields.
    Fields(String),
    /// Something about the kind of type that is required.
    Kind(String),
    /// Both are arrays, of different rank.
    Rank,
}

type Unified = Result<(), Mismatch>;

impl Checker<'_> {
    /// Makes two types equal.
    pub(crate) fn unify(&mut self, a: &Type, b: &Type) -> Unified {
        let (a, b) = (self.metas.shallow(a), self.metas.shallow(b));
        match (&a, &b) {
            (Type::Error, _) | (_, Type::Error) => Ok(()),
            (Type::Meta(x), Type::Meta(y)) if x == y => Ok(()),
            (Type::Meta(x), Type::Meta(y)) => self.join(*x, *y),
            (Type::Meta(x), other) | (other, Type::Meta(x)) => self.bind(*x, other),
            (Type::Prim(p), Type::Prim(q)) if p == q => Ok(()),
            (Type::Var(v), Type::Var(w)) if v == w => Ok(()),
            (Type::Abstract(i, _), Type::Abstract(j, _)) if i == j => a.zip_children(&b, &mut |x, y| self.unify(x, y)),
            (Type::Abstract(id, args), other) | (other, Type::Abstract(id, args)) if self.transparent => {
                let repr = self.expand_abstract(*id, args);
                self.unify(&repr, other)
            }
            (Type::Array(..), _) | (_, Type::Array(..)) => self.unify_arrays(&a, &b),
            (Type::Record(xs), Type::Record(ys)) => {
                same_fields(xs, ys)?;
                a.zip_children(&b, &mut |x, y| self.unify(x, y))
            }
            (Type::Sum(xs), Type::Sum(ys)) => self.unify_sums(xs, ys),
            (Type::Fun(_), Type::Fun(_)) => a.zip_children(&b, &mut |x, y| self.unify(x, y)),
            _ => Err(Mismatch::Differ),
        }
    }

    fn unify_sums(&mut self, xs: &[(Name, Vec<Type>)], ys: &[(Name, Vec<Type>)]) -> Unified {
        let unshared: Vec<String> = lacking(xs, ys, "#").into_iter().chain(lacking(ys, xs, "#")).collect();
        if !unshared.is_empty() {
            return Err(Mismatch::Fields(format!("unshared constructors: {}", unshared.join(", "))));
        }
        for ((name, x), (_, y)) in xs.iter().zip(ys) {
            self.unify_payloads(*name, x, y)?;
        }
        Ok(())
    }

    pub(crate) fn unify_payloads(&mut self, name: Name, xs: &[Type], ys: &[Type]) -> Unified {
        if xs.len() != ys.len() {
            return Err(Mismatch::Fields(format!(
                "constructor #{name} differs in arity: {} and {} values",
                xs.len(),
                ys.len()
            )));
        }
        xs.iter().zip(ys).try_for_each(|(x, y)| self.unify(x, y))
    }

    /// Arrays of known rank agree dimension by dimension; a flexible shape takes what is left.
    fn unify_arrays(&mut self, a: &Type, b: &Type) -> Unified {
        if let (Type::Array(Dim::Size(_) | Dim::Jagged(_), x), Type::Array(Dim::Size(_) | Dim::Jagged(_), y)) = (a, b) {
            return self.unify(x, y);
        }
        let (mut xs, x) = self.metas.spine(a);
        let (mut ys, y) = self.metas.spine(b);
        let has_shape = |dims: &[Dim]| dims.iter().any(|d| matches!(d, Dim::Shape(_)));
        if !has_shape(&xs) && !has_shape(&ys) {
            return if xs.is_empty() || ys.is_empty() { Err(Mismatch::Differ) } else { Err(Mismatch::Rank) };
        }
        let same = |d: &Dim, e: &Dim| match (d, e) {
            // Only ranks matter here: shapes of equal rank agree.
            (Dim::Shape(Shape::Local(s)), Dim::Shape(Shape::Local(t))) => {
                self.rank_of_shape(*s) == self.rank_of_shape(*t)
            }
            (Dim::Shape(s), Dim::Shape(t)) => s == t,
            (Dim::Size(_) | Dim::Jagged(_), Dim::Size(_) | Dim::Jagged(_)) => true,
            (Dim::Shape(_), _) | (_, Dim::Shape(_)) => false,
        };
        while let (Some(d), Some(e)) = (xs.first(), ys.first()) {
            if !same(d, e) {
                break;
            }
            xs.remove(0);
            ys.remove(0);
        }
        // The element below a shape is no array, so ranks can be counted from the inside too.
        if !matches!(x, Type::Meta(_)) && !matches!(y, Type::Meta(_)) {
            while let (Some(d), Some(e)) = (xs.last(), ys.last()) {
                if !same(d, e) {
                    break;
                }
                xs.pop();
                ys.pop();
            }
        }
        self.unify_rest(xs, x, ys, y)
    }

    fn unify_rest(&mut self, xs: Vec<Dim>, x: Type, ys: Vec<Dim>, y: Type) -> Unified {
        let anonymous = |dims: &[Dim]| match dims {
            [Dim::Shape(Shape::Unknown)] => true,
            [Dim::Shape(Shape::Local(s))] => self.anonymous_shapes.contains(s),
            _ => false,
        };
        match (&xs[..], &ys[..]) {
            ([], []) => self.unify(&x, &y),
            ([Dim::Shape(Shape::Meta(s))], _) if !mentions_shape(&ys, *s) => {
                self.metas.set_shape(*s, ys);
                self.unify(&x, &y)
            }
            (_, [Dim::Shape(Shape::Meta(s))]) if !mentions_shape(&xs, *s) => {
                self.metas.set_shape(*s, xs);
                self.unify(&x, &y)
            }
            ([], _) if matches!(x, Type::Meta(_)) => self.unify(&x, &wrap(ys, y)),
            (_, []) if matches!(y, Type::Meta(_)) => self.unify(&wrap(xs, x), &y),
            // `[..]` is whatever it is.
            // An array of unknown rank may be no scalar: `:>` checks that.
            ([], _) | (_, []) => Err(Mismatch::Differ),
            _ if anonymous(&xs) || anonymous(&ys) => self.unify(&x, &y),
            ([Dim::Size(_) | Dim::Jagged(_), ..], [Dim::Shape(Shape::Meta(s)), ..]) => {
                let rest = self.metas.fresh_shape();
                self.metas.set_shape(*s, vec![xs[0].clone(), Dim::Shape(rest)]);
                self.unify(&wrap(xs, x), &wrap(ys, y))
            }
            ([Dim::Shape(Shape::Meta(s)), ..], [Dim::Size(_) | Dim::Jagged(_), ..]) => {
                let rest = self.metas.fresh_shape();
                self.metas.set_shape(*s, vec![ys[0].clone(), Dim::Shape(rest)]);
                self.unify(&wrap(xs, x), &wrap(ys, y))
            }
            _ => Err(Mismatch::Rank),
        }
    }

    /// Two unknowns become one that must satisfy what both had to.
    fn join(&mut self, x: MetaId, y: MetaId) -> Unified {
        let (Some(wx), Some(mut wanted)) = (self.metas.wanted(x).cloned(), self.metas.wanted(y).cloned()) else {
            return Ok(());
        };
        let prims = match (wx.prims, wanted.prims) {
            (Some(p), Some(q)) if p.and(q).0 == 0 => return Err(Mismatch::Differ),
            (Some(p), Some(q)) => Some(p.and(q)),
            (p, q) => p.or(q),
        };
        if prims.is_some() && ![&wx, &wanted].iter().all(|w| w.fields.is_empty() && w.constrs.is_empty()) {
            return Err(Mismatch::Differ);
        }
        wanted.prims = prims;
        wanted.level = wx.level.min(wanted.level);
        wanted.equality |= wx.equality;
        wanted.first_order = wanted.first_order.or(wx.first_order);
        let one = self.metas.merge(x, y, wanted);
        for (name, ty) in wx.fields {
            self.want_field(one, name, ty)?;
        }
        for (name, types) in wx.constrs {
            self.want_constr(one, name, types)?;
        }
        Ok(())
    }

    /// The unknown must be a record with this field.
    pub(crate) fn want_field(&mut self, id: MetaId, name: Name, ty: Type) -> Unified {
        let known = self.metas.wanted(id).and_then(|w| w.fields.iter().find(|f| f.0 == name)).map(|f| f.1.clone());
        match known {
            Some(known) => self.unify(&known, &ty),
            None => {
                if let Some(w) = self.metas.wanted_mut(id) {
                    w.fields.push((name, ty));
                }
                Ok(())
            }
        }
    }

    /// The unknown must be a sum type with this constructor.
    pub(crate) fn want_constr(&mut self, id: MetaId, name: Name, types: Vec<Type>) -> Unified {
        let known = self.metas.wanted(id).and_then(|w| w.constrs.iter().find(|c| c.0 == name)).map(|c| c.1.clone());
        match known {
            Some(known) => self.unify_payloads(name, &known, &types),
            None => {
                if let Some(w) = self.metas.wanted_mut(id) {
                    w.constrs.push((name, types));
                }
                Ok(())
            }
        }
    }

    fn bind(&mut self, id: MetaId, ty: &Type) -> Unified {
        let Some(wanted) = self.metas.wanted(id).cloned() else { return Ok(()) };
        if let Type::Array(Dim::Shape(Shape::Meta(s)), elem) = ty
            && wanted.prims.is_some()
        {
            // A scalar is an array of rank zero.
            self.metas.set_shape(*s, Vec::new());
            return self.unify(&Type::Meta(id), elem);
        }
        self.occurs(id, wanted.level, ty)?;
        self.satisfy(&wanted, ty)?;
        self.metas.set(id, ty.clone());
        for (name, want) in &wanted.fields {
            self.unify_field(ty, *name, want)?;
        }
        for (name, want) in &wanted.constrs {
            self.unify_constr(ty, *name, want)?;
        }
        Ok(())
    }

    fn satisfy(&mut self, wanted: &Wanted, ty: &Type) -> Unified {
        if let Some(prims) = wanted.prims {
            match ty {
                Type::Prim(p) if prims.contains(*p) => {}
                Type::Prim(_) | Type::Record(_) | Type::Sum(_) | Type::Array(..) | Type::Fun(_) => {
                    return Err(Mismatch::Differ);
                }
                Type::Abstract(..) | Type::Var(_) => return Err(Mismatch::Differ),
                Type::Meta(_) | Type::Error => {}
            }
        }
        if wanted.equality {
            self.want_first_order(ty, "functions cannot be compared with `==`").map_err(Mismatch::Kind)?;
            if !self.in_std() && matches!(ty, Type::Var(_)) {
                return Err(Mismatch::Kind(
                    "a type parameter may stand for values that do not support equality".into(),
                ));
            }
            self.want_equality(ty);
        }
        if let Some(why) = wanted.first_order {
            self.want_first_order(ty, why).map_err(Mismatch::Kind)?;
        }
        Ok(())
    }

    fn unify_field(&mut self, ty: &Type, name: Name, want: &Type) -> Unified {
        match ty {
            Type::Record(fields) => match fields.iter().find(|f| f.0 == name) {
                Some((_, have)) => self.unify(&have.clone(), want),
                None => Err(Mismatch::Fields(format!("there is no field `{name}`"))),
            },
            Type::Error => Ok(()),
            _ => Err(Mismatch::Fields(format!("it is not a record, so it has no field `{name}`"))),
        }
    }

    fn unify_constr(&mut self, ty: &Type, name: Name, want: &[Type]) -> Unified {
        match ty {
            Type::Sum(constrs) => match constrs.iter().find(|c| c.0 == name) {
                Some((_, have)) => self.unify_payloads(name, &have.clone(), want),
                None => Err(Mismatch::Fields(format!("there is no constructor `#{name}`"))),
            },
            Type::Error => Ok(()),
            _ => Err(Mismatch::Fields(format!("it is not a sum type, so it has no constructor `#{name}`"))),
        }
    }

    /// Whether the unknown occurs in the type; brings the type's unknowns to the outer of the two levels on the way.
    fn occurs(&mut self, id: MetaId, level: u32, ty: &Type) -> Unified {
        match self.metas.shallow(ty) {
            Type::Meta(other) if other == id => Err(Mismatch::Infinite),
            Type::Meta(other) => {
                let mut inner = Vec::new();
                if let Some(w) = self.metas.wanted_mut(other) {
                    w.level = w.level.min(level);
                    inner.extend(w.fields.iter().map(|f| f.1.clone()));
                    inner.extend(w.constrs.iter().flat_map(|c| c.1.iter().cloned()));
                }
                inner.iter().try_for_each(|t| self.occurs(id, level, t))
            }
            Type::Var(v) if self.type_var_level.get(&v).copied().unwrap_or(0) > level => {
                let name = self.program.type_vars[v].name;
                Err(Mismatch::Kind(format!(
                    "type parameter `{name}` would leave the function that declares it (scope violation)"
                )))
            }
            ty => ty.try_for_each_child(&mut |t| self.occurs(id, level, t)),
        }
    }

    /// Requires that a type hold no functions; `Err` says why it does.
    pub(crate) fn want_first_order(&mut self, ty: &Type, why: &'static str) -> Result<(), String> {
        match self.metas.shallow(ty) {
            Type::Fun(_) => Err(why.to_string()),
            Type::Var(v) if self.lifted(v) == Lifted::Functions => {
                Err(format!("{why}, and `'^{}` may stand for a function", self.program.type_vars[v].name))
            }
            Type::Meta(id) => {
                let mut inner = Vec::new();
                if let Some(w) = self.metas.wanted_mut(id) {
                    if w.first_order.is_some() {
                        return Ok(());
                    }
                    w.first_order = Some(why);
                    inner.extend(w.fields.iter().map(|f| f.1.clone()));
                    inner.extend(w.constrs.iter().flat_map(|c| c.1.iter().cloned()));
                }
                inner.iter().try_for_each(|t| self.want_first_order(t, why))
            }
            Type::Abstract(id, _) if self.abstract_lifted.get(&id) == Some(&Lifted::Functions) => {
                let name = self.program.abstracts[id].name;
                Err(format!("{why}, and the abstract type `{name}` may hold functions"))
            }
            ty => ty.try_for_each_child(&mut |t| self.want_first_order(t, why)),
        }
    }

    fn want_equality(&mut self, ty: &Type) {
        if let Type::Meta(id) = self.metas.shallow(ty)
            && let Some(w) = self.metas.wanted_mut(id)
        {
            w.equality = true;
        }
    }

    /// A fresh function type from unknown to unknown, for what is applied before its type is known.
    pub(crate) fn fresh_function(&mut self, span: base::Span) -> (Type, Type, Type) {
        let (param, ret) = (self.metas.fresh(span), self.metas.fresh(span));
        let fun =
            FunType { name: None, param: param.clone(), diet: typed::Diet::Observe, ret: Ret::plain(ret.clone()) };
        (Type::Fun(Arc::new(fun)), param, ret)
    }

    /// Requires an array and gives its element type.
    pub(crate) fn elem_of(&mut self, ty: &Type, span: base::Span) -> Result<Type, Mismatch> {
        match self.metas.shallow(ty) {
            Type::Array(Dim::Size(_) | Dim::Jagged(_), elem) => Ok((*elem).clone()),
            Type::Error => Ok(Type::Error),
            other => {
                let elem = self.metas.fresh_with(span, |w| w.first_order = Some("arrays cannot contain functions"));
                self.unify(&other, &array_of(elem.clone()))?;
                Ok(elem)
            }
        }
    }
}

fn same_fields(xs: &[(Name, Type)], ys: &[(Name, Type)]) -> Unified {
    let unshared: Vec<String> = lacking(xs, ys, "").into_iter().chain(lacking(ys, xs, "")).collect();
    match unshared.iter().all(|field| field.parse::<u32>().is_ok()) {
        _ if unshared.is_empty() => Ok(()),
        true => Err(Mismatch::Differ),
        false => Err(Mismatch::Fields(format!("unshared fields: {}", unshared.join(", ")))),
    }
}

/// The names of the first that the second lacks.
fn lacking<T>(xs: &[(Name, T)], ys: &[(Name, T)], prefix: &str) -> Vec<String> {
    if xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| x.0 == y.0) {
        return Vec::new();
    }
    let there: Set<Name> = ys.iter().map(|y| y.0).collect();
    xs.iter().filter(|x| !there.contains(&x.0)).map(|x| format!("{prefix}{}", x.0)).collect()
}

fn mentions_shape(dims: &[Dim], shape: typed::SizeMetaId) -> bool {
    dims.iter().any(|d| matches!(d, Dim::Shape(Shape::Meta(s)) if *s == shape))
}
