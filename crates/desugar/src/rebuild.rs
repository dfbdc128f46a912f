//! Replacing elements that change their size.
//!
//! In an array of sums, arrays in constructors are jagged where their types do not say how long they are, and nothing of
//! another length fits in the place of what is there. So the array is made anew: all values first, one after the other;
//! then which of them each place gets, the last of several; then the elements.

use crate::ranks::leading;
use crate::replace::{array_mark, subscript_counts};
use crate::rows::{Draft, DraftEmit};
use crate::value::{ArrayVal, Rows, Val};
use crate::{Desugar, Made};
use base::Name;
use ir::{Atom, Dim, Exp};
use scalar::{BinOp, Prim};
use std::rc::Rc;

/// Whether elements are or have sums that hold arrays of various lengths.
pub(crate) fn changes_size(array: &ArrayVal) -> bool {
    in_sums(&array.rows)
}

/// How many dimensions lead to an element: a shape alone is the way to one; behind others it belongs to the elements.
pub(crate) fn outer_dims(dims: &[Dim]) -> usize {
    leading(dims).max(1)
}

/// Where the elements of an array stand when they are one sequence.
enum Places {
    /// Products of extents say it.
    Regular(Vec<Atom>),
    /// The number of every place, in an array of the same dimensions.
    Numbered(ArrayVal),
}

fn in_sums(rows: &Rows) -> bool {
    match rows {
        Rows::Data(..) => false,
        Rows::Record(fields) => fields.iter().any(in_sums),
        Rows::Array(_, rows) => in_sums(rows),
        Rows::Sum(_, _, parts) => parts.iter().flatten().any(|part| in_sums(part) || outside_of_sums(part)),
    }
}

fn outside_of_sums(rows: &Rows) -> bool {
    match rows {
        Rows::Data(..) | Rows::Sum(..) => false,
        Rows::Record(fields) => fields.iter().any(outside_of_sums),
        Rows::Array(own, rows) => own.iter().any(|dim| !matches!(dim, Dim::Size(_))) || outside_of_sums(rows),
    }
}

