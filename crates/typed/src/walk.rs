//! Going through the dimensions of types.

use crate::{Dim, FunType, LocalId, Ret, Shape, Size, Type, TypeArg, TypeParam, size};
use std::sync::Arc;

/// Where in a type a dimension stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// In the value itself: once the value is there, the extent is known.
    Here,
    /// In the parameter of a function.
    Param,
    /// In the result of a function.
    Return,
}

/// The type with every dimension replaced; `f` also hears whether the dimension lies inside another one.
pub fn map_dims(ty: &Type, under: bool, f: &mut dyn FnMut(&Dim, bool) -> Dim) -> Type {
    map_dims_at(ty, under.into(), &mut |dim, depth| f(dim, depth > 0))
}

/// The same; `f` hears inside how many others the dimension lies.
pub fn map_dims_at(ty: &Type, depth: u32, f: &mut dyn FnMut(&Dim, u32) -> Dim) -> Type {
    if !has_dims(ty) {
        return ty.clone();
    }
    match ty {
        Type::Prim(_) | Type::Var(_) | Type::Meta(_) | Type::Error => ty.clone(),
        Type::Abstract(id, args) => Type::Abstract(*id, args.iter().map(|a| map_arg(a, depth, f)).collect()),
        Type::Record(fields) => Type::Record(fields.iter().map(|(n, t)| (*n, map_dims_at(t, depth, f))).collect()),
        Type::Sum(constrs) => {
            let payload = |ts: &Vec<Type>, f: &mut dyn FnMut(&Dim, u32) -> Dim| -> Vec<Type> {
                ts.iter().map(|t| map_dims_at(t, depth, f)).collect()
            };
            Type::Sum(constrs.iter().map(|(n, ts)| (*n, payload(ts, f))).collect())
        }
        Type::Array(dim, elem) => {
            let dim = f(dim, depth);
            Type::Array(dim, Arc::new(map_dims_at(elem, depth + 1, f)))
        }
        Type::Fun(fun) => {
            let FunType { name, param, diet, ret } = &**fun;
            let param = map_dims_at(param, 0, f);
            let ret = Ret { exts: ret.exts.clone(), ty: map_dims_at(&ret.ty, 0, f), unique: ret.unique.clone() };
            Type::Fun(Arc::new(FunType { name: *name, param, diet: diet.clone(), ret }))
        }
    }
}

/// The same for an argument of a type or definition.
fn map_arg(arg: &TypeArg, depth: u32, f: &mut dyn FnMut(&Dim, u32) -> Dim) -> TypeArg {
    match arg {
        TypeArg::Size(size) => match f(&Dim::Size(size.clone()), 0) {
            Dim::Size(size) => TypeArg::Size(size),
            Dim::Jagged(_) | Dim::Shape(_) => TypeArg::Size(Size::Unknown),
        },
        TypeArg::Type(ty) => TypeArg::Type(map_dims_at(ty, depth, f)),
        TypeArg::Jagged(dim) => TypeArg::Jagged(f(dim, depth.max(1))),
        TypeArg::Shape(dims) => TypeArg::Shape(dims.iter().zip(depth..).map(|(d, depth)| f(d, depth)).collect()),
    }
}

/// Whether a type has any dimension, size argument or function in it.
pub fn has_dims(ty: &Type) -> bool {
    match ty {
        Type::Prim(_) | Type::Var(_) | Type::Meta(_) | Type::Error => false,
        Type::Abstract(_, args) => !args.is_empty(),
        Type::Record(fields) => fields.iter().any(|f| has_dims(&f.1)),
        Type::Sum(constrs) => constrs.iter().any(|c| c.1.iter().any(has_dims)),
        Type::Array(..) => true,
        Type::Fun(fun) => has_dims(&fun.param) || has_dims(&fun.ret.ty),
    }
}

