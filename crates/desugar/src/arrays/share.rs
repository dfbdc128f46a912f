//! Descriptors that are there already.
//!
//! Each size that differs from row to row would become a descriptor of its own. Often there is one already:
//!
//! ```text
//! let (e: desc [n], ys: [n][~e]f64) = bulk {        let ys: [n][~d]f64 = bulk {
//!   out gen [n] of (k: i64; y: [k]f64)                out gen [n] of (y: [~d]f64)
//!   for i < n {                                       for i < n {
//!     let len: i64 = desc_length d[i]         ->        let len: i64 = desc_length d[i]
//!     emit [i] { .. => len, row }                       emit [i] { .. => row }
//! ```
//!
//! All values have the lengths of the rows of `d` at their places, so the array gets `d`: types then say that it has the
//! same rows as the array it was computed from, and no check is needed where both meet again. In the same way two sizes
//! that are the same atom in each value share one descriptor.
//!
//! Limits: lengths are compared as atoms. A length that is computed in another way is a new descriptor.

use crate::context::Desugar;
use crate::data::form::Form;
use crate::data::value::Val;
use base::Map;
use ir::{Atom, Block, Bulk, Coverage, Dim, Emit, Exp, Kind, Output, Step, Type, Var};

/// A new array whose values have their form.
pub(crate) struct Origin {
    pub shape: Vec<Dim>,
    /// What gives the values.
    pub steps: Vec<Step>,
    /// The value of elements that the steps do not define.
    pub otherwise: Option<Block>,
    pub coverage: Coverage,
    /// How many variables there were before the steps.
    pub mark: usize,
}

/// What is known about one size of an output's values.
#[derive(Clone, Debug, Default)]
struct Size {
    /// The descriptor whose rows all values have.
    given: Option<Var>,
    /// Earlier sizes that are the same in all values.
    same: Vec<usize>,
}

impl<'t> Desugar<'t> {
    /// Binds a new array with values of a form, as [`Desugar::bound`] says, but for descriptors that exist already. The
    /// values keep only the sizes that are their own.
    pub(crate) fn bind_shared(&mut self, form: &Form, mut origin: Origin) -> Val<'t> {
        let known = self.known_sizes(&mut origin);
        let (vars, val) = self.bound(form, &origin.shape);
        let (sizes, elems) = self.formals(form);
        // The descriptor of each size, and its dimension in one value; what stands in the place of shared ones.
        let (mut descs, mut formals, mut shared): (Vec<Var>, Vec<Dim>, Map<Var, Dim>) = Default::default();
        for (i, (bound, formal)) in vars.iter().zip(&sizes).enumerate() {
            self.change_dims(*bound, &shared);
            self.change_dims(*formal, &shared);
            let size = known.get(i).cloned().unwrap_or_default();
            // Only a descriptor inside of these very dimensions fits.
            let fits = |d: Var| self.b.ty(d) == self.b.ty(*bound);
            let same = size.same.into_iter().find(|j| fits(descs[*j]));
            let (desc, dim) = match (size.given.filter(|d| fits(*d)), same) {
                (Some(d), _) => (d, Dim::Jagged(d)),
                (None, Some(j)) => (descs[j], formals[j]),
                (None, None) if matches!(self.b.ty(*formal), Type::Desc(_)) => (*bound, Dim::Jagged(*formal)),
                (None, None) => (*bound, Dim::Size((*formal).into())),
            };
            if desc != *bound {
                shared.extend([(*bound, Dim::Jagged(desc)), (*formal, dim)]);
            }
            descs.push(desc);
            formals.push(dim);
        }
        vars.iter().chain(&elems).for_each(|var| self.change_dims(*var, &shared));
        let own: Vec<bool> = vars.iter().zip(&sizes).map(|(bound, _)| !shared.contains_key(bound)).collect();
        let keep_own = |block: &mut Block| {
            let mut own = own.iter();
            block.result.retain(|_| own.next().is_none_or(|own| *own));
        };
        for_each_emit(&mut origin.steps, &mut |emit| keep_own(&mut emit.value));
        origin.otherwise.iter_mut().for_each(keep_own);
        let not_shared = |vars: Vec<Var>| vars.into_iter().filter(|var| !shared.contains_key(var)).collect();
        let Origin { shape, steps, otherwise, coverage, .. } = origin;
        let kind = Kind::Gen { shape, otherwise, coverage, rec: Vec::new() };
        let outputs = vec![Output { kind, sizes: not_shared(sizes), elems }];
        self.b.bind_all(not_shared(vars), Exp::Bulk(Bulk { outputs, steps, scheduled: false }));
        val.map_dims(&mut |dim| changed(*dim, &shared))
    }

    /// Gives a variable other dimensions.
    fn change_dims(&mut self, var: Var, dims: &Map<Var, Dim>) {
        if let Type::Array(_, all) | Type::Desc(all) = &mut self.b.program.vars[var].ty {
            all.iter_mut().for_each(|dim| *dim = changed(*dim, dims));
        }
    }

    /// What is known about the sizes of values.
    fn known_sizes(&self, origin: &mut Origin) -> Vec<Size> {
        let mut sizes: Option<Vec<Size>> = None;
        let mut add = |value: &Block, at: &[Atom]| {
            let atoms = &value.result;
            // The descriptor whose row at these indices has this length, or is this descriptor.
            let rows = |size: Atom| self.b.row_of(size.var()?).filter(|(_, row)| row == at).map(|(desc, _)| *desc);
            let first = |i: usize| Size { given: rows(atoms[i]), same: (0..i).collect() };
            let known = sizes.get_or_insert_with(|| (0..atoms.len()).map(first).collect());
            for (size, atom) in known.iter_mut().zip(atoms) {
                size.same.retain(|other| atoms[*other] == *atom);
                size.given = size.given.filter(|desc| rows(*atom) == Some(*desc));
            }
        };
        for_each_emit(&mut origin.steps, &mut |emit| add(&emit.value, &emit.at));
        origin.otherwise.iter().for_each(|block| add(block, &[]));
        let mut sizes = sizes.unwrap_or_default();
        let exact = origin.coverage == Coverage::Exact && origin.otherwise.is_none();
        for size in &mut sizes {
            // Recursive arrays do not exist yet.
            let exists = |d: &Var| self.outside((*d).into(), origin.mark) && !self.rec_vars.contains_key(d);
            size.given = size.given.filter(|d| exact && exists(d));
        }
        sizes
    }
}

/// What stands in the place of a dimension.
fn changed(dim: Dim, dims: &Map<Var, Dim>) -> Dim {
    match dim {
        Dim::Size(Atom::Var(var)) | Dim::Jagged(var) => dims.get(&var).copied().unwrap_or(dim),
        Dim::Size(Atom::Const(_)) | Dim::Shape(_) => dim,
    }
}

fn for_each_emit(steps: &mut [Step], f: &mut dyn FnMut(&mut Emit)) {
    for step in steps {
        match step {
            Step::For { body, .. } | Step::Guard(_, body) => for_each_emit(body, f),
            Step::Emit(emit) => f(emit),
            Step::Let(_) | Step::Scan(_) => {}
        }
    }
}
