//! Replacing parts of arrays: `e with path = v`, and the outputs that updates share.

use crate::arrays::dims::{made_jagged, rank_of, shape_below};
use crate::arrays::parts::{element, renewed, retyped, with_new_dims};
use crate::context::{Desugar, Made};
use crate::data::draft::{Cursor, Draft, DraftEmit, subscript_counts};
use crate::data::value::{ArrayVal, Val, behind, inside, is_shape, leading};
use crate::exprs::index::{Idx, Shown, lead_by_vector};
use crate::exprs::updates::{by_single_elements, changes_size};
use crate::faults::{Place, text};
use base::{Name, bug};
use fault::message;
use ir::num::Compute;
use ir::{Atom, Dim, Kind, Limitation, Range, Type as CoreType};
use std::convert::Infallible;
use std::rc::Rc;
use typed::{Expr, Step as PathStep};

impl<'t> Desugar<'t> {
    pub(crate) fn with_expr(&mut self, source: &'t Expr, path: &'t [PathStep], value: &'t Expr) -> Made<Val<'t>> {
        let whole = self.expr(source)?;
        let mut steps = Vec::with_capacity(path.len());
        let mut ty = self.mono(&source.ty);
        for step in path {
            match step {
                PathStep::Field(name) => {
                    let (place, field) = ty.field(*name);
                    steps.push(PathVal::Field(place));
                    ty = field.clone();
                }
                PathStep::Index(indices) => {
                    // A field comes behind all dimensions.
                    while let Some(elem) = ty.elem() {
                        ty = elem.clone();
                    }
                    steps.push(PathVal::Index(self.indices(indices, Place::Index)?));
                }
            }
        }
        let value = self.expr(value)?;
        self.replace(&whole, &steps, value)
    }

    fn replace(&mut self, whole: &Val<'t>, path: &[PathVal<'t>], value: Val<'t>) -> Made<Val<'t>> {
        match (path, whole) {
            ([], _) => Ok(value),
            ([PathVal::Field(place), rest @ ..], Val::Record(fields)) => {
                let mut fields = fields.to_vec();
                fields[*place] = self.replace(&fields[*place].clone(), rest, value)?;
                Ok(Val::Record(fields.into()))
            }
            ([PathVal::Index(indices)], _) => self.assign(whole, indices, value),
            ([PathVal::Index(indices), rest @ ..], _) => {
                let part = self.select(whole, indices)?;
                let part = self.replace(&part, rest, value)?;
                self.assign(whole, indices, part)
            }
            ([PathVal::Field(_), ..], _) => bug!("the checker let a field be taken of what is no record"),
        }
    }

    /// The array with an element or subarray replaced.
    fn assign(&mut self, whole: &Val<'t>, indices: &[Idx<'t>], value: Val<'t>) -> Made<Val<'t>> {
        if indices.is_empty() {
            return Ok(value);
        }
        let array = self.as_array(whole)?;
        if lead_by_vector(&array.dims, indices) {
            return match self.one_vector(indices)? {
                Some(vector) => self.assign_vector(&array, &vector, value),
                None => self.unsupported(Limitation::ReplacedSlices),
            };
        }
        if indices.len() > array.dims.len() {
            return self.select_known(&array, indices);
        }
        let drafts = self.assign_steps((whole, indices), &array, indices, Cursor::default(), value)?;
        self.updated(&array, drafts, false)
    }

    /// The array with what a vector of indices leads to replaced: an element, or all elements below.
    fn assign_vector(&mut self, array: &Rc<ArrayVal<'t>>, vector: &Val<'t>, value: Val<'t>) -> Made<Val<'t>> {
        let (unknown, shape) = self.shape_from(array, 0)?;
        let unknown = Rc::new(unknown);
        let single = !matches!(value, Val::Array(_) | Val::Vector(..) | Val::Lengths(_));
        let (iv, certs) = self.check_vector(array, shape, vector, single)?;
        let draft = if single {
            let place = Cursor { at: vec![iv.into()], certs };
            Draft::Emit(DraftEmit { place, ..self.emit(Vec::new(), value) })
        } else {
            let below = self.b.under(&certs, |b| shape_below(b, shape, rank_of(b, iv)));
            let new = self.fitting_part(&value, below, Some(&Val::Array(array.clone())))?;
            let total = self.b.total(vec![Dim::Shape(below)]);
            self.replace_below((iv, certs), (below, total), self.emit(Vec::new(), new))?
        };
        let updated = self.updated(&unknown, vec![draft], false)?;
        if unknown.dims == array.dims {
            return Ok(updated);
        }
        let updated = self.as_array(&updated)?;
        Ok(Val::Array(Rc::new(with_new_dims(&mut self.b, &updated, &array.dims))))
    }

    /// Loops over the slices among the indices, then one replacement. Messages show the whole array and all indices.
    fn assign_steps(
        &mut self,
        shown: Shown<'_, 't>,
        array: &Rc<ArrayVal<'t>>,
        indices: &[Idx<'t>],
        mut cursor: Cursor,
        value: Val<'t>,
    ) -> Made<Vec<Draft<'t>>> {
        let Some((first, rest)) = indices.split_first() else {
            let (stms, val) = self.block(|d| {
                let old = cursor.element(&mut d.b, array);
                d.fitting(&old, value)
            })?;
            return Ok(vec![Draft::Emit(DraftEmit { place: cursor, ..self.emit(stms, val) })]);
        };
        let limits = (Limitation::ReplacedParts, Limitation::ReplacedAtVector);
        let (lets, slice) = self.block(|d| {
            let range = d.step(shown, &array.dims, Some(first), &mut cursor, limits)?;
            range.map(|range| Ok((range, d.slice_value(range, &value, &mut cursor)?))).transpose()
        })?;
        let steps = match slice {
            None => self.assign_steps(shown, array, rest, cursor, value)?,
            // The loop has the length of the new elements, so that it can be fused with the loop that computes them.
            Some((range, value)) => vec![self.draft_loop(value.first_size(), |d, i| {
                let place = cursor.in_range(&mut d.b, range, i);
                let row = element(&mut d.b, &value, &[i]);
                d.assign_steps(shown, array, rest, place, row)
            })?],
        };
        Ok(Draft::after(lets, steps))
    }

    /// A value that replaces a slice of one dimension, checked to have as many rows.
    fn slice_value(&mut self, range: Range, value: &Val<'t>, cursor: &mut Cursor) -> Made<Rc<ArrayVal<'t>>> {
        let value = self.as_array(value)?;
        let found = self.describe(&Val::Array(value.clone()), 1);
        let message = message::replacement(text("[{0}]"), found.text);
        let fits = value.first_size().equals(range.count);
        cursor.certs.extend(self.check(fits, message, [range.count].into_iter().chain(found.args)));
        Ok(value)
    }

    /// A value with the dimensions of what it replaces, checked.
    pub(crate) fn fitting(&mut self, old: &Val<'t>, new: Val<'t>) -> Made<Val<'t>> {
        match (old, &new) {
            (Val::Record(_), Val::Record(_)) => new.try_zip(old, |new, old| self.fitting(old, new.clone())),
            (Val::Array(old), Val::Array(_) | Val::Vector(..) | Val::Lengths(_)) => {
                let mut new = (*self.as_array(&new)?).clone();
                if old.dims.iter().any(is_shape) {
                    new = self.with_leading(&new, 0, leading(&old.dims))?;
                    if leading(&old.dims) <= new.dims.len() {
                        new = self.shape_from(&new, leading(&old.dims))?.0;
                    }
                } else if new.dims.iter().any(is_shape) {
                    new = self.part_of_rank(old, &new)?;
                }
                for at in 0..new.dims.len().min(old.dims.len()) {
                    match (old.dims[at], new.dims[at]) {
                        (Dim::Jagged(_), Dim::Size(_)) => new = made_jagged(&mut self.b, &new, at),
                        (Dim::Size(n), Dim::Jagged(_)) => new = self.made_regular(&new, at, Some(n)),
                        (_, _) => {}
                    }
                }
                let equal = self.equal_dims(&old.dims, &new.dims)?;
                let (expected, found) = (Val::Array(old.clone()), Val::Array(Rc::new(new.clone())));
                let cert = self.check_replacement(equal, &expected, &found);
                Ok(Val::Array(Rc::new(retyped(&mut self.b, &new, old.dims.clone(), cert.as_slice()))))
            }
            (Val::Scalar(..) | Val::Record(_) | Val::Sum(_), Val::Array(array)) => {
                // An array of rank 0 is its element.
                let (array, shape) = self.shape_from(array, 0)?;
                let fits = self.b.num(rank_of(&self.b, shape).equals(0));
                let cert = self.check_replacement(fits, old, &new);
                self.under(cert.as_slice(), |d| d.only_element(&array))
            }
            (Val::Array(_), Val::Scalar(..) | Val::Record(_) | Val::Sum(_)) => {
                let cert = self.check_replacement(Atom::bool(false), old, &new);
                self.relying(old, cert.as_slice())
            }
            (_, _) => Ok(new),
        }
    }

    /// A value of unknown rank that replaces an array of known rank.
    fn part_of_rank(&mut self, old: &Rc<ArrayVal<'t>>, new: &ArrayVal<'t>) -> Made<ArrayVal<'t>> {
        let found = Val::Array(Rc::new(new.clone()));
        let (new, shape) = self.shape_from(new, 0)?;
        let fits = self.b.num(rank_of(&self.b, shape).equals(old.dims.len() as i64));
        let cert = self.check_replacement(fits, &Val::Array(old.clone()), &found);
        let new = self.relying(&Val::Array(Rc::new(new)), cert.as_slice())?;
        let new = self.as_array(&new)?;
        self.with_rank(&new, 0, old.dims.len())
    }

    /// The array with elements replaced by steps.
    pub(crate) fn updated(&mut self, array: &Rc<ArrayVal<'t>>, drafts: Vec<Draft<'t>>, skip: bool) -> Made<Val<'t>> {
        if changes_size(array) {
            let whole = [(Vec::new(), array.clone())];
            let drafts = if by_single_elements(&drafts, array) { drafts } else { self.by_elements(&whole, drafts)? };
            return self.rebuilt(array, drafts);
        }
        let mut parts = Vec::new();
        split(&array.dims, &array.rows, &[], &mut parts);
        let mut drafts = if parts.len() == 1 { drafts } else { parted(drafts, &parts) };
        let depths = subscript_counts(&drafts);
        let jagged = |array: &ArrayVal<'t>| array.dims.iter().any(|d| matches!(d, Dim::Jagged(_)));
        let uneven = parts.iter().any(|(_, array)| jagged(array)) || depths.len() > 1;
        if uneven && !matches!(array.dims.first(), Some(Dim::Shape(_))) {
            drafts = self.by_elements(&parts, drafts)?;
        }
        let (mut outputs, mut vals) = (Vec::new(), Vec::new());
        for (number, (_, part)) in parts.iter().enumerate() {
            let first = Draft::emits(&drafts).into_iter().find(|emit| emit.output == number);
            let form = self.form_behind(part, first.map_or(leading(&part.dims), |emit| emit.place.at.len()))?;
            let (new, val) = renewed(&mut self.b, part);
            let kind = Kind::Update { arrays: part.rows.leaves(), skip, rec: Vec::new() };
            outputs.push((kind, form, new));
            vals.push(behind(&*self.as_array(&val)?, array.dims.len()));
        }
        self.bulk(outputs, drafts)?;
        Ok(Val::array(array.dims.clone(), joined(&array.rows, &mut vals.into_iter())))
    }

