//! `a[i, j:k]`: scalars take away a dimension, slices keep it, vectors take away as many as they are long.

use super::deferred::{Deferred, IndexType};
use crate::Checker;
use crate::instantiate::erase_dim;
use crate::metas::{Prims, array_of};
use base::Span;
use syntax::ast;
use typed::walk::wrap;
use typed::{Dim, Expr, ExprKind, Index, Shape, Type};

impl Checker<'_> {
    pub(crate) fn index_expr(&mut self, array: &ast::Expr, indices: &[ast::Index], span: Span) -> Expr {
        let array = self.array_operand(array);
        let (indices, types) = self.indices(indices);
        let result = self.index_type(&array.ty, types, span);
        Expr::new(ExprKind::Index(array, indices), result, span)
    }

    /// What `array[indices]` has as type.
    pub(crate) fn index_type(&mut self, array: &Type, indices: Vec<IndexType>, span: Span) -> Type {
        let result = self.metas.fresh(span);
        // Whether there are dimensions for all indices, operators that wait may know by now.
        if self.metas.spine(array).0.len() < indices.len() {
            self.answer_some();
        }
        self.ask(Deferred::Index { array: array.clone(), indices, result: result.clone(), put: false, span });
        self.metas.shallow(&result)
    }

    pub(crate) fn indices(&mut self, indices: &[ast::Index]) -> (Vec<Index>, Vec<IndexType>) {
        indices.iter().map(|i| self.index(i)).unzip()
    }

    fn index(&mut self, index: &ast::Index) -> (Index, IndexType) {
        match index {
            ast::Index::At(exp) => {
                let expr = self.expr(exp);
                let known = IndexType::At(expr.ty.clone(), self.length_of(&expr), expr.span);
                (Index::At(expr), known)
            }
            ast::Index::Slice { start, end, stride, span } => {
                let mut part = |exp: &Option<ast::Expr>| {
                    exp.as_ref().map(|e| self.expr_of_type(e, &Type::I64, "slice positions are `i64`"))
                };
                let (start, end, stride) = (part(start), part(end), part(stride));
                (Index::Slice { start, end, stride, span: *span }, IndexType::Slice)
            }
        }
    }

    pub(crate) fn answer_index(
        &mut self,
        array: &Type,
        indices: &[IndexType],
        (result, put): (&Type, bool),
        span: Span,
        now: bool,
    ) -> bool {
        let is_array = |c: &Self, t: &Type| matches!(c.metas.shallow(t), Type::Array(..));
        let mut vectors = false;
        for index in indices {
            let IndexType::At(ty, _, _) = index else { continue };
            if self.is_ravel() && is_array(self, ty) {
                vectors = true;
            } else if !self.metas.is_scalar(ty) && !now {
                return false;
            }
        }
        if vectors {
            return self.answer_vector_index(array, indices, result, span, now);
        }
        let mut kept = 0;
        let mut ty = array.clone();
        for index in indices {
            ty = match self.elem_of(&ty, span) {
                Ok(elem) => elem,
                Err(_) => {
                    let at = match index {
                        IndexType::At(_, _, at) => *at,
                        IndexType::Slice => span,
                    };
                    self.not_indexable(array, indices.len(), at);
                    self.expect(result, &Type::Error, span, "");
                    return true;
                }
            };
            match index {
                IndexType::Slice => kept += 1,
                IndexType::At(index, _, span) => self.want_index(index, *span),
            }
        }
        let selected = (0..kept).fold(ty, |ty, _| array_of(ty));
        let (wanted, found) = if put { (&selected, result) } else { (result, &selected) };
        self.expect(wanted, found, span, "");
        true
    }

    fn want_index(&mut self, ty: &Type, span: Span) {
        let wanted = self.metas.fresh_prim(span, Prims::ints());
        if self.unify(&wanted, ty).is_err() {
            self.bad_index_type(ty, span);
        }
    }

    fn answer_vector_index(
        &mut self,
        array: &Type,
        indices: &[IndexType],
        result: &Type,
        span: Span,
        now: bool,
    ) -> bool {
        if matches!(self.metas.shallow(array), Type::Meta(_)) {
            return self.answer_vector_index_of_unknown(array, indices, result, span, now);
        }
        let (dims, elem) = self.metas.spine(array);
        let mut dims: Vec<Dim> = dims.iter().map(erase_dim).collect();
        for index in indices {
            let IndexType::At(ty, length, at) = index else {
                self.vector_and_slice(span);
                return true;
            };
            if !matches!(self.metas.shallow(ty), Type::Array(..)) {
                self.want_index(ty, *at);
                if !dims.is_empty() {
                    dims.remove(0);
                }
                continue;
            }
            self.expect(&array_of(Type::I64), ty, *at, "a vector index holds `i64`");
            let regular = dims.iter().all(|d| !matches!(d, Dim::Shape(_)));
            match (self.known_length(length), &dims[..]) {
                (Some(Ok(n)), _) if regular && n > dims.len() => {
                    self.vector_too_long(array, n, dims.len(), *at);
                    self.expect(result, &Type::Error, span, "");
                    return true;
                }
                (Some(Ok(n)), _) if n <= dims.len() && regular => drop(dims.drain(..n)),
                (Some(length), [Dim::Shape(Shape::Local(t))]) if length == self.rank_of_shape(*t) => dims.clear(),
                // In a clause the value decides, and the length is checked at run time.
                _ if self.metas.is_scalar(result) && !matches!(self.metas.shallow(result), Type::Error) => dims.clear(),
                // Whatever its use asks for; the length is checked at run time.
                _ => dims = vec![Dim::Shape(self.open_rank(span))],
            }
        }
        self.expect(result, &wrap(dims, elem), span, "");
        true
    }

    /// The vector's length decides the rank if the array is otherwise unknown.
    fn answer_vector_index_of_unknown(
        &mut self,
        array: &Type,
        indices: &[IndexType],
        result: &Type,
        span: Span,
        now: bool,
    ) -> bool {
        if !now {
            return false;
        }
        let mut dims = Vec::new();
        for index in indices {
            if let IndexType::At(_, length, _) = index {
                match self.known_length(length) {
                    Some(Ok(n)) => dims.extend(std::iter::repeat_n(Dim::Size(typed::Size::Unknown), n)),
                    Some(Err(s)) => dims.push(Dim::Shape(Shape::Local(s))),
                    None => dims.push(Dim::Shape(self.open_rank(span))),
                }
            }
        }
        self.expect(&wrap(dims, result.clone()), array, span, "");
        true
    }
}
