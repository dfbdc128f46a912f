//! The common type of branches, and of the rows of a literal.

use super::canon;
use super::cx::Cx;
use super::unify::Mode;
use base::Span;
use std::convert::Infallible;
use std::sync::Arc;
use typed::{Dim, LocalId, Shape, Size, Type, walk};

/// The rows of a literal or of branches that differ.
const WHAT_ROWS: &str = "row lengths that differ";

impl Cx<'_> {
    /// The type of `if`: where the branches differ in a size, a new unknown one.
    pub(super) fn join(&mut self, a: &Type, b: &Type, span: Span) -> (Type, Vec<LocalId>) {
        let mut seen = Vec::new();
        let ty = self.merge(a, b, false, &mut seen, span);
        (ty, seen.into_iter().map(|s: (Dim, Dim, LocalId)| s.2).collect())
    }

    /// The common type of rows of an array literal: where they differ, the array is jagged.
    pub(super) fn join_rows(&mut self, a: &Type, b: &Type, exts: Vec<LocalId>, span: Span) -> (Type, Vec<LocalId>) {
        let mut seen: Vec<(Dim, Dim, LocalId)> = Vec::new();
        let ty = self.merge(a, b, true, &mut seen, span);
        let mut all = exts;
        all.extend(seen.into_iter().map(|s| s.2));
        let used = walk::free_locals(&self.norm(&ty));
        all.retain(|l| used.contains(l));
        (ty, all)
    }

    fn merge(&mut self, a: &Type, b: &Type, under: bool, seen: &mut Vec<(Dim, Dim, LocalId)>, span: Span) -> Type {
        if !walk::has_dims(a) {
            return a.clone();
        }
        self.unify(a, b, span, Mode::Common).ok();
        self.merge_types(&self.norm(a), &self.norm(b), under, seen, span)
    }

    fn merge_types(
        &mut self,
        a: &Type,
        b: &Type,
        under: bool,
        seen: &mut Vec<(Dim, Dim, LocalId)>,
        span: Span,
    ) -> Type {
        match (a, b) {
            (Type::Array(d, x), Type::Array(e, y)) => {
                let dim = self.merge_dims(d, e, under, seen, span);
                Type::Array(dim, Arc::new(self.merge_types(x, y, true, seen, span)))
            }
            (Type::Abstract(x, xs), Type::Abstract(y, ys)) if x == y => {
                let args = xs.iter().zip(ys.iter()).map(|(x, y)| match (x, y) {
                    (typed::TypeArg::Size(s), typed::TypeArg::Size(t)) => {
                        let (s, t) = (Dim::Size(s.clone()), Dim::Size(t.clone()));
                        match self.merge_dims(&s, &t, false, seen, span) {
                            Dim::Size(size) => typed::TypeArg::Size(size),
                            Dim::Jagged(_) | Dim::Shape(_) => typed::TypeArg::Size(Size::Unknown),
                        }
                    }
                    (typed::TypeArg::Type(s), typed::TypeArg::Type(t)) => {
                        typed::TypeArg::Type(self.merge_types(s, t, under, seen, span))
                    }
                    _ => x.clone(),
                });
                Type::Abstract(*x, args.collect())
            }
            (Type::Fun(_), _) => a.clone(),
            _ => {
                let mut merged = Vec::new();
                let Ok(()) = a.zip_children::<Infallible>(b, &mut |x, y| {
                    merged.push(self.merge_types(x, y, under, seen, span));
                    Ok(())
                });
                let mut merged = merged.into_iter();
                a.map_children(&mut |child| merged.next().unwrap_or_else(|| child.clone()))
            }
        }
    }

    fn merge_dims(&mut self, d: &Dim, e: &Dim, under: bool, seen: &mut Vec<(Dim, Dim, LocalId)>, span: Span) -> Dim {
        if self.same_dim(d, e) {
            return match d {
                Dim::Size(Size::Local(k)) if under && self.is_function(*k) => Dim::Jagged(Some(*k)),
                _ => d.clone(),
            };
        }
        let what = "a size that depends on which branch is taken";
        let known = seen.iter().find(|s| self.same_dim(&s.0, d) && self.same_dim(&s.1, e)).map(|s| s.2);
        if let (Dim::Shape(_), Dim::Shape(_)) = (d, e) {
            let s = known.unwrap_or_else(|| self.unknown("s", span, what));
            seen.push((d.clone(), e.clone(), s));
            return Dim::Shape(Shape::Local(s));
        }
        let rows = self.ravel && under;
        // Rows already known to differ in no describable way differ no less with one more.
        if let (true, Dim::Jagged(Some(k))) = (rows && known.is_none(), d)
            && self.vars.get(k).is_some_and(|v| v.what == WHAT_ROWS)
        {
            return d.clone();
        }
        let new = match known {
            Some(new) => new,
            None if rows => self.unknown_function(span, WHAT_ROWS),
            None => self.unknown("n", span, what),
        };
        if known.is_none() {
            seen.push((d.clone(), e.clone(), new));
        }
        if rows { Dim::Jagged(Some(new)) } else { Dim::Size(Size::Local(new)) }
    }

    pub(super) fn same_dim(&self, d: &Dim, e: &Dim) -> bool {
        match (d, e) {
            (Dim::Size(a), Dim::Size(b)) => canon::equal(a, b, &self.definitions),
            (Dim::Jagged(Some(a)), Dim::Jagged(Some(b))) => a == b,
            (Dim::Shape(a), Dim::Shape(b)) => a == b,
            _ => false,
        }
    }
}
