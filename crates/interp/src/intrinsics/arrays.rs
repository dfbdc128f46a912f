//! Making, joining, cutting and rearranging arrays.

use super::call::Call;
use super::parallel::rows_at;
use crate::clauses::with_extents;
use crate::code::Slot;
use crate::column::offsets_of;
use crate::data::{Array, Column, Value};
use crate::error::Eval;
use crate::faults;
use crate::machine::Machine;
use std::rc::Rc;
use value::PrimVec;

impl Machine<'_> {
    pub(super) fn iota(&mut self, call: Call<'_>) -> Eval<Value> {
        let n = self.size_arg(0, "iota", 8, call)?;
        Ok(Value::array(PrimVec::from((0..n as i64).collect::<Vec<i64>>())))
    }

    pub(super) fn replicate(&mut self, call: Call<'_>) -> Eval<Value> {
        let value = self.take(1);
        let n = self.size_arg(0, "replicate", bytes_of(&value), call)?;
        Ok(Array { len: n, rows: Column::repeat(&value, n) }.into())
    }

    pub(super) fn concat(&mut self, call: Call<'_>) -> Eval<Value> {
        let (first, second) = (self.take_array(0, call)?, self.take_array(1, call)?);
        if first.len == 0 && second.len > 0 {
            return Ok(Value::Array(second));
        }
        let (len, more) = (first.len, second.len);
        // Rows without elements need no memory, but they are counted.
        if len.checked_add(more).is_none_or(|sum| i64::try_from(sum).is_err()) {
            return Err(faults::countless(call.span));
        }
        let mut rows = owned(first).rows;
        let irregular = rows.append(len, &second.rows, more);
        let builder = crate::builder::Builder { len: len + more, rows: Some(rows), irregular, ..Default::default() };
        self.finish(builder, call.ty, call.span)
    }

    pub(super) fn reverse(&mut self, call: Call<'_>) -> Eval<Value> {
        let array = self.take_array(0, call)?;
        affordable_places(&array, call)?;
        Ok(rows_at(&array, &(0..array.len).rev().collect::<Vec<_>>()))
    }

    pub(super) fn rotate(&mut self, call: Call<'_>) -> Eval<Value> {
        let by = self.i64_arg(0, call)?;
        let array = self.take_array(1, call)?;
        if array.len == 0 {
            return Ok(Value::Array(array));
        }
        affordable_places(&array, call)?;
        let shift = by.rem_euclid(array.len as i64) as usize;
        Ok(rows_at(&array, &(0..array.len).map(|i| (i + shift) % array.len).collect::<Vec<_>>()))
    }

    pub(super) fn transpose(&mut self, call: Call<'_>) -> Eval<Value> {
        let array = self.take_array(0, call)?;
        let n = array.len;
        let (m, inner) = match &array.rows {
            Column::Regular(m, inner) => (*m, inner),
            Column::Jagged(..) => {
                let shape = Value::Array(array.clone()).describe();
                return Err(faults::lockstep(&shape, "rows of one length", "transpose", call.span));
            }
            Column::Prim(_) | Column::Record(_) | Column::Boxed(_) => {
                return Err(faults::internal("transpose of what has one dimension", call.span));
            }
        };
        let places: Vec<usize> = (0..m).flat_map(|j| (0..n).map(move |i| i * m + j)).collect();
        Ok(Array { len: m, rows: Column::Regular(n, Box::new(inner.gather(&places))) }.into())
    }

    pub(super) fn flatten(&mut self, call: Call<'_>) -> Eval<Value> {
        let array = owned(self.take_array(0, call)?);
        let total = array.rows.total(array.len);
        match array.rows {
            Column::Regular(_, inner) | Column::Jagged(_, inner) => Ok(Array { len: total, rows: *inner }.into()),
            Column::Prim(_) | Column::Record(_) | Column::Boxed(_) => {
                Err(faults::internal("flatten of what has one dimension", call.span))
            }
        }
    }

    pub(super) fn unflatten(&mut self, call: Call<'_>) -> Eval<Value> {
        let (n, m) = (self.i64_arg(0, call)?, self.i64_arg(1, call)?);
        let array = self.take_array(2, call)?;
        self.shaped(&[n, m], array, call)
    }

    /// The elements of an array in another shape.
    fn shaped(&mut self, shape: &[i64], elements: Rc<Array>, call: Call<'_>) -> Eval<Value> {
        if let Some(n) = shape.iter().find(|n| **n < 0) {
            return Err(faults::negative("a dimension", *n, call.span));
        }
        let extents: Vec<usize> = shape.iter().map(|n| *n as usize).collect();
        let total = shape.iter().try_fold(1i64, |n, e| n.checked_mul(*e)).filter(|n| *n < i64::MAX);
        if total != Some(elements.len as i64) {
            let text = crate::clauses::show_shape(&extents);
            return Err(faults::elements(&text, total, elements.len, call.span));
        }
        Ok(with_extents(&extents, owned(elements).rows))
    }

    pub(super) fn zip(&mut self, arity: usize, call: Call<'_>) -> Eval<Value> {
        let arrays = (0..arity).map(|i| self.take_array(i as Slot, call)).collect::<Eval<Vec<_>>>()?;
        let len = arrays[0].len;
        let columns = arrays.into_iter().map(|a| owned(a).rows).collect();
        Ok(Array { len, rows: Column::Record(columns) }.into())
    }

    pub(super) fn unzip(&mut self, call: Call<'_>) -> Eval<Value> {
        let array = owned(self.take_array(0, call)?);
        match array.rows {
            Column::Record(columns) => {
                let part = |rows: Column| Value::from(Array { len: array.len, rows });
                Ok(Value::Record(columns.into_iter().map(part).collect()))
            }
            Column::Prim(_) | Column::Regular(..) | Column::Jagged(..) | Column::Boxed(_) => {
                Err(faults::internal("unzip of what are no tuples", call.span))
            }
        }
    }

    pub(super) fn ravel(&mut self, call: Call<'_>) -> Eval<Value> {
        let value = self.take(0);
        self.elements_of(value, call).map(Value::Array)
    }

    /// All elements of an array of any rank; of rank 0, the one there is.
    fn elements_of(&mut self, value: Value, call: Call<'_>) -> Eval<Rc<Array>> {
        match value {
            Value::Array(array) => {
                let Array { mut len, mut rows } = owned(array);
                while let Column::Regular(m, inner) = rows {
                    (len, rows) = (len * m, *inner);
                }
                Ok(Rc::new(Array { len, rows }))
            }
            Value::Rec(array) => Err(faults::whole_rec(array.name.as_str(), call.span)),
            scalar => Ok(Rc::new(Array { len: 1, rows: Column::repeat(&scalar, 1) })),
        }
    }

    pub(super) fn reshape(&mut self, call: Call<'_>) -> Eval<Value> {
        let shape = self.slot(0).as_i64s().map(<[i64]>::to_vec);
        let shape = shape.ok_or_else(|| faults::internal("a shape of no integers", call.span))?;
        let value = self.take(1);
        let elements = self.elements_of(value, call)?;
        self.shaped(&shape, elements, call)
    }

    pub(super) fn jagged_lengths(&mut self, call: Call<'_>) -> Eval<Value> {
        let array = self.take_array(0, call)?;
        Ok(Value::i64s(array.rows.lengths(array.len)))
    }

    pub(super) fn jagged_unflatten(&mut self, call: Call<'_>) -> Eval<Value> {
        let lengths = self.slot(0).as_i64s().map(<[i64]>::to_vec);
        let lengths = lengths.ok_or_else(|| faults::internal("row lengths of no integers", call.span))?;
        let array = owned(self.take_array(1, call)?);
        if lengths.iter().any(|n| *n < 0) {
            return Err(faults::negative_length(lengths, call.span));
        }
        let total = lengths.iter().try_fold(0i64, |n, l| n.checked_add(*l)).filter(|n| *n < i64::MAX);
        if total != Some(array.len as i64) {
            return Err(faults::total_length(total, array.len, call.span));
        }
        let len = lengths.len();
        let rows = match len {
            0 => Column::Regular(0, Box::new(array.rows)),
            _ => Column::Jagged(offsets_of(lengths.iter().map(|n| *n as usize)), Box::new(array.rows)),
        };
        Ok(Array { len, rows }.into())
    }
}

/// The array itself, copied only if others hold it too.
fn owned(array: Rc<Array>) -> Array {
    Rc::try_unwrap(array).unwrap_or_else(|shared| (*shared).clone())
}

/// About how many bytes a row such as this one takes.
fn bytes_of(value: &Value) -> usize {
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
fn affordable_places(array: &Array, call: Call<'_>) -> Eval<()> {
    match crate::column::affordable(array.len, size_of::<usize>()) {
        true => Ok(()),
        false => Err(faults::memory(array.len, call.span)),
    }
}
