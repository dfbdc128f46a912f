//! Sizes as data: an expression as a size, and the locals that a size mentions.

use crate::{Expr, ExprKind, LocalId, Size, Type};
use scalar::{Scalar, UnOp};
use std::sync::Arc;

/// An expression as a size, with constants and plain variables recognised.
pub fn from_expr(expr: &Expr) -> Size {
    match &*expr.kind {
        ExprKind::Scalar(scalar @ Scalar::I64(_)) => Size::Const(scalar.to_i64()),
        ExprKind::Unary { op: UnOp::Neg, arg, .. } => match from_expr(arg) {
            Size::Const(n) => Size::Const(n.wrapping_neg()),
            _ => Size::Expr(Arc::new(expr.clone())),
        },
        ExprKind::Local(local, args) if args.is_empty() => Size::Local(*local),
        ExprKind::Ascribe(inner, _) | ExprKind::Assert { body: inner, .. } => from_expr(inner),
        _ => Size::Expr(Arc::new(expr.clone())),
    }
}

/// The locals that a size mentions.
pub fn locals(size: &Size, out: &mut Vec<LocalId>) {
    match size {
        Size::Const(_) | Size::Meta(_) | Size::Unknown => {}
        Size::Local(local) => out.push(*local),
        Size::Expr(expr) => expr_locals(expr, out),
    }
}

fn expr_locals(expr: &Expr, out: &mut Vec<LocalId>) {
    if let ExprKind::Local(local, _) = &*expr.kind {
        out.push(*local);
    }
    expr.for_each_child(&mut |child| expr_locals(child, out));
}

/// The locals that a size mentions as numbers.
pub fn scalar_locals(size: &Size, out: &mut Vec<LocalId>) {
    match size {
        Size::Const(_) | Size::Meta(_) | Size::Unknown => {}
        Size::Local(local) => out.push(*local),
        Size::Expr(expr) => typed_locals(expr, &mut |local, array| out.extend((!array).then_some(local))),
    }
}

/// The locals that a size mentions as arrays of numbers.
pub fn array_locals(size: &Size, out: &mut Vec<LocalId>) {
    if let Size::Expr(expr) = size {
        typed_locals(expr, &mut |local, array| out.extend(array.then_some(local)));
    }
}

fn typed_locals(expr: &Expr, f: &mut dyn FnMut(LocalId, bool)) {
    if let ExprKind::Local(local, _) = &*expr.kind {
        f(*local, matches!(expr.ty, Type::Array(..)));
    }
    expr.for_each_child(&mut |child| typed_locals(child, f));
}

/// Whether a size mentions one of these locals.
pub fn mentions_any(size: &Size, wanted: &[LocalId]) -> bool {
    let mut found = Vec::new();
    locals(size, &mut found);
    found.iter().any(|l| wanted.contains(l))
}
