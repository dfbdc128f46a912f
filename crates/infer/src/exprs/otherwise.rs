//! `else` with subscripts: an ordinary clause for the elements that no other clause defines.
//!
//! ```text
//! array [n, m] { [0, j] => 1 for j < m; else [i, j] => a[i, j] }
//! ```
//! becomes
//! ```text
//! let marks = accum (||) false [n, m] { [0, j] => true for j < m }
//! in array [n, m] { [0, j] => 1 for j < m; [i, j] => a[i, j] for i < n for j < m if !marks[i, j] }
//! ```
//!
//! No later stage has to know of it. In `let rec` the marks are computed before the arrays, which is possible because
//! subscripts, bounds and guards never depend on them. What both arrays need and no variable of the clauses changes gets a
//! name before: the array that the first generators of a clause run through.

use super::deferred::{Deferred, IndexType};
use super::generators::GeneratorSource;
use crate::Checker;
use crate::metas::operator_type;
use base::{Name, Span};
use scalar::{BinOp, Scalar, UnOp};
use syntax::ast::{self, Ident};
use typed::walk::wrap;
use typed::{Clause, Expr, ExprKind, Generator, Index, LocalId, Pat, PatKind, Qual, Type};

/// Which elements the other clauses of an array define: a name for it, and its type.
pub(super) struct Marks {
    local: LocalId,
    ty: Type,
    span: Span,
}

