//! Do the patterns cover everything? A `match` must, and a pattern of `let`, a parameter or a loop by itself.

mod matrix;

use crate::Checker;
use base::Span;
use matrix::uncovered;
use typed::{Body, Clause, DefId, Expr, ExprKind, Generator, LoopForm, Param, Pat, Qual};

impl Checker<'_> {
    /// Reports every pattern of a definition that lets something through.
    pub(crate) fn check_coverage(&mut self, def: DefId) {
        let mut gaps = Vec::new();
        let found = &self.program.defs[def];
        let mut search = Search { gaps: &mut gaps };
        search.params(&found.params);
        if let Body::Expr(body) = &found.body {
            search.expr(body);
        }
        for gap in gaps {
            match gap {
                Gap::Match(span, example) => self.unmatched_cases(span, &example),
                Gap::Refutable(span, example) => self.refutable_pattern(span, &example),
            }
        }
    }
}

enum Gap {
    Match(Span, String),
    Refutable(Span, String),
}

struct Search<'p> {
    gaps: &'p mut Vec<Gap>,
}

impl Search<'_> {
    fn params(&mut self, params: &[Param]) {
        params.iter().for_each(|p| self.irrefutable(&p.pat));
    }

    fn irrefutable(&mut self, pat: &Pat) {
        if let Some(example) = uncovered(&[pat], &pat.ty) {
            self.gaps.push(Gap::Refutable(pat.span, example));
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &*expr.kind {
            ExprKind::Match { value, cases } => {
                let pats: Vec<&Pat> = cases.iter().map(|c| &c.0).collect();
                if let Some(example) = uncovered(&pats, &value.ty) {
                    self.gaps.push(Gap::Match(expr.span, example));
                }
            }
            ExprKind::Let { pat, .. } => self.irrefutable(pat),
            ExprKind::Lambda(fun) => self.params(&fun.params),
            ExprKind::LetFun { fun, .. } => self.params(&fun.params),
            ExprKind::Loop { pat, form, .. } => {
                self.irrefutable(pat);
                if let LoopForm::ForIn(pat, _) = &**form {
                    self.irrefutable(pat);
                }
            }
            ExprKind::Comprehension { quals, .. } => self.quals(quals),
            ExprKind::ArrayBy { clauses, .. } | ExprKind::Update { clauses, .. } | ExprKind::Accum { clauses, .. } => {
                self.clauses(clauses);
            }
            _ => {}
        }
        expr.for_each_child(&mut |child| self.expr(child));
    }

    fn clauses(&mut self, clauses: &[Clause]) {
        for clause in clauses {
            match clause {
                Clause::Element { quals, .. } => self.quals(quals),
                Clause::Group { quals, clauses, .. } => {
                    self.quals(quals);
                    self.clauses(clauses);
                }
            }
        }
    }

    fn quals(&mut self, quals: &[Qual]) {
        for qual in quals {
            match qual {
                Qual::For(generators, _) => generators.iter().for_each(|g| match g {
                    Generator::In(pat, _) => self.irrefutable(pat),
                    Generator::Range { .. } => {}
                }),
                Qual::Let(pat, _) => self.irrefutable(pat),
                Qual::If(_) => {}
            }
        }
    }
}
