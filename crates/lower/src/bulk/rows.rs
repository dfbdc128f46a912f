//! Rows of different lengths in parallel: first the lengths alone, then all rows at once, each in its place.
//!
//! This is for rows whose lengths are known before the rows are (`map iota ks`, maps over rows): what the lengths need is
//! computed twice, so it must be cheap.

use super::Sink;
use super::form::{Bound, Elem};
use super::jagged::{around_size, in_order};
use crate::Low;
use crate::context::Lower;
use crate::expr;
use crate::mentions::{heavy_block, heavy_lets};
use crate::rep::{Array, Desc, Rep};
use ir::{Atom, Block, Bulk, Dim, Emit, Kind, Output, Program, Step, Type};
use kernel::{Expr, Stm, Var as K};
use scalar::Prim;

/// Takes lengths.
pub(crate) struct LengthSink {
    shape: Vec<Dim>,
    /// For each size, its offsets; the length of row `i` goes to place `i + 1`.
    offsets: Vec<K>,
}

/// Takes rows.
pub(crate) struct RowSink {
    shape: Vec<Dim>,
    sizes: Vec<ir::Var>,
    offsets: Vec<K>,
    columns: Vec<(Elem, K)>,
}

/// Whether the lengths of an output's rows can be computed before the rows.
pub(super) fn fits(program: &Program, bulk: &Bulk) -> bool {
    let ([output], Some(emit)) = (&bulk.outputs[..], only_emit(&bulk.steps)) else {
        return false;
    };
    let Kind::Gen { shape, .. } = &output.kind else {
        return false;
    };
    let plain_size = |s: &ir::Var| *program.ty(*s) == Type::I64 && around_size(program, *s, output).is_empty();
    !output.sizes.is_empty()
        && in_order(shape, bulk)
        && output.sizes.iter().all(plain_size)
        && output.elems.iter().all(|e| program.ty(*e).dims().iter().skip(1).all(|d| !super::mentions(d, &output.sizes)))
        && !heavy_lets(&bulk.steps)
        && !heavy_block(&lengths_alone(program, &emit.value, output.sizes.len()))
}

fn only_emit(steps: &[Step]) -> Option<&Emit> {
    match steps.last()? {
        Step::For { body, .. } => only_emit(body),
        Step::Emit(emit) => Some(emit),
        Step::Let(_) | Step::Guard(..) => None,
    }
}

/// The block that gives only the first results.
fn lengths_alone(program: &Program, block: &Block, count: usize) -> Block {
    let result = block.result[..count.min(block.result.len())].to_vec();
    let mut mentions = crate::mentions::Mentions::new(program);
    mentions.atoms(&result);
    let mut stms = Vec::new();
    for stm in block.stms.iter().rev() {
        if stm.vars.iter().any(|v| mentions.found.contains(v)) {
            mentions.stm(stm);
            stms.push(stm.clone());
        }
    }
    stms.reverse();
    Block { stms, result }
}

