//! Replacing type parameters, sizes and shapes in types.

use crate::walk::wrap;
use crate::{Dim, Expr, ExprKind, LocalId, Shape, Size, Type, TypeArg, TypeParam, TypeVarId, size, walk};
use base::Map;

/// What parameters are replaced by.
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
    /// Replaces these parameters by these arguments.
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

/// The type with sizes put in the place of locals. In `[~k]`, a local becomes another local or a regular size.
pub fn in_type(ty: &Type, value: &mut dyn FnMut(LocalId) -> Option<Size>) -> Type {
    walk::map_dims(ty, false, &mut |dim, _| substitute_dim(dim, value))
}

fn substitute_dim(dim: &Dim, value: &mut dyn FnMut(LocalId) -> Option<Size>) -> Dim {
    match dim {
        Dim::Size(size) => Dim::Size(in_size(size, value)),
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

/// The size with sizes put in the place of locals.
pub fn in_size(size: &Size, value: &mut dyn FnMut(LocalId) -> Option<Size>) -> Size {
    match size {
        Size::Const(_) | Size::Meta(_) | Size::Unknown => size.clone(),
        Size::Local(local) => value(*local).unwrap_or_else(|| size.clone()),
        Size::Expr(expr) => {
            let mut locals = Vec::new();
            size::locals(size, &mut locals);
            row_counts(expr, &mut locals);
            let mut known: Map<LocalId, Size> = Map::default();
            for local in locals {
                if let Some(size) = value(local) {
                    known.insert(local, size);
                }
            }
            if known.is_empty() {
                return size.clone();
            }
            let mut expr = (**expr).clone();
            if known.values().any(|s| matches!(s, Size::Unknown | Size::Meta(_))) {
                return Size::Unknown;
            }
            if replace_locals(&mut expr, &known) { size::from_expr(&expr) } else { Size::Unknown }
        }
    }
}

/// False if a number would replace an array.
fn replace_locals(expr: &mut Expr, known: &Map<LocalId, Size>) -> bool {
    if let ExprKind::Local(local, _) = &*expr.kind {
        let array = matches!(expr.ty, Type::Array(..));
        if array {
            // The type says how many rows there are.
            expr.ty = in_type(&expr.ty, &mut |l| known.get(&l).cloned());
        }
        let Some(replaced) = known.get(local).and_then(|s| crate::size_expr(s, expr.span)) else { return true };
        let fits = !array || matches!(&*replaced.kind, ExprKind::Local(..)) || matches!(replaced.ty, Type::Array(..));
        let ty = if array { expr.ty.clone() } else { replaced.ty.clone() };
        *expr = Expr { ty, ..replaced };
        return fits;
    }
    let mut done = true;
    expr.for_each_child_mut(&mut |child| done &= replace_locals(child, known));
    done
}

/// The locals in the types of the arrays that an expression mentions.
fn row_counts(expr: &Expr, out: &mut Vec<LocalId>) {
    if let (ExprKind::Local(..), Type::Array(..)) = (&*expr.kind, &expr.ty) {
        out.extend(walk::free_locals(&expr.ty));
    }
    expr.for_each_child(&mut |child| row_counts(child, out));
}
