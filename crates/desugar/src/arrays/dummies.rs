//! Values that stand where nothing looks: parts of constructors that a value does not have, the result of a hole.
//!
//! Numbers are 0, sums have their first constructor, and sizes that the form does not fix are 0. A dummy of the form
//! `([n]f64, [..]i64)` is `(replicate n 0.0, 0)`.

use crate::arrays::dims::size_of_rows;
use crate::arrays::parts::vector_var;
use crate::context::Desugar;
use crate::data::form::{Form, FormDim, Forms, vector_in_memory};
use crate::data::tree::Walk;
use crate::data::types::Mono;
use crate::data::value::{Val, Values};
use base::bug;
use ir::{Atom, Dim, Exp, Type};
use scalar::Prim;

impl<'t> Desugar<'t> {
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

    fn other(&mut self, form: &Form, outer: &[Dim]) -> Val<'t> {
        match form {
            Form::Vector(prim, count) if outer.is_empty() => {
                Val::Vector(*prim, vec![Atom::Const(prim.zero()); *count].into())
            }
            Form::Vector(prim, count) => vector_in_memory(*prim, *count).walk(outer, self),
            Form::Fun(id) => self.d.no_function(*id),
            _ => bug!("{form:?} is a leaf of a form"),
        }
    }
}
