//! Bringing values into a form: regular to jagged and back, known rank to unknown and back.

use crate::arrays::dims::{first_length, made_jagged, rank_of, size_of_rows, with_dim};
use crate::arrays::parts::retyped;
use crate::context::{Desugar, Made};
use crate::data::form::{Form, FormDim};
use crate::data::value::{ArrayVal, SumVal, Val, inside, is_shape};
use crate::faults::Why;
use base::bug;
use fault::{Message, message};
use ir::num::Compute;
use ir::{Atom, Dim, Exp, Limitation, Type, Var};
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
                        let part = self.part_for(sum, (c, p), form, outer)?;
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

    /// Part number `p` of constructor `c` for a form; a dummy if the value has another constructor.
    fn part_for(&mut self, sum: &SumVal<'t>, (c, p): (usize, usize), form: &Form, outer: &[Dim]) -> Made<Val<'t>> {
        match sum.part(c, p) {
            Some(part) if outer.is_empty() => self.part_if_there(sum, c, part, form),
            Some(part) => self.part_of_size(part, form, outer, (sum.tag, c), &sum.cases[c].1[p]),
            None => Ok(self.dummy_of(form)),
        }
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
            return self.with_last_shape(&array, form[known], start + known, out);
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
        out: &mut Vec<(Atom, bool)>,
    ) -> Made<ArrayVal<'t>> {
        if let FormDim::Fixed(Dim::Shape(shape)) = form {
            return self.in_this_shape(array, start, shape);
        }
        let array = self.merged(array, start)?;
        if let Some(Dim::Shape(shape)) = array.dims.get(start).copied() {
            out.extend([(rank_of(&self.b, shape), true), (Atom::Var(shape), true)]);
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
            array = match want {
                FormDim::Fixed(Dim::Size(n)) => self.made_regular(&array, at, Some(*n)),
                FormDim::Size => self.made_regular(&array, at, None),
                FormDim::Fixed(Dim::Jagged(_)) | FormDim::Jagged => made_jagged(&mut self.b, &array, at),
                FormDim::Fixed(Dim::Shape(_)) | FormDim::Shape => bug!("a shape is among known dimensions"),
            };
            match (want, array.dims[at]) {
                (FormDim::Fixed(want), have) if *want == have => {}
                (FormDim::Fixed(Dim::Size(want)), Dim::Size(have)) => {
                    array = self.same_size(&array, at, *want, have, why);
                }
                (FormDim::Fixed(Dim::Jagged(want)), Dim::Jagged(have)) => {
                    array = self.same_lengths(&array, at, *want, have);
                }
                (FormDim::Size, Dim::Size(n)) => out.push((n, true)),
                (FormDim::Jagged, Dim::Jagged(d)) => out.push((Atom::Var(d), true)),
                (_, _) => return self.unsupported(Limitation::UnknownRankHere),
            }
        }
        Ok(array)
    }

    fn same_size(&mut self, array: &ArrayVal<'t>, at: usize, want: Atom, have: Atom, why: Why) -> ArrayVal<'t> {
        let (message, row) = match why {
            Why::Rows(row) => (message::irregular_rows(), row),
            Why::Combining | Why::Checked => (message::row_length(), Atom::size(0)),
        };
        let cert = self.check(want.equals(have), message, [want, have, row]);
        let mut dims = array.dims.clone();
        dims[at] = Dim::Size(want);
        retyped(&mut self.b, array, dims, cert.as_slice())
    }

    /// The array with this descriptor, checked, in place of an equal one.
    pub(crate) fn same_lengths(&mut self, array: &ArrayVal<'t>, at: usize, want: Var, have: Var) -> ArrayVal<'t> {
        if want == have {
            return array.clone();
        }
        let equal = self.b.equal_lengths(want, have);
        let cert = self.check(equal, message::lengths_differ(), [want.into(), have.into()]);
        let mut dims = array.dims.clone();
        dims[at] = Dim::Jagged(want);
        retyped(&mut self.b, array, dims, cert.as_slice())
    }

    /// A jagged dimension as a regular one, checked; of an array without rows it is `default`, or 0.
    pub(crate) fn made_regular(&mut self, array: &ArrayVal<'t>, at: usize, default: Option<Atom>) -> ArrayVal<'t> {
        let Dim::Jagged(desc) = array.dims[at] else {
            return array.clone();
        };
        self.made_regular_or(array, at, default, message::not_regular(), vec![Atom::Var(desc)])
    }

    /// As [`Desugar::made_regular`], saying this if rows differ.
    pub(crate) fn made_regular_or(
        &mut self,
        array: &ArrayVal<'t>,
        at: usize,
        default: Option<Atom>,
        message: Message,
        args: Vec<Atom>,
    ) -> ArrayVal<'t> {
        let Dim::Jagged(desc) = array.dims[at] else {
            return array.clone();
        };
        let outer = array.dims[..at].to_vec();
        let default = size_of_rows(&mut self.b, default.unwrap_or(Atom::size(0)));
        let n = first_length(&mut self.b, desc, &outer, default);
        let uniform = self.b.bind("d", Type::Desc(outer), Exp::DescUniform(n));
        let equal = self.b.equal_lengths(desc, uniform);
        let cert = self.check(equal, message, args);
        self.b.under(cert.as_slice(), |b| with_dim(b, array, at, Dim::Size(n)))
    }
}
