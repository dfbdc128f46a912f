//! `map`, `reduce`, `scan`, `filter` and their kin.

use super::call::Call;
use crate::builder::Builder;
use crate::code::Slot;
use crate::data::{Array, Column, Value};
use crate::error::Eval;
use crate::faults;
use crate::machine::Machine;
use ir::Chunks;
use ir::tree::{Chunked, Running};
use std::rc::Rc;

impl Machine<'_> {
    pub(super) fn map(&mut self, call: Call<'_>) -> Eval<Value> {
        let fun = self.take(0);
        let array = self.take_array(1, call)?;
        let mut builder = Builder::new(array.len);
        for i in 0..array.len {
            let value = self.apply1(&fun, array.get(i), call.span)?;
            builder.push(value);
        }
        self.finish(builder, call.ty, call.span)
    }

    pub(super) fn map2(&mut self, call: Call<'_>) -> Eval<Value> {
        let fun = self.take(0);
        let (left, right) = (self.take_array(1, call)?, self.take_array(2, call)?);
        let mut builder = Builder::new(left.len);
        for i in 0..left.len.min(right.len) {
            let value = self.apply2(&fun, left.get(i), right.get(i), call.span)?;
            builder.push(value);
        }
        self.finish(builder, call.ty, call.span)
    }

    pub(super) fn map_many(&mut self, count: usize, call: Call<'_>) -> Eval<Value> {
        let fun = self.take(0);
        let arrays = (1..=count).map(|i| self.take_array(i as Slot, call)).collect::<Eval<Vec<Rc<Array>>>>()?;
        let len = arrays.iter().map(|a| a.len).min().unwrap_or(0);
        let mut builder = Builder::new(len);
        for i in 0..len {
            let args = arrays.iter().map(|a| a.get(i)).collect();
            let value = self.apply(fun.clone(), args, call.span)?;
            builder.push(value);
        }
        self.finish(builder, call.ty, call.span)
    }

    /// In plain chunks ([`ir::tree`]): the order depends on the length alone, and rounding errors of long floating-point
    /// sums stay small.
    pub(super) fn reduce(&mut self, call: Call<'_>) -> Eval<Value> {
        let (op, neutral) = (self.take(0), self.take(1));
        let array = self.take_array(2, call)?;
        rows_agree(&array, call)?;
        let lengths = Lengths::of(&array, &neutral, call)?;
        let (mut chunked, mut now) = (Chunked::new(Chunks::PLAIN), Some(neutral));
        for i in 0..array.len {
            let mut both = |left, right| self.apply2(&op, left, right, call.span);
            now = chunked.turn(i, now.take(), &mut both)?;
            now = Some(match now.take() {
                Some(before) => {
                    let result = both(before, array.get(i))?;
                    self.same_shape(&result, &array, i, call)?;
                    lengths.check(&result, call)?;
                    result
                }
                None => array.get(i),
            });
        }
        let result = chunked.end(now, &mut |left, right| self.apply2(&op, left, right, call.span))?;
        result.ok_or_else(|| faults::internal("a reduction without a result", call.span))
    }

    /// A reduction of rows keeps their lengths.
    fn same_shape(&self, result: &Value, array: &Array, i: usize, call: Call<'_>) -> Eval<()> {
        match (result, &array.rows) {
            (Value::Array(row), Column::Regular(..) | Column::Jagged(..)) => {
                let len = array.rows.span_of(i).1;
                if row.len == len {
                    return Ok(());
                }
                let (left, right) = (result.describe(), array.get(i).describe());
                Err(faults::lockstep(&left, &right, "combining rows", call.span))
            }
            (_, _) => Ok(()),
        }
    }

    /// In plain chunks, for the same reasons as in `reduce`.
    pub(super) fn scan(&mut self, call: Call<'_>) -> Eval<Value> {
        let (op, neutral) = (self.take(0), self.take(1));
        let array = self.take_array(2, call)?;
        if array.len == 0 {
            return Ok(Value::Array(array));
        }
        rows_agree(&array, call)?;
        let lengths = Lengths::of(&array, &neutral, call)?;
        let mut builder = Builder::new(array.len);
        let mut running = Running::new(Some(Chunks::PLAIN.block));
        let mut op = |left, right| self.apply2(&op, left, right, call.span);
        for i in 0..array.len {
            running.turn(i, &mut op)?;
            let result = running.next(array.get(i), &mut op)?;
            lengths.check(&result, call)?;
            builder.push(result);
        }
        self.finish(builder, call.ty, call.span)
    }
}

/// The lengths of rows inside of values that are combined: those of the neutral element, if there are any.
struct Lengths(Option<Value>);

impl Lengths {
    /// Of the values in an array, which are checked.
    fn of(array: &Array, neutral: &Value, call: Call<'_>) -> Eval<Lengths> {
        let lengths = Lengths(has_jagged(&array.rows).then(|| neutral.clone()));
        if lengths.0.is_some() {
            array.iter().try_for_each(|value| lengths.check(&value, call))?;
        }
        Ok(lengths)
    }

    fn check(&self, value: &Value, call: Call<'_>) -> Eval<()> {
        self.0.as_ref().map_or(Ok(()), |neutral| lengths_agree(neutral, value, call))
    }
}

/// Rows that are combined have one length.
fn rows_agree(array: &Array, call: Call<'_>) -> Eval<()> {
    match &array.rows {
        rows @ Column::Jagged(..) => {
            let lengths = rows.lengths(array.len);
            match lengths.iter().all(|n| *n == lengths[0]) {
                true => Ok(()),
                false => Err(faults::combining(&lengths, call.span)),
            }
        }
        Column::Prim(_) | Column::Record(_) | Column::Regular(..) | Column::Boxed(_) => Ok(()),
    }
}

/// Whether rows have arrays of different lengths inside; their own lengths do not count.
fn has_jagged(rows: &Column) -> bool {
    match rows {
        Column::Regular(_, inner) | Column::Jagged(_, inner) => {
            matches!(**inner, Column::Jagged(..)) || has_jagged(inner)
        }
        Column::Record(fields) => fields.iter().any(|f| matches!(f, Column::Jagged(..)) || has_jagged(f)),
        Column::Prim(_) | Column::Boxed(_) => false,
    }
}

/// The arrays inside of a value have the lengths of those in the neutral element.
fn lengths_agree(neutral: &Value, value: &Value, call: Call<'_>) -> Eval<()> {
    match (neutral, value) {
        (Value::Array(want), Value::Array(have)) => columns_agree((&want.rows, want.len), (&have.rows, have.len), call),
        (Value::Record(want), Value::Record(have)) => {
            want.iter().zip(have.iter()).try_for_each(|(want, have)| lengths_agree(want, have, call))
        }
        (_, _) => Ok(()),
    }
}

/// The same for so many rows of two columns.
fn columns_agree((want, rows): (&Column, usize), (have, found): (&Column, usize), call: Call<'_>) -> Eval<()> {
    match (want, have) {
        (Column::Record(want), Column::Record(have)) => {
            want.iter().zip(have).try_for_each(|(want, have)| columns_agree((want, rows), (have, found), call))
        }
        (Column::Regular(..) | Column::Jagged(..), Column::Regular(..) | Column::Jagged(..)) => {
            let (expected, lengths) = (want.lengths(rows), have.lengths(found));
            if expected != lengths {
                return Err(faults::lengths_differ(&expected, &lengths, call.span));
            }
            columns_agree((want.inner(), want.total(rows)), (have.inner(), have.total(found)), call)
        }
        (_, _) => Ok(()),
    }
}
