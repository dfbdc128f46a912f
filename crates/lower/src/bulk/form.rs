//! What all ways of lowering a bulk form have in common.

use crate::arrays::dims;
use crate::builder::Builder;
use crate::data::expr;
use analysis::emits;
use ir::{Dim, Output, Var};
use kernel::Expr;
use scalar::Prim;

/// The components of an output's values.
pub(crate) fn elems(cx: &mut Builder<'_>, output: &Output) -> Vec<Elem> {
    elems_of(cx, &output.elems, &output.sizes)
}

/// The components of values, some of whose sizes differ.
pub(crate) fn elems_of(cx: &mut Builder<'_>, vars: &[Var], sizes: &[Var]) -> Vec<Elem> {
    let mut elems = Vec::new();
    for var in vars {
        let ty = cx.src.ty(*var);
        let dims = ty.dims().to_vec();
        let Some(prim) = ty.prim() else { base::bug!("an output of something that is no data") };
        let fixed = dims.iter().all(|d| !emits::mentions(d, sizes)) && !dims::is_jagged(&dims);
        let row = if fixed { dims::capacity(cx, &dims) } else { expr::int(0) };
        elems.push(Elem { prim, dims, row });
    }
    elems
}

/// How many turns of a cheap loop make a piece of work for a thread.
pub(crate) const CHEAP_BLOCK: i64 = 4096;

/// One component of an output's values.
#[derive(Clone, Debug)]
pub(crate) struct Elem {
    /// The type of its elements.
    pub prim: Prim,
    /// The dimensions of one value; none for a scalar.
    pub dims: Vec<Dim>,
    /// How many elements one value has, if that is the same for all.
    pub row: Expr,
}

impl Elem {
    /// Whether descriptors that were there before give the lengths of its rows.
    pub fn has_given_rows(&self, sizes: &[Var]) -> bool {
        self.dims.iter().any(|dim| dims::is_jagged(&[*dim]) && !emits::mentions(dim, sizes))
    }

    /// The number of the first element of value number `place`, if all values have one size or rows are given.
    pub fn start(&self, cx: &mut Builder<'_>, place: Expr) -> Expr {
        if dims::is_jagged(&self.dims) {
            dims::span_below(cx, &self.dims, place).0
        } else {
            cx.code.exprs.mul(place, self.row)
        }
    }
}

/// The variables that a bulk form binds for an output.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    /// The number of values that were kept.
    pub count: Option<Var>,
    /// Descriptors.
    pub sizes: Vec<Var>,
    /// Arrays or scalars.
    pub elems: Vec<Var>,
}
