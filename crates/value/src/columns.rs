//! Arrays of tuples and records by columns: an array of records is a record of arrays, and back.
//!
//! ```text
//! [{x = 1, y = [2.0]}, {x = 3, y = [4.0, 5.0]}]      <->      {x = [1, 3], y = [[2.0], [4.0, 5.0]]}
//! ```
//!
//! File formats hold arrays of numbers, so values are stored in this form. Sums have no columns.

use crate::{Array, Dim, DimDesc, PrimVec, Value, ValueType};

/// The value by columns: all arrays in the result are arrays of scalars.
pub(crate) fn split(value: &Value, ty: &ValueType) -> Result<Value, String> {
    gather(&[], &[value], ty)
}

/// The type of the result of [`split`].
pub(crate) fn type_of(ty: &ValueType) -> ValueType {
    match ty {
        ValueType::List(elem) => inside(type_of(elem)),
        ValueType::Tuple(types) => ValueType::Tuple(types.iter().map(type_of).collect()),
        ValueType::Record(fields) => {
            ValueType::Record(fields.iter().map(|(name, field)| (*name, type_of(field))).collect())
        }
        ValueType::Scalar(_) | ValueType::Array(..) | ValueType::AnyRank(_) | ValueType::Sum(_) => ty.clone(),
    }
}

/// Another dimension around every column.
fn inside(columns: ValueType) -> ValueType {
    match columns {
        ValueType::Tuple(types) => ValueType::Tuple(types.into_iter().map(inside).collect()),
        ValueType::Record(fields) => {
            ValueType::Record(fields.into_iter().map(|(name, field)| (name, inside(field))).collect())
        }
        // A whole array becomes a row here, and rows may differ in length.
        ValueType::Array(dims, prim) => {
            let open = |dim: Dim| if dim == Dim::Regular { Dim::Any } else { dim };
            ValueType::Array([Dim::Any].into_iter().chain(dims.into_iter().map(open)).collect(), prim)
        }
        other => other.inside(Dim::Any),
    }
}

/// Columns of consecutive elements under some dimensions.
fn gather(dims: &[DimDesc], items: &[&Value], elem: &ValueType) -> Result<Value, String> {
    let wrong = || format!("an array of type {elem} has no columns of numbers; write it as text or .json");
    match elem {
        ValueType::Scalar(prim) => {
            let mut data = PrimVec::with_capacity(*prim, items.len());
            for item in items {
                data.push(item.as_scalar().filter(|x| x.prim() == *prim).ok_or_else(wrong)?);
            }
            array(dims, data)
        }
        ValueType::Array(inner, prim) => gather_arrays(dims, items, inner, PrimVec::new(*prim)),
        ValueType::List(inner) => {
            let list =
                |item: &&Value| if let Value::List(items) = item { Ok(items.len() as i64) } else { Err(wrong()) };
            let lengths = items.iter().map(list).collect::<Result<Vec<_>, _>>()?;
            let elements = items.iter().flat_map(|item| if let Value::List(items) = item { &items[..] } else { &[] });
            gather(&with(dims, &lengths, Dim::Any), &elements.collect::<Vec<_>>(), inner)
        }
        ValueType::Tuple(types) => {
            let column = |(i, ty): (usize, &ValueType)| {
                let parts: Option<Vec<&Value>> = items.iter().map(|item| tuple_part(item, i)).collect();
                gather(dims, &parts.ok_or_else(wrong)?, ty)
            };
            types.iter().enumerate().map(column).collect::<Result<_, _>>().map(Value::Tuple)
        }
        ValueType::Record(fields) => {
            let column = |(name, ty): &(base::Name, ValueType)| {
                let parts: Option<Vec<&Value>> = items.iter().map(|item| record_part(item, *name)).collect();
                Ok((*name, gather(dims, &parts.ok_or_else(wrong)?, ty)?))
            };
            fields.iter().map(column).collect::<Result<_, String>>().map(Value::Record)
        }
        ValueType::AnyRank(_) | ValueType::Sum(_) => Err(wrong()),
    }
}

fn tuple_part(item: &Value, index: usize) -> Option<&Value> {
    if let Value::Tuple(parts) = item { parts.get(index) } else { None }
}

fn record_part(item: &Value, name: base::Name) -> Option<&Value> {
    let Value::Record(fields) = item else { return None };
    fields.iter().find(|field| field.0 == name).map(|field| &field.1)
}

