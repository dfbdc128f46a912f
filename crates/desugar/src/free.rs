//! Which locals an expression mentions.

use base::Set;
use typed::{Dim, Expr, ExprKind, LocalId, Shape, Size, Type, TypeArg};

/// Every local that occurs in an expression, those bound inside included; sizes in type arguments too.
pub(crate) fn mentioned(expr: &Expr) -> Set<LocalId> {
    let mut out = Set::default();
    collect(expr, &mut out);
    out
}

/// The same of a function, the types of its parameters and its result included.
pub(crate) fn in_lambda(lambda: &typed::Lambda) -> Set<LocalId> {
    let mut out = mentioned(&lambda.body);
    lambda.params.iter().for_each(|param| in_type(&param.pat.ty, &mut out));
    in_type(&lambda.ret.ty, &mut out);
    out
}

fn collect(expr: &Expr, out: &mut Set<LocalId>) {
    in_type(&expr.ty, out);
    match &*expr.kind {
        ExprKind::Local(local, args) => {
            out.insert(*local);
            args.iter().for_each(|a| in_arg(a, out));
        }
        ExprKind::Global(_, args) => args.iter().for_each(|a| in_arg(a, out)),
        ExprKind::Lambda(lambda) => {
            lambda.params.iter().for_each(|p| in_type(&p.pat.ty, out));
            in_type(&lambda.ret.ty, out);
        }
        ExprKind::LetFun { fun, .. } => {
            fun.params.iter().for_each(|p| in_type(&p.pat.ty, out));
            in_type(&fun.ret.ty, out);
        }
        ExprKind::Let { pat, .. } | ExprKind::Loop { pat, .. } => pat.for_each(&mut |p| in_type(&p.ty, out)),
        ExprKind::Ascribe(_, ty) | ExprKind::Coerce(_, ty) => in_type(ty, out),
        _ => {}
    }
    expr.for_each_child(&mut |child| collect(child, out));
}

fn in_type(ty: &Type, out: &mut Set<LocalId>) {
    match ty {
        Type::Array(dim, elem) => {
            in_dim(dim, out);
            in_type(elem, out);
        }
        Type::Abstract(_, args) => args.iter().for_each(|a| in_arg(a, out)),
        Type::Fun(_) => {}
        _ => ty.for_each_child(&mut |t| in_type(t, out)),
    }
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

pub(crate) fn in_arg(arg: &TypeArg, out: &mut Set<LocalId>) {
    match arg {
        TypeArg::Size(size) => in_dim(&Dim::Size(size.clone()), out),
        TypeArg::Type(ty) => in_type(ty, out),
        TypeArg::Jagged(dim) => in_dim(dim, out),
        TypeArg::Shape(dims) => dims.iter().for_each(|d| in_dim(d, out)),
    }
}
