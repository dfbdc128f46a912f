//! The types of values at run time. They contain one another, so they are in one file; what can be done with them is in
//! [`crate::val`], [`crate::column`], [`crate::rec_read`].
//!
//! Scalars are unboxed, everything else is shared by reference count. Arrays are kept in columns: one flat vector for
//! each scalar component, dimensions as extents or offsets. A `[2][3](f64, bool)` is two rows over `Regular(3,
//! Record([F64 x 6, Bool x 6]))`. A column does not know how many rows it has: its owner does, so that arrays of units
//! and of empty rows have a length too. An array whose type is jagged may still be stored as `Regular` when all its
//! rows agree; a `Jagged` column has at least one row.

use crate::code::Code;
use crate::rtype::RtType;
use base::{Name, Span};
use scalar::{BinOp, Scalar};
use std::cell::RefCell;
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
    /// The value of a type parameter.
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
    /// The values of type parameters.
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

/// An array.
#[derive(Clone)]
pub(crate) struct Array {
    pub len: usize,
    pub rows: Column,
}

/// The rows of an array.
#[derive(Clone)]
pub(crate) enum Column {
    /// Scalars.
    Prim(PrimVec),
    /// Tuples or records, field by field.
    Record(Vec<Column>),
    /// Arrays of so many elements each.
    Regular(usize, Box<Column>),
    /// Arrays; row i has the elements from offset i to offset i + 1.
    Jagged(Vec<usize>, Box<Column>),
    /// Sums and functions.
    Boxed(Vec<Value>),
}

/// In the list of owners: no clause defines the cell.
pub(crate) const NOBODY: u32 = u32::MAX;

/// A recursive array while its elements are computed.
pub(crate) struct RecArray {
    pub name: Name,
    pub span: Span,
    pub layout: Layout,
    /// How many subscripts lead to a cell.
    pub depth: usize,
    /// The instance that defines each cell, or [`NOBODY`].
    pub owner: RefCell<Vec<u32>>,
    /// How many subscripts each instance has: fewer than `depth` if it defines a subarray.
    pub subscripts: RefCell<Vec<u32>>,
    /// The values of instances; unset until they are computed.
    pub values: RefCell<Vec<Value>>,
    /// What a cell's value is, where no value shows it.
    pub elem: Rc<RtType>,
}

/// How cells are arranged.
pub(crate) enum Layout {
    /// An `array` of these extents.
    Dense(Vec<usize>),
    /// An `update` of this array.
    Like(Rc<Array>),
}