    /// Replacements of rows as replacements of their elements: rows may differ in length or rank, elements do not.
    fn by_elements(&mut self, parts: &[Part<'t>], drafts: Vec<Draft<'t>>) -> Made<Vec<Draft<'t>>> {
        Draft::replace_emits(drafts, &mut |mut emit| {
            let array = &parts[emit.output].1;
            let depth = leading(&array.dims);
            let lets = if emit.place.at.len() < depth { std::mem::take(&mut emit.stms) } else { Vec::new() };
            Ok(Draft::after(lets, self.at_depth(emit, depth, array)?))
        })
    }

    /// The replacement of a row as one of what lies `depth` dimensions deep.
    pub(crate) fn at_depth(
        &mut self,
        mut emit: DraftEmit<'t>,
        depth: usize,
        old: &ArrayVal<'t>,
    ) -> Made<Vec<Draft<'t>>> {
        let given = emit.place.at.len();
        let mut loops = Vec::new();
        for _ in given..depth {
            let (lets, count) = self.at(emit.span, |d| d.block(|d| Ok(emit.place.extent(&mut d.b, &old.dims))))?;
            let Some(count) = count else { return self.unsupported(Limitation::RecParts) };
            let var = self.b.var(Name::new("j"), CoreType::I64);
            loops.push((var, count, lets));
            emit.place.at.push(var.into());
        }
        if !loops.is_empty() {
            emit = self.map_emit(emit, |d, emit| {
                let row = d.as_array(&emit.val)?;
                let Cursor { at, certs } = &emit.place;
                Ok(d.b.under(certs, |b| element(b, &row, &at[given..])))
            })?;
        }
        let each = |body, (var, count, lets)| Draft::after(lets, [Draft::For { var, count, body }]);
        Ok(loops.into_iter().rev().fold(vec![Draft::Emit(emit)], each))
    }
}

