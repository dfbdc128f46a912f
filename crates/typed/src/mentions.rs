//! Which locals expressions, types and type arguments mention, in the types and sizes that they carry too: whoever evaluates
//! them elsewhere needs the values of all of these.

use crate::walk::{self, Place};
use crate::{Dim, Expr, ExprKind, Lambda, LocalId, Shape, Size, Type, TypeArg};
use base::Set;

/// Every local that occurs in an expression, those bound inside included; sizes in type arguments too.
pub fn mentioned(expr: &Expr) -> Set<LocalId> {
    let mut out = Set::default();
    collect(expr, &mut out);
    out
}

/// The same of a function, the types of its parameters and its result included.
pub fn in_lambda(lambda: &Lambda) -> Set<LocalId> {
    let mut out = mentioned(&lambda.body);
    in_signature(lambda, &mut out);
    out
}

fn in_signature(lambda: &Lambda, out: &mut Set<LocalId>) {
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
pub fn in_args(args: &[TypeArg]) -> Set<LocalId> {
    let mut out = Set::default();
    args.iter().for_each(|arg| in_arg(arg, &mut out));
    out
}

fn in_arg(arg: &TypeArg, out: &mut Set<LocalId>) {
    arg.dims().iter().for_each(|dim| in_dim(dim, out));
    arg.as_type().into_iter().for_each(|ty| in_type(ty, out));
}
