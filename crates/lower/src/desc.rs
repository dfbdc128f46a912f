//! Descriptors: making them, reading them, parts of them.

use crate::Low;
use crate::context::Lower;
use crate::dims::is_jagged;
use crate::expr;
use crate::rep::{Array, Desc, Rep};
use ir::{Atom, Dim, Range, Var};
use kernel::{Expr, Stm};
use scalar::Prim;

impl Lower<'_> {
    /// New offsets for the rows of dimensions. The loop's body says how long row number `k` is; offset 0 is 0. Rows
    /// count from the first that the dimensions have.
    pub fn new_offsets(&mut self, dims: &[Dim], length: impl FnOnce(&mut Self, Expr) -> Low<Expr>) -> Low<Desc> {
        let (first, _) = self.span_of(dims)?;
        let rows = self.capacity(dims)?;
        let offsets = self.code.alloc("offsets", Prim::I64, expr::room_and(rows.clone(), 1));
        let sum = self.code.variable("sum", expr::int(0));
        self.code.emit(Stm::Store { buffer: offsets, at: expr::int(0), value: expr::int(0) });
        self.count_loop("k", rows, |this, k| {
            let length = length(this, k.clone())?;
            let length = this.code.name_int("length", length);
            this.code.emit(Stm::Set(sum, expr::capacity_sum(Expr::Var(sum), length)));
            this.code.emit(Stm::Store { buffer: offsets, at: expr::add(k, expr::int(1)), value: Expr::Var(sum) });
            Ok(())
        })?;
        let start = self.code.name_int("start", expr::sub(expr::int(0), first));
        Ok(Desc { offsets, start })
    }

    /// All rows have this length.
    pub fn desc_uniform(&mut self, var: Option<Var>, length: Atom) -> Low<()> {
        let Some(var) = var else {
            return Ok(());
        };
        let length = self.homes.scalar(length);
        let desc = self.new_offsets(self.src.ty(var).dims(), |_, _| Ok(length))?;
        self.homes.bind(var, Rep::Desc(desc));
        Ok(())
    }

    /// Rows of these lengths.
    pub fn desc_of(&mut self, var: Option<Var>, lengths: Var) -> Low<()> {
        let Some(var) = var else {
            return Ok(());
        };
        let array = self.array(lengths)?;
        let dims = self.src.ty(lengths).dims();
        let array = self.contiguous(&array, dims)?;
        let begin = self.begin(&array, dims)?;
        let desc =
            self.new_offsets(self.src.ty(var).dims(), |_, k| Ok(expr::load(array.buffer, expr::add(begin, k))))?;
        self.homes.bind(var, Rep::Desc(desc));
        Ok(())
    }

    /// The row lengths as an array.
    pub fn desc_lengths(&mut self, var: Option<Var>, desc: Var) -> Low<()> {
        let Some(var) = var else {
            return Ok(());
        };
        let array = self.lengths_array(desc)?;
        self.homes.bind(var, Rep::Array(array));
        Ok(())
    }

    /// The row lengths of a descriptor in memory.
    pub fn lengths_array(&mut self, desc: Var) -> Low<Array> {
        let dims = self.src.ty(desc).dims();
        let desc = self.homes.desc(desc);
        let (first, last) = self.span_of(dims)?;
        let array = self.new_array("lengths", Prim::I64, dims)?;
        let rows = self.code.name_int("rows", expr::sub(last, first.clone()));
        self.count_loop("k", rows, |this, k| {
            let row = this.code.name_int("row", expr::add(first, k.clone()));
            let value = this.row_length(&desc, row);
            this.code.emit(Stm::Store { buffer: array.buffer, at: k, value });
            Ok(())
        })?;
        Ok(array)
    }

    /// The length of a row by its number.
    pub fn row_length(&mut self, desc: &Desc, row: Expr) -> Expr {
        let at = self.code.name_int("at", expr::add(desc.start.clone(), row));
        let behind = expr::load(desc.offsets, expr::add(at.clone(), expr::int(1)));
        expr::sub(behind, expr::load(desc.offsets, at))
    }

    /// The length of one row.
    pub fn desc_length(&mut self, vars: &[Var], desc: Var, at: &[Atom]) -> Low<()> {
        let at = self.homes.scalars(at);
        let row = match self.rec_desc_row(desc, &at)? {
            Some(row) => row,
            None => self.place(self.src.ty(desc).dims(), &at)?,
        };
        let desc = self.homes.desc(desc);
        let length = self.row_length(&desc, row);
        self.bind_scalar(vars, length)
    }

    /// The descriptor of a subarray.
    pub fn desc_index(&mut self, var: Option<Var>, desc: Var, at: &[Atom]) -> Low<()> {
        let Some(var) = var else {
            return Ok(());
        };
        let dims = self.src.ty(desc).dims();
        let at = self.homes.scalars(at);
        let (used, rest) = dims.split_at(at.len().min(dims.len()));
        let from = self.homes.desc(desc);
        let place = match self.rec_desc_row(desc, &at)? {
            Some(place) => place,
            None => self.place(used, &at)?,
        };
        let (place, rest) = self.row(place, rest);
        let start = if !is_jagged(rest) {
            let rows = self.inside(rest)?;
            self.code.name_int("start", expr::add(from.start, expr::mul(place, rows)))
        } else {
            // A descriptor in between says which rows there are.
            from.start
        };
        self.homes.bind(var, Rep::Desc(Desc { offsets: from.offsets, start }));
        Ok(())
    }

    /// The descriptor of a slice.
    pub fn desc_slice(&mut self, var: Option<Var>, desc: Var, ranges: &[Range]) -> Low<()> {
        let Some(var) = var else {
            return Ok(());
        };
        let dims = self.src.ty(desc).dims();
        let from = self.homes.desc(desc);
        let (Some(range), true) = (ranges.first(), ranges.len() == 1 && ranges[0].stride == Atom::size(1)) else {
            return self.gathered_desc(var, &from, dims, ranges);
        };
        let mut start = from.start;
        if !is_jagged(dims) {
            let rows = self.inside(&dims[1..])?;
            let first = self.homes.scalar(range.start);
            start = self.code.name_int("start", expr::add(start, expr::mul(first, rows)));
        }
        self.homes.bind(var, Rep::Desc(Desc { offsets: from.offsets, start }));
        Ok(())
    }

    /// The descriptor of a slice of several dimensions, or with a stride, whose data is copied: it counts from 0.
    fn gathered_desc(&mut self, var: Var, from: &Desc, dims: &[Dim], ranges: &[Range]) -> Low<()> {
        let to_dims = self.src.ty(var).dims();
        let (first, _) = self.span_of(to_dims)?;
        let rows = self.capacity(to_dims)?;
        let offsets = self.code.alloc("offsets", Prim::I64, expr::room_and(rows, 1));
        self.code.emit(Stm::Store { buffer: offsets, at: expr::int(0), value: expr::int(0) });
        let (sum, at) = (self.code.variable("sum", expr::int(0)), self.code.variable("to", expr::int(0)));
        self.gather_lengths((offsets, sum, at), from, dims, ranges, &mut Vec::new())?;
        let start = self.code.name_int("start", expr::sub(expr::int(0), first));
        self.homes.bind(var, Rep::Desc(Desc { offsets, start }));
        Ok(())
    }

    fn gather_lengths(
        &mut self,
        to: (kernel::Var, kernel::Var, kernel::Var),
        from: &Desc,
        dims: &[Dim],
        ranges: &[Range],
        indices: &mut Vec<Expr>,
    ) -> Low<()> {
        if let Some((range, inner)) = ranges.split_first() {
            let (start, count, step) =
                (self.homes.scalar(range.start), self.homes.scalar(range.count), self.homes.scalar(range.stride));
            return self.count_loop("r", count, |this, r| {
                indices.push(this.code.name_int("i", expr::add(start, expr::mul(r, step))));
                this.gather_lengths(to, from, dims, inner, indices)?;
                indices.pop();
                Ok(())
            });
        }
        let (offsets, sum, at) = to;
        let place = self.place(&dims[..indices.len()], indices)?;
        let (first, last) = self.span_below(&dims[indices.len()..], place)?;
        self.for_loop("row", first, last, kernel::Mode::Sequential, |this, row| {
            let length = this.row_length(from, row);
            this.code.emit(Stm::Set(sum, expr::add(Expr::Var(sum), length)));
            this.code.emit(Stm::Set(at, expr::add(Expr::Var(at), expr::int(1))));
            this.code.emit(Stm::Store { buffer: offsets, at: Expr::Var(at), value: Expr::Var(sum) });
            Ok(())
        })
    }

    /// Whether two descriptors have the same lengths.
    pub fn desc_equal(&mut self, vars: &[Var], a: Var, b: Var) -> Low<()> {
        let (a_first, a_last) = self.span_of(self.src.ty(a).dims())?;
        let (b_first, b_last) = self.span_of(self.src.ty(b).dims())?;
        let (a, b) = (self.homes.desc(a), self.homes.desc(b));
        let rows = self.code.name_int("rows", expr::sub(a_last, a_first.clone()));
        let same = self.code.declare("same", Prim::Bool);
        self.code.emit(Stm::Set(same, expr::eq(rows.clone(), expr::sub(b_last, b_first.clone()))));
        let k = self.code.variable("k", expr::int(0));
        let cond = expr::and(Expr::Var(same), expr::lt(Expr::Var(k), rows));
        self.code.open();
        let row = self.code.name_int("row", expr::add(a_first, Expr::Var(k)));
        let left = self.row_length(&a, row);
        let row = self.code.name_int("row", expr::add(b_first, Expr::Var(k)));
        let right = self.row_length(&b, row);
        self.code.emit(Stm::Set(same, expr::eq(left, right)));
        self.code.emit(Stm::Set(k, expr::add(Expr::Var(k), expr::int(1))));
        let body = self.code.close();
        self.code.emit(Stm::While { head: Vec::new(), cond, body });
        self.bind_scalar(vars, Expr::Var(same))
    }
}
