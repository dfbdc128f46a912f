//! `scatter` and histograms.

use crate::rows::{Draft, DraftEmit};
use crate::value::{ArrayVal, Val};
use crate::{Desugar, Made};
use base::{Name, Span};
use ir::{Atom, Type};
use std::rc::Rc;

impl<'t> Desugar<'t> {
    /// `for i < n { emit [is[i]] => vs[i] }`.
    fn writes(
        &mut self,
        dest: &Rc<ArrayVal>,
        places: &Val<'t>,
        values: &Val<'t>,
        fit: bool,
        span: Span,
    ) -> Made<Draft<'t>> {
        let (places, n) = self.array_arg(places, span)?;
        let (values, _) = self.array_arg(values, span)?;
        let var = self.b.var(Name::new("i"), Type::I64);
        self.b.open();
        let place = self.element(&places, &[var.into()], &[], span);
        let at: Vec<Atom> = match &place {
            Val::Record(parts) => parts.iter().filter_map(Val::atom).collect(),
            place => place.atom().into_iter().collect(),
        };
        let lets = self.b.close();
        self.b.open();
        let val = self.element(&values, &[var.into()], &[], span);
        // Rows keep the shape of what they replace; it is the same for all rows of a regular array.
        let val = match fit && dest.dims.len() > at.len() {
            true => {
                let zeros = vec![Atom::size(0); at.len()];
                let regular = dest.dims[at.len()..].iter().all(|d| matches!(d, ir::Dim::Size(_)));
                let old = self.element(dest, if regular { &zeros } else { &at }, &[], span);
                self.fitting(&old, val, span)
            }
            false => Ok(val),
        };
        let stms = self.b.close();
        let emit = DraftEmit { output: 0, at, certs: Vec::new(), stms, val: val?, row: var.into(), span };
        Ok(Draft::For { var, count: n, body: Draft::lets(lets).chain([Draft::Emit(emit)]).collect() })
    }

    pub(super) fn scatter(&mut self, args: &[Val<'t>], span: Span) -> Made<Val<'t>> {
        let dest = self.as_array(&args[0], span)?;
        let step = self.writes(&dest, &args[1], &args[2], true, span)?;
        self.updated(&dest, vec![step], true, span)
    }

    pub(super) fn hist(&mut self, args: &[Val<'t>], span: Span) -> Made<Val<'t>> {
        let dest = self.as_array(&args[0], span)?;
        let step = self.writes(&dest, &args[3], &args[4], true, span)?;
        let neutral = self.without_vectors(&args[2], span)?;
        let mark = self.mark();
        let form = self.join(&[&neutral], mark, span)?;
        self.accumulated(&dest, vec![step], &args[1], &form, true, span)
    }
}
