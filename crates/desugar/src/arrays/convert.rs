//! Bringing values into a form: regular to jagged and back, known rank to unknown and back.
//!
//! Dummies are values of a form that stand where nothing looks: parts of constructors that a value does not have, the
//! result of a hole. Numbers are 0, sums have their first constructor, and sizes that the form does not fix are 0. A dummy
//! of the form `([n]f64, [..]i64)` is `(replicate n 0.0, 0)`.

use crate::arrays::dims::{first_length, made_jagged, rank_of, size_of_rows, with_dim};
use crate::arrays::parts::{retyped, vector_var};
use crate::context::{Desugar, Made};
use crate::data::form::{Form, FormDim, Forms};
use crate::data::tree::Walk;
use crate::data::types::Mono;
use crate::data::value::{ArrayVal, SumVal, Val, Values, inside, is_shape};
use crate::faults::Why;
use base::bug;
use fault::{Message, message};
use ir::num::Compute;
use ir::{Atom, Dim, Exp, Limitation, Type, Var};
use scalar::Prim;
use std::rc::Rc;

impl<'t> Desugar<'t> {
    /// The components of a value in a form, in the order of [`Desugar::fresh`]; with each, whether it is a size.
    pub(crate) fn components(&mut self, val: &Val<'t>, form: &Form, why: Why) -> Made<Vec<(Atom, bool)>> {
        let mut components = Components { d: self, why, out: Vec::new() };
        components.add(val, form, &[])?;
        Ok(components.out)
    }

    /// The same, without telling sizes from data.
    pub(crate) fn atoms_of(&mut self, val: &Val<'t>, form: &Form, why: Why) -> Made<Vec<Atom>> {
        Ok(self.components(val, form, why)?.into_iter().map(|part| part.0).collect())
    }

