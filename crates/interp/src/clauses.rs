//! Arrays by clauses: `array`, `update` and `accum` that do not refer to themselves.

use crate::builder::Builder;
use crate::cells::{cell_of, position_of, show_element, subscripts_of, with_extents, write};
use crate::code::*;
use crate::column::affordable;
use crate::data::{Column, Value};
use crate::error::Eval;
use crate::faults;
use crate::machine::Machine;
use base::{Span, bug};

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
                let elem = ty.below(extents.len());
                crate::types::check_regular(&rows, len, elem, span)?;
                rows
            }
            None => {
                let ty = self.rt_type(ty);
                Column::empty(ty.below(extents.len()))
            }
        };
        Ok(with_extents(extents, rows))
    }

    pub fn update(&mut self, code: &UpdateCode) -> Eval<Value> {
        let in_place = matches!(code.array, Node::Read(..));
        let mut whole = if in_place { Value::Unset } else { self.eval(&code.array)? };
        // Values read the old array, so nothing is written before all of them are computed.
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