/// Joins consecutive arrays into one array.
fn gather_arrays(dims: &[DimDesc], items: &[&Value], inner: &[Dim], mut data: PrimVec) -> Result<Value, String> {
    let mut lengths = vec![Vec::new(); inner.len()];
    for item in items {
        let array = item.as_array().filter(|a| a.rank() == inner.len() && a.elem() == data.prim());
        let array =
            array.ok_or_else(|| format!("arrays of the same kind are expected, but here is {}", item.type_of()))?;
        let rows = array.rows();
        for (level, dim) in array.dims().iter().enumerate() {
            lengths[level].extend((0..rows[level] as usize).map(|row| dim.row_length(row)));
        }
        data.extend_from(array.data());
    }
    if dims.is_empty() {
        return items.first().map(|item| (*item).clone()).ok_or_else(|| "there is no value".into());
    }
    let all = lengths.iter().zip(inner).fold(dims.to_vec(), |dims, (lengths, dim)| with(&dims, lengths, *dim));
    array(&all, data)
}

/// One more dimension, of rows with these lengths.
fn with(dims: &[DimDesc], lengths: &[i64], dim: Dim) -> Vec<DimDesc> {
    let last = match dim {
        Dim::Jagged if !dims.is_empty() => DimDesc::jagged(lengths.iter().copied()),
        Dim::Jagged | Dim::Regular | Dim::Any => DimDesc::from_lengths(lengths),
    };
    dims.iter().cloned().chain([last]).collect()
}

fn array(dims: &[DimDesc], data: PrimVec) -> Result<Value, String> {
    match (dims, data.get(0)) {
        ([], Some(scalar)) => Ok(Value::Scalar(scalar)),
        ([], None) => Err("there is no value".into()),
        (dims, _) => Array::new(dims.to_vec(), data).map(Value::Array).map_err(|error| error.0),
    }
}

/// The value of a type from its columns, which are of [`type_of`] it.
pub(crate) fn join(columns: &Value, ty: &ValueType) -> Result<Value, String> {
    match (ty, columns) {
        (ValueType::List(elem), _) => {
            let row = |i: i64| join(&row(columns, i as usize), elem);
            (0..length(columns)?).map(row).collect::<Result<_, _>>().map(Value::List)
        }
        (ValueType::Tuple(types), Value::Tuple(parts)) if types.len() == parts.len() => {
            parts.iter().zip(types).map(|(part, ty)| join(part, ty)).collect::<Result<_, _>>().map(Value::Tuple)
        }
        (ValueType::Record(types), Value::Record(fields)) if types.len() == fields.len() => {
            let field = |((name, part), (_, ty)): (&(base::Name, Value), &(base::Name, ValueType))| {
                Ok((*name, join(part, ty)?))
            };
            fields.iter().zip(types).map(field).collect::<Result<_, String>>().map(Value::Record)
        }
        _ => columns.clone().fit(ty),
    }
}

/// The number of rows, which must be the same in all columns.
fn length(columns: &Value) -> Result<i64, String> {
    let mut lengths = Vec::new();
    collect_lengths(columns, &mut lengths);
    match lengths[..] {
        [first, ref rest @ ..] => match rest.iter().find(|other| **other != first) {
            Some(other) => {
                Err(format!("columns must have the same length, but one has {first} elements and one {other}"))
            }
            None => Ok(first),
        },
        [] => Err("there are no columns".into()),
    }
}

fn collect_lengths(columns: &Value, out: &mut Vec<i64>) {
    match columns {
        Value::Array(array) => out.push(array.dims()[0].row_length(0)),
        Value::Tuple(parts) => parts.iter().for_each(|part| collect_lengths(part, out)),
        Value::Record(fields) => fields.iter().for_each(|field| collect_lengths(&field.1, out)),
        Value::Scalar(_) | Value::List(_) | Value::Sum(..) => {}
    }
}

/// One row of every column.
fn row(columns: &Value, index: usize) -> Value {
    match columns {
        Value::Array(array) => array.row(index),
        Value::Tuple(parts) => Value::Tuple(parts.iter().map(|part| row(part, index)).collect()),
        Value::Record(fields) => Value::Record(fields.iter().map(|(name, part)| (*name, row(part, index))).collect()),
        Value::Scalar(_) | Value::List(_) | Value::Sum(..) => columns.clone(),
    }
}
