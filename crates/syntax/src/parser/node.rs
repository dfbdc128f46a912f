//! Nodes of the tree.

use crate::ast::{Expr, ExprKind};
use base::Span;

/// Puts a node together.
pub(super) fn node(span: Span, kind: ExprKind) -> Expr {
    Expr { span, kind: Box::new(kind) }
}
