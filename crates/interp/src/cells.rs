//! The cells of arrays by clauses: their numbers in row-major order, their subscripts, writing to them.

use crate::column::Mismatch;
use crate::data::{Array, Column, Value};
use crate::error::Eval;
use crate::faults;
use base::Span;
use std::rc::Rc;

/// The array of some extents over its elements' column.
pub(crate) fn with_extents(extents: &[usize], elements: Column) -> Value {
    let Some((len, inner)) = extents.split_first() else {
        return elements.get(0);
    };
    let rows = inner.iter().rev().fold(elements, |rows, n| Column::Regular(*n, Box::new(rows)));
    Array { len: *len, rows }.into()
}

/// Writes a value at a position of some depth: how many subscripts led there.
pub(crate) fn write(whole: &mut Value, depth: usize, position: usize, value: Value, span: Span) -> Eval<()> {
    match whole {
        Value::Array(array) if depth > 0 => {
            let mut column = &mut Rc::make_mut(array).rows;
            for _ in 1..depth {
                if let Column::Regular(_, inner) | Column::Jagged(_, inner) = column {
                    column = inner;
                }
            }
            column.set(position, &value).map_err(|mismatch| faults::replacement(&mismatch, span))
        }
        _ => replace_whole(whole, value, span),
    }
}

/// Replaces a whole value by another; arrays keep their shape.
pub(crate) fn replace_whole(whole: &mut Value, value: Value, span: Span) -> Eval<()> {
    let Value::Array(array) = whole else {
        // A rank-0 array is its element.
        *whole = value;
        return Ok(());
    };
    let fault = |array: &Rc<Array>| {
        let expected = Value::Array(array.clone()).describe();
        faults::replacement(&Mismatch { expected, found: value.describe() }, span)
    };
    match &value {
        Value::Array(new) if new.len == array.len => {
            let len = array.len;
            let replaced = Rc::make_mut(array).rows.overwrite(0, &new.rows, 0, len);
            replaced.map_err(|_| fault(array))
        }
        _ => Err(fault(array)),
    }
}

/// The place of an element in row-major order.
pub(crate) fn cell_of(extents: &[usize], subscripts: &[i64], span: Span) -> Eval<usize> {
    if subscripts.len() != extents.len() {
        return Err(faults::subscript_count(subscripts.len(), extents.len(), span));
    }
    let mut cell = 0;
    for (i, n) in subscripts.iter().zip(extents) {
        if *i < 0 || *i as usize >= *n {
            return Err(faults::subscript(&show_element(subscripts), &show_shape(extents), span));
        }
        cell = cell * n + *i as usize;
    }
    Ok(cell)
}

/// The place in its column of what subscripts lead to.
pub(crate) fn position_of(array: &Array, subscripts: &[i64], span: Span) -> Eval<usize> {
    let (mut column, mut start, mut len) = (&array.rows, 0, array.len);
    let mut position = 0;
    for (level, i) in subscripts.iter().enumerate() {
        if level > 0 {
            (start, len) = column.span_of(position);
            column = match column {
                Column::Regular(_, inner) | Column::Jagged(_, inner) => inner,
                Column::Prim(_) | Column::Record(_) | Column::Boxed(_) => {
                    return Err(faults::subscript_count(subscripts.len(), level, span));
                }
            };
        }
        if *i < 0 || *i as usize >= len {
            let mut shape = format!("[{}]", array.len);
            array.rows.write_type(&mut shape, array.len);
            return Err(faults::subscript(&show_element(subscripts), &shape, span));
        }
        position = start + *i as usize;
    }
    Ok(position)
}

/// The subscripts of a cell.
pub(crate) fn subscripts_of(extents: &[usize], cell: usize) -> Vec<i64> {
    let mut at = cell;
    let mut out: Vec<i64> = extents
        .iter()
        .rev()
        .map(|n| {
            let i = at % n.max(&1);
            at /= n.max(&1);
            i as i64
        })
        .collect();
    out.reverse();
    out
}

pub(crate) fn show_element(subscripts: &[i64]) -> String {
    let parts: Vec<String> = subscripts.iter().map(i64::to_string).collect();
    format!("[{}]", parts.join(", "))
}

pub(crate) fn show_shape(extents: &[usize]) -> String {
    extents.iter().map(|n| format!("[{n}]")).collect()
}
