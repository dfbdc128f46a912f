//! Replacing elements that change their size.
//!
//! In an array of sums, arrays in constructors are jagged where their types do not say how long they are, and nothing of
//! another length fits in the place of what is there. So the array is made anew: all values first, one after the other;
//! then which of them each place gets, the last of several; then the elements.

use crate::replace::{array_mark, subscript_counts};
use crate::rows::{Draft, DraftEmit};
use crate::value::{ArrayVal, Rows, Val};
use crate::{Desugar, Made};
use base::{Name, Span};
use ir::{Atom, Dim, Exp};
use scalar::{BinOp, Prim};
use std::rc::Rc;

/// Whether elements are sums that hold arrays of various lengths, and of one form otherwise.
pub(crate) fn changes_size(array: &ArrayVal) -> bool {
    array.dims.iter().all(|dim| matches!(dim, Dim::Size(_))) && in_sums(&array.rows) && !outside_of_sums(&array.rows)
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
    pub(crate) fn rebuilt(
        &mut self,
        array: &Rc<ArrayVal>,
        drafts: Vec<Draft<'t>>,
        skip: bool,
        span: Span,
    ) -> Made<Val<'t>> {
        let extents: Vec<Atom> =
            array.dims.iter().filter_map(|dim| if let Dim::Size(n) = dim { Some(*n) } else { None }).collect();
        let total = self.b.scalar("n", Prim::I64, Exp::Total(array.dims.clone()), &[], span);
        let drafts = self.with_places(drafts, &extents, skip)?;
        let all = self.keep(drafts, array_mark(array), None, span)?;
        let all = self.as_array(&all, span)?;
        let (Rows::Record(fields), Some(Dim::Size(count))) = (&all.rows, all.dims.first().copied()) else {
            return crate::unsupported("these replacements", span);
        };
        let column = |i: usize| ArrayVal { dims: all.dims.clone(), rows: fields[i].clone() };
        let (places, vals) = (column(0), column(1));
        let owner = self.owners(&places, count, total, span)?;
        let old = self.flat_rows(array, array.dims.len(), total, span);
        let new = self.build(total, None, span, |d, i| {
            let k = d.number_at(&owner, i, span)?;
            let replaced = d.b.bin(BinOp::Le, Prim::I64, Atom::size(0), k, span);
            d.choose(
                replaced,
                span,
                |d| Ok(d.element(&vals, &[k], &[], span)),
                |d| Ok(d.element(&old, &[i], &[], span)),
            )
        })?;
        let new = self.as_array(&new, span)?;
        let dims: Vec<Dim> = array.dims.iter().chain(&new.dims[1..]).copied().collect();
        Ok(Val::Array(Rc::new(self.with_new_dims(&new, &dims, &[], span))))
    }

    /// Which value each place gets; -1 if it keeps its own.
    fn owners(&mut self, places: &ArrayVal, count: Atom, total: Atom, span: Span) -> Made<Rc<ArrayVal>> {
        let none = self.build(total, None, span, |_, _| Ok(Val::size(Atom::size(-1))))?;
        let none = self.as_array(&none, span)?;
        let var = self.b.var(Name::new("k"), ir::Type::I64);
        self.b.open();
        let place = self.number_at(places, var.into(), span);
        let there = place.map(|place| (place, self.b.bin(BinOp::Le, Prim::I64, Atom::size(0), place, span)));
        let lets = self.b.close();
        let (place, there) = there?;
        let (at, val, row) = (vec![place], Val::size(var.into()), Atom::size(0));
        let emit = DraftEmit { output: 0, at, certs: Vec::new(), stms: Vec::new(), val, row, span };
        let guard = Draft::Guard(there, vec![Draft::Emit(emit)]);
        let each = Draft::For { var, count, body: Draft::lets(lets).chain([guard]).collect() };
        let owner = self.updated(&none, vec![each], false, span)?;
        self.as_array(&owner, span)
    }

    /// An element of an array of numbers.
    fn number_at(&mut self, numbers: &ArrayVal, i: Atom, span: Span) -> Made<Atom> {
        match self.element(numbers, &[i], &[], span).atom() {
            Some(number) => Ok(number),
            None => crate::unsupported("these replacements", span),
        }
    }

    /// Steps that give values with the numbers of their places, -1 for those that have none.
    fn with_places(&mut self, drafts: Vec<Draft<'t>>, extents: &[Atom], skip: bool) -> Made<Vec<Draft<'t>>> {
        let mut out = Vec::new();
        for draft in drafts {
            out.push(match draft {
                Draft::For { var, count, body } => {
                    Draft::For { var, count, body: self.with_places(body, extents, skip)? }
                }
                Draft::Guard(cond, body) => Draft::Guard(cond, self.with_places(body, extents, skip)?),
                Draft::Let(stm) => Draft::Let(stm),
                Draft::Emit(emit) => Draft::Emit(self.with_place(emit, extents, skip)),
            });
        }
        Ok(out)
    }

    fn with_place(&mut self, mut emit: DraftEmit<'t>, extents: &[Atom], skip: bool) -> DraftEmit<'t> {
        let span = emit.span;
        self.reopen(std::mem::take(&mut emit.stms));
        let (mut place, mut inside) = (Atom::size(0), Atom::bool(true));
        for (i, n) in emit.at.iter().zip(extents) {
            let scaled = self.b.mul(place, *n, span);
            place = self.b.add(scaled, *i, span);
            if skip {
                let fine = self.inside(*i, *n, span);
                inside = self.b.and(inside, fine, span);
            }
        }
        if skip {
            place = self.b.scalar("at", Prim::I64, Exp::Select(inside, place, Atom::size(-1)), &[], span);
        }
        // The place is one by the checks of the subscripts.
        let place = match emit.certs.is_empty() {
            true => place,
            false => self.b.scalar("at", Prim::I64, Exp::Atom(place), &emit.certs, span),
        };
        let val = Val::Record(vec![Val::size(place), emit.val].into());
        DraftEmit { output: 0, at: Vec::new(), stms: self.b.close(), val, ..emit }
    }

    /// Whether all steps replace single elements.
    pub(crate) fn by_single_elements(&self, drafts: &[Draft<'t>], array: &ArrayVal) -> bool {
        let mut counts = base::Set::default();
        subscript_counts(drafts, &mut counts);
        counts.iter().all(|count| *count == array.dims.len())
    }
}