impl<'t> Desugar<'t> {
    /// The array with elements replaced by steps. With `skip`, what has no place is left out.
    pub(crate) fn rebuilt(&mut self, array: &Rc<ArrayVal>, drafts: Vec<Draft<'t>>, skip: bool) -> Made<Val<'t>> {
        let outer = outer_dims(&array.dims);
        let total = self.b.scalar("n", Prim::I64, Exp::Total(array.dims[..outer].to_vec()));
        let places = self.places(&array.dims[..outer], total)?;
        let drafts = self.with_places(drafts, &places, skip)?;
        let all = self.keep(drafts, array_mark(array), None)?;
        let all = self.as_array(&all)?;
        let (Rows::Record(fields), Some(Dim::Size(count))) = (&all.rows, all.dims.first().copied()) else {
            base::bug!("a list of replacements has another form than it was given");
        };
        let column = |i: usize| ArrayVal { dims: all.dims.clone(), rows: fields[i].clone() };
        let (places, vals) = (column(0), column(1));
        let owner = self.owners(&places, count, total)?;
        let old = self.flat_rows(array, outer, total);
        let new = self.build(total, None, |d, i| {
            let k = d.number_at(&owner, i)?;
            let replaced = d.b.bin(BinOp::Le, Prim::I64, Atom::size(0), k);
            d.choose(replaced, |d| Ok(d.element(&vals, &[k])), |d| Ok(d.element(&old, &[i])))
        })?;
        let new = self.as_array(&new)?;
        let dims: Vec<Dim> = array.dims[..outer].iter().chain(&new.dims[1..]).copied().collect();
        Ok(Val::Array(Rc::new(self.with_new_dims(&new, &dims))))
    }

    fn places(&mut self, dims: &[Dim], total: Atom) -> Made<Places> {
        let extents = dims.iter().map(|dim| if let Dim::Size(n) = dim { Some(*n) } else { None });
        if let Some(extents) = extents.collect() {
            return Ok(Places::Regular(extents));
        }
        let numbers = self.build(total, None, |_, i| Ok(Val::size(i)))?;
        let numbers = self.as_array(&numbers)?;
        Ok(Places::Numbered(self.with_new_dims(&numbers, dims)))
    }

    /// Which value each place gets; -1 if it keeps its own.
    fn owners(&mut self, places: &ArrayVal, count: Atom, total: Atom) -> Made<Rc<ArrayVal>> {
        let none = self.build(total, None, |_, _| Ok(Val::size(Atom::size(-1))))?;
        let none = self.as_array(&none)?;
        let var = self.b.var(Name::new("k"), ir::Type::I64);
        self.b.open();
        let place = self.number_at(places, var.into());
        let there = place.map(|place| (place, self.b.bin(BinOp::Le, Prim::I64, Atom::size(0), place)));
        let lets = self.b.close();
        let (place, there) = there?;
        let (at, val, row) = (vec![place], Val::size(var.into()), Atom::size(0));
        let emit = DraftEmit { output: 0, at, certs: Vec::new(), stms: Vec::new(), val, row, span: self.b.span };
        let guard = Draft::Guard(there, vec![Draft::Emit(emit)]);
        let each = Draft::For { var, count, body: Draft::lets(lets).chain([guard]).collect() };
        let owner = self.updated(&none, vec![each], false)?;
        self.as_array(&owner)
    }

    /// An element of an array of numbers.
    fn number_at(&mut self, numbers: &ArrayVal, i: Atom) -> Made<Atom> {
        match self.element(numbers, &[i]).atom() {
            Some(number) => Ok(number),
            None => base::bug!("a list of replacements has another form than it was given"),
        }
    }

    /// Steps that give values with the numbers of their places, -1 for those that have none.
    fn with_places(&mut self, drafts: Vec<Draft<'t>>, places: &Places, skip: bool) -> Made<Vec<Draft<'t>>> {
        let mut out = Vec::new();
        for draft in drafts {
            out.push(match draft {
                Draft::For { var, count, body } => {
                    Draft::For { var, count, body: self.with_places(body, places, skip)? }
                }
                Draft::Guard(cond, body) => Draft::Guard(cond, self.with_places(body, places, skip)?),
                Draft::Let(stm) => Draft::Let(stm),
                Draft::Emit(emit) => Draft::Emit(self.with_place(emit, places, skip)?),
            });
        }
        Ok(out)
    }

    fn with_place(&mut self, mut emit: DraftEmit<'t>, places: &Places, skip: bool) -> Made<DraftEmit<'t>> {
        self.reopen(std::mem::take(&mut emit.stms));
        let place = match places {
            Places::Regular(extents) => Ok(self.at(emit.span, |d| d.regular_place(&emit, extents, skip))),
            Places::Numbered(numbers) => self.at(emit.span, |d| d.numbered_place(&emit, numbers)),
        };
        let stms = self.b.close();
        let val = Val::Record(vec![Val::size(place?), emit.val].into());
        Ok(DraftEmit { output: 0, at: Vec::new(), stms, val, ..emit })
    }

    fn regular_place(&mut self, emit: &DraftEmit<'t>, extents: &[Atom], skip: bool) -> Atom {
        let (mut place, mut inside) = (Atom::size(0), Atom::bool(true));
        for (i, n) in emit.at.iter().zip(extents) {
            let scaled = self.b.mul(place, *n);
            place = self.b.add(scaled, *i);
            if skip {
                let fine = self.inside(*i, *n);
                inside = self.b.and(inside, fine);
            }
        }
        if skip {
            place = self.b.scalar("at", Prim::I64, Exp::Select(inside, place, Atom::size(-1)));
        }
        // The place is one by the checks of the subscripts.
        match emit.certs.is_empty() {
            true => place,
            false => self.b.under(&emit.certs, |b| b.scalar("at", Prim::I64, Exp::Atom(place))),
        }
    }

    /// Subscripts are inside: by checks, or since what lies outside was left out before.
    fn numbered_place(&mut self, emit: &DraftEmit<'t>, numbers: &ArrayVal) -> Made<Atom> {
        let number = match (numbers.dims.as_slice(), emit.at.as_slice()) {
            ([Dim::Shape(_)], [Atom::Var(iv)]) => self.under(&emit.certs, |d| d.vector_element(numbers, *iv, &[]))?,
            (_, at) => self.under(&emit.certs, |d| d.element(numbers, at)),
        };
        match number.atom() {
            Some(number) => Ok(number),
            None => base::bug!("a list of replacements has another form than it was given"),
        }
    }

    /// Whether all steps replace single elements.
    pub(crate) fn by_single_elements(&self, drafts: &[Draft<'t>], array: &ArrayVal) -> bool {
        let mut counts = base::Set::default();
        subscript_counts(drafts, &mut counts);
        counts.iter().all(|count| *count == outer_dims(&array.dims))
    }
}
