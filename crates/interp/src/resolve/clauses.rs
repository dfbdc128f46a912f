//! Loops, comprehensions and arrays by clauses.

use super::Resolver;
use crate::code::*;
use base::Span;
use typed::{Clause, Expr, ExprKind, Generator, LocalId, Pat, Qual, RecArray};

impl Resolver<'_> {
    pub(super) fn loop_code(
        &mut self,
        sizes: &[LocalId],
        pat: &Pat,
        init: &Expr,
        form: &typed::LoopForm,
        body: &Expr,
        span: Span,
    ) -> Node {
        let init = self.expr(init);
        let sizes = self.declare_sizes(sizes, &pat.ty);
        let limit = match form {
            typed::LoopForm::For(_, e) | typed::LoopForm::ForIn(_, e) => Some(self.expr(e)),
            typed::LoopForm::While(_) => None,
        };
        let inner = self.pattern(pat);
        let inner = self.keeping(inner);
        let pat_code = self.sized(inner, &pat.ty, pat.span);
        let form = match (form, limit) {
            (typed::LoopForm::For(local, _), Some(limit)) => LoopForm::For(self.declare(*local), limit),
            (typed::LoopForm::ForIn(pat, _), Some(limit)) => LoopForm::ForIn(self.pattern(pat), limit),
            (typed::LoopForm::While(cond), _) => LoopForm::While(self.expr(cond)),
            (typed::LoopForm::For(..) | typed::LoopForm::ForIn(..), None) => return Node::Hole(span),
        };
        let body = self.expr(body);
        Node::Loop(Box::new(LoopCode { sizes, pat: pat_code, init, form, body, span }))
    }

    /// The pattern with slots in place of `_`: a `while` loop gives back what its pattern holds.
    fn keeping(&mut self, pat: PatCode) -> PatCode {
        match pat {
            PatCode::Wild => PatCode::Bind(self.scope().fresh()),
            PatCode::Record(fields) => PatCode::Record(fields.into_iter().map(|(i, p)| (i, self.keeping(p))).collect()),
            PatCode::Constr(name, args) => PatCode::Constr(name, args.into_iter().map(|p| self.keeping(p)).collect()),
            PatCode::Sized(inner, sizes, span) => PatCode::Sized(Box::new(self.keeping(*inner)), sizes, span),
            PatCode::Bind(_) | PatCode::Literal(_) => pat,
        }
    }

    pub(super) fn comprehension(&mut self, body: &Expr, quals: &[Qual], whole: &Expr) -> Node {
        let mut quals = self.quals(quals);
        let last = quals.iter_mut().rev().find(|q| !matches!(q, QualCode::Let(..)));
        if let Some(QualCode::For { fills, .. }) = last {
            *fills = Some(whole.span);
        }
        let body = self.expr(body);
        let ty = self.type_code(&whole.ty);
        Node::Comprehension(Box::new(ComprehensionCode { quals, body, ty, span: whole.span }))
    }

    fn quals(&mut self, quals: &[Qual]) -> Vec<QualCode> {
        quals.iter().map(|q| self.qual(q)).collect()
    }

    fn qual(&mut self, qual: &Qual) -> QualCode {
        match qual {
            Qual::For(generators, span) => {
                let generators = generators.iter().map(|g| self.generator(g)).collect();
                QualCode::For { generators, span: *span, fills: None }
            }
            Qual::Let(pat, value) => {
                let value = self.expr(value);
                QualCode::Let(self.pattern(pat), value)
            }
            Qual::If(cond) => QualCode::If(self.expr(cond)),
        }
    }

    fn generator(&mut self, generator: &Generator) -> GenCode {
        match generator {
            Generator::In(pat, array) => {
                let array = self.expr(array);
                GenCode::In(self.pattern(pat), array)
            }
            Generator::Range { lo, var, hi, step, vector, span } => {
                let lo = lo.as_ref().map(|e| self.expr(e));
                let hi = self.expr(hi);
                let step = step.as_ref().map(|e| self.expr(e));
                GenCode::Range { lo, var: self.declare(*var), hi, step, vector: *vector, span: *span }
            }
        }
    }

    fn clauses(&mut self, clauses: &[Clause]) -> Vec<ClauseCode> {
        clauses.iter().map(|c| self.clause(c)).collect()
    }

    fn clause(&mut self, clause: &Clause) -> ClauseCode {
        let around = self.env.len();
        let first = self.scope().next;
        let code = match clause {
            Clause::Element { subscripts, value, quals, span } => {
                let code = self.quals(quals);
                let subscripts = self.indices(subscripts);
                self.capture(first, quals);
                let env = self.env.clone();
                let value = self.expr(value);
                ClauseCode::Element(Box::new(ElementCode { subscripts, value, quals: code, env, span: *span }))
            }
            Clause::Group { quals, clauses, span: _ } => {
                let code = self.quals(quals);
                self.capture(first, quals);
                ClauseCode::Group { quals: code, clauses: self.clauses(clauses) }
            }
        };
        self.env.truncate(around);
        code
    }

    /// Adds to the environment the slots since `first`, and those of names that had a slot before: clauses of two
    /// constructs may bind the same names.
    fn capture(&mut self, first: Slot, quals: &[Qual]) {
        for local in quals.iter().flat_map(bound_by) {
            let slot = self.declare(local);
            if slot < first {
                self.env.push(slot);
            }
        }
        let next = self.scope().next;
        self.env.extend(first..next);
    }

    /// The clauses of one construct, with an environment of their own.
    fn all_clauses(&mut self, clauses: &[Clause]) -> Vec<ClauseCode> {
        let env = std::mem::take(&mut self.env);
        let code = self.clauses(clauses);
        self.env = env;
        code
    }

    /// The code of an [`ExprKind::ArrayBy`].
    pub(super) fn array_by(&mut self, expr: &Expr) -> Option<ArrayByCode> {
        let ExprKind::ArrayBy { shape, clauses, otherwise } = &*expr.kind else {
            return None;
        };
        let shape = self.expr(shape);
        let together = clauses.iter().any(Clause::advances_together);
        let clauses = self.all_clauses(clauses);
        let otherwise = otherwise.as_ref().map(|e| self.expr(e));
        Some(ArrayByCode { shape, clauses, otherwise, ty: self.type_code(&expr.ty), together, span: expr.span })
    }

    /// The code of an [`ExprKind::Update`].
    pub(super) fn update(&mut self, expr: &Expr) -> Option<UpdateCode> {
        let ExprKind::Update { array, clauses } = &*expr.kind else {
            return None;
        };
        let array = self.expr(array);
        Some(UpdateCode { array, clauses: self.all_clauses(clauses), span: expr.span })
    }

    pub(super) fn accum(&mut self, op: &Expr, neutral: &Expr, shape: &Expr, clauses: &[Clause], whole: &Expr) -> Node {
        let (op, neutral, shape) = (self.expr(op), self.expr(neutral), self.expr(shape));
        let clauses = self.all_clauses(clauses);
        let ty = self.type_code(&whole.ty);
        Node::Accum(Box::new(AccumCode { op, neutral, shape, clauses, ty, span: whole.span }))
    }

    pub(super) fn let_rec(&mut self, arrays: &[RecArray], body: &Expr) -> Node {
        arrays.iter().for_each(|array| {
            self.declare(array.name);
        });
        let mut codes = Vec::with_capacity(arrays.len());
        for array in arrays {
            let kind = match &*array.value.kind {
                ExprKind::ArrayBy { .. } => self.array_by(&array.value).map(RecKind::Array),
                _ => self.update(&array.value).map(RecKind::Update),
            };
            let Some(kind) = kind else {
                return Node::Hole(array.value.span);
            };
            codes.push(RecCode { slot: self.declare(array.name), name: self.program.locals[array.name].name, kind });
        }
        // Existential sizes of the arrays are bound once the arrays are computed.
        let body = arrays.iter().fold(self.expr(body), |body, array| self.after(array, body));
        Node::LetRec(Box::new(LetRecCode { arrays: codes, body }))
    }

    /// The body, with the sizes of a recursive array bound in front of it.
    fn after(&mut self, array: &RecArray, body: Node) -> Node {
        if array.value.exts.is_empty() {
            return body;
        }
        let slots: Vec<Slot> = array.value.exts.iter().map(|local| self.declare(*local)).collect();
        let read = Node::Read(Read { slot: self.declare(array.name), last: false }, array.value.span);
        let sizes = self.matcher(&array.value.ty);
        let span = array.value.span;
        let value = Node::Exts(Box::new(ExtsCode { value: read, slots, sizes, span }));
        Node::Let(Box::new(LetCode { sizes: Vec::new(), pat: PatCode::Wild, value, body }))
    }
}

/// The names that a qualifier binds.
fn bound_by(qual: &Qual) -> Vec<LocalId> {
    let of_pattern = |pat: &Pat| {
        let mut names = Vec::new();
        pat.for_each(&mut |p| {
            if let typed::PatKind::Bind(local) = p.kind {
                names.push(local);
            }
        });
        names
    };
    match qual {
        Qual::Let(pat, _) => of_pattern(pat),
        Qual::If(_) => Vec::new(),
        Qual::For(generators, _) => {
            let names = generators.iter().flat_map(|generator| match generator {
                Generator::In(pat, _) => of_pattern(pat),
                Generator::Range { var, .. } => vec![*var],
            });
            names.collect()
        }
    }
}
