//! Sizes as data: an expression as a size, the locals a size mentions, and replacing them.

use crate::{Expr, ExprKind, LocalId, Size, Type, walk};
use base::Map;
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

/// The locals in the types of the arrays that an expression mentions.
fn row_counts(expr: &Expr, out: &mut Vec<LocalId>) {
    if let (ExprKind::Local(..), Type::Array(..)) = (&*expr.kind, &expr.ty) {
        out.extend(walk::free_locals(&expr.ty));
    }
    expr.for_each_child(&mut |child| row_counts(child, out));
}

/// Whether a size mentions one of these locals.
pub fn mentions_any(size: &Size, wanted: &[LocalId]) -> bool {
    let mut found = Vec::new();
    locals(size, &mut found);
    found.iter().any(|l| wanted.contains(l))
}

/// The size with sizes put in the place of locals.
pub fn substitute(size: &Size, value: &mut dyn FnMut(LocalId) -> Option<Size>) -> Size {
    match size {
        Size::Const(_) | Size::Meta(_) | Size::Unknown => size.clone(),
        Size::Local(local) => value(*local).unwrap_or_else(|| size.clone()),
        Size::Expr(expr) => {
            let mut locals = Vec::new();
            expr_locals(expr, &mut locals);
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
            if replace_locals(&mut expr, &known) { from_expr(&expr) } else { Size::Unknown }
        }
    }
}

/// False if a number would stand in the place of an array.
fn replace_locals(expr: &mut Expr, known: &Map<LocalId, Size>) -> bool {
    if let ExprKind::Local(local, _) = &*expr.kind {
        let array = matches!(expr.ty, Type::Array(..));
        if array {
            // The type says how many rows there are.
            expr.ty = walk::substitute(&expr.ty, &mut |l| known.get(&l).cloned());
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
