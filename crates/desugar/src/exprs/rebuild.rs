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
use base::{Name, bug};
use ir::num::Compute;
use ir::{Atom, Dim, Exp};
use std::rc::Rc;

/// Whether elements are or have sums that hold arrays of various lengths.
pub(crate) fn changes_size(array: &ArrayVal) -> bool {
    let uneven = |part: &Val| part.any_dim(|dim| !matches!(dim, Dim::Size(_)));
    array.rows.any(&mut |rows| matches!(rows, Val::Sum(sum) if sum.parts.iter().flatten().flatten().any(uneven)))
}

/// How many dimensions lead to an element: a shape alone is the way to one; behind others it belongs to the elements.
pub(crate) fn outer_dims(dims: &[Dim]) -> usize {
    leading(dims).max(1)
}

/// Where the elements of an array stand when they are one sequence.
enum Places<'t> {
    /// Products of extents say it.
    Regular(Vec<Atom>),
    /// The number of every place, in an array of the same dimensions.
    Numbered(Rc<ArrayVal<'t>>),
}

impl<'t> Desugar<'t> {
    /// The array with elements replaced by steps. With `skip`, what has no place is left out.
    pub(crate) fn rebuilt(&mut self, array: &Rc<ArrayVal<'t>>, drafts: Vec<Draft<'t>>, skip: bool) -> Made<Val<'t>> {
        let outer = outer_dims(&array.dims);
        let total = self.b.total(array.dims[..outer].to_vec());
        let places = self.places(&array.dims[..outer])?;
        let drafts = self.with_places(drafts, &places, skip)?;
        let all = self.keep(drafts, array_mark(array), None)?;
        let all = self.as_array(&all)?;
        let (Val::Record(fields), Some(Dim::Size(count))) = (&all.rows, all.dims.first().copied()) else {
            bug!("a list of replacements has another form than it was given");
        };
        let column = |i: usize| inside(&all.dims, &fields[i]);
        let (places, vals) = (column(0), column(1));
        let owner = self.owners(&places, count, total)?;
        let old = flat_rows(&mut self.b, array, outer, total);
        let new = self.build_in(&array.dims[..outer], None, |d, i| {
            let k = d.number_at(&owner, i)?;
            let replaced = is_inside(&mut d.b, k, count);
            d.choose(replaced, |d| Ok(element(&mut d.b, &vals, &[k])), |d| Ok(element(&mut d.b, &old, &[i])))
        })?;
        Ok(Val::Array(new))
    }

    fn places(&mut self, dims: &[Dim]) -> Made<Places<'t>> {
        let extents = dims.iter().map(|dim| if let Dim::Size(n) = dim { Some(*n) } else { None });
        if let Some(extents) = extents.collect() {
            return Ok(Places::Regular(extents));
        }
        Ok(Places::Numbered(self.build_in(dims, None, |_, i| Ok(Val::size(i)))?))
    }

    /// Which value each place gets; -1 if it keeps its own.
    fn owners(&mut self, places: &ArrayVal<'t>, count: Atom, total: Atom) -> Made<Rc<ArrayVal<'t>>> {
        let none = self.filled(&[Dim::Size(total)], &Val::size(Atom::size(-1)))?;
        let var = self.b.var(Name::new("k"), ir::Type::I64);
        let (lets, (place, there)) = self.block(|d| {
            let place = d.number_at(places, var.into())?;
            Ok((place, is_inside(&mut d.b, place, total)))
        })?;
        let emit = DraftEmit { at: vec![place], ..self.emit(Vec::new(), Val::size(var.into())) };
        let guard = Draft::Guard(there, vec![Draft::Emit(emit)]);
        let each = Draft::For { var, count, body: Draft::after(lets, [guard]) };
        let owner = self.updated(&none, vec![each], false)?;
        self.as_array(&owner)
    }

    /// An element of an array of numbers.
    fn number_at(&mut self, numbers: &ArrayVal<'t>, i: Atom) -> Made<Atom> {
        match element(&mut self.b, numbers, &[i]).atom() {
            Some(number) => Ok(number),
            None => bug!("a list of replacements has another form than it was given"),
        }
    }

    /// Steps that give values with the numbers of their places, -1 for those that have none.
    fn with_places(&mut self, drafts: Vec<Draft<'t>>, places: &Places<'t>, skip: bool) -> Made<Vec<Draft<'t>>> {
        Draft::replace_emits(drafts, &mut |emit| {
            let emit = self.map_emit(emit, |d, emit| {
                let place = match places {
                    Places::Regular(extents) => d.regular_place(emit, extents, skip),
                    Places::Numbered(numbers) => d.numbered_place(emit, numbers)?,
                };
                Ok(Val::Record([Val::size(place), emit.val.clone()].into()))
            })?;
            Ok(vec![Draft::Emit(DraftEmit { output: 0, at: Vec::new(), ..emit })])
        })
    }

    fn regular_place(&mut self, emit: &DraftEmit<'t>, extents: &[Atom], skip: bool) -> Atom {
        let (mut place, mut inside) = (Atom::size(0), Atom::bool(true));
        for (i, n) in emit.at.iter().zip(extents) {
            place = self.b.num(place * *n + *i);
            if skip {
                let fine = is_inside(&mut self.b, *i, *n);
                inside = self.b.num(inside.and(fine));
            }
        }
        if skip {
            place = self.b.num_as("at", inside.select(place, Atom::size(-1)));
        }
        // The place is one by the checks of the subscripts.
        match emit.certs.is_empty() {
            true => place,
            false => self.b.under(&emit.certs, |b| b.bind("at", ir::Type::I64, Exp::Atom(place))).into(),
        }
    }

    /// Subscripts are inside: by checks, or since what lies outside was left out before.
    fn numbered_place(&mut self, emit: &DraftEmit<'t>, numbers: &ArrayVal<'t>) -> Made<Atom> {
        let number = match (numbers.dims.as_slice(), emit.at.as_slice()) {
            ([Dim::Shape(_)], [Atom::Var(iv)]) => self.under(&emit.certs, |d| d.vector_element(numbers, *iv, &[]))?,
            (_, at) => self.b.under(&emit.certs, |b| element(b, numbers, at)),
        };
        match number.atom() {
            Some(number) => Ok(number),
            None => bug!("a list of replacements has another form than it was given"),
        }
    }

    /// Whether all steps replace single elements.
    pub(crate) fn by_single_elements(&self, drafts: &[Draft<'t>], array: &ArrayVal<'t>) -> bool {
        subscript_counts(drafts).iter().all(|count| *count == outer_dims(&array.dims))
    }
}
