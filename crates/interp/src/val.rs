//! Making values, looking at them, and describing them in messages.

use crate::data::{Array, Column, Value};
use scalar::Scalar;
use std::fmt::Write;
use std::rc::Rc;
use value::PrimVec;

impl Value {
    pub const fn i64(x: i64) -> Value {
        Value::Scalar(Scalar::I64(x))
    }

    pub const fn bool(x: bool) -> Value {
        Value::Scalar(Scalar::Bool(x))
    }

    /// The array of `i64` that sizes, size functions and shapes are.
    pub fn i64s(items: impl IntoIterator<Item = i64>) -> Value {
        Value::array(PrimVec::from(items.into_iter().collect::<Vec<i64>>()))
    }

    /// A one-dimensional array of scalars.
    pub fn array(items: PrimVec) -> Value {
        Array { len: items.len(), rows: Column::Prim(items) }.into()
    }

    pub fn as_scalar(&self) -> Option<Scalar> {
        if let Value::Scalar(x) = self { Some(*x) } else { None }
    }

    /// The integer, of whatever type; the largest `i64` in place of larger ones.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Value::Scalar(Scalar::I64(x)) => Some(*x),
            Value::Scalar(x) => x.as_int().map(|i| i64::try_from(i).unwrap_or(i64::MAX)),
            _ => None,
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        if let Value::Scalar(Scalar::Bool(x)) = self { Some(*x) } else { None }
    }

    /// The numbers of a vector of integers.
    pub fn as_i64s(&self) -> Option<&[i64]> {
        match self {
            Value::Array(array) => match &array.rows {
                Column::Prim(PrimVec::I64(items)) => Some(items),
                _ if array.len == 0 => Some(&[]),
                _ => None,
            },
            _ => None,
        }
    }

    /// How many dimensions it has.
    pub fn rank(&self) -> usize {
        if let Value::Array(array) = self { 1 + array.rows.rank() } else { 0 }
    }

    /// Takes the field out, without copying it if this is the only reference.
    pub fn into_field(self, index: usize) -> Value {
        match self {
            Value::Record(mut fields) => match Rc::get_mut(&mut fields) {
                Some(fields) => std::mem::take(&mut fields[index]),
                None => fields[index].clone(),
            },
            _ => Value::Unset,
        }
    }

    /// What is found here, as a shape with the type of its elements: `[2][3]f64`.
    pub fn describe(&self) -> String {
        let mut out = String::new();
        self.write_type(&mut out);
        out
    }

    fn write_type(&self, out: &mut String) {
        match self {
            Value::Unset => out.push_str("nothing"),
            Value::Scalar(x) => out.push_str(x.prim().name()),
            Value::Record(fields) => {
                out.push('(');
                for (i, field) in fields.iter().enumerate() {
                    out.push_str(if i > 0 { ", " } else { "" });
                    field.write_type(out);
                }
                out.push(')');
            }
            Value::Constr(constr) => {
                let _ = write!(out, "#{}", constr.name);
            }
            Value::Array(array) => {
                let _ = write!(out, "[{}]", array.len);
                array.rows.write_type(out, array.len);
            }
            Value::Fun(_) => out.push_str("a function"),
            Value::Type(_) => out.push_str("a type"),
            Value::Rec(array) => {
                array.shape().iter().for_each(|n| {
                    let _ = write!(out, "[{n}]");
                });
            }
        }
    }
}

impl From<Array> for Value {
    fn from(array: Array) -> Value {
        Value::Array(Rc::new(array))
    }
}

impl From<Scalar> for Value {
    fn from(x: Scalar) -> Value {
        Value::Scalar(x)
    }
}