impl Checker<'_> {
    /// The clause for `else [i, j] => e` of an array with this SHAPE and type.
    pub(super) fn else_clause(
        &mut self,
        otherwise: &ast::Else,
        names: &[Ident],
        shape: &Expr,
        (array, elem): (&Type, &Type),
    ) -> (Clause, Marks) {
        let span = otherwise.span;
        let ty = wrap(self.dims_of_shape(shape), Type::BOOL);
        let marks = Marks { local: self.new_local(Name::new("marks"), span), ty, span };
        let clause = self.scoped(|checker| {
            let mut quals = checker.else_generators(names, shape);
            let (subscripts, types) = checker.else_subscripts(names, &quals);
            quals.push(checker.unmarked(&marks, &subscripts, &types));
            let value = checker
                .value_of_clause(|c| c.expr_of_type(&otherwise.value, elem, "all values of an array have one type"));
            let (array, result, span) = (array.clone(), value.ty.clone(), value.span);
            checker.ask(Deferred::Index { array, indices: types, result, put: true, span });
            Clause::Element { subscripts, value, quals, span: otherwise.span }
        });
        (clause, marks)
    }

    /// `for i < n for j < m`, or `for iv < shape` if one name stands for all subscripts.
    fn else_generators(&mut self, names: &[Ident], shape: &Expr) -> Vec<Qual> {
        let rank = self.known_length(&self.length_of(shape)).and_then(Result::ok);
        let vector = names.len() == 1 && rank != Some(1);
        let mut bound = super::pattern::Bound::default();
        let mut quals = Vec::with_capacity(names.len());
        for (at, name) in names.iter().enumerate() {
            let hi = if vector { shape.clone() } else { extent(shape, at) };
            let source = GeneratorSource::Range { lo: None, var: *name, hi, step: None, span: name.span };
            if name.name.as_str() == "_" {
                bound.remove(&name.name);
            }
            quals.push(Qual::For(vec![self.generator(source, &mut bound)], name.span));
        }
        quals
    }

    /// The variables of the generators as subscripts.
    fn else_subscripts(&mut self, names: &[Ident], quals: &[Qual]) -> (Vec<Index>, Vec<IndexType>) {
        let vars = quals.iter().filter_map(|qual| match qual {
            Qual::For(generators, _) => match generators.first() {
                Some(typed::Generator::Range { var, .. }) => Some(*var),
                Some(typed::Generator::In(..)) | None => None,
            },
            Qual::Let(..) | Qual::If(_) => None,
        });
        let vars: Vec<LocalId> = vars.collect();
        let subscript = |(name, local): (&Ident, LocalId)| {
            let ty = self.local_type(local);
            let expr = Expr::new(ExprKind::Local(local, Vec::new()), ty.clone(), name.span);
            let length = self.length_of(&expr);
            (Index::At(expr), IndexType::At(ty, length, name.span))
        };
        names.iter().zip(vars).map(subscript).unzip()
    }

    /// `if !marks[i, j]`.
    fn unmarked(&mut self, marks: &Marks, subscripts: &[Index], types: &[IndexType]) -> Qual {
        let array = Expr::new(ExprKind::Local(marks.local, Vec::new()), marks.ty.clone(), marks.span);
        let (array_ty, indices, span) = (marks.ty.clone(), types.to_vec(), marks.span);
        self.ask(Deferred::Index { array: array_ty, indices, result: Type::BOOL, put: false, span });
        let marked = Expr::new(ExprKind::Index(array, subscripts.to_vec()), Type::BOOL, span);
        let unmarked = ExprKind::Unary { op: UnOp::Not, arg: marked, lifted: false };
        Qual::If(Expr::new(unmarked, Type::BOOL, span))
    }

    /// What has to be bound around the array whose last clause asks for the marks.
    pub(super) fn marks_of(&mut self, marks: Marks, array: &mut Expr) -> Vec<(Pat, Expr)> {
        let ExprKind::ArrayBy { shape, clauses, .. } = &mut *array.kind else { return Vec::new() };
        let count = clauses.len().saturating_sub(1);
        let others = &mut clauses[..count];
        let mut bindings = Vec::new();
        others.iter_mut().for_each(|clause| self.name_sources(clause, &mut bindings));
        let boolean = |b| Expr::new(ExprKind::Scalar(Scalar::Bool(b)), Type::BOOL, marks.span);
        let op = Expr::new(ExprKind::Operator(BinOp::LogOr), operator_type(&Type::BOOL), marks.span);
        let clauses = others.iter().map(|c| marking(c, &boolean(true))).collect();
        let accum = ExprKind::Accum { op, neutral: Box::new(boolean(false)), shape: shape.clone(), clauses };
        let value = Expr::new(accum, marks.ty.clone(), marks.span);
        bindings.push((Pat { kind: PatKind::Bind(marks.local), ty: marks.ty, span: marks.span }, value));
        bindings
    }

    /// Gives names to the arrays that the first generators of a clause run through, since two arrays need them.
    fn name_sources(&mut self, clause: &mut Clause, bindings: &mut Vec<(Pat, Expr)>) {
        let (Clause::Element { quals, .. } | Clause::Group { quals, .. }) = clause;
        let Some(Qual::For(generators, _)) = quals.first_mut() else { return };
        for generator in generators {
            if let Generator::In(_, source) = generator
                && !matches!(&*source.kind, ExprKind::Local(..))
            {
                let (pat, local) = self.made_up("source", &source.ty.clone(), source.span);
                bindings.push((pat, std::mem::replace(source, local)));
            }
        }
    }

    /// The expression with names bound around it, the first outermost.
    pub(super) fn bind_before(&mut self, bindings: Vec<(Pat, Expr)>, body: Expr) -> Expr {
        let span = body.span;
        bindings.into_iter().rev().fold(body, |body, (pat, value)| self.made_up_let(pat, value, body, span))
    }
}

/// The extent of one dimension: `SHAPE[at]`.
fn extent(shape: &Expr, at: usize) -> Expr {
    match &*shape.kind {
        ExprKind::Array(items) if at < items.len() => items[at].clone(),
        _ => {
            let index = Expr::new(ExprKind::Scalar(Scalar::I64(at as i64)), Type::I64, shape.span);
            Expr::new(ExprKind::Index(shape.clone(), vec![Index::At(index)]), Type::I64, shape.span)
        }
    }
}

/// The clause with another value for all elements that it defines.
fn marking(clause: &Clause, mark: &Expr) -> Clause {
    match clause {
        Clause::Element { subscripts, value: _, quals, span } => {
            Clause::Element { subscripts: subscripts.clone(), value: mark.clone(), quals: quals.clone(), span: *span }
        }
        Clause::Group { quals, clauses, span } => {
            let clauses = clauses.iter().map(|c| marking(c, mark)).collect();
            Clause::Group { quals: quals.clone(), clauses, span: *span }
        }
    }
}
