//! Bulk forms: one walk through the index space, with a sink for each output.
//!
//! Two walks exist. The general one ([`walk`]) takes any steps, in order; loops whose sinks write to places of their own
//! become parallel. The one by blocks ([`blocks`]) is for a single loop that gives at most one value a turn to
//! reductions, scans and filters: blocks have a fixed size, each is worked through from the left, and blocks are combined
//! afterwards. Recursive arrays ([`rec`]) go their own way.

mod array;
mod blocks;
mod carry;
mod filter;
mod form;
mod jagged;
mod jagged_order;
mod parts;
mod rec;
mod rec_cycle;
mod rec_data;
mod rec_list;
mod rec_param;
mod rec_read;
mod rec_rows;
mod reduce;
mod rows;
mod scan;
mod scatter;
mod stream;
mod update;
mod walk;

use crate::Low;
use crate::context::Lower;
use form::{Bound, Elem};
use ir::{Bulk, Dim, Emit, Kind, Output, Region, Var};

/// What is done with the values of an output.
pub(crate) enum Sink<'b> {
    /// Writes to the place that the subscripts say.
    Array(array::ArraySink),
    /// Writes into existing arrays, or combines with what is there.
    Update(update::UpdateSink<'b>),
    /// Combines all values, as they come.
    Reduce(reduce::StreamReduce<'b>),
    /// Appends values.
    Keep(stream::KeepSink),
    /// Appends values of different sizes.
    Jagged(jagged::JaggedSink),
    /// Combines with what one part of a loop has so far.
    Parts(parts::PartSink<'b>),
    /// Keeps values for later, each in a slot of its own.
    Slots(scatter::SlotSink),
    /// Takes only the lengths of rows.
    Lengths(rows::LengthSink),
    /// Takes rows whose lengths are known.
    Rows(rows::RowSink),
    /// Combines the values of one block.
    BlockReduce(reduce::BlockReduce<'b>),
    /// Combines the values of one block and keeps all steps.
    BlockScan(scan::BlockScan<'b>),
    /// Keeps values of one block.
    BlockKeep(filter::BlockKeep),
}

impl Lower<'_> {
    /// Lowers a bulk form.
    pub fn bulk(&mut self, vars: &[Var], bulk: &Bulk) -> Low<()> {
        let bound = split(vars, &bulk.outputs);
        if bulk.outputs.iter().any(|o| is_recursive(&o.kind)) {
            return self.recursive(&bound, bulk);
        }
        if blocks::fits(bulk, self.in_parallel) {
            return self.by_blocks(&bound, bulk);
        }
        if !self.in_parallel && parts::loop_of(self.src, bulk).is_some() {
            return self.by_parts(&bound, bulk);
        }
        if !self.in_parallel && scatter::fits(self.src, bulk) {
            return self.by_scatter(&bound, bulk);
        }
        if !self.in_parallel && rows::fits(self.src, bulk) {
            return self.by_rows(&bound, bulk);
        }
        self.by_walk(&bound, bulk)
    }

    /// The components of an output's values.
    pub fn elems(&mut self, output: &Output) -> Low<Vec<Elem>> {
        let mut elems = Vec::new();
        for var in &output.elems {
            let ty = self.src.ty(*var);
            let dims = ty.dims().to_vec();
            let Some(prim) = ty.prim() else {
                base::bug!("an output of something that is no data");
            };
            let fixed = dims.iter().all(|d| !mentions(d, &output.sizes));
            let row = if fixed { self.capacity(&dims)? } else { crate::expr::int(0) };
            elems.push(Elem { prim, dims, row });
        }
        Ok(elems)
    }

    /// Hands a value to its sink.
    fn sink(&mut self, sinks: &mut [Sink<'_>], emit: &Emit) -> Low<()> {
        let span = std::mem::replace(&mut self.code.span, emit.span);
        match sinks.get_mut(emit.output) {
            Some(Sink::Array(sink)) => self.put_in_array(sink, emit)?,
            Some(Sink::Update(sink)) => self.put_in_update(sink, emit)?,
            Some(Sink::Reduce(sink)) => self.reduce_value(sink, emit)?,
            Some(Sink::Keep(sink)) => self.keep_value(sink, emit)?,
            Some(Sink::Jagged(sink)) => self.keep_rows(sink, emit)?,
            Some(Sink::Parts(sink)) => self.put_in_part(sink, emit)?,
            Some(Sink::Slots(sink)) => self.put_in_slot(sink, emit)?,
            Some(Sink::Lengths(sink)) => self.put_length(sink, emit)?,
            Some(Sink::Rows(sink)) => self.put_row(sink, emit)?,
            Some(Sink::BlockReduce(sink)) => self.add_to_block(sink, emit)?,
            Some(Sink::BlockScan(sink)) => self.add_to_scan(sink, emit)?,
            Some(Sink::BlockKeep(sink)) => self.keep_in_block(sink, emit)?,
            None => base::bug!("a value for an output that is not there"),
        }
        self.code.span = span;
        Ok(())
    }

    /// Applies an operator to the components of two values; the block with its results stays open.
    pub fn open_op(
        &mut self,
        op: &Region,
        left: Vec<crate::rep::Rep>,
        right: Vec<crate::rep::Rep>,
    ) -> Low<Vec<crate::rep::Rep>> {
        self.open_region(op, left.into_iter().chain(right).collect())
    }
}

fn mentions(dim: &Dim, sizes: &[Var]) -> bool {
    match dim {
        Dim::Size(atom) => atom.var().is_some_and(|v| sizes.contains(&v)),
        Dim::Jagged(v) | Dim::Shape(v) => sizes.contains(v),
    }
}

fn is_recursive(kind: &Kind) -> bool {
    match kind {
        Kind::Gen { rec, .. } | Kind::Update { rec, .. } => !rec.is_empty(),
        Kind::Accum { .. } | Kind::Reduce { .. } | Kind::Scan { .. } | Kind::Keep => false,
    }
}

/// Hands the variables of a statement to its outputs.
fn split(vars: &[Var], outputs: &[Output]) -> Vec<Bound> {
    let mut rest = vars.iter().copied();
    outputs
        .iter()
        .map(|output| Bound {
            count: if matches!(output.kind, Kind::Keep) { rest.next() } else { None },
            sizes: rest.by_ref().take(output.sizes.len()).collect(),
            elems: rest.by_ref().take(output.elems.len()).collect(),
        })
        .collect()
}
