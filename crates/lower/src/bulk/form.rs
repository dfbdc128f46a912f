//! What all ways of lowering a bulk form have in common.

use crate::arrays::dims;
use crate::builder::Builder;
use crate::data::expr;
use ir::{Dim, Output, Step, Var};
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
        let fixed = dims.iter().all(|d| !mentions(d, sizes));
        let row = if fixed { dims::capacity(cx, &dims) } else { expr::int(0) };
        elems.push(Elem { prim, dims, row });
    }
    elems
}

pub(crate) fn mentions(dim: &Dim, sizes: &[Var]) -> bool {
    match dim {
        Dim::Size(atom) => atom.var().is_some_and(|v| sizes.contains(&v)),
        Dim::Jagged(v) | Dim::Shape(v) => sizes.contains(v),
    }
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

/// How many steps give values to an output.
pub(crate) fn emits(steps: &[Step], number: usize) -> usize {
    let of = |step: &Step| match step {
        Step::For { body, .. } | Step::Guard(_, body) => emits(body, number),
        Step::Let(_) | Step::Scan(_) => 0,
        Step::Emit(emit) => usize::from(emit.output == number),
    };
    steps.iter().map(of).sum()
}

/// Whether a loop gives values to an output.
pub(crate) fn in_loop(steps: &[Step], number: usize) -> bool {
    steps.iter().any(|step| match step {
        Step::For { body, .. } => emits(body, number) > 0,
        Step::Guard(_, body) => in_loop(body, number),
        Step::Let(_) | Step::Scan(_) | Step::Emit(_) => false,
    })
}

/// Whether each turn gives exactly one value to an output.
pub(crate) fn one_value(body: &[Step], number: usize) -> bool {
    let direct = body.iter().any(|step| matches!(step, Step::Emit(emit) if emit.output == number));
    direct && emits(body, number) == 1
}
