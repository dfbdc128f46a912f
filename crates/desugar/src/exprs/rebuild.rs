//! Replacing elements that change their size.
//!
//! In an array of sums, arrays in constructors are jagged where their types do not say how long they are, and nothing of
//! another length fits in the place of what is there. So the array is made anew: all values first, one after the other;
//! then which of them each place gets, the last of several; then the elements.

use crate::arrays::dims::{flat_rows, is_inside};
use crate::arrays::parts::element;
use crate::context::{Desugar, Made};
use crate::data::draft::{Draft, DraftEmit, subscript_counts};
use crate::data::value::{ArrayVal, Val, array_mark, inside, leading};
use base::bug;
use ir::{Atom, Dim};
use std::rc::Rc;

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
                let place = match (numbers.dims.as_slice(), emit.at.as_slice()) {
                    ([Dim::Shape(_)], [Atom::Var(iv)]) => {
                        d.under(&emit.certs, |d| d.vector_element(&numbers, *iv, &[]))?
                    }
                    (_, at) => d.b.under(&emit.certs, |b| element(b, &numbers, at)),
                };
                Ok(Val::Record([place, emit.val.clone()].into()))
            })?;
            Ok(vec![Draft::Emit(DraftEmit { output: 0, at: Vec::new(), ..emit })])
        })
    }
}
