//! Reductions, scans, and changes of existing arrays.

use super::columns::Columns;
use super::levels;
use super::machine::Machine;
use super::sink::Sink;
use super::stop::Run;
use super::val::{Array, Val};
use crate::leaf;
use ir::Region;
use std::ops::Range;
use std::rc::Rc;

/// How many values are combined one after another before results are; part of the language's meaning, because rounding
/// depends on it.
const BLOCK: usize = 1024;

impl<'p> Machine<'p> {
    /// Blocks from the first value to the last, their results pairwise as a tree.
    pub(super) fn reduce(&mut self, op: &'p Region, neutral: Vec<Val>, values: &Columns) -> Run<Vec<Val>> {
        let count = values.count;
        let mut results = vec![self.fold(op, neutral, values, 0..BLOCK.min(count))?];
        for start in (BLOCK..count).step_by(BLOCK) {
            let first = self.value(values, start)?;
            results.push(self.fold(op, first, values, start + 1..(start + BLOCK).min(count))?);
        }
        while results.len() > 1 {
            let mut halved = Vec::with_capacity(results.len().div_ceil(2));
            let mut pairs = results.into_iter();
            while let Some(left) = pairs.next() {
                halved.push(match pairs.next() {
                    Some(right) => self.combine(op, left, right)?,
                    None => left,
                });
            }
            results = halved;
        }
        match results.pop() {
            Some(result) => Ok(result),
            None => base::bug!("a reduction in pairs has no first pair"),
        }
    }

    fn fold(&mut self, op: &'p Region, start: Vec<Val>, values: &Columns, range: Range<usize>) -> Run<Vec<Val>> {
        let mut result = start;
        for i in range {
            let value = self.value(values, i)?;
            result = self.combine(op, result, value)?;
        }
        Ok(result)
    }

    /// Block by block, each combined with all blocks before it.
    pub(super) fn scan(&mut self, op: &'p Region, sink: Sink<'p>) -> Run<Columns> {
        let values = sink.columns;
        let mut results = Columns::new(0, values.elems.iter().map(|elem| elem.data.prim()));
        let mut before: Option<Vec<Val>> = None;
        for start in (0..values.count).step_by(BLOCK) {
            let mut within = self.value(&values, start)?;
            for i in start..(start + BLOCK).min(values.count) {
                if i > start {
                    let value = self.value(&values, i)?;
                    within = self.combine(op, within, value)?;
                }
                let result = match &before {
                    Some(before) => self.combine(op, before.clone(), within.clone())?,
                    None => within.clone(),
                };
                if !results.push(result) {
                    return self.internal("a scan gives values of another type");
                }
            }
            before = Some(match before {
                Some(before) => self.combine(op, before, within)?,
                None => within,
            });
        }
        Ok(results)
    }

    fn combine(&mut self, op: &'p Region, left: Vec<Val>, right: Vec<Val>) -> Run<Vec<Val>> {
        self.apply(op, left.into_iter().chain(right).collect())
    }

    fn value(&self, values: &Columns, slot: usize) -> Run<Vec<Val>> {
        match values.get(slot) {
            Some(vals) => Ok(vals),
            None => self.internal("a value is missing"),
        }
    }

    /// The arrays with values combined into their elements, in order.
    pub(super) fn accumulate(&mut self, op: &'p Region, sink: &Sink<'p>) -> Run<Vec<Val>> {
        let mut arrays = Vec::new();
        for array in sink.output.consumes() {
            arrays.push(self.array(*array)?.clone());
        }
        for (place, slot) in &sink.places {
            let mut both = Vec::with_capacity(2 * arrays.len());
            for (array, elem) in arrays.iter().zip(&sink.output.elems) {
                let old = array.row(sink.outer.len(), *place);
                let Some(old) = old else { return self.internal("an element is missing") };
                both.push(self.as_scalar(old, *elem)?);
            }
            both.extend(self.value(&sink.columns, *slot)?);
            let results = self.apply(op, both)?;
            for (array, result) in arrays.iter_mut().zip(results) {
                let fits = match &result {
                    Val::Scalar(x) => write(array, sink.outer.len(), *place, &leaf::repeat(*x, 1), &(0..1)),
                    Val::Array(row) => write(array, sink.outer.len(), *place, &row.data, &(0..row.data.len())),
                    Val::Desc(_) | Val::Cert | Val::Rec(_) | Val::Box(_) | Val::Unbound => false,
                };
                if !fits {
                    return self.internal("a combination does not fit its place");
                }
            }
        }
        Ok(arrays.into_iter().map(Val::Array).collect())
    }

    /// The arrays with elements replaced by values; the last for each place stands.
    pub(super) fn replace(&mut self, sink: &Sink<'p>) -> Run<Vec<Val>> {
        let mut results = Vec::new();
        for (var, column) in sink.output.consumes().iter().zip(&sink.columns.elems) {
            let mut array = self.array(*var)?.clone();
            self.forget(&[*var]);
            for (place, slot) in &sink.places {
                let range = column.range(*slot).unwrap_or(0..0);
                if !write(&mut array, sink.outer.len(), *place, &column.data, &range) {
                    return self.internal("a value does not fit its place");
                }
            }
            results.push(Val::Array(array));
        }
        Ok(results)
    }
}

/// Writes elements over the row at a place; false if it has another number of elements.
fn write(array: &mut Array, depth: usize, place: usize, from: &value::PrimVec, range: &Range<usize>) -> bool {
    let target = array.levels.get(depth..).and_then(|inner| levels::span(inner, place..place + 1));
    let Some(target) = target else { return false };
    let fits = target.len() == range.len()
        && target.end <= array.data.len()
        && range.end <= from.len()
        && array.data.prim() == from.prim();
    if fits && !range.is_empty() {
        leaf::overwrite(Rc::make_mut(&mut array.data), target.start, from, range.start, range.len());
    }
    fits
}
