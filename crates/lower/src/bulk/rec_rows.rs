//! Recursive arrays whose elements differ in size: values are appended as they come, and put into order at the end.
//!
//! While the array is made it is jagged in the order of arrival: to read an element is to look up the number of its value
//! and to read that row.

use super::form::Bound;
use super::jagged::JaggedSink;
use super::rec_data::RecOutput;
use super::rec_list::Instances;
use crate::Low;
use crate::context::Lower;
use crate::expr;
use crate::rec_array::RecArray;
use crate::rep::{Array, Desc, Rep};
use ir::{Block, Limitation, Var};
use kernel::{Expr, Stm, Var as K};
use scalar::Prim;

impl Lower<'_> {
    /// Gives the names of an output what their readers see.
    pub(super) fn name_rec_rows(
        &mut self,
        names: &[Var],
        rows: &JaggedSink,
        output: &RecOutput<'_>,
        instances: &Instances,
        states: K,
    ) {
        let number = rows.arrivals.as_ref().map(|a| a.number);
        let descs = rows.sizes.iter().map(|level| Rep::Desc(Desc { offsets: level.offsets, start: expr::int(0) }));
        let data = rows.elems.iter().map(|column| Rep::Array(Array::at(column.buffer, expr::int(0))));
        for (var, rep) in names.iter().zip(descs.chain(data)) {
            let Some(buffer) = rep.buffer() else { continue };
            let array = Array::at(buffer, expr::int(0));
            let rec = self.rec_array_of(*var, array, expr::int(0), output, instances, states);
            self.recs.insert(*var, RecArray { number, ..rec });
            self.homes.bind_unused(*var, rep);
        }
    }

    /// Computes a value for a cell.
    pub(super) fn add_rec_rows(&mut self, rows: &JaggedSink, place: Expr, value: &Block) -> Low<()> {
        // The attempt may stop until the value is there; only then is it noted that it came.
        let reps = self.open_block(value)?;
        if let Some(arrivals) = &rows.arrivals {
            self.code.emit(Stm::Store { buffer: arrivals.number, at: place, value: Expr::Var(rows.count) });
            self.note_starts(rows, arrivals);
        }
        self.append(rows, reps, &value.result)?;
        self.code.close_inline();
        Ok(())
    }

    /// Computes one value for all cells that no clause defines.
    pub(super) fn add_other_rec_rows(
        &mut self,
        rows: &JaggedSink,
        output: &RecOutput<'_>,
        value: &Block,
        owner: K,
        instance: &Expr,
    ) -> Low<()> {
        let reps = self.open_block(value)?;
        if let Some(arrivals) = &rows.arrivals {
            self.count_loop("place", output.cells.clone(), |this, place| {
                let cell = expr::add(output.base.clone(), place.clone());
                let owned = expr::eq(expr::load(owner, cell), instance.clone());
                this.when(owned, |this| {
                    this.code.emit(Stm::Store { buffer: arrivals.number, at: place, value: Expr::Var(rows.count) });
                    Ok(())
                })
            })?;
            self.note_starts(rows, arrivals);
        }
        self.append(rows, reps, &value.result)?;
        self.code.close_inline();
        Ok(())
    }

    /// Binds what the output binds, in the order of places.
    pub(super) fn bind_rec_rows(&mut self, rows: &JaggedSink, bound: &Bound) -> Low<()> {
        if let Some(arrivals) = &rows.arrivals {
            let (sizes, elems) = self.in_place_order(rows, arrivals)?;
            self.bind_rows(sizes, elems, bound);
        }
        Ok(())
    }

    /// The number of the value of the element at indices, which is demanded.
    fn rec_row(&mut self, rec: &RecArray, number: K, at: &[Expr]) -> Low<Expr> {
        let cell_dims = rec.cell_dims.unwrap_or(0);
        if at.len() < cell_dims {
            return self.unsupported(Limitation::RecRows);
        }
        let place = self.place(&rec.dims[..cell_dims], &at[..cell_dims])?;
        self.demand(rec, place.clone())?;
        Ok(self.code.snapshot("number", Prim::I64, expr::load(number, place)))
    }

    /// The element at indices, or what further indices lead to in it.
    pub(super) fn rec_row_part(&mut self, var: Var, rec: &RecArray, number: K, at: &[Expr]) -> Low<()> {
        let row = self.rec_row(rec, number, at)?;
        let cell_dims = rec.cell_dims.unwrap_or(0);
        let part = self.part_below(&rec.array, row, &rec.dims[cell_dims..], &at[cell_dims..])?;
        self.bind_view(var, part)
    }

    /// The number that a descriptor of a recursive array counts the row at indices by, and how many of its dimensions
    /// that takes.
    pub(crate) fn rec_desc_row(&mut self, desc: Var, at: &[Expr]) -> Low<Option<Expr>> {
        let Some(rec) = self.recs.get(&desc).cloned() else {
            return Ok(None);
        };
        let Some(number) = rec.number else {
            return Ok(None);
        };
        let row = self.rec_row(&rec, number, at)?;
        let cell_dims = rec.cell_dims.unwrap_or(0);
        let used = at.len().min(rec.dims.len());
        Ok(Some(self.place_below(row, &rec.dims[cell_dims..used], &at[cell_dims..])?))
    }
}
