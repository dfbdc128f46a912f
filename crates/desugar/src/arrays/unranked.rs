//! Rows of unknown rank that are computed one by one.
//!
//! An array has one shape for all its rows, so that it must be known before the rows are put into the array, and it is
//! known only after they are computed. So a row goes into the array as a pair: its elements one after the other, and its shape. When
//! all rows are there, their shapes are compared, and the elements are given that shape.

use crate::arrays::dims::vector_val;
use crate::arrays::parts::{element, with_new_dims};
use crate::context::{Desugar, Made};
use crate::data::draft::Draft;
use crate::data::form::{Form, has_open_shape, is_open};
use crate::data::value::{ArrayVal, Val, behind, inside};
use fault::message;
use ir::num::Compute;
use ir::{Atom, Dim, Exp, Limitation, Var};
use scalar::Prim;

impl<'t> Desugar<'t> {
    /// The steps with rows of unknown rank as pairs.
    pub(crate) fn box_steps(&mut self, steps: Vec<Draft<'t>>, form: &Form) -> Made<Vec<Draft<'t>>> {
        Draft::replace_emits(steps, &mut |emit| {
            Ok(vec![Draft::Emit(self.map_emit(emit, |d, emit| d.box_val(&emit.val, form))?)])
        })
    }

    /// A value with its parts of unknown rank as pairs.
    pub(crate) fn box_val(&mut self, val: &Val<'t>, form: &Form) -> Made<Val<'t>> {
        self.box_in(val, form, &[])
    }

    /// The same of what stands inside of some dimensions.
    fn box_in(&mut self, val: &Val<'t>, form: &Form, outer: &[Dim]) -> Made<Val<'t>> {
        if !has_open_shape(form) {
            return Ok(val.clone());
        }
        match (form, val) {
            (Form::Record(_), Val::Record(_)) => val.try_zip(form, |val, form| self.box_in(val, form, outer)),
            (Form::Array(form), val) => {
                let array = if outer.is_empty() { (*self.as_array(val)?).clone() } else { inside(outer, val) };
                if !is_open(&form.dims) {
                    let rows = self.box_in(&array.rows, &form.rows, &array.dims)?;
                    return Ok(behind(&ArrayVal { dims: array.dims, rows }, outer.len()));
                }
                let (merged, shape) = self.shape_from(&array, outer.len())?;
                let total = self.b.total(vec![Dim::Shape(shape)]);
                let flat = with_new_dims(&mut self.b, &merged, &[outer, &[Dim::Size(total)]].concat());
                let shape = vector_val(&self.b, shape);
                let shapes = if outer.is_empty() { shape } else { behind(&*self.filled(outer, &shape)?, outer.len()) };
                Ok(Val::Record([behind(&flat, outer.len()), shapes].into()))
            }
            (_, _) => self.unsupported(Limitation::SumsOfUnknownRank),
        }
    }

    /// The value whose parts of unknown rank are pairs.
    pub(crate) fn unbox_val(&mut self, val: &Val<'t>, form: &Form) -> Made<Val<'t>> {
        self.unbox_rows(val, form, &[])
    }

    /// The array whose rows were put in as pairs.
    pub(crate) fn unbox(&mut self, val: &Val<'t>, form: &Form, outer: usize) -> Made<Val<'t>> {
        let array = self.as_array(val)?;
        let dims = array.dims[..outer].to_vec();
        let rows = self.unbox_rows(&behind(&array, outer), form, &dims)?;
        Ok(Val::array(dims, rows))
    }

    fn unbox_rows(&mut self, rows: &Val<'t>, form: &Form, outer: &[Dim]) -> Made<Val<'t>> {
        if !has_open_shape(form) {
            return Ok(rows.clone());
        }
        match (form, rows) {
            (Form::Array(form), Val::Record(pair)) if is_open(&form.dims) => {
                let (shape, certs) = match outer {
                    [] => (self.as_vector(&pair[1])?.0, Vec::new()),
                    _ => self.common_shape(&inside(outer, &pair[1]), outer.len())?,
                };
                let data = if outer.is_empty() { (*self.as_array(&pair[0])?).clone() } else { inside(outer, &pair[0]) };
                let below = data.dims.get(outer.len() + 1..).unwrap_or_default();
                let all = [outer, &[Dim::Shape(shape)], below].concat();
                let data = self.b.under(&certs, |b| with_new_dims(b, &data, &all));
                Ok(behind(&data, outer.len()))
            }
            (Form::Record(_), Val::Record(_)) => rows.try_zip(form, |rows, form| self.unbox_rows(rows, form, outer)),
            (Form::Array(form), Val::Array(own)) => {
                let rows = self.unbox_rows(&own.rows, &form.rows, &[outer, &own.dims].concat())?;
                Ok(Val::array(own.dims.clone(), rows))
            }
            (_, _) => self.unsupported(Limitation::SumsOfUnknownRank),
        }
    }

    /// The shape that all rows have, checked; without rows, no dimensions.
    fn common_shape(&mut self, shapes: &ArrayVal<'t>, outer: usize) -> Made<(Var, Vec<Var>)> {
        let total = self.b.total(shapes.dims[..outer].to_vec());
        // One row each, whatever the dimensions around them.
        let table = with_new_dims(&mut self.b, shapes, &[Dim::Size(total), shapes.dims[outer]]);
        let some = self.b.num(total.above(0));
        let first = self.choose(
            some,
            |d| Ok(element(&mut d.b, &table, &[Atom::size(0)])),
            |d| Ok(Val::Array(d.as_array(&Val::Vector(Prim::I64, [].into()))?)),
        )?;
        let (shape, _) = self.as_vector(&first)?;
        let same = self.all(total, |d, k| {
            let row = element(&mut d.b, &table, &[k]);
            let equal = d.equal(&first, &row)?;
            let (row, _) = d.as_vector(&row)?;
            let cert = d.check(equal, message::row_shapes(), [shape.into(), row.into()]);
            let equal = d.relying(&Val::bool(equal), cert.as_slice())?;
            Ok(equal.atom().unwrap_or(Atom::bool(true)))
        })?;
        let cert = self.check(same, message::row_shapes(), [shape.into(), shape.into()]);
        // Who asks only for the shape relies on the check, too.
        let shape = self.b.under(cert.as_slice(), |b| b.bind("s", b.ty(shape).clone(), Exp::Retype(shape)));
        Ok((shape, cert.into_iter().collect()))
    }
}
