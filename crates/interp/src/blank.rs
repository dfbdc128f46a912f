//! `#[blank] e`: some value of a type. Numbers are 0, sums have their first constructor, and what no name tells is empty.

use crate::builder::Builder;
use crate::code::{DimCode, Slot, TypeCode};
use crate::column::affordable;
use crate::data::{Array, Column, Constr, Value};
use crate::error::Eval;
use crate::faults;
use crate::machine::Machine;
use crate::rtype::{RtDim, RtType};
use crate::shapes::bytes_of;
use base::{Map, Span};
use std::rc::Rc;

impl Machine<'_> {
    /// A value of a type whose contents do not matter.
    pub fn blank(&mut self, ty: &TypeCode, span: Span) -> Eval<Value> {
        self.blank_part(ty, &mut Map::default(), span)
    }

    /// The same of a part. `rows` says how many rows each size function has told the lengths of.
    fn blank_part(&mut self, ty: &TypeCode, rows: &mut Map<Slot, usize>, span: Span) -> Eval<Value> {
        match ty {
            TypeCode::Const(_) | TypeCode::Var(_) => blank_of(&self.rt_type(ty), span),
            TypeCode::Record(fields) => {
                let fields = fields.iter().map(|ty| self.blank_part(ty, rows, span));
                Ok(Value::Record(fields.collect::<Eval<_>>()?))
            }
            TypeCode::Sum(name, parts) => {
                let args = parts.iter().map(|ty| self.blank_part(ty, rows, span)).collect::<Eval<_>>()?;
                Ok(Value::Constr(Rc::new(Constr { name: *name, args })))
            }
            TypeCode::Array(DimCode::Shape(shape), elem) => {
                let extents = shape.and_then(|(slot, _)| self.slot(slot).as_i64s().map(<[i64]>::to_vec));
                let elem = self.blank_part(elem, rows, span)?;
                extents.unwrap_or_default().iter().rev().try_fold(elem, |elem, n| repeated(elem, *n, span))
            }
            TypeCode::Array(dim, elem) => {
                let n = match dim {
                    DimCode::Jagged(Some((slot, _))) => self.next_length(*slot, rows),
                    dim => known(self.rt_dim(dim)),
                };
                self.blank_array(n, elem, rows, span)
            }
        }
    }

    /// An array of `n` elements, each of which may have rows of other lengths.
    fn blank_array(&mut self, n: i64, elem: &TypeCode, rows: &mut Map<Slot, usize>, span: Span) -> Eval<Value> {
        if !names_lengths(elem) && n > 0 {
            return repeated(self.blank_part(elem, rows, span)?, n, span);
        }
        let mut builder = Builder::new(count(n, 1, span)?);
        for _ in 0..n {
            builder.push(self.blank_part(elem, rows, span)?);
        }
        let Builder { len, rows, .. } = builder;
        let rows = rows.unwrap_or_else(|| Column::empty(&self.rt_type(elem))).tidy(len);
        Ok(Array { len, rows }.into())
    }

    /// The length of the next row. Below further dimensions a size function says the same of each of their elements.
    fn next_length(&mut self, lengths: Slot, rows: &mut Map<Slot, usize>) -> i64 {
        let row = rows.entry(lengths).or_default();
        *row += 1;
        match self.slot(lengths).as_i64s() {
            Some(lengths) if !lengths.is_empty() => lengths[(*row - 1) % lengths.len()],
            _ => 0,
        }
    }
}

fn blank_of(ty: &RtType, span: Span) -> Eval<Value> {
    Ok(match ty {
        RtType::Prim(prim) => Value::Scalar(prim.zero()),
        RtType::Record(fields) => Value::Record(fields.iter().map(|ty| blank_of(ty, span)).collect::<Eval<_>>()?),
        RtType::Sum(name, parts) => {
            let args = parts.iter().map(|ty| blank_of(ty, span)).collect::<Eval<_>>()?;
            Value::Constr(Rc::new(Constr { name: *name, args }))
        }
        RtType::Array(dim, elem) => match known(*dim) {
            0 => Array { len: 0, rows: Column::empty(elem) }.into(),
            n => repeated(blank_of(elem, span)?, n, span)?,
        },
        RtType::Boxed => return Err(faults::hole(span)),
    })
}

/// An extent; 0 if no name tells it.
fn known(dim: RtDim) -> i64 {
    match dim {
        RtDim::Known(n) => n,
        RtDim::Unknown | RtDim::Jagged => 0,
    }
}

fn repeated(elem: Value, n: i64, span: Span) -> Eval<Value> {
    let len = count(n, bytes_of(&elem), span)?;
    Ok(Array { len, rows: Column::repeat(&elem, len) }.into())
}

/// A number of elements, each of so many bytes.
fn count(n: i64, bytes: usize, span: Span) -> Eval<usize> {
    match usize::try_from(n) {
        Err(_) => Err(faults::negative("an array", n, span)),
        Ok(len) if affordable(len, bytes) => Ok(len),
        Ok(_) => Err(faults::memory(n, span)),
    }
}

fn names_lengths(ty: &TypeCode) -> bool {
    match ty {
        TypeCode::Const(_) | TypeCode::Var(_) => false,
        TypeCode::Record(parts) | TypeCode::Sum(_, parts) => parts.iter().any(names_lengths),
        TypeCode::Array(dim, elem) => matches!(dim, DimCode::Jagged(Some(_))) || names_lengths(elem),
    }
}
