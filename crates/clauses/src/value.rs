//! Values known at compile time, with `i64`s that may be linear in loop variables.

use affine::clauses::Form;
use base::Name;
use scalar::{BinOp, Scalar, UnOp, eval_bin, eval_un};
use std::rc::Rc;

/// What is known of a value. Parts that are not known are `None`.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// An `i64`: a constant, or linear in the variables of the loops around.
    Int(Form),
    /// A constant of another type.
    Scalar(Scalar),
    Array(Rc<[Option<Value>]>),
    Record(Rc<[(Name, Option<Value>)]>),
}

impl Value {
    pub fn of(scalar: Scalar) -> Value {
        match scalar {
            Scalar::I64(n) => Value::int(n),
            other => Value::Scalar(other),
        }
    }

    pub fn int(n: i64) -> Value {
        Value::Int(Form::constant(n))
    }

    /// The value, if it is a constant scalar.
    pub fn scalar(&self) -> Option<Scalar> {
        match self {
            Value::Int(form) => form.as_constant().map(Scalar::I64),
            Value::Scalar(value) => Some(*value),
            Value::Array(_) | Value::Record(_) => None,
        }
    }

    pub fn bool(&self) -> Option<bool> {
        match self {
            Value::Scalar(Scalar::Bool(b)) => Some(*b),
            Value::Int(_) | Value::Scalar(_) | Value::Array(_) | Value::Record(_) => None,
        }
    }

    /// An index: an `i64`, or a constant of another integer type that an `i64` can hold.
    pub fn form(&self) -> Option<Form> {
        match self {
            Value::Int(form) => Some(form.clone()),
            Value::Scalar(value) => i64::try_from(value.as_int()?).ok().map(Form::constant),
            Value::Array(_) | Value::Record(_) => None,
        }
    }

    pub fn constant(&self) -> Option<i64> {
        self.form()?.as_constant()
    }

    /// The components of a vector of indices.
    pub fn forms(&self) -> Option<Vec<Option<Form>>> {
        match self {
            Value::Array(items) => Some(items.iter().map(|i| i.as_ref()?.form()).collect()),
            Value::Int(_) | Value::Scalar(_) | Value::Record(_) => None,
        }
    }
}

/// Applies an operator, to each element if it is lifted.
pub(super) fn unary(op: UnOp, arg: &Value, lifted: bool) -> Option<Value> {
    match (op, arg) {
        (UnOp::Neg, Value::Int(form)) if form.as_constant().is_none() => form.neg().map(Value::Int),
        (_, Value::Array(items)) if lifted => {
            Some(Value::Array(items.iter().map(|i| unary(op, i.as_ref()?, true)).collect()))
        }
        _ => eval_un(op, arg.scalar()?).ok().map(Value::of),
    }
}

/// Applies an operator, element by element if it is lifted.
pub(super) fn binary(op: BinOp, left: &Value, right: &Value, lifted: bool) -> Option<Value> {
    let both = |a: &Option<Value>, b: &Option<Value>| binary(op, a.as_ref()?, b.as_ref()?, true);
    match (left, right) {
        (Value::Array(a), Value::Array(b)) if lifted => {
            (a.len() == b.len()).then(|| Value::Array(a.iter().zip(b.iter()).map(|(a, b)| both(a, b)).collect()))
        }
        (Value::Array(a), b) if lifted => {
            Some(Value::Array(a.iter().map(|a| binary(op, a.as_ref()?, b, true)).collect()))
        }
        (a, Value::Array(b)) if lifted => {
            Some(Value::Array(b.iter().map(|b| binary(op, a, b.as_ref()?, true)).collect()))
        }
        _ => match (left.scalar(), right.scalar()) {
            (Some(a), Some(b)) => eval_bin(op, a, b).ok().map(Value::of),
            _ => linear(op, left, right).map(Value::Int),
        },
    }
}

/// Arithmetic on `i64`s that are not both constant. The result is a mathematical integer, which is what the program
/// computes unless it wraps around: callers check that a form stays in a safe range.
fn linear(op: BinOp, left: &Value, right: &Value) -> Option<Form> {
    let (Value::Int(a), Value::Int(b)) = (left, right) else { return None };
    match op {
        BinOp::Add => a.add(b),
        BinOp::Sub => a.sub(b),
        BinOp::Mul => a.mul(b),
        _ => None,
    }
}
