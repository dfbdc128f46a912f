//! What abstract types stand for.

use crate::{AbstractId, Dim, LocalId, Program, Shape, Size, Type, TypeArg, TypeParam, TypeVarId};
use base::{Map, Name};
use std::sync::Arc;

impl Program {
    /// The type with an abstract type at its head replaced by what it stands for.
    pub fn concrete(&self, ty: &Type) -> Type {
        let mut ty = ty.clone();
        while let Type::Abstract(id, args) = &ty {
            ty = self.expand(*id, args);
        }
        ty
    }

    /// What an abstract type stands for.
    pub fn expand(&self, id: AbstractId, args: &[TypeArg]) -> Type {
        let definition = &self.abstracts[id];
        let mut subst = Subst::default();
        for (param, arg) in definition.params.iter().zip(args) {
            match (param, arg) {
                (TypeParam::Size(n), TypeArg::Size(size)) => {
                    subst.dims.insert(*n, vec![Dim::Size(size.clone())]);
                }
                (TypeParam::Jagged(n), TypeArg::Jagged(dim)) => {
                    subst.dims.insert(*n, vec![dim.clone()]);
                }
                (TypeParam::Shape(n), TypeArg::Shape(dims)) => {
                    subst.dims.insert(*n, dims.clone());
                }
                (TypeParam::Type(t), TypeArg::Type(ty)) => {
                    subst.types.insert(*t, ty.clone());
                }
                (_, _) => {}
            }
        }
        subst.apply(&definition.repr)
    }
}

/// What parameters stand for.
#[derive(Default)]
struct Subst {
    dims: Map<LocalId, Vec<Dim>>,
    types: Map<TypeVarId, Type>,
}

impl Subst {
    fn apply(&self, ty: &Type) -> Type {
        match ty {
            Type::Var(var) => self.types.get(var).cloned().unwrap_or_else(|| ty.clone()),
            Type::Record(fields) => Type::Record(fields.iter().map(|(n, t)| (*n, self.apply(t))).collect()),
            Type::Sum(cases) => {
                let case = |(n, ts): &(Name, Vec<Type>)| (*n, ts.iter().map(|t| self.apply(t)).collect());
                Type::Sum(cases.iter().map(case).collect())
            }
            Type::Array(dim, elem) => {
                let dims = self.dims_for(dim);
                dims.into_iter().rev().fold(self.apply(elem), |elem, dim| Type::Array(dim, Arc::new(elem)))
            }
            Type::Abstract(id, args) => Type::Abstract(*id, args.iter().map(|a| self.arg(a)).collect()),
            Type::Prim(_) | Type::Fun(_) | Type::Meta(_) | Type::Error => ty.clone(),
        }
    }

    fn arg(&self, arg: &TypeArg) -> TypeArg {
        match arg {
            TypeArg::Type(ty) => TypeArg::Type(self.apply(ty)),
            TypeArg::Size(size) => match self.dims_for(&Dim::Size(size.clone())).pop() {
                Some(Dim::Size(size)) => TypeArg::Size(size),
                Some(Dim::Jagged(_) | Dim::Shape(_)) | None => TypeArg::Size(Size::Unknown),
            },
            TypeArg::Jagged(dim) => TypeArg::Jagged(self.dims_for(dim).pop().unwrap_or(Dim::Jagged(None))),
            TypeArg::Shape(dims) => TypeArg::Shape(dims.iter().flat_map(|d| self.dims_for(d)).collect()),
        }
    }

    fn dims_for(&self, dim: &Dim) -> Vec<Dim> {
        let named = |local: &LocalId| self.dims.get(local).cloned();
        match dim {
            Dim::Size(Size::Local(n)) | Dim::Jagged(Some(n)) | Dim::Shape(Shape::Local(n)) => {
                named(n).unwrap_or_else(|| vec![dim.clone()])
            }
            // An expression over the parameters: the value shows what it is.
            Dim::Size(Size::Expr(_)) if !self.dims.is_empty() => vec![Dim::Size(Size::Unknown)],
            Dim::Size(_) | Dim::Jagged(None) | Dim::Shape(_) => vec![dim.clone()],
        }
    }
}
