//! The text format: what users type and read.
//!
//! Numbers with or without a type suffix (`3`, `0xffu8`, `1_000`, `1.5e3f32`, `-f64.inf`), `true` and
//! `false`, nested brackets, `empty([0][3]i32)`, strings as arrays of `u8`, tuples, records,
//! constructors, and `--` comments. What `3` means depends on who reads it, so reading has two
//! steps: [`Reader`] finds the form, [`Parsed::to_value`] gives it a type.

mod lex;
mod number;
mod parse;
mod resolve;

use crate::{FormatError, Value, ValueType};
use base::Name;
use scalar::Prim;

pub use parse::Reader;

/// A value as written, before its type is known.
#[derive(Clone, Debug)]
pub struct Parsed {
    pub(crate) form: Form,
    pub(crate) line: usize,
}

#[derive(Clone, Debug)]
pub(crate) enum Form {
    Number(Number),
    Bool(bool),
    List(Vec<Parsed>),
    Tuple(Vec<Parsed>),
    Record(Vec<(Name, Parsed)>),
    Sum(Name, Vec<Parsed>),
    /// `empty([0][~]i32)`; a dimension `[~]` is none.
    Empty(Vec<Option<i64>>, Prim),
}

/// A number as written. Decimal fractions are kept at both precisions, because going from one to
/// the other would round twice.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    Int { negative: bool, magnitude: u64, hex: bool, suffix: Option<Prim> },
    Float { double: f64, single: f32, suffix: Option<Prim> },
}

/// Reads all values of a text without expectations.
pub fn parse_all(text: &str) -> Result<Vec<Value>, FormatError> {
    Reader::new(text).map(|parsed| parsed?.to_value(None)).collect()
}

/// Reads exactly one value.
pub fn parse_one(text: &str, expected: Option<&ValueType>) -> Result<Value, FormatError> {
    let mut reader = Reader::new(text);
    let value = match reader.next() {
        Some(parsed) => parsed?.to_value(expected)?,
        None => return Err(FormatError::line(1, "there is no value")),
    };
    match reader.next() {
        None => Ok(value),
        Some(Ok(more)) => Err(FormatError::line(more.line, "there is more than one value")),
        Some(Err(error)) => Err(error),
    }
}
