//! Rows of unknown rank that are computed one by one.
//!
//! An array has one shape for all its rows, so that it must be known before the rows are put into the array, and it is
//! known only behind them. So a row goes into the array as a pair: its elements one after the other, and its shape. When
//! all rows are there, their shapes are compared, and the elements are given that shape.

use crate::form::{Form, FormDim};
use crate::mono::{Mono, MonoDim};
use crate::rows::Draft;
use crate::value::{ArrayVal, Rows, Val};
use crate::{Desugar, Made, faults};
use ir::{Atom, Dim, Exp, Limitation, Var};
use scalar::{BinOp, Prim};
use std::rc::Rc;

/// Whether values of a form have shapes of their own.
pub(crate) fn has_open_shape(form: &Form) -> bool {
    match form {
        Form::Scalar(_) | Form::Vector(..) | Form::Fun(_) => false,
        Form::Array(dims, elem) => is_open(dims) || has_open_shape(elem),
        Form::Record(fields) => fields.iter().any(has_open_shape),
        Form::Sum(_, parts) => parts.iter().flatten().any(has_open_shape),
    }
}

/// The form of rows whose type says that they have one shape, which is not told by what is known of them.
pub(crate) fn of_one_shape(form: Form, ty: Option<&Mono>) -> Form {
    let fixed = |dims: &[FormDim]| dims.iter().all(|dim| matches!(dim, FormDim::Fixed(_)));
    match (form, ty) {
        (Form::Array(dims, elem), Some(Mono::Array(MonoDim::Shape(_), _))) if !fixed(&dims) => {
            Form::Array(vec![FormDim::Shape], elem)
        }
        (Form::Record(forms), Some(Mono::Record(types))) => {
            let types = types.iter().map(|ty| Some(&ty.1));
            Form::Record(forms.into_iter().zip(types).map(|(form, ty)| of_one_shape(form, ty)).collect())
        }
        (form, _) => form,
    }
}

/// The form with pairs in the place of arrays of unknown rank.
pub(crate) fn boxed(form: &Form) -> Form {
    match form {
        Form::Scalar(_) | Form::Vector(..) | Form::Fun(_) => form.clone(),
        Form::Array(dims, elem) if is_open(dims) => {
            let row = |elem: Form| Form::Array(vec![FormDim::Size], Box::new(elem));
            Form::Record(vec![row(boxed(elem)), row(Form::Scalar(Prim::I64))])
        }
        Form::Array(dims, elem) => Form::Array(dims.clone(), Box::new(boxed(elem))),
        Form::Record(fields) => Form::Record(fields.iter().map(boxed).collect()),
        Form::Sum(cases, parts) => {
            Form::Sum(cases.clone(), parts.iter().map(|ps| ps.iter().map(boxed).collect()).collect())
        }
    }
}

fn is_open(dims: &[FormDim]) -> bool {
    dims.iter().any(|dim| matches!(dim, FormDim::Shape))
}

