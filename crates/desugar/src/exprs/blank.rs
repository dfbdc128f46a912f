//! `#[blank] e`: some value of a type. Numbers are 0, sums have their first constructor, and what no name tells is empty.

use crate::arrays::dims::sizes;
use crate::arrays::parts::dim_behind;
use crate::context::{Desugar, Made};
use crate::data::form::{Form, FormDim};
use crate::data::value::Val;
use ir::num::Compute;
use ir::{Atom, Dim, Exp, Type as CoreType};
use typed::{LocalId, Shape, Type};

impl<'t> Desugar<'t> {
    /// A value of a type whose contents do not matter.
    pub(crate) fn blank(&mut self, ty: &'t Type) -> Made<Val<'t>> {
        let form = self.blank_form(ty, &[])?;
        let val = self.dummy_of(&form);
        self.wholly_unknown(val)
    }

    /// The form of a blank part that stands inside of some dimensions.
    fn blank_form(&mut self, ty: &'t Type, outer: &[Dim]) -> Made<Form> {
        match self.concrete(ty) {
            Type::Record(fields) => {
                Ok(Form::Record(fields.iter().map(|(_, ty)| self.blank_form(ty, outer)).collect::<Made<_>>()?))
            }
            Type::Array(dim, elem) => {
                let own = self.blank_dims(dim, outer)?;
                let rows = self.blank_form(elem, &[outer, &own].concat())?;
                Ok(Form::array(own.into_iter().map(FormDim::Fixed).collect(), rows))
            }
            ty => {
                let mono = self.mono(ty);
                Ok(self.form_of(&mono, false))
            }
        }
    }

    /// The dimensions of a blank array. A size that nothing tells is 0; a shape that nothing tells has no dimensions.
    fn blank_dims(&mut self, dim: &'t typed::Dim, outer: &[Dim]) -> Made<Vec<Dim>> {
        match dim {
            typed::Dim::Size(size) => {
                let n = self.known_size(size).unwrap_or(Atom::size(0));
                Ok(vec![Dim::Size(self.extent(n, "an array"))])
            }
            typed::Dim::Shape(Shape::Local(shape)) => match self.env.vals.get(shape).cloned() {
                Some(Val::Vector(_, extents)) => Ok(sizes(&extents)),
                Some(shape) => Ok(vec![Dim::Shape(self.as_vector(&shape)?.0)]),
                None => Ok(Vec::new()),
            },
            typed::Dim::Shape(Shape::Meta(_) | Shape::Unknown) => Ok(Vec::new()),
            typed::Dim::Jagged(lengths) => Ok(vec![self.blank_lengths(*lengths, outer)?]),
        }
    }

    /// The lengths that a size function says; without one, rows are empty.
    fn blank_lengths(&mut self, lengths: Option<LocalId>, outer: &[Dim]) -> Made<Dim> {
        let total = self.b.total(outer.to_vec());
        let known = lengths.and_then(|lengths| self.env.vals.get(&lengths).cloned());
        let ty = CoreType::Desc(vec![Dim::Size(total)]);
        if let Some(Val::Lengths(desc)) = known
            && *self.b.ty(desc) == ty
        {
            return Ok(dim_behind(&mut self.b, Dim::Jagged(desc), outer));
        }
        let known = known.map(|lengths| self.as_vector(&lengths)).transpose()?;
        let all = self.build(total, None, |d, i| {
            let Some((lengths, count)) = known else { return Ok(Val::size(Atom::size(0))) };
            // Below further dimensions a size function says the same of each of their elements.
            let row = if count == total { i } else { d.b.num(i.rem(count)) };
            Ok(Val::size(d.b.number("len", lengths, row)))
        })?;
        let (all, _) = self.as_vector(&all)?;
        let desc = self.b.bind("d", ty, Exp::DescOf(all));
        Ok(dim_behind(&mut self.b, Dim::Jagged(desc), outer))
    }
}
