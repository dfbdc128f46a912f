//! Generators of comprehensions, clauses and loops: `x in xs`, `lo <= i < hi step s`.

use super::deferred::Deferred;
use crate::Checker;
use crate::metas::array_of;
use base::Span;
use syntax::ast;
use typed::{Expr, ExprKind, Generator, LocalId, Qual, Type};

/// A generator whose bounds or array are typed, but whose names are not in scope yet.
pub(super) enum GeneratorSource<'g> {
    In(&'g ast::Pat, Expr),
    Range { lo: Option<Expr>, var: ast::Ident, hi: Expr, step: Option<Expr>, span: Span },
}

impl Checker<'_> {
    /// The array of all values of a range, in order: a loop runs over it.
    pub(super) fn range_array(&mut self, source: GeneratorSource<'_>, span: Span) -> (Expr, Type) {
        self.scoped(|checker| {
            let generator = checker.generator(source, &mut super::pattern::Bound::default());
            let Generator::Range { var, .. } = generator else {
                return (Expr::new(ExprKind::Error, Type::Error, span), Type::Error);
            };
            let elem = checker.local_type(var);
            let body = Expr::new(ExprKind::Local(var, Vec::new()), elem.clone(), span);
            let quals = vec![Qual::For(vec![generator], span)];
            (Expr::new(ExprKind::Comprehension { body, quals }, array_of(elem.clone()), span), elem)
        })
    }

    /// The type of a local that has just been bound.
    pub(super) fn local_type(&self, local: LocalId) -> Type {
        self.locals.iter().rev().find(|l| l.id == local).map_or(Type::Error, |l| l.ty.clone())
    }

    pub(super) fn generator_source<'g>(&mut self, generator: &'g ast::Generator) -> GeneratorSource<'g> {
        self.structure(|checker| match &generator.kind {
            ast::GeneratorKind::In(pat, array) => GeneratorSource::In(pat, checker.expr(array)),
            ast::GeneratorKind::Range { lo, var, hi, step } => GeneratorSource::Range {
                lo: lo.as_ref().map(|e| checker.expr(e)),
                var: *var,
                hi: checker.expr(hi),
                step: step.as_ref().map(|e| checker.expr(e)),
                span: generator.span,
            },
        })
    }

    pub(super) fn generator(&mut self, source: GeneratorSource<'_>, bound: &mut super::pattern::Bound) -> Generator {
        match source {
            GeneratorSource::In(pat, array) => {
                let elem = self.elem_of_or_report(&array, crate::errors::IN_ARRAY);
                Generator::In(self.pattern_into(pat, &elem, bound), array)
            }
            GeneratorSource::Range { lo, var, hi, step, span } => {
                let ty = self.metas.fresh(var.span);
                let parts = [Some(&hi), lo.as_ref(), step.as_ref()];
                let bounds = parts.into_iter().flatten().map(|e| (e.ty.clone(), e.span)).collect();
                self.ask(Deferred::Bounds { var: ty.clone(), bounds });
                if let Some(earlier) = bound.insert(var.name, var.span) {
                    self.bound_twice(var, earlier);
                }
                let local = self.bind_local(var, ty);
                let length = [Some(&hi), lo.as_ref(), step.as_ref()]
                    .into_iter()
                    .flatten()
                    .filter(|e| !self.metas.is_scalar(&e.ty))
                    .map(|e| self.length_of(e))
                    .find(|l| self.known_length(l).is_some());
                if let Some(length) = length {
                    self.lengths.insert(local, length);
                }
                Generator::Range { lo, var: local, hi, step, vector: false, span }
            }
        }
    }
}
