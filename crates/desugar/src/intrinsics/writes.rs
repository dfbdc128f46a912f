//! `scatter` and histograms.

use crate::rows::{Draft, DraftEmit};
use crate::value::{ArrayVal, Rows, Val};
use crate::{Desugar, Made};
use base::Name;
use ir::{Atom, Dim, Type};
use std::rc::Rc;

impl<'t> Desugar<'t> {
    /// `for i < n { emit [is[i]] => vs[i] }`.
    fn writes(&mut self, dest: &Rc<ArrayVal>, places: &Val<'t>, values: &Val<'t>, fit: bool) -> Made<Draft<'t>> {
        let (places, n) = self.array_arg(places)?;
        let (values, _) = self.array_arg(values)?;
        let var = self.b.var(Name::new("i"), Type::I64);
        self.b.open();
        let place = self.element(&places, &[var.into()]);
        let at: Vec<Atom> = match &place {
            Val::Record(parts) => parts.iter().filter_map(Val::atom).collect(),
            place => place.atom().into_iter().collect(),
        };
        let regular = is_regular(&dest.dims[at.len().min(dest.dims.len())..], &dest.rows);
        // What lies outside is left out; the shape of what is there is looked at only inside.
        let inside = if regular { Atom::bool(true) } else { self.inside_all(&at, &dest.dims) };
        let lets = self.b.close();
        self.b.open();
        let val = self.element(&values, &[var.into()]);
        // Rows keep the shape of what they replace; it is the same for all rows of a regular array.
        let val = match fit && (dest.dims.len() > at.len() || holds_arrays(&dest.rows)) {
            true => {
                let zeros = vec![Atom::size(0); at.len()];
                let old = self.element(dest, if regular { &zeros } else { &at });
                self.fitting(&old, val)
            }
            false => Ok(val),
        };
        let stms = self.b.close();
        let emit = DraftEmit { output: 0, at, certs: Vec::new(), stms, val: val?, row: var.into(), span: self.b.span };
        let emit = Draft::Emit(emit);
        let emit = if regular { emit } else { Draft::Guard(inside, vec![emit]) };
        Ok(Draft::For { var, count: n, body: Draft::lets(lets).chain([emit]).collect() })
    }

    /// Whether indices are inside of the first dimensions.
    fn inside_all(&mut self, at: &[Atom], dims: &[Dim]) -> Atom {
        let mut inside = Atom::bool(true);
        for (i, dim) in at.iter().zip(dims) {
            if let Dim::Size(n) = dim {
                let here = self.inside(*i, *n);
                inside = self.b.and(inside, here);
            }
        }
        inside
    }

    pub(super) fn scatter(&mut self, args: &[Val<'t>]) -> Made<Val<'t>> {
        let dest = self.as_array(&args[0])?;
        let step = self.writes(&dest, &args[1], &args[2], true)?;
        self.updated(&dest, vec![step], true)
    }

    pub(super) fn hist(&mut self, args: &[Val<'t>]) -> Made<Val<'t>> {
        let dest = self.as_array(&args[0])?;
        let step = self.writes(&dest, &args[3], &args[4], true)?;
        let neutral = self.without_vectors(&args[2])?;
        let mark = self.mark();
        let form = self.join(&[&neutral], mark)?;
        self.accumulated(&dest, vec![step], &args[1], &form, true)
    }
}

/// Whether all rows have the same shape.
fn is_regular(dims: &[Dim], rows: &Rows) -> bool {
    let here = dims.iter().all(|d| matches!(d, Dim::Size(_)));
    here && match rows {
        Rows::Data(..) => true,
        Rows::Record(fields) => fields.iter().all(|f| is_regular(&[], f)),
        Rows::Sum(_, _, parts) => parts.iter().flatten().all(|p| is_regular(&[], p)),
        Rows::Array(own, rows) => is_regular(own, rows),
    }
}

/// Whether elements have arrays in them.
fn holds_arrays(rows: &Rows) -> bool {
    match rows {
        Rows::Data(..) => false,
        Rows::Record(fields) => fields.iter().any(holds_arrays),
        Rows::Sum(_, _, parts) => parts.iter().flatten().any(holds_arrays),
        Rows::Array(..) => true,
    }
}
