//! One step into a type: its component types, to look at, to replace, or side by side with those of another type.
//!
//! A walk over types handles the few constructors that matter to it and leaves the rest to these:
//!
//! ```text
//! fn holds_functions(ty: &Type) -> bool {
//!     matches!(ty, Type::Fun(_)) || ty.any_child(&mut holds_functions)
//! }
//! ```
//!
//! Components are fields, constructor arguments, elements, a function's parameter and result, and type arguments, in
//! this order. Dimensions are none: [`crate::walk`] goes through those.

use crate::{Dim, FunType, Ret, Size, Type, TypeArg};
use base::bug;
use std::convert::Infallible;
use std::sync::Arc;

impl Type {
    /// Calls `f` on each component until it fails.
    pub fn try_for_each_child<'a, E>(&'a self, f: &mut dyn FnMut(&'a Type) -> Result<(), E>) -> Result<(), E> {
        match self {
            Type::Prim(_) | Type::Var(_) | Type::Meta(_) | Type::Error => Ok(()),
            Type::Record(fields) => fields.iter().try_for_each(|field| f(&field.1)),
            Type::Sum(constrs) => constrs.iter().flat_map(|constr| &constr.1).try_for_each(f),
            Type::Array(_, elem) => f(elem),
            Type::Fun(fun) => {
                f(&fun.param)?;
                f(&fun.ret.ty)
            }
            Type::Abstract(_, args) => args.iter().filter_map(TypeArg::as_type).try_for_each(f),
        }
    }

    /// Calls `f` on each component.
    pub fn for_each_child<'a>(&'a self, f: &mut dyn FnMut(&'a Type)) {
        let Ok(()) = self.try_for_each_child::<Infallible>(&mut |child| {
            f(child);
            Ok(())
        });
    }

    /// Whether `f` holds for some component.
    pub fn any_child(&self, f: &mut dyn FnMut(&Type) -> bool) -> bool {
        self.try_for_each_child(&mut |child| if f(child) { Err(()) } else { Ok(()) }).is_err()
    }

    /// The type with each component replaced and its own dimensions kept.
    pub fn map_children(&self, f: &mut dyn FnMut(&Type) -> Type) -> Type {
        match self {
            Type::Prim(_) | Type::Var(_) | Type::Meta(_) | Type::Error => self.clone(),
            Type::Record(fields) => Type::Record(fields.iter().map(|(name, ty)| (*name, f(ty))).collect()),
            Type::Sum(constrs) => {
                Type::Sum(constrs.iter().map(|(name, args)| (*name, args.iter().map(&mut *f).collect())).collect())
            }
            Type::Array(dim, elem) => Type::array(dim.clone(), f(elem)),
            Type::Fun(fun) => {
                let param = f(&fun.param);
                fun.between(param, f(&fun.ret.ty))
            }
            Type::Abstract(id, args) => {
                let arg = |arg: &TypeArg| arg.as_type().map_or_else(|| arg.clone(), |ty| TypeArg::Type(f(ty)));
                Type::Abstract(*id, args.iter().map(arg).collect())
            }
        }
    }

    /// Calls `f` on each pair of components of two types with the same head, until it fails. Types with other heads have
    /// no pairs.
    pub fn zip_children<'a, E>(
        &'a self,
        other: &'a Type,
        f: &mut dyn FnMut(&'a Type, &'a Type) -> Result<(), E>,
    ) -> Result<(), E> {
        match (self, other) {
            (Type::Record(xs), Type::Record(ys)) => xs.iter().zip(ys.iter()).try_for_each(|(x, y)| f(&x.1, &y.1)),
            (Type::Sum(xs), Type::Sum(ys)) => {
                let mut args = xs.iter().zip(ys.iter()).flat_map(|(x, y)| x.1.iter().zip(&y.1));
                args.try_for_each(|(x, y)| f(x, y))
            }
            (Type::Array(_, x), Type::Array(_, y)) => f(x, y),
            (Type::Fun(x), Type::Fun(y)) => {
                f(&x.param, &y.param)?;
                f(&x.ret.ty, &y.ret.ty)
            }
            (Type::Abstract(x, xs), Type::Abstract(y, ys)) if x == y => {
                let types = |args: &'a [TypeArg]| args.iter().filter_map(TypeArg::as_type);
                types(xs).zip(types(ys)).try_for_each(|(x, y)| f(x, y))
            }
            _ => Ok(()),
        }
    }
}

impl FunType {
    /// The function type with another parameter and result type; names and uniqueness stay.
    pub fn between(&self, param: Type, ret: Type) -> Type {
        let ret = Ret { exts: self.ret.exts.clone(), ty: ret, unique: self.ret.unique.clone() };
        self.with(param, ret)
    }

    /// The function type with another parameter and result.
    pub fn with(&self, param: Type, ret: Ret) -> Type {
        Type::Fun(Arc::new(FunType { name: self.name, param, diet: self.diet.clone(), ret }))
    }
}

impl TypeArg {
    /// The type, if it is one.
    pub fn as_type(&self) -> Option<&Type> {
        match self {
            TypeArg::Type(ty) => Some(ty),
            TypeArg::Size(_) | TypeArg::Jagged(_) | TypeArg::Shape(_) => None,
        }
    }

    /// The dimensions it consists of; none for a type.
    pub fn dims(&self) -> Vec<Dim> {
        match self {
            TypeArg::Type(_) => Vec::new(),
            TypeArg::Size(size) => vec![Dim::Size(size.clone())],
            TypeArg::Jagged(dim) => vec![dim.clone()],
            TypeArg::Shape(dims) => dims.clone(),
        }
    }

    /// The argument with its dimensions replaced. `f` also gets whether the dimension lies inside another one, which of a
    /// shape's dimensions the caller says (`under`).
    pub fn map_dims(&self, under: bool, f: &mut dyn FnMut(&Dim, bool) -> Dim) -> TypeArg {
        match self {
            TypeArg::Type(_) => self.clone(),
            TypeArg::Size(size) => TypeArg::of_size(f(&Dim::Size(size.clone()), false)),
            TypeArg::Jagged(dim) => TypeArg::Jagged(f(dim, true)),
            TypeArg::Shape(dims) => TypeArg::Shape(dims.iter().map(|dim| f(dim, under)).collect()),
        }
    }

    /// The argument with each dimension replaced by any number of them, which only a shape can have.
    pub fn expand_dims(&self, f: &mut dyn FnMut(&Dim) -> Vec<Dim>) -> TypeArg {
        match self {
            TypeArg::Type(_) => self.clone(),
            TypeArg::Size(size) => TypeArg::of_size(one(f(&Dim::Size(size.clone())))),
            TypeArg::Jagged(dim) => TypeArg::Jagged(one(f(dim))),
            TypeArg::Shape(dims) => TypeArg::Shape(dims.iter().flat_map(f).collect()),
        }
    }

    /// A dimension as the argument for `[n]`.
    fn of_size(dim: Dim) -> TypeArg {
        match dim {
            Dim::Size(size) => TypeArg::Size(size),
            Dim::Jagged(_) | Dim::Shape(_) => TypeArg::Size(Size::Unknown),
        }
    }
}

fn one(dims: Vec<Dim>) -> Dim {
    match <[Dim; 1]>::try_from(dims) {
        Ok([dim]) => dim,
        Err(dims) => bug!("a size argument became {} dimensions", dims.len()),
    }
}
