//! Reading recursive arrays: the cells that are read must be there first.

use super::rec_data::{DEPTHS, is_open};
use crate::Low;
use crate::context::Lower;
use crate::expr;
use crate::rec_array::RecArray;
use crate::rep::{Array, Rep};
use ir::{Dim, Limitation, Range, Type, Var};
use kernel::{Expr, Stm};
use scalar::Prim;

impl Lower<'_> {
    fn rec_array(&self, array: Var) -> RecArray {
        match self.recs.get(&array) {
            Some(rec) => rec.clone(),
            None => base::bug!("an array that is not recursive"),
        }
    }

    /// Stops the attempt unless a cell is there.
    pub(super) fn demand(&mut self, rec: &RecArray, cell: Expr) -> Low<()> {
        let cell = expr::add(rec.base.clone(), cell);
        let owner = self.code.snapshot("owner", Prim::I64, expr::load(rec.owner, cell));
        let open = expr::and(expr::le(expr::int(0), owner.clone()), is_open(rec.states, owner.clone()));
        let depth = rec.depth.clone();
        self.when(open, |this| {
            let value = expr::add(expr::mul(owner, expr::int(DEPTHS)), depth);
            this.code.emit(Stm::Stop(value));
            Ok(())
        })
    }

    /// Demands cells that follow one another.
    fn demand_from(&mut self, rec: &RecArray, first: Expr, count: Expr) -> Low<()> {
        if count == expr::int(1) {
            return self.demand(rec, first);
        }
        self.count_loop("c", count, |this, c| this.demand(rec, expr::add(first, c)))
    }

    /// Demands the cells below element number `place` of the first `used` dimensions.
    fn demand_below(&mut self, rec: &RecArray, used: usize, place: Expr) -> Low<()> {
        let cell_dims = rec.cell_dims.unwrap_or(0);
        let below = rec.dims[used.min(cell_dims)..cell_dims].to_vec();
        if below.is_empty() {
            return self.demand(rec, place);
        }
        let (first, last) = self.span_below(&below, place)?;
        let count = self.code.name_int("count", expr::sub(last, first.clone()));
        self.demand_from(rec, first, count)
    }

    /// The same array in other dimensions: readers count elements from now on.
    pub fn rec_reshape(&mut self, var: Var, array: Var) -> Low<()> {
        let mut rec = self.rec_array(array);
        let dims = self.src.ty(var).dims().to_vec();
        let (from, to) = (self.extents(&rec.dims), self.extents(&dims));
        if !matches!((from, to), (Ok(from), Ok(to)) if from.len() == to.len()) {
            rec.cell_dims = None;
        }
        rec.dims = dims;
        self.homes.bind(var, Rep::Array(rec.array.clone()));
        self.recs.insert(var, rec);
        Ok(())
    }

    /// Demands all cells.
    pub fn demand_whole(&mut self, array: Var) -> Low<()> {
        let rec = self.rec_array(array);
        let cells = rec.cells.clone();
        self.demand_from(&rec, expr::int(0), cells)
    }

    /// Binds elements that follow one another.
    fn flat_read(&mut self, var: Var, rec: &RecArray, view: Array) -> Low<()> {
        let offset = self.code.name_int("at", view.offset.clone());
        let count = self.count(self.src.ty(var).dims())?;
        self.when(expr::lt(expr::int(0), count.clone()), |this| {
            let start = expr::sub(offset.clone(), rec.array.offset.clone());
            let first = this.code.name_int("first", expr::div(start.clone(), rec.row.clone()));
            let end = expr::sub(expr::add(start, count), expr::int(1));
            let last = expr::add(expr::div(end, rec.row.clone()), expr::int(1));
            let cells = this.code.name_int("cells", expr::sub(last, first.clone()));
            this.demand_from(rec, first, cells)
        })?;
        self.bind_view(var, Array { offset, ..view })
    }

    /// The element or subarray at indices.
    pub fn rec_index(&mut self, var: Var, array: Var, at: &[Expr]) -> Low<()> {
        let rec = self.rec_array(array);
        if let Some(number) = rec.number {
            return self.rec_row_part(var, &rec, number, at);
        }
        let Some(cell_dims) = rec.cell_dims else {
            let view = self.part(&rec.array, &rec.dims, at)?;
            return self.flat_read(var, &rec, view);
        };
        if let Some(Dim::Shape(_)) = rec.dims.first() {
            return self.unsupported(Limitation::RecIndices);
        }
        let used = at.len().min(cell_dims);
        let place = self.place(&rec.dims[..used], &at[..used])?;
        self.demand_below(&rec, used, place)?;
        self.bind_part(var, &rec.array, &rec.dims, at)
    }

    /// The element or subarray at a vector of indices.
    pub fn rec_index_vector(&mut self, var: Var, array: Var, at: Var) -> Low<()> {
        let rec = self.rec_array(array);
        let Some(Dim::Shape(shape)) = rec.dims.first() else {
            let used = rec.dims.len() - self.src.ty(var).dims().len().min(rec.dims.len());
            let at = self.leading(at, used)?;
            return self.rec_index(var, array, &at);
        };
        let (place, used) = self.place_by_vector(*shape, at)?;
        let scalar = matches!(self.src.ty(var), Type::Scalar(_));
        if rec.cell_dims.is_none() {
            let inner = self.inside(&rec.dims[1..])?;
            let outer = if scalar { expr::int(1) } else { self.product(*shape, used, expr::mul)? };
            let first = expr::mul(place, expr::mul(outer, inner));
            let offset = self.code.name_int("view", expr::add(rec.array.offset.clone(), first));
            return self.flat_read(var, &rec, Array::at(rec.array.buffer, offset));
        }
        let count = if scalar { expr::int(1) } else { self.product(*shape, used, expr::mul)? };
        let first = self.code.name_int("first", expr::mul(place, count.clone()));
        self.demand_from(&rec, first.clone(), count)?;
        let inner = self.inside(&rec.dims[1..])?;
        let offset = self.code.name_int("view", expr::add(rec.array.offset.clone(), expr::mul(first, inner)));
        self.bind_view(var, Array::at(rec.array.buffer, offset))
    }

    /// Parts of leading dimensions.
    pub fn rec_slice(&mut self, var: Var, array: Var, ranges: &[Range]) -> Low<()> {
        let rec = self.rec_array(array);
        if let Some(Dim::Shape(_)) = rec.dims.first() {
            return self.unsupported(Limitation::RecSlice);
        }
        let Some(cell_dims) = rec.cell_dims else {
            return self.unsupported(Limitation::RecReshaped);
        };
        let sliced = &ranges[..ranges.len().min(cell_dims)];
        self.demand_ranges(&rec, sliced, &mut Vec::new())?;
        self.slice_of(var, &rec.array, &rec.dims, ranges)
    }

    fn demand_ranges(&mut self, rec: &RecArray, ranges: &[Range], at: &mut Vec<Expr>) -> Low<()> {
        let Some((range, inner)) = ranges.split_first() else {
            let place = self.place(&rec.dims[..at.len()], at)?;
            return self.demand_below(rec, at.len(), place);
        };
        let (start, count, step) =
            (self.homes.scalar(range.start), self.homes.scalar(range.count), self.homes.scalar(range.stride));
        self.count_loop("r", count, |this, r| {
            at.push(this.code.name_int("i", expr::add(start, expr::mul(r, step))));
            this.demand_ranges(rec, inner, at)?;
            at.pop();
            Ok(())
        })
    }
}
