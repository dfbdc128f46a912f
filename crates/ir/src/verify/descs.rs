//! Descriptors: the row lengths of jagged dimensions.

use super::rule::Rule;
use super::scope::Verifier;
use crate::{Atom, Dim, Range, Type, Var};
use scalar::Prim;

impl Verifier<'_> {
    /// Rows of one length, inside of any dimensions.
    pub(super) fn desc_uniform(&mut self, vars: &[Var], n: Atom) {
        self.expect(n, &Type::I64);
        let desc = matches!(self.single(vars), None | Some(Type::Desc(_)));
        self.check(desc, Rule::Result, || "a descriptor has another type".into());
    }

    /// A descriptor from the lengths of its rows.
    pub(super) fn desc_of(&mut self, vars: &[Var], x: Var) {
        self.use_var(x);
        if let Some((prim, dims)) = self.array(x) {
            self.check(prim == Prim::I64, Rule::Operand, || "row lengths are no i64".into());
            self.natural_elements(x);
            self.gives(vars, &Type::Desc(dims));
        }
    }

    /// The lengths of all rows.
    pub(super) fn desc_lengths(&mut self, vars: &[Var], d: Var) {
        if let Some(dims) = self.desc(d) {
            self.gives(vars, &Type::Array(Prim::I64, dims));
        }
    }

    /// The row of an element that there is.
    pub(super) fn desc_row(&mut self, vars: &[Var], d: Var, element: Atom) {
        self.expect(element, &Type::I64);
        if let Some(mut dims) = self.desc(d) {
            dims.push(Dim::Jagged(d));
            self.element_in_bounds(element, &dims);
        }
        self.gives(vars, &Type::I64);
    }

    /// The length of one row, or what lies before it: all dimensions are indexed.
    pub(super) fn desc_length(&mut self, vars: &[Var], d: Var, at: &[Atom]) {
        self.expect_all(at, Prim::I64);
        if let Some(dims) = self.desc_for_part(d) {
            let all = dims.len() == at.len();
            self.check(all, Rule::Count, || format!("{} indices of {} dimensions", at.len(), dims.len()));
            self.in_bounds(&dims, at);
        }
        self.gives(vars, &Type::I64);
    }

    /// The descriptor of a part, by indices.
    pub(super) fn desc_index(&mut self, vars: &[Var], d: Var, at: &[Atom]) {
        self.expect_all(at, Prim::I64);
        if let Some(dims) = self.desc_for_part(d) {
            self.gives_row(vars, &dims, at.len(), &Type::Desc);
            self.in_bounds(&dims, at);
        }
    }

    /// The descriptor of a part, by ranges.
    pub(super) fn desc_slice(&mut self, vars: &[Var], d: Var, ranges: &[Range]) {
        self.ranges(ranges);
        if let Some(dims) = self.desc(d) {
            self.gives_slice(vars, &dims, ranges, &Type::Desc);
            self.ranges_in_bounds(&dims, ranges);
        }
    }

    /// Whether two descriptors have the same rows.
    pub(super) fn desc_equal(&mut self, vars: &[Var], d: Var, e: Var) {
        if let (Some(x), Some(y)) = (self.desc(d), self.desc(e)) {
            let alike = same_rank(&x, &y);
            self.check(alike, Rule::Operand, || "descriptors inside of more and of fewer dimensions".into());
        }
        self.gives(vars, &Type::Scalar(Prim::Bool));
    }

    /// The dimensions that a descriptor lies inside.
    pub(super) fn desc(&mut self, d: Var) -> Option<Vec<Dim>> {
        self.use_var(d);
        self.desc_dims(d)
    }

    /// The same of a descriptor of which a part is taken: it may be that of a recursive array.
    pub(super) fn desc_for_part(&mut self, d: Var) -> Option<Vec<Dim>> {
        self.use_rec(d);
        self.desc_dims(d)
    }

    pub(super) fn desc_dims(&mut self, d: Var) -> Option<Vec<Dim>> {
        match self.ty(d) {
            Type::Desc(dims) => Some(dims),
            Type::Scalar(_) | Type::Array(..) | Type::Cert | Type::Box(_) => {
                self.fail(Rule::Operand, format!("`{}` is no descriptor", self.name(d)));
                None
            }
        }
    }
}

/// Whether there are as many dimensions here as there, as far as that is known.
fn same_rank(x: &[Dim], y: &[Dim]) -> bool {
    x.len() == y.len() || x.iter().chain(y).any(|dim| matches!(dim, Dim::Shape(_)))
}
