//! Making, joining, cutting and rearranging arrays.

use super::call::Call;
use crate::code::Slot;
use crate::data::{Array, Column, Value};
use crate::error::Eval;
use crate::faults;
use crate::machine::Machine;
use crate::shapes;
use value::PrimVec;

impl Machine<'_> {
    pub(super) fn iota(&mut self, call: Call<'_>) -> Eval<Value> {
        let n = self.size_arg(0, "iota", 8, call)?;
        Ok(Value::array(PrimVec::from((0..n as i64).collect::<Vec<i64>>())))
    }

    pub(super) fn replicate(&mut self, call: Call<'_>) -> Eval<Value> {
        let value = self.take(1);
        let n = self.size_arg(0, "replicate", shapes::bytes_of(&value), call)?;
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
        let mut rows = Array::owned(first).rows;
        let irregular = rows.append(len, &second.rows, more);
        let builder = crate::builder::Builder { len: len + more, rows: Some(rows), irregular, ..Default::default() };
        self.finish(builder, call.ty, call.span)
    }

    pub(super) fn reverse(&mut self, call: Call<'_>) -> Eval<Value> {
        let array = self.take_array(0, call)?;
        shapes::reverse(&array, call.span)
    }

    pub(super) fn rotate(&mut self, call: Call<'_>) -> Eval<Value> {
        let by = self.i64_arg(0, call)?;
        shapes::rotate(by, self.take_array(1, call)?, call.span)
    }

    pub(super) fn transpose(&mut self, call: Call<'_>) -> Eval<Value> {
        shapes::transpose(&self.take_array(0, call)?, call.span)
    }

    pub(super) fn flatten(&mut self, call: Call<'_>) -> Eval<Value> {
        shapes::flatten(self.take_array(0, call)?, call.span)
    }

    pub(super) fn unflatten(&mut self, call: Call<'_>) -> Eval<Value> {
        let (n, m) = (self.i64_arg(0, call)?, self.i64_arg(1, call)?);
        shapes::shaped(&[n, m], self.take_array(2, call)?, call.span)
    }

    pub(super) fn zip(&mut self, arity: usize, call: Call<'_>) -> Eval<Value> {
        let arrays = (0..arity).map(|i| self.take_array(i as Slot, call)).collect::<Eval<Vec<_>>>()?;
        let len = arrays[0].len;
        let columns = arrays.into_iter().map(|a| Array::owned(a).rows).collect();
        Ok(Array { len, rows: Column::Record(columns) }.into())
    }

    pub(super) fn unzip(&mut self, call: Call<'_>) -> Eval<Value> {
        shapes::unzip(self.take_array(0, call)?, call.span)
    }

    pub(super) fn ravel(&mut self, call: Call<'_>) -> Eval<Value> {
        shapes::elements_of(self.take(0), call.span).map(Value::Array)
    }

    pub(super) fn reshape(&mut self, call: Call<'_>) -> Eval<Value> {
        let shape = self.i64s_arg(0, "a shape of no integers", call)?;
        let elements = shapes::elements_of(self.take(1), call.span)?;
        shapes::shaped(&shape, elements, call.span)
    }

    pub(super) fn jagged_lengths(&mut self, call: Call<'_>) -> Eval<Value> {
        let array = self.take_array(0, call)?;
        Ok(Value::i64s(array.rows.lengths(array.len)))
    }

    pub(super) fn jagged_unflatten(&mut self, call: Call<'_>) -> Eval<Value> {
        let lengths = self.i64s_arg(0, "row lengths of no integers", call)?;
        shapes::jagged_unflatten(lengths, self.take_array(1, call)?, call.span)
    }

    fn i64s_arg(&self, slot: Slot, wrong: &str, call: Call<'_>) -> Eval<Vec<i64>> {
        self.slot(slot).as_i64s().map(<[i64]>::to_vec).ok_or_else(|| faults::internal(wrong, call.span))
    }
}