impl Lower<'_> {
    /// Lowers a bulk form of this kind.
    pub(super) fn by_rows(&mut self, bound: &[Bound], bulk: &Bulk) -> Low<()> {
        let ([output], [own]) = (&bulk.outputs[..], bound) else {
            base::bug!("only one output goes by rows");
        };
        let Kind::Gen { shape, .. } = &output.kind else {
            base::bug!("rows have no shape");
        };
        self.code.open();
        let count = self.capacity(shape)?;
        let mut offsets = Vec::new();
        for _ in &output.sizes {
            offsets.push(self.code.alloc("offsets", Prim::I64, expr::room_and(count.clone(), 1)));
        }
        let sink = LengthSink { shape: shape.clone(), offsets: offsets.clone() };
        self.steps(&bulk.steps, &mut [Sink::Lengths(sink)], true)?;
        for buffer in &offsets {
            self.sum_lengths(*buffer, count.clone())?;
        }
        let columns = self.row_columns(output, &offsets, &count)?;
        let sink = RowSink { shape: shape.clone(), sizes: output.sizes.clone(), offsets: offsets.clone(), columns };
        let columns = sink.columns.clone();
        self.steps(&bulk.steps, &mut [Sink::Rows(sink)], true)?;
        for (var, offsets) in own.sizes.iter().zip(offsets) {
            self.homes.bind(*var, Rep::Desc(Desc { offsets, start: expr::int(0) }));
        }
        for (var, (_, buffer)) in own.elems.iter().zip(columns) {
            self.homes.bind(*var, Rep::Array(Array { whole: true, ..Array::at(buffer, expr::int(0)) }));
        }
        self.close_keeping(bound);
        Ok(())
    }

    /// From lengths to offsets.
    fn sum_lengths(&mut self, offsets: K, count: Expr) -> Low<()> {
        self.code.emit(Stm::Store { buffer: offsets, at: expr::int(0), value: expr::int(0) });
        let sum = self.code.variable("sum", expr::int(0));
        self.count_loop("k", count, |this, k| {
            let at = this.code.name_int("at", expr::add(k, expr::int(1)));
            let length = this.code.name_int("length", expr::load(offsets, at.clone()));
            this.code.emit(Stm::Set(sum, expr::capacity_sum(Expr::Var(sum), length)));
            this.code.emit(Stm::Store { buffer: offsets, at, value: Expr::Var(sum) });
            Ok(())
        })
    }

    /// Memory for the elements, and how many of them one element of a row's first dimension has.
    fn row_columns(&mut self, output: &Output, offsets: &[K], count: &Expr) -> Low<Vec<(Elem, K)>> {
        let mut columns = Vec::new();
        for elem in self.elems(output)? {
            let (row, rows) = match size_of(&elem.dims, output) {
                Some(size) => (self.capacity(&elem.dims[1..])?, expr::load(offsets[size], count.clone())),
                None => (elem.row.clone(), count.clone()),
            };
            let rows = self.code.name_int("rows", rows);
            let buffer = self.code.alloc("data", elem.prim, expr::capacity(rows, row.clone()));
            columns.push((Elem { row, ..elem }, buffer));
        }
        Ok(columns)
    }

    pub(super) fn put_length(&mut self, sink: &LengthSink, emit: &Emit) -> Low<()> {
        let place = self.place_at(&sink.shape, &emit.at)?;
        let lengths = lengths_alone(self.src, &emit.value, sink.offsets.len());
        self.code.open();
        self.stms_of(&lengths)?;
        for (buffer, length) in sink.offsets.iter().zip(&lengths.result) {
            // A negative length fails where the row is made: until then nothing may rely on it.
            let value = expr::max(self.homes.scalar(*length), expr::int(0));
            self.code.emit(Stm::Store { buffer: *buffer, at: expr::add(place.clone(), expr::int(1)), value });
        }
        self.code.close_inline();
        Ok(())
    }

    pub(super) fn put_row(&mut self, sink: &RowSink, emit: &Emit) -> Low<()> {
        let place = self.place_at(&sink.shape, &emit.at)?;
        let mut starts = Vec::new();
        for (size, offsets) in sink.sizes.iter().zip(&sink.offsets) {
            let start = self.code.name_int("start", expr::load(*offsets, place.clone()));
            let end = expr::load(*offsets, expr::add(place.clone(), expr::int(1)));
            let length = self.code.name_int("length", expr::sub(end, start.clone()));
            self.homes.bind(*size, Rep::Scalar(length));
            starts.push(start);
        }
        let mut places = Vec::new();
        for (elem, buffer) in &sink.columns {
            let first = match elem.dims.first() {
                Some(Dim::Size(Atom::Var(v))) => sink.sizes.iter().position(|s| s == v),
                _ => None,
            };
            let start = first.map_or(place.clone(), |i| starts[i].clone());
            let at = self.code.name_int("slot", expr::mul(start, elem.row.clone()));
            places.push((*buffer, at, elem.dims.clone()));
        }
        let value = Block { stms: emit.value.stms.clone(), result: emit.value.result[sink.sizes.len()..].to_vec() };
        self.put_into(&places, &value)
    }
}

/// The size that the first dimension of a component is.
fn size_of(dims: &[Dim], output: &Output) -> Option<usize> {
    match dims.first() {
        Some(Dim::Size(Atom::Var(v))) => output.sizes.iter().position(|s| s == v),
        _ => None,
    }
}
