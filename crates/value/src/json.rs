//! JSON: arrays and tuples are arrays, records are objects, a constructor is a string or an object with one field.
//!
//! ```text
//! {x = [1i64, 2i64], y = #some 3.0f64}      <->      {"x": [1, 2], "y": {"some": [3.0]}}
//! ```
//!
//! A string is read as a `[]u8`. JSON has no NaN and no infinities: they are the strings `"nan"`, `"inf"` and `"-inf"`.

use crate::{Array, DimDesc, FormatError, PrimVec, Value, ValueType, text};
use base::Name;
use scalar::{Prim, Scalar};
use serde_json::Value as Json;
use std::fmt::Write;

/// The text of a value.
pub fn write(value: &Value) -> Result<Vec<u8>, String> {
    let mut out = String::new();
    write_value(value, &mut out);
    out.push('\n');
    Ok(out.into_bytes())
}

fn write_value(value: &Value, out: &mut String) {
    match value {
        Value::Scalar(x) => write_scalar(*x, out),
        Value::Array(array) => write_level(array, 0, &mut vec![0; array.rank() + 1], out),
        Value::List(items) | Value::Tuple(items) => write_all(items, out),
        Value::Record(fields) => {
            enclosed(out, ['{', '}'], fields, |(name, field), out| {
                let _ = write!(out, "{}: ", quoted(name.as_str()));
                write_value(field, out);
            });
        }
        Value::Sum(name, args) if args.is_empty() => out.push_str(&quoted(name.as_str())),
        Value::Sum(name, args) => {
            let _ = write!(out, "{{{}: ", quoted(name.as_str()));
            write_all(args, out);
            out.push('}');
        }
    }
}

fn write_all(items: &[Value], out: &mut String) {
    enclosed(out, ['[', ']'], items, write_value);
}

fn enclosed<T>(
    out: &mut String,
    marks: [char; 2],
    items: impl IntoIterator<Item = T>,
    mut each: impl FnMut(T, &mut String),
) {
    out.push(marks[0]);
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        each(item, out);
    }
    out.push(marks[1]);
}

fn quoted(text: &str) -> String {
    Json::String(text.into()).to_string()
}

fn write_scalar(x: Scalar, out: &mut String) {
    let plain = plain(x);
    let finite = plain.ends_with(|c: char| c.is_ascii_digit()) || matches!(x, Scalar::Bool(_));
    let _ = if finite { write!(out, "{plain}") } else { write!(out, "\"{plain}\"") };
}

/// A scalar without its type: `3`, `0.5`, `nan`, `-inf`, `true`.
pub(crate) fn plain(x: Scalar) -> String {
    let text = x.to_string();
    let name = x.prim().to_string();
    let short = text.strip_suffix(&name).unwrap_or(&text);
    short.replacen(&format!("{name}."), "", 1)
}

fn write_level(array: &Array, level: usize, next_row: &mut [usize], out: &mut String) {
    let row = next_row[level];
    next_row[level] += 1;
    if level == array.rank() {
        return array.data().get(row).into_iter().for_each(|x| write_scalar(x, out));
    }
    let count = array.dims()[level].row_length(row);
    enclosed(out, ['[', ']'], 0..count, |_, out| write_level(array, level + 1, next_row, out));
}

/// Reads the one value of a text.
pub fn read(bytes: &[u8], expected: Option<&ValueType>) -> Result<Value, FormatError> {
    let json: Json = serde_json::from_slice(bytes).map_err(|error| {
        let words = error.to_string();
        // The place is at the beginning of the message.
        let words = words.split(" at line ").next().unwrap_or_default();
        FormatError::cell(error.line().max(1), error.column(), format!("this is not JSON: {words}"))
    })?;
    convert(&json, expected, "$").map_err(|message| FormatError::line(1, message))
}

/// A value of a type; messages show the place as a path from the root `$`.
fn convert(json: &Json, expected: Option<&ValueType>, path: &str) -> Result<Value, String> {
    let Some(expected) = expected else { return guess(json, path) };
    match (expected, json) {
        (ValueType::Scalar(prim), _) => scalar(json, *prim, path).map(Value::Scalar),
        (ValueType::Array(dims, prim), Json::Array(_)) => {
            let mut rows = Rows { lengths: vec![Vec::new(); dims.len()], data: PrimVec::new(*prim) };
            rows.add(json, 0, path)?;
            rows.array()?.fit(expected).map_err(|message| format!("at {path}: {message}"))
        }
        (ValueType::Array(dims, Prim::U8), Json::String(text)) if dims.len() == 1 => {
            crate::bytes::read(text.as_bytes(), Some(expected)).map_err(|error| error.message)
        }
        (ValueType::AnyRank(prim), _) => {
            let rank = depth(json);
            convert(json, Some(&ValueType::regular(rank, *prim)), path)
        }
        (ValueType::List(elem), Json::Array(items)) => {
            each(items.iter().map(|item| (item, &**elem)), path).map(Value::List)
        }
        (ValueType::Tuple(types), Json::Array(items)) if types.len() == items.len() => {
            each(items.iter().zip(types), path).map(Value::Tuple)
        }
        (ValueType::Record(types), Json::Object(fields)) => {
            if let Some(name) = fields.keys().find(|name| types.iter().all(|(known, _)| known.as_str() != **name)) {
                return Err(format!("at {path}: there is no field {name} in {expected}"));
            }
            let field = |(name, ty): &(Name, ValueType)| {
                let field =
                    fields.get(name.as_str()).ok_or_else(|| format!("at {path}: the field {name} is missing"))?;
                convert(field, Some(ty), &format!("{path}.{name}")).map(|value| (*name, value))
            };
            types.iter().map(field).collect::<Result<_, _>>().map(Value::Record)
        }
        (ValueType::Sum(cases), _) => constructor(json, cases, path),
        _ => Err(format!("at {path}: a value of type {expected} is expected, but here is {}", kind(json))),
    }
}

