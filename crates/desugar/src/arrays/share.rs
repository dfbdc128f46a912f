//! Descriptors that are there already.
//!
//! Each size that differs from row to row would become a descriptor of its own. Often there is one already:
//!
//! ```text
//! let (e: desc [n], ys: [n][~e]f64) = bulk {        let ys: [n][~d]f64 = bulk {
//!   out gen [n] of (k: i64; y: [k]f64)                out gen [n] of (y: [~d]f64)
//!   for i < n {                                       for i < n {
//!     let len: i64 = desc_length d[i]         ->        let len: i64 = desc_length d[i]
//!     emit [i] { .. => len, row }                       emit [i] { .. => row }
//! ```
//!
//! All values have the lengths of the rows of `d` at their places, so the array gets `d`: types then say that it has the
//! same rows as the array it was computed from, and no check is needed where both meet again. In the same way two sizes
//! that are the same atom in each value share one descriptor.
//!
//! Limits: lengths are compared as atoms. A length that is computed in another way is a new descriptor.

use crate::arrays::join::Naming;
use crate::context::Desugar;
use crate::data::form::{Form, FormDim, Forms, Fresh, whole};
use crate::data::tree::Walk;
use crate::data::value::{Val, Values};
use ir::{Atom, Block, Dim, Exp, Step, Stm, Type, Var};
use scalar::Prim;

/// The values of an output.
pub(crate) struct Origin<'s> {
    /// What gives them.
    pub steps: &'s [Step],
    /// The value of elements that the steps do not define.
    pub otherwise: Option<&'s Block>,
    /// Whether the steps define each element once.
    pub exact: bool,
    /// How many variables there were before the steps.
    pub mark: usize,
}

/// What is known about one size of an output's values.
#[derive(Clone, Debug, Default)]
struct Size {
    /// The descriptor whose rows all values have.
    given: Option<Var>,
    /// Earlier sizes that are the same in all values.
    same: Vec<usize>,
}

/// Where a size comes from.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Source {
    /// The values.
    Own,
    /// A descriptor that is there already.
    Given(Var),
    /// The size of this number.
    Same(usize),
}

/// Where the sizes of an output's values come from.
pub(crate) struct Sources(Vec<Source>);

impl Sources {
    /// All values with only the sizes that come from them.
    pub fn keep_own(&self, steps: &mut [Step], otherwise: &mut Option<Block>) {
        if let Some(block) = otherwise {
            self.keep_own_in(block);
        }
        for step in steps {
            match step {
                Step::For { body, .. } | Step::Guard(_, body) => self.keep_own(body, &mut None),
                Step::Emit(emit) => self.keep_own_in(&mut emit.value),
                Step::Let(_) | Step::Scan(_) => {}
            }
        }
    }

    fn keep_own_in(&self, block: &mut Block) {
        let mut sources = self.0.iter();
        block.result.retain(|_| sources.next().is_none_or(|source| *source == Source::Own));
    }
}

impl<'t> Desugar<'t> {
    /// What an output binds for values of a form inside some dimensions, as [`Desugar::bound`], but for descriptors that
    /// are there already.
    pub(crate) fn bound_sharing(
        &mut self,
        form: &Form,
        shape: &[Dim],
        origin: &Origin<'_>,
    ) -> (Vec<Var>, Val<'t>, Sources) {
        let sizes = self.known_sizes(origin);
        let (mut fresh, mut sources) = (Fresh::default(), Vec::new());
        let naming = Naming { d: self, name: "xs", out: &mut fresh };
        let mut choosing = Choosing { naming, sizes: &sizes, sources: &mut sources, descs: Vec::new() };
        let val = whole(form).walk(shape, &mut choosing);
        let mut vars = fresh.sizes();
        vars.extend(fresh.data());
        (vars, Val::array(shape.to_vec(), val), Sources(sources))
    }

    /// What is known about the sizes of values.
    fn known_sizes(&self, origin: &Origin<'_>) -> Vec<Size> {
        let mut found = Found { sizes: None, around: Vec::new() };
        found.steps(origin.steps);
        if let Some(block) = origin.otherwise {
            found.value(block, &[]);
        }
        let mut sizes = found.sizes.unwrap_or_default();
        for size in &mut sizes {
            // Recursive arrays are not there yet.
            let there = |d: &Var| self.outside((*d).into(), origin.mark) && !self.rec_vars.contains_key(d);
            size.given = size.given.filter(|d| origin.exact && origin.otherwise.is_none() && there(d));
        }
        sizes
    }

    /// Variables for what one value of an output gives to it, as [`Desugar::formals`].
    pub(crate) fn formals_sharing(&mut self, form: &Form, sources: &Sources) -> (Vec<Var>, Vec<Var>) {
        let mut fresh = Fresh::default();
        let naming = Naming { d: self, name: "x", out: &mut fresh };
        let _: Val<'t> = form.walk(&[], &mut Obeying { naming, sources: &sources.0, dims: Vec::new() });
        (fresh.sizes(), fresh.data())
    }
}

