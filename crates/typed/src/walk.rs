//! Going through the dimensions of types.

use crate::{Dim, LocalId, Program, Shape, Size, Type, TypeArg, TypeParam, size};

/// Where in a type a dimension occurs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// In the value itself: once the value is there, the extent is known.
    Here,
    /// In the parameter of a function.
    Param,
    /// In the result of a function.
    Return,
}

/// The type with every dimension replaced; `f` also gets whether the dimension lies inside another one.
pub fn map_dims(ty: &Type, under: bool, f: &mut dyn FnMut(&Dim, bool) -> Dim) -> Type {
    map_dims_at(ty, under.into(), &mut |dim, depth| f(dim, depth > 0))
}

/// The same; `f` gets the number of dimensions around each one.
pub fn map_dims_at(ty: &Type, depth: u32, f: &mut dyn FnMut(&Dim, u32) -> Dim) -> Type {
    if !has_dims(ty) {
        return ty.clone();
    }
    match ty {
        Type::Abstract(id, args) => Type::Abstract(*id, args.iter().map(|a| map_arg(a, depth, f)).collect()),
        Type::Array(dim, elem) => {
            let dim = f(dim, depth);
            Type::array(dim, map_dims_at(elem, depth + 1, f))
        }
        Type::Fun(_) => ty.map_children(&mut |t| map_dims_at(t, 0, f)),
        _ => ty.map_children(&mut |t| map_dims_at(t, depth, f)),
    }
}

/// The same for an argument of a type or definition.
fn map_arg(arg: &TypeArg, depth: u32, f: &mut dyn FnMut(&Dim, u32) -> Dim) -> TypeArg {
    match arg {
        TypeArg::Type(ty) => TypeArg::Type(map_dims_at(ty, depth, f)),
        TypeArg::Shape(dims) => TypeArg::Shape(dims.iter().zip(depth..).map(|(d, depth)| f(d, depth)).collect()),
        TypeArg::Size(_) => arg.map_dims(false, &mut |dim, _| f(dim, 0)),
        TypeArg::Jagged(_) => arg.map_dims(true, &mut |dim, _| f(dim, depth.max(1))),
    }
}

/// Calls `f` on every dimension with whether it lies inside another one.
pub fn each_dim(ty: &Type, f: &mut dyn FnMut(&Dim, bool)) {
    each_dim_at(ty, 0, &mut |dim, depth| f(dim, depth > 0));
}

fn each_dim_at(ty: &Type, depth: u32, f: &mut dyn FnMut(&Dim, u32)) {
    match ty {
        Type::Abstract(_, args) => args.iter().for_each(|arg| match arg {
            TypeArg::Type(ty) => each_dim_at(ty, depth, f),
            TypeArg::Shape(dims) => dims.iter().zip(depth..).for_each(|(dim, depth)| f(dim, depth)),
            TypeArg::Size(size) => f(&Dim::Size(size.clone()), 0),
            TypeArg::Jagged(dim) => f(dim, depth.max(1)),
        }),
        Type::Array(dim, elem) => {
            f(dim, depth);
            each_dim_at(elem, depth + 1, f);
        }
        Type::Fun(_) => ty.for_each_child(&mut |t| each_dim_at(t, 0, f)),
        _ => ty.for_each_child(&mut |t| each_dim_at(t, depth, f)),
    }
}

/// Whether a type has any dimension, size argument or function in it.
pub fn has_dims(ty: &Type) -> bool {
    match ty {
        Type::Abstract(_, args) => !args.is_empty(),
        Type::Array(..) => true,
        _ => ty.any_child(&mut has_dims),
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
        Type::Abstract(_, args) => {
            for arg in args.iter() {
                arg.dims().iter().for_each(|d| f(d, place, bound));
                arg.as_type().into_iter().for_each(|t| visit(t, place, bound, f));
            }
        }
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
        _ => ty.for_each_child(&mut |t| visit(t, place, bound, f)),
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

/// The locals that are extents inside at least two other dimensions: they may differ from row to row even where
/// they are size functions of the rows.
pub fn deep_locals(ty: &Type, depth: u32, out: &mut Vec<LocalId>) {
    match ty {
        Type::Fun(_) | Type::Abstract(..) => {}
        Type::Array(dim, elem) => {
            if depth >= 2 {
                dim_locals(dim, out);
            }
            deep_locals(elem, depth + 1, out);
        }
        _ => ty.for_each_child(&mut |t| deep_locals(t, depth, out)),
    }
}

/// The dimensions of a type in order, each with whether it lies inside another one.
pub fn dims(ty: &Type) -> Vec<(Dim, bool)> {
    let mut found = Vec::new();
    each_dim(ty, &mut |dim, under| {
        found.push((dim.clone(), under));
    });
    found
}

/// The names that a type binds: parameters of functions and existential sizes.
pub fn binders(ty: &Type, out: &mut Vec<LocalId>) {
    if let Type::Fun(fun) = ty {
        out.extend(fun.name);
        out.extend(&fun.ret.exts);
    }
    ty.for_each_child(&mut |t| binders(t, out));
}

/// `[dims]elem`.
pub fn wrap(dims: impl IntoIterator<Item = Dim, IntoIter: DoubleEndedIterator>, elem: Type) -> Type {
    dims.into_iter().rev().fold(elem, |ty, dim| Type::array(dim, ty))
}

/// The dimensions of an array type and its element type.
pub fn spine(ty: &Type) -> (Vec<Dim>, Type) {
    let (dims, elem) = split(ty);
    (dims.into_iter().cloned().collect(), elem.clone())
}

/// The same, borrowed.
pub fn split(mut ty: &Type) -> (Vec<&Dim>, &Type) {
    let mut dims = Vec::new();
    while let Type::Array(dim, elem) = ty {
        dims.push(dim);
        ty = elem;
    }
    (dims, ty)
}

/// Whether a type leaves a size of a function's parameter open: nothing could ever decide it.
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

impl Program {
    /// Whether values of a type always show what a size, size function or shape parameter is.
    pub fn shows(&self, ty: &Type, local: LocalId) -> bool {
        match ty {
            Type::Array(Dim::Size(Size::Local(n)) | Dim::Jagged(Some(n)) | Dim::Shape(Shape::Local(n)), _)
                if *n == local =>
            {
                true
            }
            Type::Abstract(..) => self.shows(&self.concrete(ty), local),
            // There may be another constructor.
            Type::Sum(_) | Type::Fun(_) => false,
            _ => ty.any_child(&mut |t| self.shows(t, local)),
        }
    }

    /// Whether values of a type may hold functions. Arrays hold none.
    pub fn holds_functions(&self, ty: &Type) -> bool {
        match ty {
            Type::Fun(_) => true,
            Type::Abstract(..) => self.holds_functions(&self.concrete(ty)),
            Type::Array(..) => false,
            _ => ty.any_child(&mut |t| self.holds_functions(t)),
        }
    }
}
