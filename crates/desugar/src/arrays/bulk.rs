//! Bulk forms: values that are put into arrays.
//!
//! The steps are drafted first, because only all values together tell what the rows have in common: rows of one length
//! make a regular array, rows of different lengths a jagged one.
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

use crate::arrays::parts::{vector_var, with_front};
use crate::context::{Desugar, Made};
use crate::data::draft::{Cursor, Draft, DraftEmit};
use crate::data::form::{Form, FormDim, Fresh, has_open_shape, of_one_shape, whole};
use crate::data::types::Mono;
use crate::data::value::{ArrayVal, Val, leading};
use crate::faults::Why;
use base::{Map, Name, bug};
use ir::{Atom, Block, Bulk, Coverage, Dim, Emit, Exp, Kind, Mark, Output, Step, Stm, Type, Var};
use std::rc::Rc;

/// A new array by its elements.
pub(crate) struct Gen<'t> {
    pub shape: Vec<Dim>,
    pub steps: Vec<Draft<'t>>,
    pub otherwise: Option<(Vec<Stm>, Val<'t>)>,
    pub coverage: Coverage,
    /// How many variables there were before the steps.
    pub mark: usize,
}

impl<'t> Gen<'t> {
    /// An array of `n` elements, each of which the steps give once.
    pub fn exact(n: Atom, steps: Vec<Draft<'t>>, mark: usize) -> Gen<'t> {
        Gen { shape: vec![Dim::Size(n)], steps, otherwise: None, coverage: Coverage::Exact, mark }
    }
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
    /// The array of `n` values, `body` of each index.
    pub(crate) fn build(
        &mut self,
        n: Atom,
        row: Option<&Mono>,
        body: impl FnOnce(&mut Self, Atom) -> Made<Val<'t>>,
    ) -> Made<Val<'t>> {
        let mark = self.mark();
        let step = self.draft_each(n, body, |i| vec![i])?;
        self.generate(Gen::exact(n, vec![step], mark), row)
    }

