//! The elements of an array in another order or another shape, without a machine.

use crate::cells::{show_shape, with_extents};
use crate::column::{affordable, offsets_of};
use crate::data::{Array, Column, Value};
use crate::error::Eval;
use crate::faults;
use base::Span;
use std::rc::Rc;

/// From the last element to the first.
pub(crate) fn reverse(array: &Array, span: Span) -> Eval<Value> {
    affordable_places(array, span)?;
    Ok(array.rows_at(&(0..array.len).rev().collect::<Vec<_>>()))
}

/// Element `i` of the result is element `i + by`, counted around the end.
pub(crate) fn rotate(by: i64, array: Rc<Array>, span: Span) -> Eval<Value> {
    if array.len == 0 {
        return Ok(Value::Array(array));
    }
    affordable_places(&array, span)?;
    let shift = by.rem_euclid(array.len as i64) as usize;
    Ok(array.rows_at(&(0..array.len).map(|i| (i + shift) % array.len).collect::<Vec<_>>()))
}

/// Rows as columns.
pub(crate) fn transpose(array: &Rc<Array>, span: Span) -> Eval<Value> {
    let n = array.len;
    let (m, inner) = match &array.rows {
        Column::Regular(m, inner) => (*m, inner),
        Column::Jagged(..) => {
            let shape = Value::Array(array.clone()).describe();
            return Err(faults::lockstep(&shape, "rows of one length", "transpose", span));
        }
        Column::Prim(_) | Column::Record(_) | Column::Boxed(_) => {
            return Err(faults::rank_at_least(2, &[n as i64], span));
        }
    };
    let places: Vec<usize> = (0..m).flat_map(|j| (0..n).map(move |i| i * m + j)).collect();
    Ok(Array { len: m, rows: Column::Regular(n, Box::new(inner.gather(&places))) }.into())
}

/// All rows one after the other.
pub(crate) fn flatten(array: Rc<Array>, span: Span) -> Eval<Value> {
    let array = Array::owned(array);
    let total = array.rows.total(array.len);
    match array.rows {
        Column::Regular(_, inner) | Column::Jagged(_, inner) => Ok(Array { len: total, rows: *inner }.into()),
        Column::Prim(_) | Column::Record(_) | Column::Boxed(_) => {
            Err(faults::rank_at_least(2, &[array.len as i64], span))
        }
    }
}

/// The elements of an array in another shape.
pub(crate) fn shaped(shape: &[i64], elements: Rc<Array>, span: Span) -> Eval<Value> {
    if let Some(n) = shape.iter().find(|n| **n < 0) {
        return Err(faults::negative("a dimension", *n, span));
    }
    let extents: Vec<usize> = shape.iter().map(|n| *n as usize).collect();
    let total = shape.iter().try_fold(1i64, |n, e| n.checked_mul(*e)).filter(|n| *n < i64::MAX);
    if total != Some(elements.len as i64) {
        return Err(faults::elements(&show_shape(&extents), total, elements.len, span));
    }
    Ok(with_extents(&extents, Array::owned(elements).rows))
}

/// All elements of an array of any rank; a value of rank 0 is the only element.
pub(crate) fn elements_of(value: Value, span: Span) -> Eval<Rc<Array>> {
    match value {
        Value::Array(array) => {
            let Array { mut len, mut rows } = Array::owned(array);
            while let Column::Regular(m, inner) = rows {
                (len, rows) = (len * m, *inner);
            }
            Ok(Rc::new(Array { len, rows }))
        }
        Value::Rec(array) => Err(faults::whole_rec(array.name.as_str(), span)),
        scalar => Ok(Rc::new(Array { len: 1, rows: Column::repeat(&scalar, 1) })),
    }
}

/// An array of tuples as a tuple of arrays.
pub(crate) fn unzip(array: Rc<Array>, span: Span) -> Eval<Value> {
    let array = Array::owned(array);
    match array.rows {
        Column::Record(columns) => {
            let part = |rows: Column| Value::from(Array { len: array.len, rows });
            Ok(Value::Record(columns.into_iter().map(part).collect()))
        }
        Column::Prim(_) | Column::Regular(..) | Column::Jagged(..) | Column::Boxed(_) => {
            Err(faults::internal("unzip of what are no tuples", span))
        }
    }
}

/// Rows of these lengths, one after the other.
pub(crate) fn jagged_unflatten(lengths: Vec<i64>, array: Rc<Array>, span: Span) -> Eval<Value> {
    let array = Array::owned(array);
    if lengths.iter().any(|n| *n < 0) {
        return Err(faults::negative_length(lengths, span));
    }
    let total = lengths.iter().try_fold(0i64, |n, l| n.checked_add(*l)).filter(|n| *n < i64::MAX);
    if total != Some(array.len as i64) {
        return Err(faults::total_length(total, array.len, span));
    }
    let len = lengths.len();
    let rows = match len {
        0 => Column::Regular(0, Box::new(array.rows)),
        _ => Column::Jagged(offsets_of(lengths.iter().map(|n| *n as usize)), Box::new(array.rows)),
    };
    Ok(Array { len, rows }.into())
}

/// About how many bytes a row such as this one takes.
pub(crate) fn bytes_of(value: &Value) -> usize {
    match value {
        Value::Scalar(x) => x.prim().bytes(),
        Value::Record(fields) => fields.iter().map(bytes_of).sum(),
        Value::Array(array) => column_bytes(&array.rows, array.len),
        Value::Unset | Value::Constr(_) | Value::Fun(_) | Value::Type(_) | Value::Rec(_) => size_of::<Value>(),
    }
}

fn column_bytes(column: &Column, rows: usize) -> usize {
    match column {
        Column::Prim(items) => items.prim().bytes().saturating_mul(rows),
        Column::Record(fields) => fields.iter().map(|c| column_bytes(c, rows)).sum(),
        Column::Regular(..) | Column::Jagged(..) => column_bytes(column.inner(), column.total(rows)),
        Column::Boxed(_) => size_of::<Value>().saturating_mul(rows),
    }
}

/// Whether there is memory for a list of the places of all rows, however little the rows themselves take.
fn affordable_places(array: &Array, span: Span) -> Eval<()> {
    match affordable(array.len, size_of::<usize>()) {
        true => Ok(()),
        false => Err(faults::memory(array.len, span)),
    }
}
