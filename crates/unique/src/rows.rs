//! Rows that are taken out of an array, updated, and put back.
//!
//! ```text
//! let row = a[i]
//! let row' = row with [j] = v      -- writes into row i of a: a as a whole may not be used now ...
//! in a with [i] = row'             -- ... except to replace that very row
//! ```
//! Consuming `a[i]` consumes all of `a` but remembers the row. `a with [i] = ...` with the same index is then still
//! allowed: whatever was left in row `i` is overwritten before anybody looks. The index must be the same by its text
//! (values never change), and nothing else may have consumed `a`.

use super::alias::{Aliases, Shares};
use super::expr::local_path;
use super::walk::{How, Row, Walk};
use base::Span;
use std::cell::Cell;
use std::rc::Rc;
use typed::{Expr, ExprKind, Index, Step};

impl<'a> Walk<'a> {
    /// The row of a local array that an expression names.
    pub fn row_of(&self, expr: &'a Expr) -> Option<Rc<Row<'a>>> {
        if !self.precise {
            return None;
        }
        match &*expr.kind {
            ExprKind::Ascribe(inner, _) => self.row_of(inner),
            ExprKind::Local(local, _) => self.entry(*local)?.row.clone(),
            ExprKind::Index(array, indices) => {
                let ExprKind::Local(base, _) = &*array.kind else { return None };
                let whole = indices.iter().all(|i| matches!(i, Index::At(_) | Index::Vector(_)));
                whole.then(|| Rc::new(Row { base: *base, indices, kept: Cell::new(false) }))
            }
            _ => None,
        }
    }

    /// `source with [i] = value` where row `i` of `source` was consumed and nothing else of it: what the result shares.
    pub fn put_back(
        &mut self,
        source: &'a Expr,
        path: &'a [Step],
        new: &Shares,
        value: &'a Expr,
        span: Span,
    ) -> Option<Shares> {
        let (true, [Step::Index(indices)]) = (self.precise, path) else { return None };
        let ExprKind::Local(base, _) = &*source.kind else { return None };
        let shares = self.entry(*base)?.shares.clone();
        let aliases = shares.all();
        let mut rows = 0;
        for alias in &aliases {
            for gone in self.consumptions(alias) {
                let row = gone.row.as_ref()?;
                if row.base != *base || row.kept.get() || !same_indices(row.indices, indices) {
                    return None;
                }
                rows += 1;
            }
        }
        if rows == 0 {
            return None;
        }
        let left: Aliases = aliases.iter().filter(|a| self.consumption(a).is_none()).cloned().collect();
        self.overlap(&aliases, new, source.span, value.span);
        self.consume(&left, span, How::With, None);
        self.mark_all(&aliases, span, How::With, None);
        Some(Shares::fresh(&source.ty))
    }
}

fn same_indices(a: &[Index], b: &[Index]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| match (a, b) {
            (Index::At(a), Index::At(b)) | (Index::Vector(a), Index::Vector(b)) => same_value(a, b),
            _ => false,
        })
}

/// Whether two expressions have the same value because they say the same.
fn same_value(a: &Expr, b: &Expr) -> bool {
    match (&*a.kind, &*b.kind) {
        (ExprKind::Ascribe(a, _), _) => same_value(a, b),
        (_, ExprKind::Ascribe(b, _)) => same_value(a, b),
        (ExprKind::Scalar(a), ExprKind::Scalar(b)) => a == b,
        (ExprKind::Local(..) | ExprKind::Project(..), ExprKind::Local(..) | ExprKind::Project(..)) => {
            local_path(a).is_some() && local_path(a) == local_path(b)
        }
        (
            ExprKind::Binary { op: f, lhs: a, rhs: c, lifted: false },
            ExprKind::Binary { op: g, lhs: b, rhs: d, lifted: false },
        ) => f == g && same_value(a, b) && same_value(c, d),
        (ExprKind::Unary { op: f, arg: a, lifted: false }, ExprKind::Unary { op: g, arg: b, lifted: false }) => {
            f == g && same_value(a, b)
        }
        _ => false,
    }
}