/// What the sizes of values have in common.
struct Found<'s> {
    /// Nothing is known before the first value.
    sizes: Option<Vec<Size>>,
    /// The statements around.
    around: Vec<&'s Stm>,
}

impl<'s> Found<'s> {
    fn steps(&mut self, steps: &'s [Step]) {
        let before = self.around.len();
        for step in steps {
            match step {
                Step::For { body, .. } | Step::Guard(_, body) => self.steps(body),
                Step::Let(stm) => self.around.push(stm),
                Step::Scan(_) => {}
                Step::Emit(emit) => self.value(&emit.value, &emit.at),
            }
        }
        self.around.truncate(before);
    }

    fn value(&mut self, value: &'s Block, at: &[Atom]) {
        let atoms = &value.result;
        let known = self.sizes.take();
        let first = |i: usize| Size { given: self.rows(value, atoms[i], at), same: (0..i).collect() };
        let mut sizes = known.unwrap_or_else(|| (0..atoms.len()).map(first).collect());
        for (size, atom) in sizes.iter_mut().zip(atoms) {
            size.same.retain(|other| atoms[*other] == *atom);
            if size.given.is_some() && self.rows(value, *atom, at) != size.given {
                size.given = None;
            }
        }
        self.sizes = Some(sizes);
    }

    /// The descriptor whose row at these indices has this length, or is this descriptor.
    fn rows(&self, value: &Block, size: Atom, at: &[Atom]) -> Option<Var> {
        let size = size.var()?;
        let stms = value.stms.iter().rev().chain(self.around.iter().rev().copied());
        let stm = stms.into_iter().find(|stm| stm.vars.contains(&size))?;
        match &stm.exp {
            Exp::DescLength(d, row) | Exp::DescIndex(d, row) if row == at => Some(*d),
            _ => None,
        }
    }
}

/// Chooses where the sizes of an output come from, and names what it binds.
struct Choosing<'a, 'd, 't> {
    naming: Naming<'a, 'd, 't>,
    sizes: &'a [Size],
    sources: &'a mut Vec<Source>,
    /// The descriptors of the sizes so far.
    descs: Vec<Var>,
}

impl<'t> Walk<Forms, Values<'t>> for Choosing<'_, '_, 't> {
    fn scalar(&mut self, prim: Prim, atom: &(), outer: &[Dim]) -> Atom {
        self.naming.scalar(prim, atom, outer)
    }

    fn tag(&mut self, prim: Prim, atom: &(), outer: &[Dim]) -> Atom {
        self.naming.tag(prim, atom, outer)
    }

    fn dim(&mut self, dim: &FormDim, outer: &[Dim]) -> Dim {
        if *dim != FormDim::Jagged {
            return self.naming.dim(dim, outer);
        }
        let size = self.sizes.get(self.descs.len()).cloned().unwrap_or_default();
        // Only a descriptor inside of these very dimensions fits.
        let fits = |d: &Var| *self.naming.d.b.ty(*d) == Type::Desc(outer.to_vec());
        let (source, dim) = match (size.given.filter(fits), size.same.iter().find(|i| fits(&self.descs[**i]))) {
            (Some(d), _) => (Source::Given(d), Dim::Jagged(d)),
            (None, Some(i)) => (Source::Same(*i), Dim::Jagged(self.descs[*i])),
            (None, None) => (Source::Own, self.naming.dim(dim, outer)),
        };
        self.sources.push(source);
        if let Dim::Jagged(d) = dim {
            self.descs.push(d);
        }
        dim
    }

    fn other(&mut self, form: &Form, outer: &[Dim]) -> Val<'t> {
        self.naming.other(form, outer)
    }
}

/// Names the components of one value whose sizes have sources.
struct Obeying<'a, 'd, 't> {
    naming: Naming<'a, 'd, 't>,
    sources: &'a [Source],
    /// The sizes so far.
    dims: Vec<Dim>,
}

impl<'t> Walk<Forms, Values<'t>> for Obeying<'_, '_, 't> {
    fn scalar(&mut self, prim: Prim, atom: &(), outer: &[Dim]) -> Atom {
        self.naming.scalar(prim, atom, outer)
    }

    fn tag(&mut self, prim: Prim, atom: &(), outer: &[Dim]) -> Atom {
        self.naming.tag(prim, atom, outer)
    }

    fn dim(&mut self, dim: &FormDim, outer: &[Dim]) -> Dim {
        if !matches!(dim, FormDim::Size | FormDim::Jagged) {
            return self.naming.dim(dim, outer);
        }
        let dim = match self.sources[self.dims.len()] {
            Source::Own => self.naming.dim(dim, outer),
            Source::Given(d) => Dim::Jagged(d),
            Source::Same(i) => self.dims[i],
        };
        self.dims.push(dim);
        dim
    }

    fn other(&mut self, form: &Form, outer: &[Dim]) -> Val<'t> {
        self.naming.other(form, outer)
    }
}