/// A part of an array of records that is updated for itself: the fields that lead to it, and the array of it.
type Part<'t> = (Vec<usize>, Rc<ArrayVal<'t>>);

/// Where fields hold rows of different lengths each field is a part: such rows are replaced element by element. All
/// else is one part, since the place of an element says where all of its fields are.
fn split<'t>(dims: &[Dim], rows: &Val<'t>, path: &[usize], out: &mut Vec<Part<'t>>) {
    match rows {
        Val::Record(fields) if fields.iter().any(has_jagged_fields) => {
            fields.iter().enumerate().for_each(|(i, field)| split(dims, field, &[path, &[i]].concat(), out));
        }
        _ => out.push((path.to_vec(), Rc::new(inside(dims, rows)))),
    }
}

/// Whether rows of different lengths stand outside of sums.
fn has_jagged_fields(rows: &Val) -> bool {
    match rows {
        Val::Sum(_) => false,
        _ if rows.split().0.iter().any(|dim| matches!(dim, Dim::Jagged(_))) => true,
        _ => rows.children().into_iter().any(has_jagged_fields),
    }
}

/// The parts of rows put together again.
fn joined<'t>(rows: &Val<'t>, parts: &mut impl Iterator<Item = Val<'t>>) -> Val<'t> {
    match rows {
        Val::Record(fields) if fields.iter().any(has_jagged_fields) => {
            Val::Record(fields.iter().map(|field| joined(field, parts)).collect())
        }
        _ => parts.next().unwrap_or_else(|| bug!("every part has a value")),
    }
}

/// Each value as one for each part.
fn parted<'t>(drafts: Vec<Draft<'t>>, parts: &[Part<'t>]) -> Vec<Draft<'t>> {
    let Ok(drafts) = Draft::replace_emits(drafts, &mut |mut emit| {
        let lets = std::mem::take(&mut emit.stms);
        let emits = parts.iter().enumerate().map(|(output, (path, _))| {
            let val = path.iter().fold(emit.val.clone(), |val, field| field_of(val, *field));
            Draft::Emit(DraftEmit { output, val, ..emit.clone() })
        });
        Ok::<_, Infallible>(Draft::after(lets, emits))
    });
    drafts
}

/// A field of a record, or of all elements of an array.
fn field_of<'t>(val: Val<'t>, field: usize) -> Val<'t> {
    match &val {
        Val::Record(fields) => fields[field].clone(),
        Val::Array(array) => Val::array(array.dims.clone(), field_of(array.rows.clone(), field)),
        _ => val,
    }
}

/// A step of a path whose indices are atoms.
enum PathVal<'t> {
    Field(usize),
    Index(Vec<Idx<'t>>),
}
