//! Recursive arrays: names that their own clauses may read.
//!
//! All arrays of one `let rec` become one bulk form. Inside the values their names are variables of Core that can only be
//! indexed and sliced. If the elements differ in size, they are read one by one.

use crate::boxes::{boxed, has_open_shape};
use crate::clauses::Target;
use crate::convert::Why;
use crate::faults::Written;
use crate::form::{Form, FormCases, FormDim, Fresh};
use crate::index::{Idx, has_jagged};
use crate::mono::{Mono, MonoDim};
use crate::ranks::leading;
use crate::rows::{Draft, sizes_first, whole};
use crate::value::{ArrayVal, Rows, Val};
use crate::vectors::beyond_known;
use crate::{Desugar, Made};
use ir::{Atom, Block, Bulk, Dim, Exp, Kind, Limitation, Output, Range, Type as CoreType, Var};
use scalar::{BinOp, Prim};
use std::rc::Rc;
use typed::{ExprKind, RecArray};

impl<'t> Desugar<'t> {
    /// Recursive arrays: one bulk form whose outputs see one another.
    pub(crate) fn let_rec(&mut self, arrays: &'t [RecArray]) -> Made<()> {
        // Shapes and old arrays come first: they do not depend on the new ones.
        let mut targets = Vec::new();
        for (output, rec) in arrays.iter().enumerate() {
            targets.push(self.at(rec.value.span, |d| d.rec_target(output, rec))?);
        }
        let mut steps = Vec::new();
        let mut outputs = Vec::new();
        let mut vars = Vec::new();
        let mut results = Vec::new();
        let mut otherwise = Vec::new();
        for (rec, target) in arrays.iter().zip(&mut targets) {
            self.set(rec.name, target.seen.clone());
        }
        for (output, (rec, target)) in arrays.iter().zip(&mut targets).enumerate() {
            let (clauses, other) = match &*rec.value.kind {
                ExprKind::ArrayBy { clauses, otherwise, .. } => (clauses, otherwise.as_ref()),
                ExprKind::Update { clauses, .. } => (clauses, None),
                _ => base::bug!("a recursive array is neither `array` nor `update`"),
            };
            target.target.exact = false;
            let mut drafts = self.clause_steps(clauses, &mut target.target, false)?;
            if let Some(old) = &target.old {
                if has_jagged(&old.rows) {
                    return self.at(rec.value.span, |d| d.unsupported(Limitation::RecUpdate));
                }
                drafts = self.fitted_updates(drafts, output, old, &mut target.form)?;
            }
            self.box_steps(&mut drafts, &target.form)?;
            steps.extend(drafts);
            let other = other.map(|e| self.value_block(e)).transpose()?;
            otherwise.push(match other {
                Some((stms, val)) => {
                    self.reopen(stms);
                    let boxed = self.box_val(&val, &target.form);
                    Some((self.b.close(), boxed?))
                }
                None => None,
            });
        }
        let mut forms = Vec::new();
        for ((target, other), rec) in targets.iter().zip(otherwise).zip(arrays) {
            let form = boxed(&target.form);
            let (sizes, elems) = self.formals(&form);
            let (bound, val) = match &target.old {
                None => self.bound(&form, &target.target.dims),
                Some(old) => self.renewed(old),
            };
            let kind = match &target.old {
                None => {
                    let other = match other {
                        Some((stms, val)) => {
                            self.reopen(stms);
                            let parts = self.components(&val, &form, Why::Rows(Atom::size(0)));
                            let stms = self.b.close();
                            Some(Block { stms, result: sizes_first(&parts?) })
                        }
                        None => None,
                    };
                    let name = self.typed.locals[rec.name].name;
                    let coverage =
                        self.coverage(name.as_str(), &target.target, other.is_some(), &target.target.dims, &rec.value);
                    Kind::Gen { shape: target.target.dims.clone(), otherwise: other, coverage, rec: target.rec.clone() }
                }
                Some(old) => {
                    let mut arrays = Vec::new();
                    crate::replace::leaves(&old.rows, &mut arrays);
                    Kind::Update { arrays, skip: false, rec: target.rec.clone() }
                }
            };
            outputs.push(Output { kind, sizes, elems });
            vars.extend(bound);
            results.push((val, target));
            forms.push(form);
        }
        let steps = self.finish(steps, &forms)?;
        self.b.bind_all(vars, Exp::Bulk(Bulk { outputs, steps }));
        let mut finished = Vec::new();
        for (val, target) in results {
            finished.push(self.finished(val, target)?);
        }
        for (rec, val) in arrays.iter().zip(finished) {
            self.set(rec.name, val);
        }
        Ok(())
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
    fn fitted_updates(
        &mut self,
        mut drafts: Vec<Draft<'t>>,
        output: usize,
        old: &Rc<ArrayVal>,
        form: &mut Form,
    ) -> Made<Vec<Draft<'t>>> {
        if matches!(old.dims.as_slice(), [Dim::Shape(_)]) {
            return Ok(drafts);
        }
        let mut arrays = vec![None; output + 1];
        arrays[output] = Some(old.clone());
        self.fit_values(&mut drafts, &arrays)?;
        let mut depths = base::Set::default();
        crate::replace::subscript_counts(&drafts, &mut depths);
        let jagged = old.dims.iter().any(|d| matches!(d, Dim::Jagged(_)));
        let most = match jagged {
            true => leading(&old.dims),
            false => depths.iter().copied().max().unwrap_or(old.dims.len()),
        };
        if depths.len() > 1 || jagged {
            drafts = self.at_depth(drafts, most, old)?;
        }
        if most < old.dims.len() {
            let dims = old.dims[most..].iter().map(|d| FormDim::Fixed(*d)).collect();
            *form = Form::Array(dims, Box::new(form.clone()));
        }
        Ok(drafts)
    }

