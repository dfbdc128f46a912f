//! Recursive arrays: names that their own clauses may read.
//!
//! All arrays of one `let rec` become one bulk form. Inside the values their names are variables of Core that can only be
//! indexed and sliced. If the elements differ in size, they are read one by one.

use crate::arrays::dims::{rank_of, shape_below};
use crate::arrays::parts::{element, renewed, vector_var};
use crate::context::{Desugar, Made, RecVar};
use crate::data::draft::{Cursor, Draft, subscript_counts};
use crate::data::form::{Form, FormDim, Fresh, boxed, has_open_shape, whole};
use crate::data::types::{Mono, MonoDim};
use crate::data::value::{ArrayVal, Val, has_jagged, leading};
use crate::exprs::clauses::{Target, beyond_known};
use crate::exprs::index::{Idx, at_atoms};
use base::{Name, bug};
use ir::{Atom, Dim, Kind, Limitation, Stm, Var};
use scalar::Prim;
use std::rc::Rc;
use typed::{Clause, Expr, ExprKind, Index, RecArray};

impl<'t> Desugar<'t> {
    /// Recursive arrays: one bulk form whose outputs see one another.
    pub(crate) fn let_rec(&mut self, arrays: &'t [RecArray]) -> Made<()> {
        // Shapes and old arrays come first: they do not depend on the new ones.
        let mut targets = Vec::new();
        for (output, rec) in arrays.iter().enumerate() {
            targets.push(self.at(rec.value.span, |d| d.rec_target(output, rec))?);
        }
        for (rec, target) in arrays.iter().zip(&targets) {
            self.set(rec.name, target.seen.clone());
        }
        let mut steps = Vec::new();
        for (rec, target) in arrays.iter().zip(&mut targets) {
            steps.extend(self.rec_steps(rec, target)?);
        }
        let (mut outputs, mut vals) = (Vec::new(), Vec::new());
        for (rec, target) in arrays.iter().zip(&mut targets) {
            let form = boxed(&target.form);
            let kind = self.rec_kind(rec, target, &form)?;
            let (bound, val) = match &target.old {
                None => self.bound(&form, &target.target.dims),
                Some(old) => renewed(&mut self.b, old),
            };
            outputs.push((kind, form, bound));
            vals.push(val);
        }
        let span = arrays.first().map_or(self.b.span, |rec| rec.value.span);
        self.at(span, |d| d.bulk(outputs, steps))?;
        for ((rec, target), val) in arrays.iter().zip(&targets).zip(vals) {
            let val = self.finished(val, target)?;
            self.set(rec.name, val);
        }
        Ok(())
    }