/// The values of elements with different types.
fn each<'a>(items: impl Iterator<Item = (&'a Json, &'a ValueType)>, path: &str) -> Result<Vec<Value>, String> {
    let one = |(i, (item, ty)): (usize, (&Json, &ValueType))| convert(item, Some(ty), &format!("{path}[{i}]"));
    items.enumerate().map(one).collect()
}

fn constructor(json: &Json, cases: &[(Name, Vec<ValueType>)], path: &str) -> Result<Value, String> {
    let none = Vec::new();
    let (name, args) = match json {
        Json::String(name) => (name, &none),
        Json::Object(fields) if fields.len() == 1 => match fields.iter().next() {
            Some((name, Json::Array(args))) => (name, args),
            _ => return Err(format!("at {path}: what a constructor carries is an array")),
        },
        _ => return Err(format!("at {path}: a constructor is expected, but here is {}", kind(json))),
    };
    let Some((name, types)) = cases.iter().find(|(known, _)| known.as_str() == *name) else {
        return Err(format!("at {path}: there is no constructor #{name} in {}", ValueType::Sum(cases.to_vec())));
    };
    if types.len() != args.len() {
        return Err(format!("at {path}: #{name} carries {} values, but here are {}", types.len(), args.len()));
    }
    Ok(Value::Sum(*name, each(args.iter().zip(types), path)?))
}

fn scalar(json: &Json, prim: Prim, path: &str) -> Result<Scalar, String> {
    let word = match json {
        Json::Number(number) => number.to_string(),
        Json::Bool(b) => b.to_string(),
        Json::String(word) if matches!(word.as_str(), "nan" | "inf" | "-inf") => word.clone(),
        other => return Err(format!("at {path}: a value of type {prim} is expected, but here is {}", kind(other))),
    };
    let value = text::parse_one(&word, Some(&ValueType::Scalar(prim)));
    let value = value.map_err(|error| format!("at {path}: {}", error.message))?;
    value.as_scalar().ok_or_else(|| format!("at {path}: a value of type {prim} is expected"))
}

/// The rows of nested arrays.
struct Rows {
    lengths: Vec<Vec<i64>>,
    data: PrimVec,
}

impl Rows {
    fn add(&mut self, json: &Json, level: usize, path: &str) -> Result<(), String> {
        if level == self.lengths.len() {
            self.data.push(scalar(json, self.data.prim(), path)?);
            return Ok(());
        }
        let Json::Array(items) = json else {
            return Err(format!("at {path}: an array is expected, but here is {}", kind(json)));
        };
        self.lengths[level].push(items.len() as i64);
        let mut below = |(i, item): (usize, &Json)| self.add(item, level + 1, &format!("{path}[{i}]"));
        items.iter().enumerate().try_for_each(&mut below)
    }

    fn array(self) -> Result<Value, String> {
        let dims = self.lengths.iter().map(|lengths| DimDesc::from_lengths(lengths)).collect();
        Array::new(dims, self.data).map(Value::Array).map_err(|error| error.0)
    }
}

fn depth(json: &Json) -> usize {
    match json {
        Json::Array(items) => 1 + items.first().map_or(0, depth),
        _ => 0,
    }
}

/// A value without an expected type.
fn guess(json: &Json, path: &str) -> Result<Value, String> {
    match json {
        Json::Number(number) if number.is_f64() => scalar(json, Prim::F64, path).map(Value::Scalar),
        Json::Number(_) => scalar(json, Prim::I64, path).map(Value::Scalar),
        Json::Bool(b) => Ok(Value::Scalar(Scalar::Bool(*b))),
        Json::Array(items) => items.iter().map(|item| guess(item, path)).collect::<Result<_, _>>().map(Value::List),
        Json::Object(fields) => {
            let field = |(name, field): (&String, &Json)| Ok((Name::new(name), guess(field, path)?));
            fields.iter().map(field).collect::<Result<_, String>>().map(Value::Record)
        }
        Json::String(_) | Json::Null => Err(format!("at {path}: {} is no value", kind(json))),
    }
}

fn kind(json: &Json) -> &'static str {
    match json {
        Json::Null => "null",
        Json::Bool(_) => "a bool",
        Json::Number(_) => "a number",
        Json::String(_) => "a string",
        Json::Array(_) => "an array",
        Json::Object(_) => "an object",
    }
}
