//! Updates that do more than put elements into their places.
//!
//! Elements that change their size: in an array of sums, arrays in constructors are jagged where their types do not say how
//! long they are, and nothing of another length fits in the place of what is there. So the array is made anew: all values
//! first, one after the other; then which of them each place gets, the last of several; then the elements.
//!
//! Subscripts that are a vector of unknown length replace an element, or a part.

use crate::arrays::dims::{flat, flat_rows, is_inside, shape_below, vector_val};
use crate::arrays::parts::element;
use crate::context::{Desugar, Made};
use crate::data::draft::{Cursor, Draft, DraftEmit, subscript_counts};
use crate::data::value::{ArrayVal, Val, array_mark, inside, leading};
use crate::exprs::clauses::Target;
use base::bug;
use fault::message;
use ir::num::Compute;
use ir::{Atom, Dim, Exp, Var};
use std::rc::Rc;
use typed::Expr;

/// Whether elements are or have sums that hold arrays of various lengths.
pub(crate) fn changes_size(array: &ArrayVal) -> bool {
    let uneven = |part: &Val| part.any_dim(|dim| !matches!(dim, Dim::Size(_)));
    array.rows.any(&mut |rows| matches!(rows, Val::Sum(sum) if sum.parts.iter().flatten().flatten().any(uneven)))
}

/// How many dimensions lead to an element: a shape alone is the way to one; behind others it belongs to the elements.
fn outer_dims(dims: &[Dim]) -> usize {
    leading(dims).max(1)
}

/// Whether all steps replace single elements.
pub(crate) fn by_single_elements(drafts: &[Draft], array: &ArrayVal) -> bool {
    subscript_counts(drafts).iter().all(|count| *count == outer_dims(&array.dims))
}

