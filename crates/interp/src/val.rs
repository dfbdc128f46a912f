//! Values at run time: scalars unboxed, everything else shared by reference count.

use crate::code::Code;
use crate::column::{Array, Column};
use crate::rec_array::RecArray;
use crate::rtype::RtType;
use base::Name;
use scalar::{BinOp, Scalar};
use std::fmt::Write;
use std::rc::Rc;
use value::PrimVec;

/// A value in a slot of a frame.
#[derive(Clone, Default)]
pub(crate) enum Value {
    /// Nothing: a slot before it is bound or after its value was moved out.
    #[default]
    Unset,
    /// A scalar.
    Scalar(Scalar),
    /// A tuple or record: fields in the order of its type.
    Record(Rc<[Value]>),
    /// A constructor and what it carries.
    Constr(Rc<Constr>),
    /// An array.
    Array(Rc<Array>),
    /// A function.
    Fun(Rc<Fun>),
    /// What a type parameter stands for.
    Type(Rc<RtType>),
    /// A recursive array whose elements are being computed.
    Rec(Rc<RecArray>),
}

/// A constructed value.
#[derive(Clone)]
pub(crate) struct Constr {
    pub name: Name,
    pub args: Vec<Value>,
}

/// A function value, perhaps with some of its arguments.
#[derive(Clone)]
pub(crate) enum Fun {
    /// Code with its environment.
    Closure(Closure),
    /// A built-in operator.
    Operator(BinOp, Vec<Value>),
}

/// Code with what it needs to run but its remaining arguments.
#[derive(Clone)]
pub(crate) struct Closure {
    pub code: Rc<Code>,
    /// Values of captured variables.
    pub captures: Vec<Value>,
    /// What type parameters stand for.
    pub types: Vec<Value>,
    /// The arguments so far.
    pub args: Vec<Value>,
}

/// A function that holds a function that holds a function, as recursion can make it, is dropped piece by piece: the
/// stack may be full already when it goes.
impl Drop for Closure {
    fn drop(&mut self) {
        let nested = |value: &Value| matches!(value, Value::Fun(_) | Value::Record(_) | Value::Constr(_));
        if !self.captures.iter().chain(&self.args).any(nested) {
            return;
        }
        let mut left = std::mem::take(&mut self.captures);
        left.append(&mut self.args);
        while let Some(value) = left.pop() {
            value.give_up(&mut left);
        }
    }
}

impl Value {
    /// Drops the value, but leaves to the caller what it alone holds.
    fn give_up(self, left: &mut Vec<Value>) {
        match self {
            Value::Fun(fun) => match Rc::try_unwrap(fun) {
                Ok(Fun::Closure(mut closure)) => {
                    left.append(&mut closure.captures);
                    left.append(&mut closure.args);
                }
                Ok(Fun::Operator(_, mut args)) => left.append(&mut args),
                Err(_) => {}
            },
            Value::Record(mut fields) => {
                left.extend(Rc::get_mut(&mut fields).into_iter().flatten().map(std::mem::take));
            }
            Value::Constr(constr) => left.extend(Rc::try_unwrap(constr).into_iter().flat_map(|constr| constr.args)),
            Value::Unset | Value::Scalar(_) | Value::Array(_) | Value::Type(_) | Value::Rec(_) => {}
        }
    }
}

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
