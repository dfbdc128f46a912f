//! Replacing type parameters, sizes and shapes in types.

use crate::walk::wrap;
use crate::{Dim, LocalId, Shape, Size, Type, TypeArg, TypeParam, TypeVarId};
use base::Map;

/// What parameters stand for.
#[derive(Default, Debug)]
pub struct Subst {
    /// Types for `'a`.
    pub types: Map<TypeVarId, Type>,
    /// Sizes for `[n]`.
    pub sizes: Map<LocalId, Size>,
    /// Dimensions for `[..s]`.
    pub shapes: Map<LocalId, Vec<Dim>>,
    /// A dimension for `[~k]`.
    pub jagged: Map<LocalId, Dim>,
    /// Whether sizes that are expressions become unknown.
    pub forget_expressions: bool,
}

impl Subst {
    /// What these parameters stand for when given these arguments.
    pub fn of(params: &[TypeParam], args: &[TypeArg]) -> Subst {
        let mut subst = Subst::default();
        for (param, arg) in params.iter().zip(args) {
            match (param, arg) {
                (TypeParam::Type(v), TypeArg::Type(t)) => drop(subst.types.insert(*v, t.clone())),
                (TypeParam::Size(n), TypeArg::Size(s)) => drop(subst.sizes.insert(*n, s.clone())),
                (TypeParam::Jagged(k), TypeArg::Jagged(d)) => drop(subst.jagged.insert(*k, d.clone())),
                (TypeParam::Shape(s), TypeArg::Shape(dims)) => drop(subst.shapes.insert(*s, dims.clone())),
                (TypeParam::Type(_) | TypeParam::Size(_) | TypeParam::Jagged(_) | TypeParam::Shape(_), _) => {}
            }
        }
        subst
    }

    /// The type with parameters replaced.
    pub fn apply(&self, ty: &Type) -> Type {
        match ty {
            ty if ty.is_plain() => ty.clone(),
            Type::Var(v) => self.types.get(v).cloned().unwrap_or_else(|| ty.clone()),
            Type::Abstract(id, args) => Type::Abstract(*id, args.iter().map(|a| self.arg(a)).collect()),
            Type::Array(dim, elem) => wrap(self.dim(dim), self.apply(elem)),
            _ => ty.map_children(&mut |t| self.apply(t)),
        }
    }

    fn dim(&self, dim: &Dim) -> Vec<Dim> {
        match dim {
            Dim::Size(size) => vec![Dim::Size(self.size(size))],
            Dim::Jagged(Some(k)) => vec![self.jagged.get(k).cloned().unwrap_or_else(|| dim.clone())],
            Dim::Shape(Shape::Local(s)) => self.shapes.get(s).cloned().unwrap_or_else(|| vec![dim.clone()]),
            Dim::Jagged(None) | Dim::Shape(Shape::Meta(_) | Shape::Unknown) => vec![dim.clone()],
        }
    }

    fn size(&self, size: &Size) -> Size {
        match size {
            Size::Local(n) => self.sizes.get(n).cloned().unwrap_or_else(|| size.clone()),
            Size::Expr(_) if self.forget_expressions => Size::Unknown,
            Size::Expr(expr) => Size::Expr(self.size_expr(expr).into()),
            Size::Const(_) | Size::Meta(_) | Size::Unknown => size.clone(),
        }
    }

    fn size_expr(&self, expr: &crate::Expr) -> crate::Expr {
        if let crate::ExprKind::Local(n, _) = &*expr.kind {
            return self.sizes.get(n).and_then(|s| crate::size_expr(s, expr.span)).unwrap_or_else(|| expr.clone());
        }
        let mut expr = expr.clone();
        expr.for_each_child_mut(&mut |child| *child = self.size_expr(child));
        expr
    }

    /// The argument with parameters replaced.
    pub fn arg(&self, arg: &TypeArg) -> TypeArg {
        match arg {
            TypeArg::Type(ty) => TypeArg::Type(self.apply(ty)),
            _ => arg.expand_dims(&mut |dim| self.dim(dim)),
        }
    }
}
