//! `#[blank] e`: some value of a type. Numbers are 0, sums have their first constructor, and what no name tells is empty.

use crate::arrays::parts::with_front;
use crate::context::{Desugar, Made};
use crate::data::value::{Val, behind, inside};
use ir::num::Compute;
use ir::{Atom, Dim, Exp, Type as CoreType, Var};
use typed::{LocalId, Shape, Type};

impl<'t> Desugar<'t> {
    /// A value of a type whose contents do not matter.
    pub(crate) fn blank(&mut self, ty: &'t Type) -> Made<Val<'t>> {
        let val = self.blank_in(ty, &[])?;
        self.wholly_unknown(val)
    }

    /// The same of a part that stands inside of some dimensions.
    fn blank_in(&mut self, ty: &'t Type, outer: &[Dim]) -> Made<Val<'t>> {
        match self.concrete(ty) {
            Type::Record(fields) => {
                Ok(Val::Record(fields.iter().map(|(_, ty)| self.blank_in(ty, outer)).collect::<Made<_>>()?))
            }
            Type::Array(typed::Dim::Jagged(lengths), elem) => self.blank_rows(*lengths, elem, outer),
            Type::Array(dim, elem) => {
                let own = self.blank_dims(dim)?;
                let rows = self.blank_in(elem, &[outer, &own].concat())?;
                Ok(if own.is_empty() { rows } else { Val::array(own, rows) })
            }
            ty => {
                let mono = self.mono(ty);
                let val = self.dummy(&mono);
                match outer {
                    [] => Ok(val),
                    _ => Ok(behind(&*self.filled(outer, &val)?, outer.len())),
                }
            }
        }
    }

    /// The dimensions of a blank array. A size that nothing tells is 0; a shape that nothing tells has no dimensions.
    fn blank_dims(&mut self, dim: &'t typed::Dim) -> Made<Vec<Dim>> {
        match dim {
            typed::Dim::Size(size) => {
                let n = self.known_size(size).unwrap_or(Atom::size(0));
                Ok(vec![Dim::Size(self.extent(n, "an array"))])
            }
            typed::Dim::Shape(Shape::Local(shape)) => match self.env.vals.get(shape).cloned() {
                Some(Val::Vector(_, extents)) => Ok(extents.iter().map(|n| Dim::Size(*n)).collect()),
                Some(shape) => Ok(vec![Dim::Shape(self.as_vector(&shape)?.0)]),
                None => Ok(Vec::new()),
            },
            typed::Dim::Shape(Shape::Meta(_) | Shape::Unknown) | typed::Dim::Jagged(_) => Ok(Vec::new()),
        }
    }

    /// Rows of the lengths that a size function says, or empty ones; first one after another, then in their dimensions.
    fn blank_rows(&mut self, lengths: Option<LocalId>, elem: &'t Type, outer: &[Dim]) -> Made<Val<'t>> {
        let total = self.b.total(outer.to_vec());
        let desc = self.blank_lengths(lengths, total)?;
        let flat = [Dim::Size(total), Dim::Jagged(desc)];
        let rows = self.blank_in(elem, &flat)?;
        let all = with_front(&mut self.b, &inside(&flat, &rows), 1, outer);
        Ok(behind(&all, outer.len()))
    }

    fn blank_lengths(&mut self, lengths: Option<LocalId>, total: Atom) -> Made<Var> {
        let known = lengths.and_then(|lengths| self.env.vals.get(&lengths).cloned());
        let ty = CoreType::Desc(vec![Dim::Size(total)]);
        if let Some(Val::Lengths(desc)) = known
            && *self.b.ty(desc) == ty
        {
            return Ok(desc);
        }
        let known = known.map(|lengths| self.as_vector(&lengths)).transpose()?;
        let all = self.build(total, None, |d, i| {
            let Some((lengths, count)) = known else { return Ok(Val::size(Atom::size(0))) };
            // Below further dimensions a size function says the same of each of their elements.
            let row = if count == total { i } else { d.b.num(i.rem(count)) };
            Ok(Val::size(d.b.number("len", lengths, row)))
        })?;
        let (all, _) = self.as_vector(&all)?;
        Ok(self.b.bind("d", ty, Exp::DescOf(all)))
    }
}
