//! Reductions, running combinations, and changes of existing arrays.

use super::columns::Columns;
use super::levels;
use super::machine::Machine;
use super::sink::{Sink, Walk};
use super::stop::Run;
use super::val::{Array, Val};
use crate::leaf;
use ir::tree::{Chunked, Running, both};
use ir::{Chunks, Kind, Region, Scan, Tree, nest};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

impl<'p> Machine<'p> {
    /// A loop begins: reductions that it is cut for get more accumulators.
    pub(super) fn enter_loop(&self, depth: usize, count: i64, sinks: &mut [Sink<'p>]) {
        for sink in sinks {
            if depth == 0 {
                sink.combined.chunked = cut(sink).map(|(_, chunks)| Chunked::new(chunks));
                sink.turns.1 = count.max(0) as usize;
            }
        }
    }

    /// A turn of the innermost of these loops begins: reductions that count its turns go on with their accumulators.
    pub(super) fn next_turn(&mut self, turns: &[(usize, usize)], sinks: &mut [Sink<'p>]) -> Run<()> {
        for sink in sinks {
            if let Some((op, chunks)) = cut(sink)
                && chunks.loops as usize == turns.len()
                && let Some(chunked) = &mut sink.combined.chunked
            {
                let turn = nest::point(turns);
                let last = sink.combined.now.take();
                sink.combined.now = chunked.turn(turn, last, &mut |a, b| self.combine(op, a, b))?;
            }
        }
        Ok(())
    }

    /// A loop ends: what its accumulators hold is combined.
    pub(super) fn leave_loop(&mut self, depth: usize, sinks: &mut [Sink<'p>]) -> Run<()> {
        for sink in sinks {
            if let Some((op, _)) = cut(sink).filter(|_| depth == 0)
                && let Some(chunked) = sink.combined.chunked.take()
            {
                let last = sink.combined.now.take();
                sink.combined.now = chunked.end(last, &mut |a, b| self.combine(op, a, b))?;
            }
        }
        Ok(())
    }

    /// Binds the combination of all values so far.
    pub(super) fn running(&mut self, scan: &'p Scan, walk: &mut Walk<'p>) -> Run<()> {
        let before = std::mem::replace(&mut self.span, scan.span);
        let value = self.block(&scan.value)?;
        let chunks = scan.tree.chunks();
        let block = chunks.map(|chunks| chunks.block);
        let running = walk.running.entry(std::ptr::from_ref(scan)).or_insert_with(|| Running::new(block));
        let op = &mut |a, b| self.combine(&scan.op, a, b);
        let loops = chunks.map_or(1, |chunks| chunks.loops as usize).min(walk.turns.len());
        running.turn(nest::point(&walk.turns[..loops]), op)?;
        let result = running.next(value, op)?;
        self.span = before;
        self.bind_all(&scan.vars, result)
    }

    pub(super) fn combine(&mut self, op: &'p Region, left: Vec<Val>, right: Vec<Val>) -> Run<Vec<Val>> {
        self.apply(op, left.into_iter().chain(right).collect())
    }

    fn value(&self, values: &Columns, slot: usize) -> Run<Vec<Val>> {
        match values.get(slot) {
            Some(vals) => Ok(vals),
            None => self.internal("a value is missing"),
        }
    }

    /// The arrays with values combined into their elements.
    /// `elements`: of the output of the form that has most.
    pub(super) fn accumulate(
        &mut self,
        op: &'p Region,
        tree: &Tree,
        sink: &Sink<'p>,
        elements: usize,
    ) -> Run<Vec<Val>> {
        let mut arrays = Vec::new();
        for array in sink.output.consumes() {
            arrays.push(self.array(*array)?.clone());
        }
        let (turns, count) = &sink.turns;
        match tree {
            Tree::Parts(parts) if parts.pay(*count as i64, elements as i64) => {
                let length = count.div_ceil(parts.parts as usize);
                let mut part: BTreeMap<usize, Vec<Val>> = BTreeMap::new();
                let mut number = 0;
                for ((place, slot), turn) in sink.places.iter().zip(turns) {
                    if turn / length != number {
                        self.add_part(op, sink, &mut arrays, std::mem::take(&mut part))?;
                        number = turn / length;
                    }
                    let value = self.value(&sink.columns, *slot)?;
                    let value = both(part.remove(place), Some(value), &mut |a, b| self.combine(op, a, b))?;
                    part.extend(value.map(|value| (*place, value)));
                }
                self.add_part(op, sink, &mut arrays, part)?;
            }
            Tree::Free | Tree::Tables(_) | Tree::InOrder | Tree::Uncut | Tree::Chunks(_) | Tree::Parts(_) => {
                for (place, slot) in &sink.places {
                    let value = self.value(&sink.columns, *slot)?;
                    self.add(op, sink, &mut arrays, *place, value)?;
                }
            }
        }
        Ok(arrays.into_iter().map(Val::Array).collect())
    }

    /// Combines elements with what one part gave for them.
    fn add_part(
        &mut self,
        op: &'p Region,
        sink: &Sink<'p>,
        arrays: &mut [Array],
        part: BTreeMap<usize, Vec<Val>>,
    ) -> Run<()> {
        part.into_iter().try_for_each(|(place, value)| self.add(op, sink, arrays, place, value))
    }

    /// Combines one element with a value.
    fn add(&mut self, op: &'p Region, sink: &Sink<'p>, arrays: &mut [Array], place: usize, value: Vec<Val>) -> Run<()> {
        let mut old = Vec::with_capacity(arrays.len());
        for (array, elem) in arrays.iter().zip(&sink.output.elems) {
            let Some(row) = array.row(sink.outer.len(), place) else { return self.internal("an element is missing") };
            old.push(self.as_scalar(row, *elem)?);
        }
        for (array, result) in arrays.iter_mut().zip(self.combine(op, old, value)?) {
            let fits = match &result {
                Val::Scalar(x) => write(array, sink.outer.len(), place, &leaf::repeat(*x, 1), &(0..1)),
                Val::Array(row) => write(array, sink.outer.len(), place, &row.data, &(0..row.data.len())),
                Val::Desc(_) | Val::Cert | Val::Rec(_) | Val::Box(_) | Val::Unbound => false,
            };
            if !fits {
                return self.internal("a combination does not fit its place");
            }
        }
        Ok(())
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

/// The operator of a reduction whose outermost loops are cut, and how.
fn cut<'p>(sink: &Sink<'p>) -> Option<(&'p Region, Chunks)> {
    match &sink.output.kind {
        Kind::Reduce { op, tree, .. } => tree.chunks().map(|chunks| (op, chunks)),
        Kind::Gen { .. } | Kind::Update { .. } | Kind::Accum { .. } | Kind::Keep => None,
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
