//! What a clause's value certainly reads of the recursive arrays.

use super::value::{Values, bind, subscript};
use affine::clauses::Subscript;
use base::Span;
use scalar::BinOp;
use typed::{Expr, ExprKind, LocalId, LoopForm};

/// A read that happens whenever the clause's value is computed.
pub(super) struct ReadAt {
    /// Which array of the group.
    pub array: usize,
    pub subscript: Subscript,
    pub span: Span,
}

/// The reads of `value` that no branch, loop or function can skip.
pub(super) fn certain_reads<'a>(values: &mut Values<'a>, value: &'a Expr, group: &[LocalId]) -> Vec<ReadAt> {
    let mut out = Vec::new();
    if !group.is_empty() {
        collect(values, value, group, &mut out);
    }
    out
}

fn collect<'a>(values: &mut Values<'a>, expr: &'a Expr, group: &[LocalId], out: &mut Vec<ReadAt>) {
    match &*expr.kind {
        ExprKind::Index(array, indices) => {
            if let ExprKind::Local(local, _) = &*array.kind
                && let Some(which) = group.iter().position(|g| g == local)
            {
                let subscript = subscript(values, indices);
                out.push(ReadAt { array: which, subscript, span: expr.span });
            }
            children(values, expr, group, out);
        }
        // Only the condition is certain.
        ExprKind::If { cond, .. } => collect(values, cond, group, out),
        ExprKind::Match { value, .. } => collect(values, value, group, out),
        ExprKind::Assert { cond, .. } => collect(values, cond, group, out),
        ExprKind::Binary { op: BinOp::LogAnd | BinOp::LogOr, lhs, rhs: _, lifted: false } => {
            collect(values, lhs, group, out);
        }
        ExprKind::Let { sizes: _, pat, value, body } => {
            collect(values, value, group, out);
            let known = values.of(value);
            bind(&mut values.vars, pat, known);
            collect(values, body, group, out);
        }
        ExprKind::LetFun { body, .. } => collect(values, body, group, out),
        ExprKind::Loop { sizes: _, pat: _, init, form, body: _ } => {
            collect(values, init, group, out);
            match &**form {
                LoopForm::For(_, e) | LoopForm::ForIn(_, e) => collect(values, e, group, out),
                LoopForm::While(_) => {}
            }
        }
        // What these compute may run any number of times, or never.
        ExprKind::Lambda(_)
        | ExprKind::LetRec { .. }
        | ExprKind::Comprehension { .. }
        | ExprKind::ArrayBy { .. }
        | ExprKind::Update { .. }
        | ExprKind::Accum { .. } => {}
        ExprKind::Scalar(_)
        | ExprKind::Bytes(_)
        | ExprKind::Hole
        | ExprKind::Local(..)
        | ExprKind::Global(..)
        | ExprKind::Operator(_)
        | ExprKind::Record(_)
        | ExprKind::Array(_)
        | ExprKind::Range { .. }
        | ExprKind::Project(..)
        | ExprKind::Apply(..)
        | ExprKind::Constr(..)
        | ExprKind::Binary { .. }
        | ExprKind::Unary { .. }
        | ExprKind::With { .. }
        | ExprKind::Ascribe(..)
        | ExprKind::Coerce(..)
        | ExprKind::Error => children(values, expr, group, out),
    }
}

fn children<'a>(values: &mut Values<'a>, expr: &'a Expr, group: &[LocalId], out: &mut Vec<ReadAt>) {
    let mut parts = Vec::new();
    expr.for_each_child(&mut |child| parts.push(child));
    parts.into_iter().for_each(|part| collect(values, part, group, out));
}