    /// The steps of one of the arrays, and the values of elements without a clause.
    fn rec_steps(&mut self, rec: &'t RecArray, target: &mut RecTarget<'t>) -> Made<Vec<Draft<'t>>> {
        let (clauses, otherwise) = match &*rec.value.kind {
            ExprKind::ArrayBy { clauses, otherwise, .. } => (clauses, otherwise.as_ref()),
            ExprKind::Update { clauses, .. } => (clauses, None),
            _ => bug!("a recursive array is neither `array` nor `update`"),
        };
        target.target.exact = false;
        let mut drafts = self.clause_steps(clauses, &mut target.target)?;
        if let Some(old) = &target.old {
            if has_jagged(&old.rows) {
                return self.at(rec.value.span, |d| d.unsupported(Limitation::RecUpdate));
            }
            drafts = self.fitted_updates(drafts, old, &mut target.form)?;
        }
        let form = target.form.clone();
        let otherwise = otherwise.map(|value| {
            self.block(|d| {
                let val = d.expr(value)?;
                d.box_val(&val, &form, &[])
            })
        });
        target.otherwise = otherwise.transpose()?;
        self.box_steps(drafts, &form)
    }

    fn rec_kind(&mut self, rec: &'t RecArray, target: &mut RecTarget<'t>, form: &Form) -> Made<Kind> {
        Ok(match &target.old {
            Some(old) => Kind::Update { arrays: old.rows.leaves(), skip: false, rec: target.rec.clone() },
            None => {
                let otherwise = target.otherwise.take();
                let otherwise = otherwise.map(|(stms, val)| self.finish_block(stms, &val, form, Atom::size(0)));
                let otherwise = otherwise.transpose()?;
                let name = self.typed.locals[rec.name].name;
                let shape = target.target.dims.clone();
                let coverage = self.coverage(name.as_str(), &target.target, otherwise.is_some(), &rec.value);
                Kind::Gen { shape, otherwise, coverage, rec: target.rec.clone() }
            }
        })
    }

    /// The array as it is when it is no longer recursive.
    fn finished(&mut self, val: Val<'t>, target: &RecTarget<'t>) -> Made<Val<'t>> {
        let val = match has_open_shape(&target.form) {
            true => self.unbox(&val, &target.form, target.target.dims.len())?,
            false => val,
        };
        match (&val, target.scalar) {
            (Val::Array(array), true) => self.only_element(array),
            (_, _) => self.wholly_unknown(val),
        }
    }

    /// The values of an update with the dimensions of what they replace, and their form. All of them have as many
    /// subscripts: where that differs, rows are replaced element by element.
    fn fitted_updates(&mut self, drafts: Vec<Draft<'t>>, old: &ArrayVal<'t>, form: &mut Form) -> Made<Vec<Draft<'t>>> {
        if matches!(old.dims.as_slice(), [Dim::Shape(_)]) {
            return Ok(drafts);
        }
        let mut drafts = self.fit_values(drafts, old)?;
        let depths = subscript_counts(&drafts);
        let jagged = old.dims.iter().any(|d| matches!(d, Dim::Jagged(_)));
        let most = match jagged {
            true => leading(&old.dims),
            false => depths.iter().copied().max().unwrap_or(old.dims.len()),
        };
        if depths.len() > 1 || jagged {
            // Each of them computes its row: only values may read the recursive arrays.
            drafts = Draft::replace_emits(drafts, &mut |emit| self.at_depth(emit, most, old))?;
        }
        *form = self.form_behind(old, most)?;
        Ok(drafts)
    }

    fn rec_target(&mut self, output: usize, rec: &'t RecArray) -> Made<RecTarget<'t>> {
        let name = self.typed.locals[rec.name].name;
        match &*rec.value.kind {
            ExprKind::ArrayBy { shape, clauses, .. } => self.rec_array(output, name, (shape, clauses), rec),
            ExprKind::Update { array, clauses } => self.rec_update(output, name, array, clauses),
            _ => bug!("a recursive array is neither `array` nor `update`"),
        }
    }

    /// A new array that its own clauses may read.
    fn rec_array(
        &mut self,
        output: usize,
        name: Name,
        (shape, clauses): (&'t Expr, &'t [Clause]),
        rec: &'t RecArray,
    ) -> Made<RecTarget<'t>> {
        let mut dims = self.array_dims(shape)?;
        // An array without dimensions has one element, at the empty vector.
        let scalar = dims.is_empty();
        if scalar {
            dims.push(Dim::Shape(vector_var(&mut self.b, Prim::I64, &[])));
        }
        let unranked = matches!(dims.as_slice(), [Dim::Shape(_)]);
        let mut row = self.row_type(&rec.ty, &dims);
        if unranked || matches!(row, Mono::Array(MonoDim::Shape(None), _)) {
            // The type does not tell where the values' own dimensions begin; theirs do.
            let first = clauses.iter().flat_map(Clause::elements).next();
            row = first.map_or(row, |(_, value)| self.mono(&value.ty));
        }
        let form = self.form_of(&row, true);
        let seen_form = boxed(&form);
        let one_by_one = seen_form.any_dim(|dim| !matches!(dim, FormDim::Fixed(_)));
        if one_by_one && unranked {
            return self.unsupported(Limitation::RecOfUnknownRank);
        }
        let mut fresh = Fresh::default();
        let seen = self.fresh(&whole(&seen_form), name.as_str(), &dims, &mut fresh);
        let rec = [fresh.sizes(), fresh.data()].concat();
        self.rec_vars.extend(rec.iter().map(|var| (*var, RecVar { cells: dims.len(), one_by_one })));
        fresh.data().into_iter().for_each(|var| self.b.program.vars[var].name = name);
        if let (true, Some(var)) = (has_open_shape(&form), fresh.data().first()) {
            self.rec_boxes.insert(*var, form.clone());
        }
        let target = Target { rec: true, exact: false, ..Target::new(output, dims) };
        Ok(RecTarget { target, form, seen, rec, old: None, scalar, otherwise: None })
    }

    /// An array with elements replaced by values that may read them.
    fn rec_update(&mut self, output: usize, name: Name, array: &'t Expr, clauses: &'t [Clause]) -> Made<RecTarget<'t>> {
        let whole = self.expr(array)?;
        let scalar = matches!(whole, Val::Scalar(..) | Val::Record(_) | Val::Sum(_));
        let mut old = self.as_array(&whole)?;
        if beyond_known(&old.dims, clauses) {
            old = Rc::new(self.shape_from(&old, 0)?.0);
        }
        let (rec, seen) = renewed(&mut self.b, &old);
        rec.iter().for_each(|v| self.b.program.vars[*v].name = name);
        // Rows of different lengths are replaced element by element.
        let cells = match old.dims.iter().any(|d| matches!(d, Dim::Jagged(_))) {
            true => leading(&old.dims),
            false => {
                let elements = clauses.iter().flat_map(Clause::elements);
                elements.map(|(subscripts, _)| led_through(subscripts, old.dims.len())).max().unwrap_or(1)
            }
        };
        self.rec_vars.extend(rec.iter().map(|var| (*var, RecVar { cells, one_by_one: false })));
        let form = self.form_behind(&old, old.dims.len())?;
        let target = Target::new(output, old.dims.clone());
        let target = Target { partial: true, whole: Some(whole), rec: true, exact: false, ..target };
        Ok(RecTarget { target, form, seen, rec, old: Some(old), scalar, otherwise: None })
    }

    /// What is known of an array that is recursive and still being made.
    pub(crate) fn rec_var(&self, array: &ArrayVal<'t>) -> Option<RecVar> {
        if self.rec_vars.is_empty() {
            return None;
        }
        // Units have no data, but their rows have lengths.
        let lengths = array.dims.iter().filter_map(|dim| match dim {
            Dim::Jagged(desc) => Some(*desc),
            Dim::Size(_) | Dim::Shape(_) => None,
        });
        array.rows.leaves().into_iter().chain(lengths).next().and_then(|var| self.rec_vars.get(&var)).copied()
    }

    /// What indices select of a recursive array. Indices behind those that lead to an element are the element's own.
    pub(crate) fn select_rec(&mut self, array: &Rc<ArrayVal<'t>>, rec: RecVar, indices: &[Idx<'t>]) -> Made<Val<'t>> {
        if indices.iter().any(|i| matches!(i, Idx::Vector(_)))
            && let Some(vector) = self.one_vector(indices)?
        {
            return self.select_rec_vector(array, &vector);
        }
        let cells = rec.cells.min(indices.len());
        let direct = indices[..cells].iter().all(|i| matches!(i, Idx::At(_)));
        // A row of which only a part is wanted must not be asked for as a whole.
        let inner = indices[..cells].iter().skip(1).any(Idx::narrows);
        let part_of_row = !direct && (inner || matches!(indices[..cells], [Idx::At(_), ..]));
        if rec.one_by_one || part_of_row {
            return self.select_cells(array, rec.cells, Cursor::default(), indices);
        }
        if !direct || indices.len() == cells {
            return self.select_known(array, indices);
        }
        let elem = self.select_known(array, &indices[..cells])?;
        self.select(&elem, &indices[cells..])
    }

    /// Elements one by one, so that each is asked for when it is read.
    fn select_cells(
        &mut self,
        array: &Rc<ArrayVal<'t>>,
        cells: usize,
        mut cursor: Cursor,
        indices: &[Idx<'t>],
    ) -> Made<Val<'t>> {
        if cursor.at.len() == cells {
            let elem = cursor.element(&mut self.b, array);
            let elem = match array.rows.leaves().first().and_then(|var| self.rec_boxes.get(var)).cloned() {
                Some(form) => self.unbox_rows(&elem, &form, &[])?,
                None => elem,
            };
            return self.select(&elem, indices);
        }
        let whole = Val::Array(array.clone());
        let shown: Vec<Idx> = cursor.at.iter().copied().chain(at_atoms(indices)).map(Idx::At).collect();
        let limits = (Limitation::RecParts, Limitation::VectorAndSlice);
        let range = self.step((&whole, &shown), &array.dims, indices.first(), &mut cursor, limits)?;
        let rest = indices.get(1..).unwrap_or_default();
        let Some(range) = range else { return self.select_cells(array, cells, cursor, rest) };
        self.build(range.count, None, |d, i| {
            let place = cursor.in_range(&mut d.b, range, i);
            d.select_cells(array, cells, place, rest)
        })
    }

    /// A recursive array at a vector whose length is not known: what it selects is put together element by element.
    fn select_rec_vector(&mut self, array: &Rc<ArrayVal<'t>>, vector: &Val<'t>) -> Made<Val<'t>> {
        if !array.dims.iter().all(|dim| matches!(dim, Dim::Size(_))) {
            return self.unsupported(Limitation::RecAtVector);
        }
        let shape = self.shape_val(&array.dims)?;
        let (shape, _) = self.as_vector(&shape)?;
        let (iv, certs) = self.check_vector(array, shape, vector, false)?;
        let below = self.b.under(&certs, |b| shape_below(b, shape, rank_of(b, iv)));
        let part = self.build_in(&[Dim::Shape(below)], None, |d, k| {
            let full = d.vector_below(iv, below, k)?;
            let at: Vec<Atom> = (0..array.dims.len()).map(|k| d.b.number("i", full, Atom::size(k as i64))).collect();
            Ok(d.b.under(&certs, |b| element(b, array, &at)))
        })?;
        Ok(Val::Array(part))
    }
}

/// Through how many of these dimensions subscripts may lead.
fn led_through(subscripts: &[Index], dims: usize) -> usize {
    let is_vector = |index: &Index| matches!(index, Index::Vector(_));
    if subscripts.iter().any(is_vector) { dims } else { subscripts.len().clamp(1, dims) }
}

/// One of the arrays while it is made.
struct RecTarget<'t> {
    target: Target<'t>,
    form: Form,
    /// The array as the values see it.
    seen: Val<'t>,
    rec: Vec<Var>,
    old: Option<Rc<ArrayVal<'t>>>,
    /// The values of elements that no clause defines.
    otherwise: Option<(Vec<Stm>, Val<'t>)>,
    /// Whether it has no dimensions.
    scalar: bool,
}
