//! `scatter` and histograms: writing many elements in place.

use super::call::Call;
use crate::code::Slot;
use crate::data::{Array, Column, Value};
use crate::error::Eval;
use crate::faults;
use crate::machine::Machine;
use std::rc::Rc;

impl Machine<'_> {
    pub(super) fn scatter(&mut self, call: Call<'_>) -> Eval<Value> {
        let mut dest = self.take_array(0, call)?;
        let (places, values) = (self.take_array(1, call)?, self.take_array(2, call)?);
        let depth = depth_of(&places);
        let target = Rc::make_mut(&mut dest);
        for i in 0..places.len.min(values.len) {
            if let Some(at) = position(target, &places, i) {
                let written = column_at(target, depth).set(at, &values.get(i));
                written.map_err(|mismatch| faults::replacement(&mismatch, call.span))?;
            }
        }
        Ok(Value::Array(dest))
    }

    pub(super) fn hist(&mut self, call: Call<'_>) -> Eval<Value> {
        let mut dest = self.take_array(0, call)?;
        let op = self.take(1);
        let (places, values) = (self.take_array(3 as Slot, call)?, self.take_array(4 as Slot, call)?);
        let depth = depth_of(&places);
        // The operator cannot see the array it fills, so a copy is made at most once.
        let target = Rc::make_mut(&mut dest);
        for i in 0..places.len.min(values.len) {
            if let Some(at) = position(target, &places, i) {
                let old = column_at(target, depth).get(at);
                let new = self.apply2(&op, old, values.get(i), call.span)?;
                let written = column_at(target, depth).set(at, &new);
                written.map_err(|mismatch| faults::replacement(&mismatch, call.span))?;
            }
        }
        Ok(Value::Array(dest))
    }
}

/// How many numbers make an index.
fn depth_of(places: &Array) -> usize {
    match &places.rows {
        Column::Record(fields) => fields.len(),
        Column::Prim(_) | Column::Regular(..) | Column::Jagged(..) | Column::Boxed(_) => 1,
    }
}

/// The elements that indices of so many numbers lead to.
fn column_at(array: &mut Array, depth: usize) -> &mut Column {
    let mut column = &mut array.rows;
    for _ in 1..depth {
        if let Column::Regular(_, inner) | Column::Jagged(_, inner) = column {
            column = inner;
        }
    }
    column
}

/// Where index `i` leads, unless that is outside.
fn position(array: &Array, places: &Array, i: usize) -> Option<usize> {
    let inside = |n: i64, len: usize| usize::try_from(n).ok().filter(|n| *n < len);
    let number = |column: &Column| column.get(i).as_i64();
    match &places.rows {
        Column::Record(fields) => {
            let (mut column, mut start, mut len) = (&array.rows, 0, array.len);
            let mut at = 0;
            for (level, field) in fields.iter().enumerate() {
                if level > 0 {
                    (start, len) = column.span_of(at);
                    column = column.inner();
                }
                at = start + inside(number(field)?, len)?;
            }
            Some(at)
        }
        column => inside(number(column)?, array.len),
    }
}
