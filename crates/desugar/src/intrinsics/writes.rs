//! `scatter` and histograms.

use crate::arrays::dims::is_inside;
use crate::arrays::parts::element;
use crate::context::{Desugar, Made};
use crate::data::draft::Draft;
use crate::data::value::{ArrayVal, Val, behind};
use ir::{Atom, Dim};
use std::rc::Rc;

impl<'t> Desugar<'t> {
    /// `for i < n { emit [is[i]] => vs[i] }`.
    fn writes(&mut self, dest: &Rc<ArrayVal<'t>>, places: &Val<'t>, values: &Val<'t>) -> Made<Draft<'t>> {
        let (places, n) = self.rows_of(places)?;
        let (values, _) = self.rows_of(values)?;
        self.draft_loop(n, |d, i| {
            let at: Vec<Atom> = match element(&mut d.b, &places, &[i]) {
                Val::Record(parts) => parts.iter().filter_map(Val::atom).collect(),
                place => place.atom().into_iter().collect(),
            };
            let new = |d: &mut Self| element(&mut d.b, &values, &[i]);
            if !behind(dest, at.len().min(dest.dims.len())).any_dim(|_| true) {
                return Ok(vec![d.draft_emit(at, i, |d| Ok(new(d)))?]);
            }
            // What lies outside is left out; the shape of what is there is looked at only inside.
            let inside = d.conjunction(Atom::bool(true), at.iter().zip(&dest.dims), |d, (i, dim)| match dim {
                Dim::Size(n) => Ok(is_inside(&mut d.b, *i, *n)),
                Dim::Jagged(_) | Dim::Shape(_) => Ok(Atom::bool(true)),
            })?;
            let emit = d.draft_emit(at.clone(), i, |d| {
                let new = new(d);
                // Rows keep the shape of what they replace.
                let old = element(&mut d.b, dest, &at);
                d.fitting(&old, new)
            })?;
            Ok(vec![Draft::Guard(inside, vec![emit])])
        })
    }

    pub(super) fn scatter(&mut self, args: &[Val<'t>]) -> Made<Val<'t>> {
        let dest = self.as_array(&args[0])?;
        let step = self.writes(&dest, &args[1], &args[2])?;
        self.updated(&dest, vec![step], true)
    }

    pub(super) fn hist(&mut self, args: &[Val<'t>]) -> Made<Val<'t>> {
        let dest = self.as_array(&args[0])?;
        let step = self.writes(&dest, &args[3], &args[4])?;
        let neutral = self.without_vectors(&args[2])?;
        let form = self.operand_form(&neutral)?;
        self.accumulated(&dest, vec![step], &args[1], &form, true)
    }
}
