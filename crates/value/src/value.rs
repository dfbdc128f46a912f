//! Values.

use crate::Array;
use base::Name;
use scalar::{Prim, Scalar};

/// A value. Scalars and arrays have file formats; the others have text only.
#[derive(Clone, Debug)]
pub enum Value {
    /// A scalar.
    Scalar(Scalar),
    /// An array of scalars, unboxed.
    Array(Array),
    /// An array of anything else.
    List(Vec<Value>),
    /// A tuple; without components the unit.
    Tuple(Vec<Value>),
    /// A record.
    Record(Vec<(Name, Value)>),
    /// A constructor and what it carries.
    Sum(Name, Vec<Value>),
}

impl Value {
    /// The scalar, if it is one.
    pub fn as_scalar(&self) -> Option<Scalar> {
        match self {
            Value::Scalar(x) => Some(*x),
            Value::Array(_) | Value::List(_) | Value::Tuple(_) | Value::Record(_) | Value::Sum(..) => None,
        }
    }

    /// The array, if it is one of scalars.
    pub fn as_array(&self) -> Option<&Array> {
        match self {
            Value::Array(a) => Some(a),
            Value::Scalar(_) | Value::List(_) | Value::Tuple(_) | Value::Record(_) | Value::Sum(..) => None,
        }
    }

    /// The primitive type of a scalar or of an array's elements.
    pub fn prim(&self) -> Option<Prim> {
        match self {
            Value::Scalar(x) => Some(x.prim()),
            Value::Array(a) => Some(a.elem()),
            Value::List(_) | Value::Tuple(_) | Value::Record(_) | Value::Sum(..) => None,
        }
    }

    /// What it is, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Value::Scalar(_) => "a scalar",
            Value::Array(_) => "an array",
            Value::List(_) => "an array of anything but scalars",
            Value::Tuple(_) => "a tuple",
            Value::Record(_) => "a record",
            Value::Sum(..) => "a constructor",
        }
    }

    /// Whether a dimension of it is jagged.
    pub fn is_jagged(&self) -> bool {
        self.as_array().is_some_and(|a| a.shape().is_none())
    }
}

impl<T: Into<Scalar>> From<T> for Value {
    fn from(x: T) -> Value {
        Value::Scalar(x.into())
    }
}

impl From<Array> for Value {
    fn from(a: Array) -> Value {
        Value::Array(a)
    }
}