/// Whether a type leaves a size, size function or shape open.
pub fn has_anonymous(ty: &Type) -> bool {
    let mut found = false;
    for_each_dim(ty, &mut |dim, _, _| {
        found |= matches!(dim, Dim::Size(Size::Unknown) | Dim::Jagged(None) | Dim::Shape(Shape::Unknown));
    });
    found
}

/// Calls `f` on every dimension with its place and the names bound around it.
pub fn for_each_dim(ty: &Type, f: &mut dyn FnMut(&Dim, Place, &[LocalId])) {
    visit(ty, Place::Here, &mut Vec::new(), f);
}

fn visit(ty: &Type, place: Place, bound: &mut Vec<LocalId>, f: &mut dyn FnMut(&Dim, Place, &[LocalId])) {
    match ty {
        Type::Prim(_) | Type::Var(_) | Type::Meta(_) | Type::Error => {}
        Type::Abstract(_, args) => {
            for arg in args.iter() {
                match arg {
                    TypeArg::Size(size) => f(&Dim::Size(size.clone()), place, bound),
                    TypeArg::Type(ty) => visit(ty, place, bound, f),
                    TypeArg::Jagged(dim) => f(dim, place, bound),
                    TypeArg::Shape(dims) => dims.iter().for_each(|d| f(d, place, bound)),
                }
            }
        }
        Type::Record(fields) => fields.iter().for_each(|t| visit(&t.1, place, bound, f)),
        Type::Sum(constrs) => constrs.iter().flat_map(|c| &c.1).for_each(|t| visit(t, place, bound, f)),
        Type::Array(dim, elem) => {
            f(dim, place, bound);
            visit(elem, place, bound, f);
        }
        Type::Fun(fun) => {
            let depth = bound.len();
            visit(&fun.param, Place::Param, bound, f);
            bound.extend(fun.name);
            bound.extend(&fun.ret.exts);
            visit(&fun.ret.ty, Place::Return, bound, f);
            bound.truncate(depth);
        }
    }
}

/// The locals that a dimension mentions.
pub fn dim_locals(dim: &Dim, out: &mut Vec<LocalId>) {
    match dim {
        Dim::Size(size) => size::locals(size, out),
        Dim::Jagged(k) => out.extend(k),
        Dim::Shape(Shape::Local(s)) => out.push(*s),
        Dim::Shape(Shape::Meta(_) | Shape::Unknown) => {}
    }
}

/// The locals that a type mentions and does not bind itself, each once, in order.
pub fn free_locals(ty: &Type) -> Vec<LocalId> {
    free_locals_at(ty, &|_| true)
}

/// The same, in some places only.
pub fn free_locals_at(ty: &Type, wanted: &dyn Fn(Place) -> bool) -> Vec<LocalId> {
    let mut found = Vec::new();
    for_each_dim(ty, &mut |dim, place, bound| {
        if !wanted(place) {
            return;
        }
        let mut here = Vec::new();
        dim_locals(dim, &mut here);
        for local in here {
            if !bound.contains(&local) && !found.contains(&local) {
                found.push(local);
            }
        }
    });
    found
}

/// The locals that stand for extents inside at least two other dimensions: they may differ from row to row even where
/// they are size functions of the rows.
pub fn deep_locals(ty: &Type, depth: u32, out: &mut Vec<LocalId>) {
    match ty {
        Type::Prim(_) | Type::Var(_) | Type::Meta(_) | Type::Error | Type::Fun(_) | Type::Abstract(..) => {}
        Type::Record(fields) => fields.iter().for_each(|f| deep_locals(&f.1, depth, out)),
        Type::Sum(constrs) => constrs.iter().flat_map(|c| &c.1).for_each(|t| deep_locals(t, depth, out)),
        Type::Array(dim, elem) => {
            if depth >= 2 {
                dim_locals(dim, out);
            }
            deep_locals(elem, depth + 1, out);
        }
    }
}