    /// Part number `p` of constructor `c` for a form; a dummy if the value has another constructor.
    fn part_for(&mut self, sum: &SumVal<'t>, (c, p): (usize, usize), form: &Form, outer: &[Dim]) -> Made<Val<'t>> {
        match sum.part(c, p) {
            Some(part) if outer.is_empty() => self.part_if_there(sum, c, part, form),
            Some(part) => self.part_of_size(sum, (c, part), form, outer, &sum.cases[c].1[p]),
            None => Ok(self.dummy_of(form)),
        }
    }

    fn same_size(&mut self, array: &ArrayVal<'t>, at: usize, want: Atom, have: Atom, why: Why) -> ArrayVal<'t> {
        let (message, row) = match why {
            Why::Rows(row) => (message::irregular_rows(), row),
            Why::Checked => (message::row_length(), Atom::size(0)),
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

    /// Some value of a type.
    pub(crate) fn dummy(&mut self, ty: &Mono) -> Val<'t> {
        let form = self.form_of(ty, false);
        self.dummy_of(&form)
    }

    /// Some value of a form.
    pub(crate) fn dummy_of(&mut self, form: &Form) -> Val<'t> {
        form.walk(&[], &mut Dummies { d: self })
    }

    /// An array of zeros; without dimensions, a zero.
    fn zeros(&mut self, prim: Prim, dims: &[Dim]) -> Atom {
        let zero = Atom::Const(prim.zero());
        if dims.is_empty() {
            return zero;
        }
        if dims.contains(&Dim::Size(Atom::size(0))) {
            let empty = vector_var(&mut self.b, prim, &[]);
            return self.b.bind("empty", Type::Array(prim, dims.to_vec()), Exp::Reshape(empty)).into();
        }
        match self.filled(dims, &Val::Scalar(prim, zero)) {
            Ok(array) => array.rows.scalar("an element of an array of zeros"),
            Err(error) => bug!("zeros have no form: {error:?}"),
        }
    }
}

/// Collects the components of values.
struct Components<'d, 't> {
    d: &'d mut Desugar<'t>,
    why: Why,
    /// With each, whether it is a size.
    out: Vec<(Atom, bool)>,
}

impl<'t> Components<'_, 't> {
    fn data(&mut self, atom: Atom) {
        self.out.push((atom, false));
    }

    /// Adds the components of a value that stands inside of some dimensions.
    fn add(&mut self, val: &Val<'t>, form: &Form, outer: &[Dim]) -> Made<()> {
        match (form, val) {
            (Form::Scalar(..), Val::Scalar(_, atom)) => self.data(*atom),
            (Form::Vector(_, count), Val::Vector(_, atoms)) if *count == atoms.len() => {
                atoms.iter().for_each(|atom| self.data(*atom));
            }
            (Form::Vector(prim, count), val) => {
                let (vector, _) = self.d.as_vector(val)?;
                for i in 0..*count {
                    let element = self.d.b.scalar("x", *prim, Exp::Index(vector, vec![Atom::size(i as i64)]));
                    self.data(element);
                }
            }
            (Form::Record(forms), Val::Record(fields)) => {
                for (form, field) in forms.iter().zip(fields.iter()) {
                    self.add(field, form, outer)?;
                }
            }
            (Form::Sum(want), Val::Sum(sum)) => {
                self.data(sum.tag);
                for (c, forms) in want.parts.iter().flatten().enumerate() {
                    for (p, form) in forms.iter().enumerate() {
                        let part = self.d.part_for(sum, (c, p), form, outer)?;
                        self.add(&part, form, outer)?;
                    }
                }
            }
            (Form::Fun(id), Val::Fun(fun)) => {
                let boxed = self.d.in_box(fun, *id)?;
                self.data(boxed.into());
            }
            (Form::Array(form), val) => {
                let array = match outer.is_empty() {
                    true => self.d.as_array(val)?,
                    // Without dimensions of its own an array is its element.
                    false => Rc::new(inside(outer, val)),
                };
                let array = self.dims(&array, &form.dims, outer.len())?;
                self.add(&array.rows, &form.rows, &array.dims)?;
            }
            (Form::Scalar(..) | Form::Record(_) | Form::Sum(..) | Form::Fun(_), _) => {
                return self.d.unsupported(Limitation::DifferentForms);
            }
            (Form::Lengths(never), _) => match *never {},
        }
        Ok(())
    }

    /// The array with dimensions of a form behind the first `start`; adds the sizes that differ.
    fn dims(&mut self, array: &ArrayVal<'t>, form: &[FormDim], start: usize) -> Made<ArrayVal<'t>> {
        if let Some(known) = form.iter().position(|dim| matches!(dim, FormDim::Shape | FormDim::Fixed(Dim::Shape(_)))) {
            let array = self.d.with_leading(array, start, known)?;
            let array = self.known_dims(&array, &form[..known], start)?;
            return self.last_shape(&array, form[known], start + known);
        }
        let array = match array.dims[start..].iter().any(is_shape) {
            true => self.d.with_rank(array, start, form.len())?,
            false => array.clone(),
        };
        self.known_dims(&array, form, start)
    }

    /// The array with all its dimensions from number `start` on as one shape.
    fn last_shape(&mut self, array: &ArrayVal<'t>, form: FormDim, start: usize) -> Made<ArrayVal<'t>> {
        if let FormDim::Fixed(Dim::Shape(shape)) = form {
            return self.d.in_this_shape(array, start, shape);
        }
        let (array, shape) = self.d.shape_from(array, start)?;
        self.out.extend([(rank_of(&self.d.b, shape), true), (Atom::Var(shape), true)]);
        Ok(array)
    }

    /// The array with dimensions of a form, none of them a shape, behind the first `start`.
    fn known_dims(&mut self, array: &ArrayVal<'t>, form: &[FormDim], start: usize) -> Made<ArrayVal<'t>> {
        let mut array = array.clone();
        for (at, want) in (start..).zip(form) {
            array = match want {
                FormDim::Fixed(Dim::Size(n)) => self.d.made_regular(&array, at, Some(*n)),
                FormDim::Size => self.d.made_regular(&array, at, None),
                FormDim::Fixed(Dim::Jagged(_)) | FormDim::Jagged => made_jagged(&mut self.d.b, &array, at),
                FormDim::Fixed(Dim::Shape(_)) | FormDim::Shape => bug!("a shape is among known dimensions"),
            };
            match (want, array.dims[at]) {
                (FormDim::Fixed(want), have) if *want == have => {}
                (FormDim::Fixed(Dim::Size(want)), Dim::Size(have)) => {
                    array = self.d.same_size(&array, at, *want, have, self.why);
                }
                (FormDim::Fixed(Dim::Jagged(want)), Dim::Jagged(have)) => {
                    array = self.d.same_lengths(&array, at, *want, have);
                }
                (FormDim::Size, Dim::Size(n)) => self.out.push((n, true)),
                (FormDim::Jagged, Dim::Jagged(d)) => self.out.push((Atom::Var(d), true)),
                (_, _) => return self.d.unsupported(Limitation::UnknownRankHere),
            }
        }
        Ok(array)
    }
}

/// Makes the parts of a dummy.
struct Dummies<'d, 't> {
    d: &'d mut Desugar<'t>,
}

impl<'t> Walk<Forms, Values<'t>> for Dummies<'_, 't> {
    fn scalar(&mut self, prim: Prim, (): &(), outer: &[Dim]) -> Atom {
        self.d.zeros(prim, outer)
    }

    fn dim(&mut self, dim: &FormDim, outer: &[Dim]) -> Dim {
        let none = Atom::size(0);
        match dim {
            FormDim::Fixed(Dim::Size(n)) => Dim::Size(size_of_rows(&mut self.d.b, *n)),
            FormDim::Fixed(dim) => *dim,
            FormDim::Size => Dim::Size(none),
            FormDim::Jagged => Dim::Jagged(self.d.b.bind("d", Type::Desc(outer.to_vec()), Exp::DescUniform(none))),
            // The rank is unconstrained, so the elements are scalars.
            FormDim::Shape => Dim::Shape(vector_var(&mut self.d.b, Prim::I64, &[])),
        }
    }

    fn other(&mut self, form: &Form, _: &[Dim]) -> Val<'t> {
        match form {
            Form::Vector(prim, count) => Val::Vector(*prim, vec![Atom::Const(prim.zero()); *count].into()),
            Form::Fun(id) => self.d.no_function(*id),
            _ => bug!("{form:?} is a leaf of a form"),
        }
    }
}