impl<'t> Desugar<'t> {
    /// The steps with rows of unknown rank as pairs.
    pub(crate) fn box_steps(&mut self, steps: &mut [Draft<'t>], form: &Form) -> Made<()> {
        for step in steps {
            match step {
                Draft::For { body, .. } | Draft::Guard(_, body) => self.box_steps(body, form)?,
                Draft::Let(_) => {}
                Draft::Emit(emit) => {
                    self.reopen(std::mem::take(&mut emit.stms));
                    let boxed = self.box_val(&emit.val, form);
                    emit.stms = self.b.close();
                    emit.val = boxed?;
                }
            }
        }
        Ok(())
    }

    /// A value with its parts of unknown rank as pairs.
    pub(crate) fn box_val(&mut self, val: &Val<'t>, form: &Form) -> Made<Val<'t>> {
        if !has_open_shape(form) {
            return Ok(val.clone());
        }
        match (form, val) {
            (Form::Record(forms), Val::Record(vals)) => {
                let vals = forms.iter().zip(vals.iter()).map(|(form, val)| self.box_val(val, form));
                Ok(Val::Record(vals.collect::<Made<_>>()?))
            }
            (Form::Array(dims, _), val) if is_open(dims) => {
                let array = self.as_array(val)?;
                let (array, shape, _) = self.with_shape(&array)?;
                let flat = self.flat(&array)?;
                Ok(Val::Record([Val::Array(flat), self.vector_val(shape)].into()))
            }
            (Form::Array(_, elem), val) => {
                let array = self.as_array(val)?;
                let rows = self.box_rows(&array.rows, elem, &array.dims)?;
                Ok(Val::array(array.dims.clone(), rows))
            }
            (Form::Scalar(_) | Form::Vector(..) | Form::Record(_) | Form::Sum(..) | Form::Fun(_), _) => {
                self.unsupported(Limitation::SumsOfUnknownRank)
            }
        }
    }

    /// The same of what lies inside an array.
    fn box_rows(&mut self, rows: &Rows, form: &Form, outer: &[Dim]) -> Made<Rows> {
        if !has_open_shape(form) {
            return Ok(rows.clone());
        }
        match (form, rows) {
            (Form::Record(forms), Rows::Record(fields)) => {
                let fields = forms.iter().zip(fields).map(|(form, rows)| self.box_rows(rows, form, outer));
                Ok(Rows::Record(fields.collect::<Made<_>>()?))
            }
            (Form::Array(dims, _), Rows::Array(own, inner)) if is_open(dims) => {
                let all: Vec<Dim> = outer.iter().chain(own).copied().collect();
                let array = ArrayVal { dims: all, rows: (**inner).clone() };
                let merged = self.merged(&array, outer.len())?;
                let Some(Dim::Shape(shape)) = merged.dims.get(outer.len()).copied() else {
                    return self.unsupported(Limitation::SumsOfUnknownRank);
                };
                let total = self.b.scalar("n", Prim::I64, Exp::Total(vec![Dim::Shape(shape)]));
                let flat: Vec<Dim> = outer.iter().copied().chain([Dim::Size(total)]).collect();
                let flat = self.with_new_dims(&merged, &flat);
                let shapes = self.filled(outer, &self.vector_val(shape))?;
                let own = |array: &ArrayVal| array.dims[outer.len()..].to_vec();
                let pair = [&flat, &*shapes].map(|a| Rows::Array(own(a), Box::new(a.rows.clone())));
                Ok(Rows::Record(pair.to_vec()))
            }
            (Form::Array(_, elem), Rows::Array(own, inner)) => {
                let all: Vec<Dim> = outer.iter().chain(own).copied().collect();
                let inner = self.box_rows(inner, elem, &all)?;
                Ok(Rows::Array(own.clone(), Box::new(inner)))
            }
            (_, _) => self.unsupported(Limitation::SumsOfUnknownRank),
        }
    }

    /// A value that is a pair as the array that it stands for.
    pub(crate) fn unbox_val(&mut self, val: &Val<'t>, form: &Form) -> Made<Val<'t>> {
        match (form, val) {
            (Form::Array(dims, _), Val::Record(pair)) if is_open(dims) => {
                let data = self.as_array(&pair[0])?;
                let (shape, _) = self.as_vector(&pair[1])?;
                let dims: Vec<Dim> = [Dim::Shape(shape)].into_iter().chain(data.dims[1..].iter().copied()).collect();
                Ok(Val::Array(Rc::new(self.with_new_dims(&data, &dims))))
            }
            (Form::Record(forms), Val::Record(vals)) => {
                let vals = forms.iter().zip(vals.iter()).map(|(form, val)| self.unbox_val(val, form));
                Ok(Val::Record(vals.collect::<Made<_>>()?))
            }
            (form, val) if has_open_shape(form) => self.unbox(val, form, 0),
            (_, val) => Ok(val.clone()),
        }
    }

    /// The array whose rows were put in as pairs.
    pub(crate) fn unbox(&mut self, val: &Val<'t>, form: &Form, outer: usize) -> Made<Val<'t>> {
        let array = self.as_array(val)?;
        let inner = match array.dims.len() > outer {
            true => Rows::Array(array.dims[outer..].to_vec(), Box::new(array.rows.clone())),
            false => array.rows.clone(),
        };
        let dims = array.dims[..outer].to_vec();
        let rows = self.unbox_rows(&inner, form, &dims)?;
        Ok(Val::array(dims, rows))
    }

    fn unbox_rows(&mut self, rows: &Rows, form: &Form, outer: &[Dim]) -> Made<Rows> {
        if !has_open_shape(form) {
            return Ok(rows.clone());
        }
        match (form, rows) {
            (Form::Array(dims, _), Rows::Record(pair)) if is_open(dims) => {
                let part = |rows: &Rows| Val::array(outer.to_vec(), rows.clone());
                let (data, shapes) = (self.as_array(&part(&pair[0]))?, self.as_array(&part(&pair[1]))?);
                let (shape, certs) = self.common_shape(&shapes, outer.len())?;
                let own = Dim::Shape(shape);
                let below = data.dims.get(outer.len() + 1..).unwrap_or_default();
                let all: Vec<Dim> = outer.iter().copied().chain([own]).chain(below.iter().copied()).collect();
                let data = self.under(&certs, |d| d.with_new_dims(&data, &all));
                Ok(Rows::Array(data.dims[outer.len()..].to_vec(), Box::new(data.rows)))
            }
            (Form::Record(forms), Rows::Record(fields)) => {
                let fields = forms.iter().zip(fields).map(|(form, rows)| self.unbox_rows(rows, form, outer));
                Ok(Rows::Record(fields.collect::<Made<_>>()?))
            }
            (Form::Array(_, elem), Rows::Array(own, inner)) => {
                let all: Vec<Dim> = outer.iter().chain(own).copied().collect();
                let inner = self.unbox_rows(inner, elem, &all)?;
                Ok(Rows::Array(own.clone(), Box::new(inner)))
            }
            (_, _) => self.unsupported(Limitation::SumsOfUnknownRank),
        }
    }

    /// The shape that all rows have, checked; without rows, no dimensions.
    fn common_shape(&mut self, shapes: &Rc<ArrayVal>, outer: usize) -> Made<(Var, Vec<Var>)> {
        let around = shapes.dims[..outer].to_vec();
        let total = self.b.scalar("n", Prim::I64, Exp::Total(around));
        // One row each, whatever the dimensions around them.
        let dims: Vec<Dim> = [Dim::Size(total), shapes.dims[outer]].to_vec();
        let table = Rc::new(self.with_new_dims(shapes, &dims));
        let some = self.b.bin(BinOp::Gt, Prim::I64, total, Atom::size(0));
        let first = table.clone();
        let first = self.choose(
            some,
            |d| Ok(d.element(&first, &[Atom::size(0)])),
            |d| Ok(Val::Array(d.as_array(&Val::Vector(Prim::I64, [].into()))?)),
        )?;
        let (shape, _) = self.as_vector(&first)?;
        let same = self.all(total, |d, k| {
            let row = d.element(&table, &[k]);
            let equal = d.equal(&first, &row)?;
            let site = faults::row_shapes(d);
            let (row, _) = d.as_vector(&row)?;
            let cert = d.b.assert(equal, site, vec![shape.into(), row.into()]);
            let equal = d.relying(&Val::Scalar(Prim::Bool, equal), cert.as_slice())?;
            Ok(equal.atom().unwrap_or(Atom::bool(true)))
        })?;
        let site = faults::row_shapes(self);
        let cert = self.b.assert(same, site, vec![shape.into(), shape.into()]);
        // Who asks only for the shape relies on the check, too.
        let shape = self.b.under(cert.as_slice(), |b| b.bind("s", b.ty(shape).clone(), Exp::Retype(shape)));
        Ok((shape, cert.into_iter().collect()))
    }
}
