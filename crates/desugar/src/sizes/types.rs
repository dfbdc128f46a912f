//! What types of the source program say: which constructors, sizes and functions their values have, which names they and
//! expressions mention.

use base::Set;
use typed::walk::{self, Place};
use typed::{Dim, Expr, ExprKind, LocalId, Shape, Size, Type, TypeArg};

/// Whether something holds for a type or any type in it, but for functions and what abstract types stand for.
fn any_type(ty: &Type, holds: &dyn Fn(&Type) -> bool) -> bool {
    let is_closed = matches!(ty, Type::Abstract(..) | Type::Fun(_));
    holds(ty) || !is_closed && ty.any_child(&mut |child| any_type(child, holds))
}

/// Whether there are sums in a type.
pub(crate) fn has_sum(ty: &Type) -> bool {
    any_type(ty, &|ty| matches!(ty, Type::Sum(_) | Type::Abstract(..)))
}

/// Whether a size in a type is an expression. Sums are looked into only on request.
pub(crate) fn has_expression(ty: &Type, in_sums: bool) -> bool {
    match ty {
        Type::Array(Dim::Size(Size::Expr(_)), _) => true,
        Type::Abstract(..) | Type::Fun(_) => false,
        Type::Sum(_) if !in_sums => false,
        _ => ty.any_child(&mut |child| has_expression(child, in_sums)),
    }
}

/// The dimensions of an array type, from the outside to what is no array.
pub(crate) fn typed_dims(ty: &Type) -> Vec<&typed::Dim> {
    let mut dims = Vec::new();
    let mut ty = ty;
    while let Type::Array(dim, elem) = ty {
        dims.push(dim);
        ty = elem;
    }
    dims
}

/// What is below all dimensions.
pub(crate) fn elem_type(ty: &Type) -> &Type {
    let mut ty = ty;
    while let Type::Array(_, elem) = ty {
        ty = elem;
    }
    ty
}

/// Every local that occurs in an expression, those bound inside included; sizes in type arguments too.
pub(crate) fn mentioned(expr: &Expr) -> Set<LocalId> {
    let mut out = Set::default();
    collect(expr, &mut out);
    out
}

/// The same of a function, the types of its parameters and its result included.
pub(crate) fn in_lambda(lambda: &typed::Lambda) -> Set<LocalId> {
    let mut out = mentioned(&lambda.body);
    in_signature(lambda, &mut out);
    out
}

fn in_signature(lambda: &typed::Lambda, out: &mut Set<LocalId>) {
    lambda.params.iter().for_each(|param| in_type(&param.pat.ty, out));
    in_type(&lambda.ret.ty, out);
}

fn collect(expr: &Expr, out: &mut Set<LocalId>) {
    in_type(&expr.ty, out);
    match &*expr.kind {
        ExprKind::Local(local, args) => {
            out.insert(*local);
            args.iter().for_each(|a| in_arg(a, out));
        }
        ExprKind::Global(_, args) => args.iter().for_each(|a| in_arg(a, out)),
        ExprKind::Lambda(lambda) => in_signature(lambda, out),
        ExprKind::LetFun { fun, .. } => in_signature(fun, out),
        ExprKind::Let { pat, .. } | ExprKind::Loop { pat, .. } => pat.for_each(&mut |p| in_type(&p.ty, out)),
        ExprKind::Ascribe(_, ty) | ExprKind::Coerce(_, ty) | ExprKind::Blank(ty) => in_type(ty, out),
        _ => {}
    }
    expr.for_each_child(&mut |child| collect(child, out));
}

fn in_type(ty: &Type, out: &mut Set<LocalId>) {
    walk::for_each_dim(ty, &mut |dim, place, _| {
        if place == Place::Here {
            in_dim(dim, out);
        }
    });
}

fn in_dim(dim: &Dim, out: &mut Set<LocalId>) {
    match dim {
        Dim::Size(Size::Local(local)) | Dim::Jagged(Some(local)) | Dim::Shape(Shape::Local(local)) => {
            out.insert(*local);
        }
        Dim::Size(Size::Expr(expr)) => collect(expr, out),
        Dim::Size(Size::Const(_) | Size::Meta(_) | Size::Unknown) => {}
        Dim::Jagged(None) | Dim::Shape(Shape::Meta(_) | Shape::Unknown) => {}
    }
}

/// Every local that type arguments mention.
pub(crate) fn in_args(args: &[TypeArg]) -> Set<LocalId> {
    let mut out = Set::default();
    args.iter().for_each(|arg| in_arg(arg, &mut out));
    out
}

fn in_arg(arg: &TypeArg, out: &mut Set<LocalId>) {
    arg.dims().iter().for_each(|dim| in_dim(dim, out));
    arg.as_type().into_iter().for_each(|ty| in_type(ty, out));
}
