//! Comprehensions, and arrays by clauses.

use super::cx::Cx;
use super::unify::Mode;
use base::Span;
use typed::{Clause, Dim, Expr, ExprKind, LocalId, Qual, Shape, Size, Type, walk};

impl Cx<'_> {
    /// `[body quals]`.
    pub(super) fn comprehension(&mut self, body: &mut Expr, quals: &mut [Qual], span: Span) -> (Type, Vec<LocalId>) {
        let outer = self.level;
        let iteration = self.quals(quals);
        self.expr(body);
        self.level = outer;
        self.close_open_rows(&iteration, span);
        let aligned = iteration.loops == 1 && !iteration.filtered;
        let mut exts = Vec::new();
        let size = match (aligned, &iteration.extent) {
            (true, Some(size)) => size.clone(),
            (true, None) | (false, _) => {
                let n = self.unknown("n", span, "the number of elements, known only at run time");
                exts.push(n);
                Size::Local(n)
            }
        };
        let elem = self.close_rows(&body.ty.clone(), &iteration, aligned, span, &mut exts);
        (Type::array(Dim::Size(size), elem), exts)
    }

    /// `array shape { clauses; else => otherwise }`.
    pub(super) fn array_by(
        &mut self,
        shape: &mut Expr,
        clauses: &mut [Clause],
        otherwise: Option<&mut Expr>,
        template: &Type,
        span: Span,
    ) -> (Type, Vec<LocalId>) {
        self.expr(shape);
        let mut values = Vec::new();
        let mut exts = Vec::new();
        self.clauses(clauses, span, &mut values, &mut exts);
        if let Some(otherwise) = otherwise {
            self.expr(otherwise);
            values.push(self.row_of_result(&otherwise.ty.clone()));
        }
        let mut values = values.into_iter();
        let mut value = values.next().unwrap_or_else(|| walk::spine(template).1);
        for other in values {
            (value, exts) = self.join_rows(&value, &other, exts, span);
        }
        let dims = self.shape_dims(shape, template, &value, &mut exts);
        let (inner, elem) = walk::spine(&value);
        let any_rank = dims.iter().any(|dim| matches!(dim, Dim::Shape(_)));
        let dims = self.one_shape(dims, &inner, span, &mut exts);
        let ty = walk::wrap(dims, elem);
        if any_rank && inner.iter().any(|dim| matches!(self.norm_dim(dim, true), Dim::Jagged(_))) {
            self.rows_below_shape(&ty, span);
        }
        (ty, exts)
    }

    /// The dimensions of an array whose values have dimensions themselves. A type has one shape at most: what is known of
    /// a shape before another shape, or of a shape that differs from value to value, the array's value shows.
    fn one_shape(&mut self, dims: Vec<Dim>, inner: &[Dim], span: Span, exts: &mut Vec<LocalId>) -> Vec<Dim> {
        let is_shape = |dim: &Dim| matches!(dim, Dim::Shape(_));
        let mut all: Vec<Dim> = dims.into_iter().chain(inner.iter().cloned()).collect();
        let ends = all.iter().position(is_shape).zip(all.iter().rposition(is_shape));
        let Some((first, last)) = ends.filter(|_| inner.iter().any(is_shape)) else { return all };
        let s = self.unknown("s", span, "a shape known only at run time");
        exts.push(s);
        all.splice(first..=last, [Dim::Shape(Shape::Local(s))]);
        all
    }

    fn row_of_result(&self, ty: &Type) -> Type {
        walk::map_dims(ty, true, &mut |dim, _| self.norm_dim(dim, true))
    }

    /// The dimensions that a shape expression describes.
    fn shape_dims(&mut self, shape: &Expr, template: &Type, value: &Type, exts: &mut Vec<LocalId>) -> Vec<Dim> {
        let what = "a size given by the shape";
        if let ExprKind::Array(items) = &*shape.kind {
            let dims = items.iter().map(|item| match self.size_of(item) {
                Some(size) => Dim::Size(size),
                None => {
                    let n = self.unknown("n", item.span, what);
                    exts.push(n);
                    Dim::Size(Size::Local(n))
                }
            });
            return dims.collect();
        }
        if let Some(dims) = self.shape_of(shape) {
            return dims;
        }
        let (dims, _) = walk::spine(template);
        if let Some(Dim::Shape(_)) = dims.first() {
            let s = match &*shape.kind {
                ExprKind::Local(s, _) => *s,
                _ => {
                    let s = self.unknown("s", shape.span, what);
                    exts.push(s);
                    s
                }
            };
            return vec![Dim::Shape(Shape::Local(s))];
        }
        let rank = match self.norm(&shape.ty) {
            Type::Array(Dim::Size(Size::Const(n)), _) => n.max(0) as usize,
            _ => dims.len().saturating_sub(walk::spine(value).0.len()),
        };
        let mut fresh = || {
            let n = self.unknown("n", shape.span, what);
            exts.push(n);
            Dim::Size(Size::Local(n))
        };
        (0..rank.min(dims.len())).map(|_| fresh()).collect()
    }

    /// Walks clauses and gathers the types of their values.
    fn clauses(&mut self, clauses: &mut [Clause], span: Span, values: &mut Vec<Type>, exts: &mut Vec<LocalId>) {
        for clause in clauses {
            match clause {
                Clause::Element { subscripts, value, quals, span } => {
                    let outer = self.level;
                    let iteration = self.quals(quals);
                    self.indices(subscripts);
                    self.expr(value);
                    self.level = outer;
                    self.close_open_rows(&iteration, *span);
                    values.push(self.close_rows(&value.ty.clone(), &iteration, false, *span, exts));
                }
                Clause::Group { quals, clauses, span } => {
                    let outer = self.level;
                    let iteration = self.quals(quals);
                    let mut inner = Vec::new();
                    self.clauses(clauses, *span, &mut inner, exts);
                    self.level = outer;
                    self.close_open_rows(&iteration, *span);
                    for ty in inner {
                        values.push(self.close_rows(&ty, &iteration, false, *span, exts));
                    }
                }
            }
        }
        let _ = span;
    }

    /// The clauses of `update`, whose values replace parts of an array.
    pub(super) fn clause_values(&mut self, clauses: &mut [Clause], array: &Type) {
        let (mut values, mut exts) = (Vec::new(), Vec::new());
        let span = clauses.first().map(|c| match c {
            Clause::Element { span, .. } | Clause::Group { span, .. } => *span,
        });
        let Some(span) = span else { return };
        self.clauses(clauses, span, &mut values, &mut exts);
        let (dims, elem) = walk::spine(&self.norm(array));
        for value in values {
            let (inner, _) = walk::spine(&value);
            if inner.len() < dims.len() && !dims.iter().any(|d| matches!(d, Dim::Shape(_))) {
                let target = walk::wrap(dims[dims.len() - inner.len()..].to_vec(), elem.clone());
                if let Err(mismatch) = self.unify(&target, &value, span, Mode::Checked) {
                    self.mismatch(span, "what is replaced", &target, &value, mismatch);
                }
            }
        }
    }

    /// `accum op neutral shape { clauses }`.
    pub(super) fn accum(
        &mut self,
        op: &mut Expr,
        neutral: &mut Expr,
        shape: &mut Expr,
        clauses: &mut [Clause],
        template: &Type,
        span: Span,
    ) -> (Type, Vec<LocalId>) {
        self.expr(op);
        self.expr(neutral);
        self.expr(shape);
        let elem = self.norm(&neutral.ty);
        if let Type::Fun(fun) = &op.ty {
            self.unify(&fun.param.clone(), &elem, span, Mode::Strict).ok();
        }
        let (mut values, mut exts) = (Vec::new(), Vec::new());
        self.clauses(clauses, span, &mut values, &mut exts);
        for value in values {
            if let Err(mismatch) = self.unify(&elem, &value, span, Mode::Checked) {
                self.mismatch(span, "the neutral element", &elem, &value, mismatch);
            }
        }
        exts.clear();
        let dims = self.shape_dims(shape, template, &elem, &mut exts);
        let (inner, elem) = walk::spine(&elem);
        (walk::wrap(dims.into_iter().chain(inner), elem), exts)
    }
}
