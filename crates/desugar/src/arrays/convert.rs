//! Bringing values into a form: regular to jagged and back, known rank to unknown and back.

use crate::context::{Desugar, Made};
use crate::data::form::{Form, FormDim};
use crate::data::types::{Mono, MonoDim};
use crate::data::value::{ArrayVal, SumVal, Val, inside, is_shape};
use crate::faults;
use crate::faults::Why;
use ir::num::Compute;
use ir::{Atom, Block, Dim, Exp, Layout, Limitation, Type, Var};
use scalar::Prim;
use std::rc::Rc;

impl<'t> Desugar<'t> {
    /// The components of a value in a form, in the order of [`Desugar::fresh`]; with each, whether it is a size.
    pub(crate) fn components(&mut self, val: &Val<'t>, form: &Form, why: Why) -> Made<Vec<(Atom, bool)>> {
        let mut out = Vec::new();
        self.add_components(val, form, &[], why, &mut out)?;
        Ok(out)
    }

    /// The same, without telling sizes from data.
    pub(crate) fn atoms_of(&mut self, val: &Val<'t>, form: &Form, why: Why) -> Made<Vec<Atom>> {
        Ok(self.components(val, form, why)?.into_iter().map(|part| part.0).collect())
    }

    /// Adds the components of a value that stands inside of some dimensions.
    fn add_components(
        &mut self,
        val: &Val<'t>,
        form: &Form,
        outer: &[Dim],
        why: Why,
        out: &mut Vec<(Atom, bool)>,
    ) -> Made<()> {
        match (form, val) {
            (Form::Scalar(..), Val::Scalar(_, atom)) => out.push((*atom, false)),
            (Form::Vector(_, count), Val::Vector(_, atoms)) if *count == atoms.len() => {
                out.extend(atoms.iter().map(|a| (*a, false)));
            }
            (Form::Vector(prim, count), val) if outer.is_empty() => {
                let (vector, _) = self.as_vector(val)?;
                for i in 0..*count {
                    let exp = Exp::Index(vector, vec![Atom::size(i as i64)]);
                    out.push((self.b.scalar("x", *prim, exp), false));
                }
            }
            (Form::Vector(..), val) => match val.split().1 {
                Val::Scalar(_, atom) => out.push((*atom, false)),
                _ => return self.unsupported(Limitation::DifferentForms),
            },
            (Form::Record(forms), Val::Record(fields)) => {
                for (form, field) in forms.iter().zip(fields.iter()) {
                    self.add_components(field, form, outer, why, out)?;
                }
            }
            (Form::Sum(want), Val::Sum(sum)) => {
                out.push((sum.tag, false));
                for (c, forms) in want.parts.iter().flatten().enumerate() {
                    for (p, form) in forms.iter().enumerate() {
                        let part = match sum.part(c, p) {
                            Some(part) if outer.is_empty() => {
                                self.part_if_there(sum.tag, c, part, form, &want.cases[c].1[p])?
                            }
                            Some(part) => self.part_of_size(part, form, outer, (sum.tag, c), &sum.cases[c].1[p])?,
                            None => self.dummy_of(form, &want.cases[c].1[p])?,
                        };
                        self.add_components(&part, form, outer, why, out)?;
                    }
                }
            }
            (Form::Fun(id), Val::Fun(fun)) => out.push((self.in_box(fun, *id)?.into(), false)),
            (Form::Array(form), val) => {
                let array = match outer.is_empty() {
                    true => self.as_array(val)?,
                    // Without dimensions of its own an array is its element.
                    false => Rc::new(inside(outer, val)),
                };
                let array = self.with_dims(&array, &form.dims, outer, why, out)?;
                self.add_components(&array.rows, &form.rows, &array.dims, why, out)?;
            }
            (Form::Scalar(..) | Form::Record(_) | Form::Sum(..) | Form::Fun(_), _) => {
                return self.unsupported(Limitation::DifferentForms);
            }
            (Form::Lengths(never), _) => match *never {},
        }
        Ok(())
    }

