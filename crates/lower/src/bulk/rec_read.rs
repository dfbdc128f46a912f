//! Reading recursive arrays: the cells that are read must be there first.

use super::rec::{DEPTHS, RecArray, is_open};
use crate::Low;
use crate::context::Lower;
use crate::expr;
use ir::{Dim, Range, Type, Var};
use kernel::{Expr, Stm};
use scalar::Prim;

impl Lower<'_> {
    fn rec_array(&self, array: Var) -> Low<RecArray> {
        match self.recs.get(&array) {
            Some(rec) => Ok(rec.clone()),
            None => self.unsupported("an array that is not recursive"),
        }
    }

    /// Stops the attempt unless a cell is there.
    fn demand(&mut self, rec: &RecArray, cell: Expr) -> Low<()> {
        let cell = expr::add(rec.base.clone(), cell);
        let owner = self.snapshot("owner", Prim::I64, expr::load(rec.owner, cell));
        let open = expr::and(expr::le(expr::int(0), owner.clone()), is_open(rec.states, owner.clone()));
        let depth = rec.depth;
        self.when(open, |this| {
            let value = expr::add(expr::mul(owner, expr::int(DEPTHS)), expr::int(depth));
            this.emit(Stm::Stop(value));
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

    /// How many cells lie below each element of the first `used` dimensions.
    fn cells_below(&mut self, rec: &RecArray, used: usize) -> Low<Expr> {
        let extents = self.extents(&rec.dims[used.min(rec.cell_dims)..rec.cell_dims])?;
        Ok(extents.into_iter().fold(expr::int(1), expr::mul))
    }

    /// The element or subarray at indices.
    pub fn rec_index(&mut self, var: Var, array: Var, at: &[Expr]) -> Low<()> {
        let rec = self.rec_array(array)?;
        if let Some(Dim::Shape(_)) = rec.dims.first() {
            return self.unsupported("single indices into a recursive array of unknown rank");
        }
        let used = at.len().min(rec.cell_dims);
        let place = self.place(&rec.dims[..used], &at[..used])?;
        let count = self.cells_below(&rec, used)?;
        let count = self.name_int("count", count);
        let first = self.name_int("first", expr::mul(place, count.clone()));
        self.demand_from(&rec, first, count)?;
        self.bind_part(var, &rec.array, &rec.dims, at)
    }

    /// The element or subarray at a vector of indices.
    pub fn rec_index_vector(&mut self, var: Var, array: Var, at: Var) -> Low<()> {
        let rec = self.rec_array(array)?;
        let Some(Dim::Shape(shape)) = rec.dims.first() else {
            let used = rec.dims.len() - self.src.ty(var).dims().len().min(rec.dims.len());
            let at = self.leading(at, used)?;
            return self.rec_index(var, array, &at);
        };
        let (place, used) = self.place_by_vector(*shape, at)?;
        let scalar = matches!(self.src.ty(var), Type::Scalar(_));
        let count = if scalar { expr::int(1) } else { self.product(*shape, used, expr::mul)? };
        let first = self.name_int("first", expr::mul(place, count.clone()));
        self.demand_from(&rec, first.clone(), count)?;
        let inner = self.extents(&rec.dims[1..])?.into_iter().fold(expr::int(1), expr::mul);
        let offset = self.name_int("view", expr::add(rec.array.offset.clone(), expr::mul(first, inner)));
        self.bind_view(var, crate::rep::Array::at(rec.array.buffer, offset))
    }

    /// Parts of leading dimensions.
    pub fn rec_slice(&mut self, var: Var, array: Var, ranges: &[Range]) -> Low<()> {
        let rec = self.rec_array(array)?;
        if let Some(Dim::Shape(_)) = rec.dims.first() {
            return self.unsupported("a slice of a recursive array of unknown rank");
        }
        let sliced = &ranges[..ranges.len().min(rec.cell_dims)];
        self.demand_ranges(&rec, sliced, &mut Vec::new())?;
        self.slice_of(var, &rec.array, &rec.dims, ranges)
    }

    fn demand_ranges(&mut self, rec: &RecArray, ranges: &[Range], at: &mut Vec<Expr>) -> Low<()> {
        let Some((range, inner)) = ranges.split_first() else {
            let place = self.place(&rec.dims[..at.len()], at)?;
            let count = self.cells_below(rec, at.len())?;
            let count = self.name_int("count", count);
            let first = self.name_int("first", expr::mul(place, count.clone()));
            return self.demand_from(rec, first, count);
        };
        let (start, count, step) = (self.scalar(range.start)?, self.scalar(range.count)?, self.scalar(range.stride)?);
        self.count_loop("r", count, |this, r| {
            at.push(this.name_int("i", expr::add(start, expr::mul(r, step))));
            this.demand_ranges(rec, inner, at)?;
            at.pop();
            Ok(())
        })
    }
}
