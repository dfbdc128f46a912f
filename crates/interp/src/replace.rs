//! In-place replacement: `e with path = v`.

use crate::cells::replace_whole;
use crate::code::{Node, StepCode, WithCode};
use crate::column::Mismatch;
use crate::data::{Array, Column, Value};
use crate::error::Eval;
use crate::faults;
use crate::machine::Machine;
use crate::select::{Bounds, Idx, Run, inside, select_value};
use base::Span;
use std::rc::Rc;

impl Machine<'_> {
    pub fn eval_with(&mut self, code: &WithCode) -> Eval<Value> {
        let in_place = matches!(code.source, Node::Read(..));
        let mut source = if in_place { Value::Unset } else { self.eval(&code.source)? };
        let mut steps = Vec::with_capacity(code.path.len());
        for step in &code.path {
            steps.push(match step {
                StepCode::Field(place) => StepValue::Field(*place),
                StepCode::Index(indices) => StepValue::Index(self.indices(indices, code.span)?),
            });
        }
        let value = self.eval(&code.value)?;
        if in_place {
            source = self.eval(&code.source)?;
        }
        replace(&mut source, &steps, value, code.span)?;
        Ok(source)
    }
}

enum StepValue {
    Field(usize),
    Index(Vec<Idx>),
}

/// Replaces what a path leads to.
fn replace(source: &mut Value, path: &[StepValue], value: Value, span: Span) -> Eval<()> {
    match (path, source) {
        ([], source) => *source = value,
        ([StepValue::Field(place), rest @ ..], Value::Record(fields)) => {
            if Rc::get_mut(fields).is_none() {
                *fields = fields.iter().cloned().collect();
            }
            if let Some(field) = Rc::get_mut(fields).and_then(|f| f.get_mut(*place)) {
                return replace(field, rest, value, span);
            }
        }
        // A vector of indices leads to an element only if it is as long as there are dimensions.
        ([StepValue::Index(indices)], Value::Array(array))
            if !matches!(value, Value::Array(_)) && indices.len() <= array.rows.rank() =>
        {
            let shape = Value::Array(array.clone()).describe();
            return Err(faults::count_of_indices(indices.len(), &shape, span));
        }
        ([StepValue::Index(indices)], source) => return assign(source, indices, &value, span),
        ([StepValue::Index(indices), rest @ ..], source) => {
            let mut part = select_value(source, indices, span)?;
            replace(&mut part, rest, value, span)?;
            return assign(source, indices, &part, span);
        }
        ([StepValue::Field(_), ..], _) => return Err(faults::internal("a field of what is no record", span)),
    }
    Ok(())
}

/// Replaces an element or subarray, in place if this is the only reference.
fn assign(source: &mut Value, indices: &[Idx], value: &Value, span: Span) -> Eval<()> {
    if indices.is_empty() {
        return replace_whole(source, value.clone(), span);
    }
    let shape = |array: &Rc<Array>| Value::Array(array.clone()).describe();
    let Value::Array(array) = source else {
        return Err(faults::count_of_indices(indices.len(), &source.describe(), span));
    };
    if let Err(fault) = check_depth(array, indices) {
        return Err(fault.report(&shape(array), indices, span));
    }
    let target = Rc::make_mut(array);
    let len = target.len;
    match assign_rows(&mut target.rows, 0, len, indices, value) {
        Ok(()) => Ok(()),
        Err(Wrong::Shape(mismatch)) => Err(faults::replacement(&mismatch, span)),
        Err(Wrong::Bounds(bounds)) => Err(bounds.report(&shape(array), indices, span)),
    }
}

fn check_depth(array: &Array, indices: &[Idx]) -> Result<(), Bounds> {
    let mut column = &array.rows;
    for _ in 1..indices.len() {
        match column {
            Column::Regular(_, inner) | Column::Jagged(_, inner) => column = inner,
            Column::Prim(_) | Column::Record(_) | Column::Boxed(_) => return Err(Bounds::Depth),
        }
    }
    Ok(())
}

enum Wrong {
    Shape(Mismatch),
    Bounds(Bounds),
}

fn assign_rows(column: &mut Column, start: usize, len: usize, indices: &[Idx], value: &Value) -> Result<(), Wrong> {
    let (first, rest) = (indices[0], &indices[1..]);
    let below = |column: &mut Column, at: usize, value: &Value| -> Result<(), Wrong> {
        if rest.is_empty() {
            return column.set(at, value).map_err(Wrong::Shape);
        }
        let (start, len) = column.span_of(at);
        match column {
            Column::Regular(_, inner) | Column::Jagged(_, inner) => assign_rows(inner, start, len, rest, value),
            Column::Prim(_) | Column::Record(_) | Column::Boxed(_) => Err(Wrong::Bounds(Bounds::Depth)),
        }
    };
    match first {
        Idx::At(i) => below(column, start + inside(i, len).map_err(Wrong::Bounds)?, value),
        Idx::Slice { .. } => {
            let run = Run::new(first, len).map_err(Wrong::Bounds)?;
            let Value::Array(rows) = value else {
                return Err(Wrong::Shape(Mismatch { expected: format!("[{}]", run.count), found: value.describe() }));
            };
            if rows.len != run.count {
                return Err(Wrong::Shape(Mismatch { expected: format!("[{}]", run.count), found: value.describe() }));
            }
            if rest.is_empty() && run.stride == 1 {
                return column.overwrite(start + run.start as usize, &rows.rows, 0, rows.len).map_err(Wrong::Shape);
            }
            for (t, at) in run.places().enumerate() {
                below(column, start + at, &rows.get(t))?;
            }
            Ok(())
        }
    }
}