    /// Replacements of rows as replacements of what lies `depth` dimensions deep. Each of them computes its row: only
    /// values may read the recursive arrays.
    fn at_depth(&mut self, drafts: Vec<Draft<'t>>, depth: usize, old: &Rc<ArrayVal>) -> Made<Vec<Draft<'t>>> {
        let mut out = Vec::new();
        for draft in drafts {
            out.push(match draft {
                Draft::For { var, count, body } => Draft::For { var, count, body: self.at_depth(body, depth, old)? },
                Draft::Guard(cond, body) => Draft::Guard(cond, self.at_depth(body, depth, old)?),
                Draft::Let(stm) => Draft::Let(stm),
                Draft::Emit(mut emit) => {
                    let mut counts = Vec::new();
                    let given = emit.at.len();
                    for dim in &old.dims[given..depth.max(given)] {
                        self.b.open();
                        let count = match dim {
                            Dim::Size(count) => *count,
                            Dim::Jagged(desc) => {
                                let exp = Exp::DescLength(*desc, emit.at.clone());
                                self.at(emit.span, |d| d.under(&emit.certs, |d| d.b.scalar("len", Prim::I64, exp)))
                            }
                            Dim::Shape(_) => Atom::size(0),
                        };
                        let lets = self.b.close();
                        let var = self.b.var(base::Name::new("j"), CoreType::I64);
                        counts.push((var, count, lets));
                        emit.at.push(var.into());
                    }
                    if !counts.is_empty() {
                        self.reopen(std::mem::take(&mut emit.stms));
                        let row = self.at(emit.span, |d| d.as_array(&emit.val));
                        let row = row.map(|row| {
                            self.at(emit.span, |d| d.under(&emit.certs, |d| d.element(&row, &emit.at[given..])))
                        });
                        emit.stms = self.b.close();
                        emit.val = row?;
                    }
                    let mut inner = vec![Draft::Emit(emit)];
                    for (var, count, lets) in counts.into_iter().rev() {
                        let each = Draft::For { var, count, body: inner };
                        inner = Draft::lets(lets).chain([each]).collect();
                    }
                    out.extend(inner);
                    continue;
                }
            });
        }
        Ok(out)
    }

    /// New variables for an array whose elements are replaced.
    fn renewed(&mut self, old: &Rc<ArrayVal>) -> (Vec<Var>, Val<'t>) {
        let mut vars = Vec::new();
        let rows = self.with_leaves(&old.rows.clone(), &old.dims.clone(), &mut |d, prim, var, dims| {
            let name = d.b.program.vars[var].name;
            let new = d.b.var(name, CoreType::Array(prim, dims.to_vec()));
            vars.push(new);
            new
        });
        (vars, Val::array(old.dims.clone(), rows))
    }

    fn rec_target(&mut self, output: usize, rec: &'t RecArray) -> Made<RecTarget<'t>> {
        let name = self.typed.locals[rec.name].name;
        match &*rec.value.kind {
            ExprKind::ArrayBy { shape, clauses, .. } => {
                let mut dims = self.extents(shape)?;
                // An array without dimensions has one element, at the empty vector.
                let scalar = dims.is_empty();
                if scalar {
                    dims.push(Dim::Shape(self.vector_var(Prim::I64, &[])));
                }
                let mut row = self.row_type(&rec.ty, &dims);
                if matches!(dims.as_slice(), [Dim::Shape(_)]) || matches!(row, Mono::Array(MonoDim::Shape(None), _)) {
                    // The type does not tell where the values' own dimensions begin; theirs do.
                    row = first_value(clauses).map_or(row, |value| self.mono(&value.ty));
                }
                let form = self.form_of(&row, true);
                let seen_form = boxed(&form);
                if !all_fixed(&seen_form) && matches!(dims.as_slice(), [Dim::Shape(_)]) {
                    return self.unsupported(Limitation::RecOfUnknownRank);
                }
                let mut fresh = Fresh::default();
                let seen = self.fresh(&whole(&seen_form), name.as_str(), &dims, &mut fresh);
                let one_by_one = !all_fixed(&seen_form);
                for var in fresh.sizes().into_iter().chain(fresh.data()) {
                    self.rec_vars.insert(var, RecVar { cells: dims.len(), one_by_one });
                }
                fresh.data().into_iter().for_each(|var| self.b.program.vars[var].name = name);
                if let (true, Some(var)) = (has_open_shape(&form), fresh.data().first()) {
                    self.rec_boxes.insert(*var, form.clone());
                }
                let rec = fresh.sizes().into_iter().chain(fresh.data()).collect();
                let target = Target { output, dims, partial: false, whole: None, rec: true, exact: false, clauses: 0 };
                Ok(RecTarget { target, form, seen, rec, old: None, scalar })
            }
            ExprKind::Update { array, clauses } => {
                let whole = self.expr(array)?;
                let scalar = matches!(whole, Val::Scalar(..) | Val::Record(_) | Val::Sum(_));
                let mut old = self.as_array(&whole)?;
                if beyond_known(&old.dims, clauses) {
                    old = Rc::new(self.with_shape(&old)?.0);
                }
                let (rec_vars, seen) = self.renewed(&old);
                rec_vars.iter().for_each(|v| self.b.program.vars[*v].name = name);
                // Rows of different lengths are replaced element by element.
                let cells = match old.dims.iter().any(|d| matches!(d, Dim::Jagged(_))) {
                    true => leading(&old.dims),
                    false => most_subscripts(clauses).clamp(1, old.dims.len()),
                };
                for var in &rec_vars {
                    self.rec_vars.insert(*var, RecVar { cells, one_by_one: false });
                }
                let elem = elem_form(&old);
                let target = Target {
                    output,
                    dims: old.dims.clone(),
                    partial: true,
                    whole: Some(whole),
                    rec: true,
                    exact: false,
                    clauses: 0,
                };
                Ok(RecTarget { target, form: elem, seen, rec: rec_vars, old: Some(old), scalar })
            }
            _ => base::bug!("a recursive array is neither `array` nor `update`"),
        }
    }

    /// What is known of an array that is recursive and still being made.
    pub(crate) fn rec_var(&self, array: &ArrayVal) -> Option<RecVar> {
        if self.rec_vars.is_empty() {
            return None;
        }
        let mut data = Vec::new();
        crate::replace::leaves(&array.rows, &mut data);
        // Units have no data, but their rows have lengths.
        let lengths = array.dims.iter().filter_map(|dim| match dim {
            Dim::Jagged(desc) => Some(*desc),
            Dim::Size(_) | Dim::Shape(_) => None,
        });
        data.into_iter().chain(lengths).next().and_then(|var| self.rec_vars.get(&var)).copied()
    }

    /// What indices select of a recursive array. Indices behind those that lead to an element are the element's own.
    pub(crate) fn select_rec(&mut self, array: &Rc<ArrayVal>, rec: RecVar, indices: &[Idx<'t>]) -> Made<Val<'t>> {
        if indices.iter().any(|i| matches!(i, Idx::Vector(_)))
            && let Some(vector) = self.one_vector(indices)?
        {
            return self.select_rec_vector(array, &vector);
        }
        let cells = rec.cells.min(indices.len());
        let direct = indices[..cells].iter().all(|i| matches!(i, Idx::At(_)));
        // A row of which only a part is wanted must not be asked for as a whole.
        let part_of_row = !direct && indices[..cells].iter().any(|i| matches!(i, Idx::At(_)));
        if rec.one_by_one || part_of_row {
            return self.select_cells(array, rec.cells, &mut Vec::new(), &mut Vec::new(), indices);
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
        array: &Rc<ArrayVal>,
        cells: usize,
        path: &mut Vec<Atom>,
        certs: &mut Vec<Var>,
        indices: &[Idx<'t>],
    ) -> Made<Val<'t>> {
        if path.len() == cells {
            let elem = self.under(certs, |d| d.element(array, path));
            let mut data = Vec::new();
            crate::replace::leaves(&array.rows, &mut data);
            let elem = match data.first().and_then(|var| self.rec_boxes.get(var)).cloned() {
                Some(form) => self.unbox_val(&elem, &form)?,
                None => elem,
            };
            return self.select(&elem, indices);
        }
        let extent = match array.dims[path.len()] {
            Dim::Size(n) => n,
            // The row lengths are those of the old array.
            Dim::Jagged(desc) => {
                let exp = Exp::DescLength(desc, path.clone());
                self.b.under(certs, |b| b.scalar("len", Prim::I64, exp))
            }
            Dim::Shape(_) => return self.unsupported(Limitation::RecParts),
        };
        let whole = Val::Array(array.clone());
        let (range, rest) = match indices.split_first() {
            Some((Idx::At(i), rest)) => {
                let written = Written::single(path.iter().chain([i]).copied().chain(at_atoms(rest)));
                certs.extend(self.index_check(&whole, *i, extent, &written, path.len()));
                path.push(*i);
                let val = self.select_cells(array, cells, path, certs, rest);
                path.pop();
                return val;
            }
            Some((Idx::Slice { start, end, stride, span: at }, rest)) => {
                let (range, more) = self.at(*at, |d| d.run(*start, *end, *stride, extent));
                certs.extend(more);
                (range, rest)
            }
            Some((Idx::Vector(_), _)) => return self.unsupported(Limitation::VectorAndSlice),
            None => (Range { start: Atom::size(0), count: extent, stride: Atom::size(1) }, indices),
        };
        let (path, certs) = (path.clone(), certs.clone());
        self.build(range.count, None, |d, i| {
            let offset = d.b.mul(i, range.stride);
            let i = d.b.add(range.start, offset);
            let mut path: Vec<Atom> = path.iter().copied().chain([i]).collect();
            d.select_cells(array, cells, &mut path, &mut certs.clone(), rest)
        })
    }

    /// A recursive array at a vector whose length is not known: what it selects is put together element by element.
    fn select_rec_vector(&mut self, array: &Rc<ArrayVal>, vector: &Val<'t>) -> Made<Val<'t>> {
        let mut extents = Vec::new();
        for dim in &array.dims {
            match dim {
                Dim::Size(n) => extents.push(*n),
                Dim::Jagged(_) | Dim::Shape(_) => return self.unsupported(Limitation::RecAtVector),
            }
        }
        let shape = self.vector_var(Prim::I64, &extents);
        let rank = Atom::size(extents.len() as i64);
        let (iv, count, certs) = self.check_vector(array, shape, rank, vector, false)?;
        let below = self.under(&certs, |d| d.shape_below(shape, rank, count));
        let total = self.b.scalar("n", Prim::I64, Exp::Total(vec![Dim::Shape(below)]));
        // The number of the first element: indices that the vector does not have are 0.
        let mut first = Atom::size(0);
        for (k, n) in extents.iter().enumerate() {
            let index = self.index_or_zero(iv, count, k as i64)?;
            let scaled = self.b.mul(first, *n);
            first = self.b.add(scaled, index);
        }
        let flat = self.build(total, None, |d, k| {
            let mut rest = d.b.add(first, k);
            let mut at = Vec::new();
            for n in extents.iter().rev() {
                // There are elements below, so no extent is 0.
                at.push(d.under(&certs, |d| d.b.scalar("i", Prim::I64, Exp::Bin(BinOp::Rem, Prim::I64, rest, *n))));
                rest = d.under(&certs, |d| d.b.scalar("i", Prim::I64, Exp::Bin(BinOp::Quot, Prim::I64, rest, *n)));
            }
            at.reverse();
            Ok(d.under(&certs, |d| d.element(array, &at)))
        })?;
        let flat = self.as_array(&flat)?;
        let dims: Vec<Dim> = [Dim::Shape(below)].into_iter().chain(flat.dims[1..].iter().copied()).collect();
        let rows = self.map_leaves(&flat.rows, &dims, &Exp::Reshape);
        Ok(Val::array(dims, rows))
    }

    /// Element `k` of a vector, or 0 if it is shorter.
    fn index_or_zero(&mut self, vector: Var, count: Atom, k: i64) -> Made<Atom> {
        let there = self.b.bin(BinOp::Lt, Prim::I64, Atom::size(k), count);
        let val = self.choose(
            there,
            |d| Ok(Val::size(d.b.scalar("i", Prim::I64, Exp::Index(vector, vec![Atom::size(k)])))),
            |_| Ok(Val::size(Atom::size(0))),
        )?;
        Ok(val.atom().unwrap_or(Atom::size(0)))
    }
}

struct RecTarget<'t> {
    target: Target<'t>,
    form: Form,
    /// The array as the values see it.
    seen: Val<'t>,
    rec: Vec<Var>,
    old: Option<Rc<ArrayVal>>,
    /// Whether it has no dimensions.
    scalar: bool,
}

/// What is known of the name of a recursive array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecVar {
    /// How many indices lead to an element that is computed at once.
    pub cells: usize,
    /// Whether such elements must be read one by one, because they differ in size.
    pub one_by_one: bool,
}

/// How many subscripts clauses have at most, as far as the text tells.
fn most_subscripts(clauses: &[typed::Clause]) -> usize {
    let count = |clause: &typed::Clause| match clause {
        typed::Clause::Element { subscripts, .. } => subscripts.len(),
        typed::Clause::Group { clauses, .. } => most_subscripts(clauses),
    };
    clauses.iter().map(count).max().unwrap_or(1)
}

/// The value of the first clause.
fn first_value(clauses: &[typed::Clause]) -> Option<&typed::Expr> {
    clauses.iter().find_map(|clause| match clause {
        typed::Clause::Element { value, .. } => Some(value),
        typed::Clause::Group { clauses, .. } => first_value(clauses),
    })
}

fn all_fixed(form: &Form) -> bool {
    match form {
        Form::Scalar(_) | Form::Vector(..) | Form::Fun(_) => true,
        Form::Array(dims, elem) => dims.iter().all(|d| matches!(d, FormDim::Fixed(_))) && all_fixed(elem),
        Form::Record(fields) => fields.iter().all(all_fixed),
        Form::Sum(_, parts) => parts.iter().flatten().all(all_fixed),
    }
}

/// The form of single elements.
fn elem_form(array: &ArrayVal) -> Form {
    fn of_rows(rows: &Rows) -> Form {
        match rows {
            Rows::Data(prim, _) => Form::Scalar(*prim),
            Rows::Record(fields) => Form::Record(fields.iter().map(of_rows).collect()),
            Rows::Sum(cases, _, parts) => {
                let parts = parts.iter().map(|ps| ps.iter().map(of_rows).collect()).collect();
                Form::Sum(FormCases(cases.clone()), parts)
            }
            Rows::Array(dims, inner) => {
                let dims = dims.iter().map(|d| FormDim::Fixed(*d)).collect();
                Form::Array(dims, Box::new(of_rows(inner)))
            }
        }
    }
    of_rows(&array.rows)
}

fn at_atoms<'i>(indices: &'i [Idx<'_>]) -> impl Iterator<Item = Atom> + 'i {
    indices.iter().filter_map(|i| if let Idx::At(a) = i { Some(*a) } else { None })
}