    /// The array with dimensions of a form behind the `outer` ones; sizes that differ go to `out`.
    fn with_dims(
        &mut self,
        array: &ArrayVal<'t>,
        form: &[FormDim],
        outer: &[Dim],
        why: Why,
        out: &mut Vec<(Atom, bool)>,
    ) -> Made<ArrayVal<'t>> {
        let start = outer.len();
        if let Some(known) = form.iter().position(|dim| matches!(dim, FormDim::Shape | FormDim::Fixed(Dim::Shape(_)))) {
            let array = self.with_leading(array, start, known)?;
            let array = self.with_known_dims(&array, &form[..known], start, why, out)?;
            return self.with_last_shape(&array, form[known], start + known, why, out);
        }
        let array = match array.dims[start..].iter().any(is_shape) {
            true => self.with_rank(array, start, form.len())?,
            false => array.clone(),
        };
        self.with_known_dims(&array, form, start, why, out)
    }

    /// The array with all its dimensions from number `start` on as one shape.
    fn with_last_shape(
        &mut self,
        array: &ArrayVal<'t>,
        form: FormDim,
        start: usize,
        why: Why,
        out: &mut Vec<(Atom, bool)>,
    ) -> Made<ArrayVal<'t>> {
        if let FormDim::Fixed(Dim::Shape(shape)) = form {
            return self.in_this_shape(array, start, shape, why);
        }
        let array = self.merged(array, start)?;
        if let Some(Dim::Shape(shape)) = array.dims.get(start).copied() {
            out.extend([(self.rank_of(shape), true), (Atom::Var(shape), true)]);
        }
        Ok(array)
    }

    /// The array with dimensions of a form, none of them a shape, behind the first `start`.
    fn with_known_dims(
        &mut self,
        array: &ArrayVal<'t>,
        form: &[FormDim],
        start: usize,
        why: Why,
        out: &mut Vec<(Atom, bool)>,
    ) -> Made<ArrayVal<'t>> {
        let mut array = array.clone();
        for (i, want) in form.iter().enumerate() {
            let at = start + i;
            match (want, array.dims[at]) {
                (FormDim::Fixed(want), have) if *want == have => {}
                (FormDim::Fixed(Dim::Size(want)), Dim::Size(have)) => {
                    array = self.same_size(&array, at, *want, have, why);
                }
                (FormDim::Fixed(Dim::Size(want)), Dim::Jagged(_)) => {
                    array = self.made_regular(&array, at, Some(*want));
                    if let Dim::Size(have) = array.dims[at] {
                        array = self.same_size(&array, at, *want, have, why);
                    }
                }
                (FormDim::Fixed(Dim::Jagged(want)), Dim::Jagged(have)) => {
                    array = self.same_lengths(&array, at, *want, have);
                }
                (FormDim::Fixed(Dim::Jagged(want)), Dim::Size(_)) => {
                    array = self.made_jagged(&array, at);
                    if let Dim::Jagged(have) = array.dims[at] {
                        array = self.same_lengths(&array, at, *want, have);
                    }
                }
                (FormDim::Size, Dim::Size(n)) => out.push((n, true)),
                (FormDim::Size, Dim::Jagged(_)) => {
                    array = self.made_regular(&array, at, None);
                    if let Dim::Size(n) = array.dims[at] {
                        out.push((n, true));
                    }
                }
                (FormDim::Jagged, Dim::Jagged(d)) => out.push((Atom::Var(d), true)),
                (FormDim::Jagged, Dim::Size(_)) => {
                    array = self.made_jagged(&array, at);
                    if let Dim::Jagged(d) = array.dims[at] {
                        out.push((Atom::Var(d), true));
                    }
                }
                (_, _) => return self.unsupported(Limitation::UnknownRankHere),
            }
        }
        Ok(array)
    }

    fn same_size(&mut self, array: &ArrayVal<'t>, at: usize, want: Atom, have: Atom, why: Why) -> ArrayVal<'t> {
        let equal = self.b.num(want.equals(have));
        let site = match why {
            Why::Rows(_) => faults::irregular(self),
            Why::Combining | Why::Checked => faults::row_length(self),
        };
        let row = match why {
            Why::Rows(row) => row,
            Why::Combining | Why::Checked => Atom::size(0),
        };
        let cert = self.b.assert(equal, site, vec![want, have, row]);
        let mut dims = array.dims.clone();
        dims[at] = Dim::Size(want);
        self.retyped(array, dims, cert.as_slice())
    }

    /// The array with this descriptor, checked, in place of an equal one.
    pub(crate) fn same_lengths(&mut self, array: &ArrayVal<'t>, at: usize, want: Var, have: Var) -> ArrayVal<'t> {
        if want == have {
            return array.clone();
        }
        let equal = self.b.equal_lengths(want, have);
        let site = faults::lengths_differ(self);
        let cert = self.b.assert(equal, site, vec![want.into(), have.into()]);
        let mut dims = array.dims.clone();
        dims[at] = Dim::Jagged(want);
        self.retyped(array, dims, cert.as_slice())
    }

    /// A regular dimension as a jagged one.
    pub(crate) fn made_jagged(&mut self, array: &ArrayVal<'t>, at: usize) -> ArrayVal<'t> {
        let Dim::Size(n) = array.dims[at] else {
            return array.clone();
        };
        let outer = array.dims[..at].to_vec();
        let desc = self.b.bind("d", Type::Desc(outer), Exp::DescUniform(n));
        self.reshaped(array, at, Dim::Jagged(desc))
    }

    /// A jagged dimension as a regular one, checked; of an array without rows it is `default`, or 0.
    pub(crate) fn made_regular(&mut self, array: &ArrayVal<'t>, at: usize, default: Option<Atom>) -> ArrayVal<'t> {
        let Dim::Jagged(desc) = array.dims[at] else {
            return array.clone();
        };
        let fault = (faults::not_regular(self), vec![Atom::Var(desc)]);
        self.made_regular_or(array, at, default, fault)
    }

    /// As [`Desugar::made_regular`], saying this if rows differ.
    pub(crate) fn made_regular_or(
        &mut self,
        array: &ArrayVal<'t>,
        at: usize,
        default: Option<Atom>,
        (site, args): (fault::Site, Vec<Atom>),
    ) -> ArrayVal<'t> {
        let Dim::Jagged(desc) = array.dims[at] else {
            return array.clone();
        };
        let outer = array.dims[..at].to_vec();
        let n = self.first_length(desc, &outer, default.unwrap_or(Atom::size(0)));
        let uniform = self.b.bind("d", Type::Desc(outer), Exp::DescUniform(n));
        let equal = self.b.equal_lengths(desc, uniform);
        let cert = self.b.assert(equal, site, args);
        self.under(cert.as_slice(), |d| d.reshaped(array, at, Dim::Size(n)))
    }

    pub(crate) fn first_length(&mut self, desc: Var, outer: &[Dim], default: Atom) -> Atom {
        let rows = self.b.scalar("rows", Prim::I64, Exp::Total(outer.to_vec()));
        let some = self.b.num(rows.above(0));
        self.b.open();
        let (flat, _) = self.lengths_of(desc);
        let first = self.b.number("len", flat, Atom::size(0));
        let then = Block { stms: self.b.close(), result: vec![first] };
        let otherwise = Block { stms: Vec::new(), result: vec![default] };
        self.b.bind("len", Type::I64, Exp::If(some, then, otherwise)).into()
    }

    /// The array with one dimension written in another way, element by element the same.
    fn reshaped(&mut self, array: &ArrayVal<'t>, at: usize, dim: Dim) -> ArrayVal<'t> {
        let mut dims = array.dims[..at].to_vec();
        dims.push(dim);
        for later in &array.dims[at + 1..] {
            let later = match later {
                Dim::Jagged(d) => Dim::Jagged(self.b.bind("d", Type::Desc(dims.clone()), Exp::Retype(*d))),
                Dim::Size(_) | Dim::Shape(_) => *later,
            };
            dims.push(later);
        }
        let rows = self.map_leaves(&array.rows, &dims, &Exp::Reshape);
        ArrayVal { dims, rows }
    }

    /// How many elements these extents make. Unlike a product in a program it does not wrap: so many do not fit into
    /// memory, which must be found out.
    pub(crate) fn product(&mut self, extents: &[Atom]) -> Atom {
        let constant = |atom: &Atom| match atom {
            Atom::Const(scalar::Scalar::I64(n)) => Some(*n),
            Atom::Const(_) | Atom::Var(_) => None,
        };
        let others: Vec<Atom> = extents.iter().filter(|n| constant(n) != Some(1)).copied().collect();
        match others.as_slice() {
            [] => Atom::size(1),
            [one] => *one,
            all => match all.iter().map(constant).collect::<Option<Vec<i64>>>() {
                Some(all) => Atom::size(all.into_iter().fold(1, i64::saturating_mul)),
                None => {
                    let dims = all.iter().map(|n| Dim::Size(*n)).collect();
                    self.b.total(dims)
                }
            },
        }
    }

    /// Some value of a type, for parts that are not there.
    pub(crate) fn dummy(&mut self, ty: &Mono) -> Made<Val<'t>> {
        Ok(match ty {
            Mono::Scalar(prim) => Val::Scalar(*prim, Atom::Const(prim.zero())),
            Mono::Record(fields) => Val::Record(fields.iter().map(|f| self.dummy(&f.1)).collect::<Made<_>>()?),
            Mono::Sum(cases) => {
                let tag = Atom::Const(Layout::tag_prim(cases.len()).zero());
                let mut parts = Vec::new();
                for (_, types) in cases.iter() {
                    parts.push(Some(types.iter().map(|t| self.dummy(t)).collect::<Made<Vec<_>>>()?));
                }
                Val::Sum(Rc::new(SumVal { tag, cases: cases.clone(), parts }))
            }
            Mono::Array(..) => self.dummy_array(ty)?,
            Mono::Fun(sig) => self.no_function(sig),
        })
    }

    /// An array of a type with no elements; sizes below the first dimension are as the type says, or 0.
    pub(crate) fn empty_array(&mut self, ty: &Mono, len: Atom) -> Made<Val<'t>> {
        self.empty_rows(ty, &mut Vec::new(), Some(len))
    }

    fn empty_rows(&mut self, ty: &Mono, outer: &mut Vec<Dim>, first: Option<Atom>) -> Made<Val<'t>> {
        Ok(match ty {
            Mono::Scalar(prim) => Val::Scalar(*prim, self.empty_leaf(*prim, outer).into()),
            Mono::Record(fields) => {
                Val::Record(fields.iter().map(|f| self.empty_rows(&f.1, outer, None)).collect::<Made<_>>()?)
            }
            Mono::Sum(cases) => {
                let tag = self.empty_leaf(Layout::tag_prim(cases.len()), outer).into();
                let mut parts = Vec::new();
                for (_, types) in cases.iter() {
                    parts.push(Some(types.iter().map(|t| self.empty_rows(t, outer, None)).collect::<Made<Vec<_>>>()?));
                }
                Val::Sum(Rc::new(SumVal { tag, cases: cases.clone(), parts }))
            }
            Mono::Array(dim, elem) => {
                let dim = match (first, dim) {
                    (Some(len), _) => Dim::Size(len),
                    (None, MonoDim::Size(n)) => Dim::Size(*n),
                    (None, MonoDim::Unknown) => Dim::Size(Atom::size(0)),
                    (None, MonoDim::Jagged) => {
                        Dim::Jagged(self.b.bind("d", Type::Desc(outer.clone()), Exp::DescUniform(Atom::size(0))))
                    }
                    (None, MonoDim::Shape(Some(shape))) => Dim::Shape(*shape),
                    // The rank is unconstrained, so the elements are scalars.
                    (None, MonoDim::Shape(None)) => Dim::Shape(self.empty_leaf(Prim::I64, &[Dim::Size(Atom::size(0))])),
                };
                outer.push(dim);
                let rows = self.empty_rows(elem, outer, None);
                outer.pop();
                Val::array(vec![dim], rows?)
            }
            Mono::Fun(_) => base::bug!("the checker let an array hold functions"),
        })
    }

    fn empty_leaf(&mut self, prim: Prim, dims: &[Dim]) -> Var {
        let none = Type::Array(prim, vec![Dim::Size(Atom::size(0))]);
        let empty = self.b.bind("empty", none, Exp::Literal(prim, Vec::new()));
        if dims == [Dim::Size(Atom::size(0))] {
            return empty;
        }
        self.b.bind("empty", Type::Array(prim, dims.to_vec()), Exp::Reshape(empty))
    }
}
