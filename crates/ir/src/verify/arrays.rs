//! Arrays, their parts, and their dimensions.

use super::rule::Rule;
use super::scope::Verifier;
use crate::{Atom, Dim, Range, Type, Var};
use scalar::Prim;

impl Verifier<'_> {
    /// A vector of scalars.
    pub(super) fn literal(&mut self, vars: &[Var], prim: Prim, atoms: &[Atom]) {
        self.expect_all(atoms, prim);
        self.gives(vars, &Type::Array(prim, vec![Dim::Size(Atom::size(atoms.len() as i64))]));
    }

    /// An element or a row; the array may be a recursive one.
    pub(super) fn index(&mut self, vars: &[Var], x: Var, at: &[Atom]) {
        self.use_rec(x);
        self.expect_all(at, Prim::I64);
        if let Some((prim, dims)) = self.array(x) {
            self.gives_row(vars, &dims, at.len(), &|dims| Type::array(prim, dims));
            self.in_bounds(&dims, at);
        }
    }

    /// Ranges of the outer dimensions; the array may be a recursive one.
    pub(super) fn slice(&mut self, vars: &[Var], x: Var, ranges: &[Range]) {
        self.use_rec(x);
        self.ranges(ranges);
        if let Some((prim, dims)) = self.array(x) {
            self.gives_slice(vars, &dims, ranges, &|dims| Type::array(prim, dims));
            self.ranges_in_bounds(&dims, ranges);
        }
    }

    /// The same elements in other dimensions. Only a run shows whether there are as many.
    pub(super) fn reshape(&mut self, vars: &[Var], x: Var) {
        self.use_var(x);
        if let (Some((prim, _)), Some(ty)) = (self.array(x), self.single(vars)) {
            let fits = matches!(&ty, Type::Array(other, _) if *other == prim);
            self.check(fits, Rule::Result, || format!("elements of {prim} become something else"));
            self.same_count(&self.ty(x), &ty);
        }
    }

    /// Memory without values has any size, and one row after the other.
    pub(super) fn uninit(&mut self, vars: &[Var]) {
        if let Some(ty) = self.single(vars) {
            let fits = matches!(&ty, Type::Array(_, dims) if dims.iter().all(|dim| matches!(dim, Dim::Size(_))));
            self.check(fits, Rule::Result, || "`uninit` gives a regular array".into());
        }
    }

    /// A copy has the type of the array.
    pub(super) fn copy(&mut self, vars: &[Var], x: Var) {
        self.use_var(x);
        if self.array(x).is_some() {
            self.gives(vars, &self.ty(x));
        }
    }

    /// The number of elements of some dimensions.
    pub(super) fn total(&mut self, vars: &[Var], dims: &[Dim]) {
        if let Some(problem) = self.dims_problem(dims) {
            self.fail(Rule::Type, format!("`total` of {problem}"));
        }
        self.gives(vars, &Type::I64);
    }

    /// The subscripts of an index are as many as the shape has extents.
    pub(super) fn unrank(&mut self, vars: &[Var], index: Atom, shape: Var) {
        self.expect(index, &Type::I64);
        self.vector(shape);
        self.gives(vars, &self.ty(shape));
        self.number_in_bounds(index, shape);
    }

    /// The dimensions after `count` indices. A jagged dimension that lies inside of what was indexed is the row's own:
    /// the variable's type says what it is called there.
    pub(super) fn gives_row(&mut self, vars: &[Var], dims: &[Dim], count: usize, make: &dyn Fn(Vec<Dim>) -> Type) {
        if count > dims.len() || dims[..count].iter().any(|dim| matches!(dim, Dim::Shape(_))) {
            return self.fail(Rule::Count, format!("{count} indices do not fit the dimensions"));
        }
        let Some(is) = self.single(vars) else { return };
        let mut rest = dims[count..].to_vec();
        if count > 0 {
            own_names(&mut rest, is.dims());
        }
        self.gives(vars, &make(rest));
    }

    pub(super) fn gives_slice(
        &mut self,
        vars: &[Var],
        dims: &[Dim],
        ranges: &[Range],
        make: &dyn Fn(Vec<Dim>) -> Type,
    ) {
        let count = ranges.len();
        if count > dims.len() || dims[..count].iter().any(|dim| !matches!(dim, Dim::Size(_))) {
            return self.fail(Rule::Count, format!("{count} ranges do not fit the dimensions"));
        }
        let Some(is) = self.single(vars) else { return };
        let mut rest = dims.to_vec();
        rest.iter_mut().zip(ranges).for_each(|(dim, range)| *dim = Dim::Size(range.count));
        if count > 0 {
            own_names(&mut rest, is.dims());
        }
        self.gives(vars, &make(rest));
    }

    pub(super) fn ranges(&mut self, ranges: &[Range]) {
        for Range { start, count, stride } in ranges {
            self.expect_all(&[*start, *count, *stride], Prim::I64);
        }
    }

    /// How many dimensions a vector takes away is known only if it is as long as the unknown shape: otherwise any type
    /// with the same elements may be right.
    pub(super) fn index_vector(&mut self, vars: &[Var], x: Var, at: Var) {
        self.use_rec(x);
        self.vector(at);
        if let (Some((prim, dims)), Some(ty)) = (self.array(x), self.single(vars)) {
            self.check(ty.prim() == Some(prim), Rule::Result, || format!("an element is no {prim}"));
            self.vector_in_bounds(&dims, at);
        }
    }

    pub(super) fn rearrange(&mut self, vars: &[Var], x: Var, order: &[usize]) {
        self.use_var(x);
        let Some((prim, dims)) = self.array(x) else { return };
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        let permutes = sorted.into_iter().eq(0..dims.len());
        if !permutes || dims.iter().any(|dim| !matches!(dim, Dim::Size(_))) {
            return self.fail(Rule::Operand, "the order does not fit the dimensions".into());
        }
        self.gives(vars, &Type::Array(prim, order.iter().map(|i| dims[*i]).collect()));
    }

    pub(super) fn retype(&mut self, vars: &[Var], x: Var) {
        self.use_var(x);
        let Some(is) = self.single(vars) else { return };
        let fits = match (&is, &self.ty(x)) {
            (Type::Scalar(p), Type::Scalar(q)) | (Type::Array(p, _), Type::Array(q, _)) => p == q,
            (Type::Desc(_), Type::Desc(_)) => true,
            (Type::Scalar(_) | Type::Array(..) | Type::Desc(_) | Type::Cert | Type::Box(_), _) => false,
        };
        self.check(fits, Rule::Result, || "`retype` changes more than dimensions".into());
        match (&is, &self.ty(x)) {
            _ if !fits => {}
            // The row lengths are the same however the rows are arranged.
            (Type::Desc(_), old) => self.same_count(old, &is),
            (_, old) => self.equal_dims(old.dims(), is.dims()),
        }
    }
}

/// Puts the names that a row has for what is its own: the first jagged dimension is a size if it comes first, and
/// otherwise a descriptor.
fn own_names(rest: &mut [Dim], names: &[Dim]) {
    for (i, (dim, name)) in rest.iter_mut().zip(names).enumerate() {
        let own = match name {
            Dim::Size(_) => i == 0,
            Dim::Jagged(_) => i > 0,
            Dim::Shape(_) => false,
        };
        if own && matches!(dim, Dim::Jagged(_)) {
            *dim = *name;
        }
    }
}
