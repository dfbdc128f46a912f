//! Free variables of an expression, with the part of each that is used.

use super::expr::local_path;
use super::walk::Walk;
use base::{Set, Span};
use typed::{Expr, LocalId};

/// A use of a variable from outside.
pub(super) struct Mention {
    pub local: LocalId,
    pub path: Vec<u16>,
    pub span: Span,
}

impl Walk<'_> {
    /// The locals now in scope that an expression uses; the first use of each part.
    pub fn free_mentions(&self, expr: &Expr) -> Vec<Mention> {
        let mut out = Vec::new();
        let mut seen = Set::default();
        self.mentions_into(expr, &mut seen, &mut out);
        out
    }

    fn mentions_into(&self, expr: &Expr, seen: &mut Set<(LocalId, Vec<u16>)>, out: &mut Vec<Mention>) {
        if let Some((local, path)) = local_path(expr) {
            if self.entry(local).is_some() && seen.insert((local, path.clone())) {
                out.push(Mention { local, path, span: expr.span });
            }
            return;
        }
        expr.for_each_child(&mut |child| self.mentions_into(child, seen, out));
    }
}

/// Whether an expression uses one of these definitions.
pub(super) fn uses_any(expr: &Expr, defs: &[typed::DefId]) -> bool {
    if let typed::ExprKind::Global(def, _) = &*expr.kind {
        return defs.contains(def);
    }
    let mut found = false;
    expr.for_each_child(&mut |child| found = found || uses_any(child, defs));
    found
}