    /// The array with these dimensions, `body` of the number of each element.
    pub(crate) fn build_in(
        &mut self,
        dims: &[Dim],
        row: Option<&Mono>,
        body: impl FnOnce(&mut Self, Atom) -> Made<Val<'t>>,
    ) -> Made<Rc<ArrayVal<'t>>> {
        let total = self.b.total(dims.to_vec());
        let flat = self.build(total, row, body)?;
        let flat = self.as_array(&flat)?;
        Ok(if flat.dims == dims { flat } else { Rc::new(with_front(&mut self.b, &flat, 1, dims)) })
    }

    /// An array with the same value everywhere.
    pub(crate) fn filled(&mut self, dims: &[Dim], val: &Val<'t>) -> Made<Rc<ArrayVal<'t>>> {
        self.build_in(dims, None, |_, _| Ok(val.clone()))
    }

    /// `for i < n { steps }`. Statements that `body` writes come before its steps.
    pub(crate) fn draft_loop(
        &mut self,
        n: Atom,
        body: impl FnOnce(&mut Self, Atom) -> Made<Vec<Draft<'t>>>,
    ) -> Made<Draft<'t>> {
        let var = self.b.var(Name::new("i"), Type::I64);
        let (lets, steps) = self.block(|d| body(d, var.into()))?;
        Ok(Draft::For { var, count: n, body: Draft::after(lets, steps) })
    }

    /// `for i < n { emit place i => body i }`.
    pub(crate) fn draft_each(
        &mut self,
        n: Atom,
        body: impl FnOnce(&mut Self, Atom) -> Made<Val<'t>>,
        place: impl FnOnce(Atom) -> Vec<Atom>,
    ) -> Made<Draft<'t>> {
        self.draft_loop(n, |d, i| Ok(vec![d.draft_emit(place(i), i, |d| body(d, i))?]))
    }

    /// `emit at => value`; messages show the number of the row.
    pub(crate) fn draft_emit(
        &mut self,
        at: Vec<Atom>,
        row: Atom,
        value: impl FnOnce(&mut Self) -> Made<Val<'t>>,
    ) -> Made<Draft<'t>> {
        let (stms, val) = self.block(value)?;
        let place = Cursor { at, ..Cursor::default() };
        Ok(Draft::Emit(DraftEmit { place, row, ..self.emit(stms, val) }))
    }

    /// A value that steps hand over, as `f` makes it.
    pub(crate) fn map_emit(
        &mut self,
        mut emit: DraftEmit<'t>,
        f: impl FnOnce(&mut Self, &DraftEmit<'t>) -> Made<Val<'t>>,
    ) -> Made<DraftEmit<'t>> {
        let stms = std::mem::take(&mut emit.stms);
        (emit.stms, emit.val) = self.at(emit.span, |d| d.block_after(stms, |d| f(d, &emit)))?;
        Ok(emit)
    }

    /// A value that steps hand over, of the first output and without a place.
    pub(crate) fn emit(&self, stms: Vec<Stm>, val: Val<'t>) -> DraftEmit<'t> {
        DraftEmit { output: 0, place: Cursor::default(), stms, val, row: Atom::size(0), span: self.b.span }
    }

    /// The array that values define.
    pub(crate) fn generate(&mut self, mut parts: Gen<'t>, row: Option<&Mono>) -> Made<Val<'t>> {
        let mut vals: Vec<&Val> = Draft::emits(&parts.steps).into_iter().map(|emit| &emit.val).collect();
        vals.extend(parts.otherwise.as_ref().map(|o| &o.1));
        let form = match (vals.is_empty(), row) {
            (true, Some(row)) => {
                let form = self.form_of(row, true);
                self.without_open_shapes(&form)
            }
            _ => of_one_shape(self.join_rows(&vals, parts.mark, row)?, row),
        };
        if has_open_shape(&form) {
            parts.steps = self.box_steps(parts.steps, &form)?;
            if let Some((stms, val)) = parts.otherwise.take() {
                parts.otherwise = Some(self.block_after(stms, |d| d.box_val(&val, &form, &[]))?);
            }
            let outer = parts.shape.len();
            let whole = self.generate(parts, None)?;
            let val = self.unbox(&whole, &form, outer)?;
            return self.wholly_unknown(val);
        }
        let Gen { shape, steps, otherwise, coverage, mark } = parts;
        let steps = self.finish(steps, std::slice::from_ref(&form))?;
        let otherwise = otherwise.map(|(stms, val)| self.finish_block(stms, &val, &form, Atom::size(0))).transpose()?;
        let val = self.bind_shared(&form, Kind::Gen { shape, otherwise, coverage, rec: Vec::new() }, steps, mark);
        self.wholly_unknown(val)
    }

    /// Writes a bulk form. Of each output: what is done with its values, their form, and the variables that it binds.
    pub(crate) fn bulk(&mut self, outputs: Vec<(Kind, Form, Vec<Var>)>, steps: Vec<Draft<'t>>) -> Made<()> {
        let forms: Vec<Form> = outputs.iter().map(|output| output.1.clone()).collect();
        let steps = self.finish(steps, &forms)?;
        let (mut all, mut vars) = (Vec::new(), Vec::new());
        for (kind, form, bound) in outputs {
            let (sizes, elems) = self.formals(&form);
            all.push(Output { kind, sizes, elems });
            vars.extend(bound);
        }
        self.b.bind_all(vars, Exp::Bulk(Bulk { outputs: all, steps, scheduled: false }));
        Ok(())
    }

    /// The values of a form that belong to the numbers below `n`, put together to one.
    pub(crate) fn reduced(
        &mut self,
        kind: Kind,
        (form, name): (&Form, &str),
        n: Atom,
        each: impl FnOnce(&mut Self, Atom) -> Made<Val<'t>>,
    ) -> Made<Val<'t>> {
        let step = self.draft_each(n, each, |_| Vec::new())?;
        let (val, fresh) = self.fresh_vars(form, name);
        self.bulk(vec![(kind, form.clone(), fresh.all())], vec![step])?;
        Ok(val)
    }

    /// Dimensions behind unknown ones are part of one unknown shape.
    pub(crate) fn wholly_unknown(&mut self, val: Val<'t>) -> Made<Val<'t>> {
        let Val::Array(array) = &val else { return Ok(val) };
        let known = leading(&array.dims);
        if known + 1 >= array.dims.len() || array.dims[known..].iter().any(|d| matches!(d, Dim::Jagged(_))) {
            return Ok(val);
        }
        Ok(self.shape_from(array, known)?.0.into())
    }

    /// The form of values of which there are none: a shape that nothing tells has no dimensions.
    fn without_open_shapes(&mut self, form: &Form) -> Form {
        if matches!(form, Form::Sum(_)) || !has_open_shape(form) {
            return form.clone();
        }
        let none = Dim::Shape(vector_var(&mut self.b, scalar::Prim::I64, &[]));
        form.map_dims(&mut |dim| if *dim == FormDim::Shape { FormDim::Fixed(none) } else { *dim })
    }

    /// The sequence of all values.
    pub(crate) fn keep(&mut self, steps: Vec<Draft<'t>>, mark: usize, row: Option<&Mono>) -> Made<Val<'t>> {
        let vals: Vec<&Val> = Draft::emits(&steps).into_iter().map(|emit| &emit.val).collect();
        let form = of_one_shape(self.join_rows(&vals, mark, row)?, row);
        if has_open_shape(&form) {
            let steps = self.box_steps(steps, &form)?;
            let whole = self.keep(steps, mark, None)?;
            return self.unbox(&whole, &form, 1);
        }
        let count = self.b.var(Name::new("m"), Type::I64);
        let (vars, val) = self.bound(&form, &[Dim::Size(count.into())]);
        self.bulk(vec![(Kind::Keep, form, [vec![count], vars].concat())], steps)?;
        Ok(val)
    }

    /// Variables for one value of an output.
    fn formals(&mut self, form: &Form) -> (Vec<Var>, Vec<Var>) {
        let (_, fresh) = self.fresh_vars(form, "x");
        (fresh.sizes(), fresh.data())
    }

    /// What an output binds for values of a form inside some dimensions: descriptors, then data.
    pub(crate) fn bound(&mut self, form: &Form, shape: &[Dim]) -> (Vec<Var>, Val<'t>) {
        let form = whole(form);
        let mut fresh = Fresh::default();
        let val = self.fresh(&form, "xs", shape, &mut fresh);
        ([fresh.sizes(), fresh.data()].concat(), val)
    }

    /// The steps with their values in the forms of the outputs.
    fn finish(&mut self, drafts: Vec<Draft<'t>>, forms: &[Form]) -> Made<Vec<Step>> {
        drafts
            .into_iter()
            .map(|draft| {
                Ok(match draft {
                    Draft::For { var, count, body } => {
                        Step::For { var, count, mark: Mark::Open, body: self.finish(body, forms)? }
                    }
                    Draft::Let(stm) => Step::Let(stm),
                    Draft::Scan(scan) => Step::Scan(scan),
                    Draft::Guard(cond, body) => Step::Guard(cond, self.finish(body, forms)?),
                    Draft::Emit(DraftEmit { output, place, stms, val, row, span }) => {
                        let value = self.at(span, |d| d.finish_block(stms, &val, &forms[output], row))?;
                        let Cursor { at, certs } = place;
                        let span = self.at(span, |d| d.b.place());
                        Step::Emit(Emit { output, at, certs, value, span })
                    }
                })
            })
            .collect()
    }

    pub(crate) fn finish_block(&mut self, stms: Vec<Stm>, val: &Val<'t>, form: &Form, row: Atom) -> Made<Block> {
        let (stms, parts) = self.block_after(stms, |d| d.components(val, form, Why::Rows(row)))?;
        let (sizes, data): (Vec<_>, Vec<_>) = parts.into_iter().partition(|part| part.1);
        Ok(Block { stms, result: sizes.into_iter().chain(data).map(|part| part.0).collect() })
    }

    /// Binds a new array with values of a form, as [`Desugar::bound`] says, but for descriptors that exist already. The
    /// values keep only the sizes that are their own.
    fn bind_shared(&mut self, form: &Form, mut kind: Kind, mut steps: Vec<Step>, mark: usize) -> Val<'t> {
        let Kind::Gen { shape, otherwise, coverage, .. } = &mut kind else {
            bug!("only what is new gets descriptors");
        };
        let exact = *coverage == Coverage::Exact && otherwise.is_none();
        let known = self.known_sizes(&mut steps, otherwise.as_ref(), exact, mark);
        let (vars, val) = self.bound(form, shape);
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
        Step::for_each_emit_mut(&mut steps, &mut |emit| keep_own(&mut emit.value));
        otherwise.iter_mut().for_each(keep_own);
        let not_shared = |vars: Vec<Var>| vars.into_iter().filter(|var| !shared.contains_key(var)).collect();
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

    /// What is known about the sizes of values: those of the steps, and the one of elements that these do not define. Only
    /// if the steps define each element exactly once, the array has the rows of a descriptor from before the steps.
    fn known_sizes(&self, steps: &mut [Step], otherwise: Option<&Block>, exact: bool, mark: usize) -> Vec<Size> {
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
        Step::for_each_emit_mut(steps, &mut |emit| add(&emit.value, &emit.at));
        otherwise.into_iter().for_each(|block| add(block, &[]));
        let mut sizes = sizes.unwrap_or_default();
        for size in &mut sizes {
            // Recursive arrays do not exist yet.
            let exists = |d: &Var| self.outside((*d).into(), mark) && !self.rec_vars.contains_key(d);
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