/// The dimensions of a type in order, each with whether it lies inside another one.
pub fn dims(ty: &Type) -> Vec<(Dim, bool)> {
    let mut found = Vec::new();
    map_dims(ty, false, &mut |dim, under| {
        found.push((dim.clone(), under));
        dim.clone()
    });
    found
}

/// The names that a type binds: parameters of functions and existential sizes.
pub fn binders(ty: &Type, out: &mut Vec<LocalId>) {
    match ty {
        Type::Prim(_) | Type::Var(_) | Type::Meta(_) | Type::Error => {}
        Type::Abstract(_, args) => {
            for arg in args.iter() {
                if let TypeArg::Type(ty) = arg {
                    binders(ty, out);
                }
            }
        }
        Type::Record(fields) => fields.iter().for_each(|t| binders(&t.1, out)),
        Type::Sum(constrs) => constrs.iter().flat_map(|c| &c.1).for_each(|t| binders(t, out)),
        Type::Array(_, elem) => binders(elem, out),
        Type::Fun(fun) => {
            out.extend(fun.name);
            out.extend(&fun.ret.exts);
            binders(&fun.param, out);
            binders(&fun.ret.ty, out);
        }
    }
}

/// The type with sizes put in the place of locals. In `[~k]`, a local becomes another local or a regular size.
pub fn substitute(ty: &Type, value: &mut dyn FnMut(LocalId) -> Option<Size>) -> Type {
    map_dims(ty, false, &mut |dim, _| substitute_dim(dim, value))
}

fn substitute_dim(dim: &Dim, value: &mut dyn FnMut(LocalId) -> Option<Size>) -> Dim {
    match dim {
        Dim::Size(size) => Dim::Size(size::substitute(size, value)),
        Dim::Jagged(Some(k)) => match value(*k) {
            None => dim.clone(),
            Some(Size::Local(l)) => Dim::Jagged(Some(l)),
            Some(Size::Const(_) | Size::Expr(_) | Size::Meta(_) | Size::Unknown) => Dim::Jagged(None),
        },
        Dim::Shape(Shape::Local(s)) => match value(*s) {
            None => dim.clone(),
            Some(Size::Local(l)) => Dim::Shape(Shape::Local(l)),
            Some(Size::Const(_) | Size::Expr(_) | Size::Meta(_) | Size::Unknown) => Dim::Shape(Shape::Unknown),
        },
        Dim::Jagged(None) | Dim::Shape(Shape::Meta(_) | Shape::Unknown) => dim.clone(),
    }
}

/// `[dims]elem`.
pub fn wrap(dims: impl IntoIterator<Item = Dim, IntoIter: DoubleEndedIterator>, elem: Type) -> Type {
    dims.into_iter().rev().fold(elem, |ty, dim| Type::array(dim, ty))
}

/// The dimensions of an array type and its element type.
pub fn spine(ty: &Type) -> (Vec<Dim>, Type) {
    let mut dims = Vec::new();
    let mut ty = ty.clone();
    while let Type::Array(dim, elem) = &ty {
        dims.push(dim.clone());
        ty = (**elem).clone();
    }
    (dims, ty)
}

/// Whether a type leaves a size of a function's parameter open: nothing could ever tell it.
pub fn anonymous_param(ty: &Type) -> bool {
    let mut found = false;
    for_each_dim(ty, &mut |dim, place, _| found |= place == Place::Param && matches!(dim, Dim::Size(Size::Unknown)));
    found
}

/// A size parameter that values of an abstract type would not show, if there is one.
pub fn hidden_parameter(params: &[TypeParam], repr: &Type) -> Option<LocalId> {
    let mut shown = Vec::new();
    for_each_dim(repr, &mut |dim, place, _| {
        if let (Dim::Size(Size::Local(n)), Place::Here) = (dim, place) {
            shown.push(*n);
        }
    });
    params.iter().find_map(|p| match p {
        TypeParam::Size(n) => (!shown.contains(n)).then_some(*n),
        TypeParam::Type(_) | TypeParam::Jagged(_) | TypeParam::Shape(_) => None,
    })
}