impl<'t> Desugar<'t> {
    /// The array with elements replaced by steps. Their subscripts are inside: by checks, or since what lies outside was
    /// left out before.
    pub(crate) fn rebuilt(&mut self, array: &Rc<ArrayVal<'t>>, drafts: Vec<Draft<'t>>) -> Made<Val<'t>> {
        let outer = outer_dims(&array.dims);
        let total = self.b.total(array.dims[..outer].to_vec());
        let drafts = self.with_places(drafts, &array.dims[..outer])?;
        let all = self.keep(drafts, array_mark(array), None)?;
        let all = self.as_array(&all)?;
        let Val::Record(fields) = &all.rows else {
            bug!("a list of replacements has another form than it was given");
        };
        let (places, vals) = (inside(&all.dims, &fields[0]), inside(&all.dims, &fields[1]));
        let count = all.first_size();
        let owner = self.owners(&places, count, total)?;
        let old = flat_rows(&mut self.b, array, outer, total);
        let new = self.build_in(&array.dims[..outer], None, |d, i| {
            let k = element(&mut d.b, &owner, &[i]).scalar("the number of a value");
            let replaced = is_inside(&mut d.b, k, count);
            d.choose(replaced, |d| Ok(element(&mut d.b, &vals, &[k])), |d| Ok(element(&mut d.b, &old, &[i])))
        })?;
        Ok(Val::Array(new))
    }

    /// Which value each place gets; -1 if it keeps its own.
    fn owners(&mut self, places: &ArrayVal<'t>, count: Atom, total: Atom) -> Made<Rc<ArrayVal<'t>>> {
        let none = self.filled(&[Dim::Size(total)], &Val::size(Atom::size(-1)))?;
        let each = self.draft_loop(count, |d, k| {
            let place = element(&mut d.b, places, &[k]).scalar("a place");
            // All places are inside, which only this guard says in Core.
            let there = is_inside(&mut d.b, place, total);
            Ok(vec![Draft::Guard(there, vec![d.draft_emit(vec![place], k, |_| Ok(Val::size(k)))?])])
        })?;
        let owner = self.updated(&none, vec![each], false)?;
        self.as_array(&owner)
    }

    /// Steps that give values with the numbers of their places.
    fn with_places(&mut self, drafts: Vec<Draft<'t>>, dims: &[Dim]) -> Made<Vec<Draft<'t>>> {
        let numbers = self.build_in(dims, None, |_, i| Ok(Val::size(i)))?;
        Draft::replace_emits(drafts, &mut |emit| {
            let emit = self.map_emit(emit, |d, emit| {
                let place = match (numbers.dims.as_slice(), emit.place.at.as_slice()) {
                    ([Dim::Shape(_)], [Atom::Var(iv)]) => {
                        d.under(&emit.place.certs, |d| d.vector_element(&numbers, *iv, &[]))?
                    }
                    (_, _) => emit.place.element(&mut d.b, &numbers),
                };
                Ok(Val::Record([place, emit.val.clone()].into()))
            })?;
            let place = Cursor { at: Vec::new(), ..emit.place };
            Ok(vec![Draft::Emit(DraftEmit { output: 0, place, ..emit })])
        })
    }

    /// The steps of a clause at a vector; a block is open, in which that was computed. The array has a known rank: one clause
    /// for each number of subscripts that there may be.
    pub(crate) fn part_by_length(
        &mut self,
        vector: &Val<'t>,
        value: &'t Expr,
        target: &Target<'t>,
    ) -> Made<Vec<Draft<'t>>> {
        let rank = target.dims.len();
        let (iv, count) = self.as_vector(vector)?;
        let few = self.check(count.at_most(rank as i64), message::subscript_count(), [count, Atom::size(rank as i64)]);
        let lengths: Vec<Atom> = (0..=rank).map(|c| self.b.num(count.equals(c as i64))).collect();
        let mut steps = Draft::after(self.b.close(), []);
        for (c, is) in lengths.into_iter().enumerate() {
            self.b.open();
            let element = |k: usize| self.b.under(few.as_slice(), |b| b.number("i", iv, Atom::size(k as i64)));
            let at: Vec<Atom> = (0..c).map(element).collect();
            let place = self.subscript_checks(&at, target, few.into_iter().collect());
            let lets = self.b.close();
            let (stms, val) = self.block(|d| d.expr(value))?;
            let emit = DraftEmit { output: target.output, place, ..self.emit(stms, val) };
            steps.push(Draft::Guard(is, Draft::after(lets, [Draft::Emit(emit)])));
        }
        Ok(steps)
    }

    /// The same of an array of unknown rank: what is replaced is written element by element.
    pub(crate) fn part_of_shape(
        &mut self,
        vector: &Val<'t>,
        shape: Var,
        value: &'t Expr,
        target: &Target<'t>,
    ) -> Made<Vec<Draft<'t>>> {
        let (iv, count) = self.as_vector(vector)?;
        let certs = self.vector_checks(iv, shape, target, true)?;
        let below = self.b.under(&certs, |b| shape_below(b, shape, count));
        let total = self.b.total(vec![Dim::Shape(below)]);
        let mut steps = Draft::after(self.b.close(), []);
        let (mut stms, new) = self.block(|d| {
            let val = d.expr(value)?;
            d.fitting_part(&val, below, target.whole.as_ref())
        })?;
        if !target.rec {
            // Computed once; the values of recursive arrays may be read only in the values themselves.
            steps.extend(Draft::after(std::mem::take(&mut stms), []));
        }
        let emit = DraftEmit { output: target.output, ..self.emit(stms, new) };
        steps.push(self.replace_below((iv, certs), (below, total), emit)?);
        Ok(steps)
    }

    /// The elements of a value one after the other, checked to have the shape of the part that it replaces.
    pub(crate) fn fitting_part(&mut self, val: &Val<'t>, below: Var, whole: Option<&Val<'t>>) -> Made<Val<'t>> {
        let new = self.as_array(val)?;
        let rows = whole.map_or(&new.rows, |whole| whole.split().1).clone();
        let fitting = self.fitting(&Val::array(vec![Dim::Shape(below)], rows), Val::Array(new))?;
        let fitting = self.as_array(&fitting)?;
        Ok(Val::Array(flat(&mut self.b, &fitting)))
    }

    /// The step that replaces what a vector of indices leads to, by the checks: `total` elements of the shape `below`, by those that
    /// stand one after the other in the value handed over.
    pub(crate) fn replace_below(
        &mut self,
        (iv, certs): (Var, Vec<Var>),
        (below, total): (Var, Atom),
        emit: DraftEmit<'t>,
    ) -> Made<Draft<'t>> {
        self.draft_loop(total, |d, k| {
            let full = d.vector_below(iv, below, k)?;
            let place = Cursor { at: vec![full.into()], certs };
            let emit = d.map_emit(DraftEmit { place, ..emit }, |d, emit| {
                let new = d.as_array(&emit.val)?;
                Ok(element(&mut d.b, &new, &[k]))
            })?;
            Ok(vec![Draft::Emit(emit)])
        })
    }

    /// A vector of indices with those of element number `k` of a shape behind it.
    pub(crate) fn vector_below(&mut self, iv: Var, below: Var, k: Atom) -> Made<Var> {
        let ty = self.b.ty(below).clone();
        let inner = self.b.bind("jv", ty, Exp::Unrank { index: k, shape: below });
        let (outer, inner) = (vector_val(&self.b, iv), vector_val(&self.b, inner));
        let full = self.joined_vectors(&outer, &inner)?;
        Ok(self.as_vector(&full)?.0)
    }
}
