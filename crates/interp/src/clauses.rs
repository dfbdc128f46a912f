//! Arrays by clauses: `array`, `update` and `accum` that do not refer to themselves.

use crate::builder::Builder;
use crate::code::*;
use crate::column::affordable;
use crate::data::{Array, Column, Value};
use crate::error::Eval;
use crate::faults;
use crate::machine::Machine;
use base::{Span, bug};
use std::rc::Rc;

/// What is done for each instance of each element clause.
pub(crate) type EachElement<'a, 'p> = dyn FnMut(&mut Machine<'p>, &ElementCode) -> Eval<()> + 'a;

impl<'p> Machine<'p> {
    /// Runs `each` for every instance of every clause, in order.
    pub fn each_element(&mut self, clauses: &[ClauseCode], each: &mut EachElement<'_, 'p>) -> Eval<()> {
        for clause in clauses {
            match clause {
                ClauseCode::Element(element) => {
                    self.qualified(&element.quals, &mut |machine: &mut Machine<'p>| each(machine, element))?;
                }
                ClauseCode::Group { quals, clauses } => {
                    self.qualified(quals, &mut |machine: &mut Machine<'p>| machine.each_element(clauses, each))?;
                }
            }
        }
        Ok(())
    }

    /// The extents of a SHAPE and their product.
    pub fn extents(&mut self, shape: &Node, span: Span) -> Eval<(Vec<usize>, usize)> {
        let value = self.eval(shape)?;
        let numbers = value.as_i64s().ok_or_else(|| faults::internal("a shape of no integers", span))?;
        if let Some(n) = numbers.iter().find(|n| **n < 0) {
            return Err(faults::negative("an array", *n, span));
        }
        let extents: Vec<usize> = numbers.iter().map(|n| *n as usize).collect();
        // Rows without elements are walked through, too.
        let counts = extents.iter().scan(1usize, |n, extent| {
            *n = n.saturating_mul(*extent).min(i64::MAX as usize);
            Some(*n)
        });
        let (total, most) = counts.fold((1, 1), |(_, most), n| (n, n.max(most)));
        match affordable(most, size_of::<Value>()) {
            true => Ok((extents, total)),
            false => Err(faults::memory(most, span)),
        }
    }

    pub fn array_by(&mut self, code: &ArrayByCode) -> Eval<Value> {
        let (extents, total) = self.extents(&code.shape, code.span)?;
        let mut cells = vec![Value::Unset; total];
        let mut subscripts = Vec::new();
        self.each_element(&code.clauses, &mut |machine: &mut Machine<'p>, element| {
            machine.subscripts(&element.subscripts, &mut subscripts, element.span)?;
            let cell = cell_of(&extents, &subscripts, element.span)?;
            if !matches!(cells[cell], Value::Unset) {
                return Err(faults::collision(&show_element(&subscripts), element.span));
            }
            cells[cell] = machine.eval(&element.value)?;
            Ok(())
        })?;
        self.fill_gaps(code, &extents, &mut cells)?;
        self.cells_array(&extents, cells, &code.ty, code.span)
    }

    fn fill_gaps(&mut self, code: &ArrayByCode, extents: &[usize], cells: &mut [Value]) -> Eval<()> {
        let Some(gap) = cells.iter().position(|v| matches!(v, Value::Unset)) else {
            return Ok(());
        };
        let Some(otherwise) = &code.otherwise else {
            let missing = cells.iter().filter(|v| matches!(v, Value::Unset)).count();
            return Err(faults::gap(&show_element(&subscripts_of(extents, gap)), missing, code.together, code.span));
        };
        // It depends on no index, so it is the same value everywhere.
        let value = self.eval(otherwise)?;
        cells.iter_mut().filter(|v| matches!(v, Value::Unset)).for_each(|cell| *cell = value.clone());
        Ok(())
    }

    /// The array of some extents whose elements (or subarrays) are these.
    pub fn cells_array(&mut self, extents: &[usize], cells: Vec<Value>, ty: &TypeCode, span: Span) -> Eval<Value> {
        if extents.is_empty() {
            return match cells.into_iter().next() {
                Some(cell) => Ok(cell),
                None => bug!("an array of rank 0 has no element"),
            };
        }
        let mut builder = Builder::new(cells.len());
        cells.into_iter().for_each(|cell| builder.push(cell));
        let len = builder.len;
        if let Some((first, other)) = &builder.unlike {
            return Err(faults::row_shapes(first, other, span));
        }
        let rows = match builder.rows {
            Some(rows) if !builder.irregular => rows,
            Some(rows) => {
                let rows = rows.tidy(len);
                let ty = self.rt_type(ty);
                let elem = (0..extents.len()).fold(&*ty, |ty, _| ty.elem());
                crate::types::check_regular(&rows, len, elem, span)?;
                rows
            }
            None => {
                let ty = self.rt_type(ty);
                Column::empty((0..extents.len()).fold(&*ty, |ty, _| ty.elem()))
            }
        };
        Ok(with_extents(extents, rows))
    }

    pub fn update(&mut self, code: &UpdateCode) -> Eval<Value> {
        let in_place = matches!(code.array, Node::Read(..));
        let mut whole = if in_place { Value::Unset } else { self.eval(&code.array)? };
        // Values read the old array, so nothing is written before all of them are there.
        let mut writes: Vec<(usize, usize, Value, Span)> = Vec::new();
        let mut subscripts = Vec::new();
        let kept = whole.clone();
        self.each_element(&code.clauses, &mut |machine: &mut Machine<'p>, element| {
            machine.subscripts(&element.subscripts, &mut subscripts, element.span)?;
            let array = if in_place { machine.place(&code.array) } else { Some(&kept) };
            let (depth, position) = match array {
                Some(Value::Array(array)) => (subscripts.len(), position_of(array, &subscripts, element.span)?),
                _ if subscripts.is_empty() => (0, 0),
                _ => return Err(faults::subscript_count(subscripts.len(), 0, element.span)),
            };
            let value = machine.eval(&element.value)?;
            writes.push((depth, position, value, element.span));
            Ok(())
        })?;
        drop(kept);
        if in_place {
            whole = self.eval(&code.array)?;
        }
        for (depth, position, value, span) in writes {
            write(&mut whole, depth, position, value, span)?;
        }
        Ok(whole)
    }

    pub fn accum(&mut self, code: &AccumCode) -> Eval<Value> {
        let op = self.eval(&code.op)?;
        let neutral = self.eval(&code.neutral)?;
        let (extents, total) = self.extents(&code.shape, code.span)?;
        let mut cells = vec![neutral; total];
        let mut subscripts = Vec::new();
        self.each_element(&code.clauses, &mut |machine: &mut Machine<'p>, element| {
            machine.subscripts(&element.subscripts, &mut subscripts, element.span)?;
            let cell = cell_of(&extents, &subscripts, element.span)?;
            let value = machine.eval(&element.value)?;
            let so_far = std::mem::take(&mut cells[cell]);
            cells[cell] = machine.apply2(&op, so_far, value, code.span)?;
            Ok(())
        })?;
        self.cells_array(&extents, cells, &code.ty, code.span)
    }
}

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
        _ => {
            *whole = value;
            Ok(())
        }
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
