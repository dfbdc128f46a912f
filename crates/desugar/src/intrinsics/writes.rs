//! `scatter` and histograms.

use crate::arrays::dims::is_inside;
use crate::arrays::parts::element;
use crate::context::{Desugar, Made};
use crate::data::draft::{Draft, DraftEmit};
use crate::data::value::{ArrayVal, Val, behind};
use base::Name;
use ir::num::Compute;
use ir::{Atom, Dim, Type};
use std::rc::Rc;

impl<'t> Desugar<'t> {
    /// `for i < n { emit [is[i]] => vs[i] }`.
    fn writes(&mut self, dest: &Rc<ArrayVal<'t>>, places: &Val<'t>, values: &Val<'t>) -> Made<Draft<'t>> {
        let (places, n) = self.rows_of(places)?;
        let (values, _) = self.rows_of(values)?;
        let var = self.b.var(Name::new("i"), Type::I64);
        self.b.open();
        let place = element(&mut self.b, &places, &[var.into()]);
        let at: Vec<Atom> = match &place {
            Val::Record(parts) => parts.iter().filter_map(Val::atom).collect(),
            place => place.atom().into_iter().collect(),
        };
        let below = behind(dest, at.len().min(dest.dims.len()));
        // What lies outside is left out; the shape of what is there is looked at only inside.
        let has_shape = below.any_dim(|_| true);
        let inside = if has_shape { self.inside_all(&at, &dest.dims) } else { Atom::bool(true) };
        let lets = self.b.close();
        let (stms, val) = self.block(|d| {
            let val = element(&mut d.b, &values, &[var.into()]);
            if !has_shape {
                return Ok(val);
            }
            // Rows keep the shape of what they replace.
            let old = element(&mut d.b, dest, &at);
            d.fitting(&old, val)
        })?;
        let emit = Draft::Emit(DraftEmit { at, row: var.into(), ..self.emit(stms, val) });
        let emit = if has_shape { Draft::Guard(inside, vec![emit]) } else { emit };
        Ok(Draft::For { var, count: n, body: Draft::after(lets, [emit]) })
    }

    /// Whether indices are inside of the first dimensions.
    fn inside_all(&mut self, at: &[Atom], dims: &[Dim]) -> Atom {
        let mut inside = Atom::bool(true);
        for (i, dim) in at.iter().zip(dims) {
            if let Dim::Size(n) = dim {
                let here = is_inside(&mut self.b, *i, *n);
                inside = self.b.num(inside.and(here));
            }
        }
        inside
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
        let mark = self.mark();
        let form = self.join(&[&neutral], mark)?;
        self.accumulated(&dest, vec![step], &args[1], &form, true)
    }
}
