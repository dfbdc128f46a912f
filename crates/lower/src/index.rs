//! Elements and views: indexing, slices, permuted dimensions.

use crate::Low;
use crate::context::Lower;
use crate::dims::{is_jagged, is_regular};
use crate::expr;
use crate::rep::{Array, Rep, Strides};
use ir::{Atom, Dim, Limitation, Range, Type, Var};
use kernel::{Expr, Stm};

impl Lower<'_> {
    /// The element or subarray at these indices.
    pub fn index(&mut self, var: Option<Var>, array: Var, at: &[Atom]) -> Low<()> {
        let Some(var) = var else {
            return Ok(());
        };
        let at = self.homes.scalars(at);
        if self.recs.contains_key(&array) {
            return self.rec_index(var, array, &at);
        }
        if let (Some(known), [at]) = (self.homes.known.get(&array), &at[..])
            && let Some(element) = expr::as_int(at).and_then(|i| known.get(usize::try_from(i).ok()?))
        {
            let element = element.clone();
            return self.bind_scalar(&[var], element);
        }
        let from = self.array(array)?;
        self.bind_part(var, &from, self.src.ty(array).dims(), &at)
    }

    /// Binds the part of an array at these indices.
    pub fn bind_part(&mut self, var: Var, from: &Array, dims: &[Dim], at: &[Expr]) -> Low<()> {
        let part = match dims.first() {
            Some(Dim::Shape(shape)) => self.part_of_unknown_rank(var, from, *shape, dims, at)?,
            _ => self.part(from, dims, at)?,
        };
        self.bind_view(var, part)
    }

    /// Binds a view, or the element that it begins with.
    pub fn bind_view(&mut self, var: Var, view: Array) -> Low<()> {
        if let Type::Scalar(_) = self.src.ty(var) {
            return self.bind_scalar(&[var], expr::load(view.buffer, view.offset));
        }
        self.homes.bind(var, Rep::Array(view));
        Ok(())
    }

    /// The part of an array at leading indices.
    pub fn part(&mut self, from: &Array, dims: &[Dim], at: &[Expr]) -> Low<Array> {
        let (used, rest) = dims.split_at(at.len().min(dims.len()));
        if let (Strides::Explicit(strides), true) = (&from.strides, is_regular(dims)) {
            let steps = at.iter().zip(strides).map(|(i, s)| expr::mul(i.clone(), s.clone()));
            let offset = steps.fold(from.offset.clone(), expr::add);
            let offset = self.view_offset(offset, rest);
            let strides = Strides::Explicit(strides[used.len()..].to_vec());
            return Ok(Array { buffer: from.buffer, offset, strides, whole: false });
        }
        self.part_below(from, expr::int(0), dims, at)
    }

    /// The part at leading indices of dimensions, inside of element number `place` of those around them.
    pub fn part_below(&mut self, from: &Array, place: Expr, dims: &[Dim], at: &[Expr]) -> Low<Array> {
        let (used, rest) = dims.split_at(at.len().min(dims.len()));
        let place = self.place_below(place, used, at)?;
        let (place, rest) = self.row(place, rest);
        // Below a jagged dimension that is left, descriptors say where elements are.
        if is_jagged(rest) {
            return Ok(Array { whole: false, ..from.clone() });
        }
        let rows = self.inside(rest)?;
        let offset = self.view_offset(expr::add(from.offset.clone(), expr::mul(place, rows)), rest);
        Ok(Array::at(from.buffer, offset))
    }

    /// The offset of a view, with a name if it is used more than once.
    fn view_offset(&mut self, offset: Expr, rest: &[Dim]) -> Expr {
        if rest.is_empty() { offset } else { self.code.name_int("view", offset) }
    }

    /// Single indices into an array of unknown rank: the type of the result tells the rank, if it is not used up.
    fn part_of_unknown_rank(&mut self, var: Var, from: &Array, shape: Var, dims: &[Dim], at: &[Expr]) -> Low<Array> {
        let scalar = matches!(self.src.ty(var), Type::Scalar(_));
        let rank = if scalar { at.len().saturating_sub(dims.len() - 1) } else { at.len() };
        let mut place = expr::int(0);
        for (t, i) in at.iter().take(rank).enumerate() {
            let n = match self.elements(shape)? {
                Some(known) if t < known.len() => known[t].clone(),
                _ => self.element(shape, expr::int(t as i64))?,
            };
            place = self.code.name_int("at", expr::add(expr::mul(place, n), i.clone()));
        }
        let mut rest = if scalar { expr::int(1) } else { self.product(shape, expr::int(rank as i64), expr::mul)? };
        for (dim, i) in dims[1..].iter().zip(at[rank..].iter().map(Some).chain(std::iter::repeat(None))) {
            let n = self.inside(&[*dim])?;
            match i {
                Some(i) => place = expr::add(expr::mul(place, n), i.clone()),
                None => rest = expr::mul(rest, n),
            }
        }
        let offset = self.code.name_int("view", expr::add(from.offset.clone(), expr::mul(place, rest)));
        Ok(Array::at(from.buffer, offset))
    }

    /// The element or subarray at a vector of indices.
    pub fn index_vector(&mut self, var: Option<Var>, array: Var, at: Var) -> Low<()> {
        let Some(var) = var else {
            return Ok(());
        };
        let dims = self.src.ty(array).dims();
        if self.recs.contains_key(&array) {
            return self.rec_index_vector(var, array, at);
        }
        let result_unknown = matches!(self.src.ty(var).dims().first(), Some(Dim::Shape(_)));
        if let Some(Dim::Shape(shape)) = dims.first() {
            return self.index_unknown_rank(var, array, *shape, at);
        }
        if !result_unknown {
            let used = dims.len() - self.src.ty(var).dims().len().min(dims.len());
            let at = self.leading(at, used)?;
            let from = self.array(array)?;
            return self.bind_part(var, &from, dims, &at);
        }
        // How many indices there are is known only at run time: what is left over counts as 0.
        let from = self.array(array)?;
        let from = self.contiguous(&from, dims)?;
        let length = self.length(at);
        let mut indices = Vec::new();
        for t in 0..dims.len() {
            let element = self.element_or_known(at, expr::int(t as i64))?;
            indices.push(expr::select(expr::lt(expr::int(t as i64), length.clone()), element, expr::int(0)));
        }
        let place = self.place(dims, &indices)?;
        let offset = self.code.name_int("view", expr::add(from.offset.clone(), place));
        self.bind_view(var, Array::at(from.buffer, offset))
    }

    /// The first elements of a vector of indices.
    pub fn leading(&mut self, at: Var, count: usize) -> Low<Vec<Expr>> {
        if let Some(known) = self.elements(at)?
            && known.len() >= count
        {
            return Ok(known[..count].to_vec());
        }
        let mut found = Vec::new();
        for t in 0..count {
            let element = self.element_or_known(at, expr::int(t as i64))?;
            found.push(self.code.name_int("i", element));
        }
        Ok(found)
    }

    fn index_unknown_rank(&mut self, var: Var, array: Var, shape: Var, at: Var) -> Low<()> {
        let from = self.array(array)?;
        let dims = self.src.ty(array).dims();
        let (place, used) = self.place_by_vector(shape, at)?;
        let inner = self.inside(&dims[1..])?;
        let scalar = matches!(self.src.ty(var), Type::Scalar(_));
        let outer = if scalar { expr::int(1) } else { self.product(shape, used, expr::mul)? };
        let step = expr::mul(place, expr::mul(outer, inner));
        let offset = self.code.name_int("view", expr::add(from.offset.clone(), step));
        self.bind_view(var, Array::at(from.buffer, offset))
    }

    /// Parts of leading dimensions.
    pub fn slice(&mut self, var: Option<Var>, array: Var, ranges: &[Range]) -> Low<()> {
        let Some(var) = var else {
            return Ok(());
        };
        let dims = self.src.ty(array).dims();
        if self.recs.contains_key(&array) {
            return self.rec_slice(var, array, ranges);
        }
        let from = self.array(array)?;
        self.slice_of(var, &from, dims, ranges)
    }

    /// Binds parts of leading dimensions of an array.
    pub fn slice_of(&mut self, var: Var, from: &Array, dims: &[Dim], ranges: &[Range]) -> Low<()> {
        if is_regular(dims) {
            let view = self.regular_slice(from, dims, ranges)?;
            self.homes.bind(var, Rep::Array(view));
            return Ok(());
        }
        match (&dims[0], ranges) {
            (Dim::Shape(shape), [range]) if range.stride == Atom::size(1) => {
                let start = self.homes.scalar(range.start);
                let rest = self.product(*shape, expr::int(1), expr::mul)?;
                let inner = expr::mul(rest, self.inside(&dims[1..])?);
                let offset = self.code.name_int("view", expr::add(from.offset.clone(), expr::mul(start, inner)));
                self.homes.bind(var, Rep::Array(Array::at(from.buffer, offset)));
                Ok(())
            }
            (Dim::Size(_), [range]) if !is_jagged(dims) && range.stride == Atom::size(1) => {
                let start = self.homes.scalar(range.start);
                let inner = self.inside(&dims[1..])?;
                let offset = self.code.name_int("view", expr::add(from.offset.clone(), expr::mul(start, inner)));
                self.homes.bind(var, Rep::Array(Array::at(from.buffer, offset)));
                Ok(())
            }
            // Descriptors are windows that count from where they did: the data stays where it is. Rows that do not follow
            // one another have no such window.
            (Dim::Size(_), [range]) if is_jagged(dims) && range.stride == Atom::size(1) => {
                self.homes.bind(var, Rep::Array(Array { whole: false, ..from.clone() }));
                Ok(())
            }
            (_, _) => self.gathered_slice(var, from, dims, ranges),
        }
    }

    fn regular_slice(&mut self, from: &Array, dims: &[Dim], ranges: &[Range]) -> Low<Array> {
        let mut strides = self.strides(from, dims)?;
        let mut offset = from.offset.clone();
        let plain = from.is_row_major() && ranges.len() == 1 && ranges[0].stride == Atom::size(1);
        for (range, stride) in ranges.iter().zip(strides.iter_mut()) {
            let (start, step) = (self.homes.scalar(range.start), self.homes.scalar(range.stride));
            offset = expr::add(offset, expr::mul(start, stride.clone()));
            *stride = self.code.name_int("stride", expr::mul(stride.clone(), step));
        }
        let offset = self.code.name_int("view", offset);
        let strides = if plain { Strides::RowMajor } else { Strides::Explicit(strides) };
        Ok(Array { buffer: from.buffer, offset, strides, whole: false })
    }

    /// A slice of several dimensions around or across jagged ones, or with a stride: rows are copied one after the other.
    fn gathered_slice(&mut self, var: Var, from: &Array, dims: &[Dim], ranges: &[Range]) -> Low<()> {
        let Type::Array(prim, to_dims) = self.src.ty(var) else {
            base::bug!("a slice that is no array");
        };
        if matches!(dims[0], Dim::Shape(_)) {
            return self.unsupported(Limitation::SliceOfUnknownRank);
        }
        let to = self.new_array("slice", *prim, to_dims)?;
        let at = self.code.variable("to", expr::int(0));
        self.gather_rows(&to, at, from, dims, ranges, &mut Vec::new())?;
        self.homes.bind(var, Rep::Array(to));
        Ok(())
    }

    fn gather_rows(
        &mut self,
        to: &Array,
        at: kernel::Var,
        from: &Array,
        dims: &[Dim],
        ranges: &[Range],
        indices: &mut Vec<Expr>,
    ) -> Low<()> {
        if let Some((range, inner)) = ranges.split_first() {
            let (start, count, step) =
                (self.homes.scalar(range.start), self.homes.scalar(range.count), self.homes.scalar(range.stride));
            return self.count_loop("r", count, |this, r| {
                indices.push(this.code.name_int("i", expr::add(start, expr::mul(r, step))));
                this.gather_rows(to, at, from, dims, inner, indices)?;
                indices.pop();
                Ok(())
            });
        }
        let place = self.place(&dims[..indices.len()], indices)?;
        let (first, last) = self.span_below(&dims[indices.len()..], place)?;
        let count = self.code.name_int("count", expr::sub(last, first.clone()));
        let from_at = expr::add(from.offset.clone(), first);
        let to_at = Expr::Var(at);
        self.code.emit(Stm::Copy { to: to.buffer, to_at, from: from.buffer, from_at, count: count.clone() });
        self.code.emit(Stm::Set(at, expr::add(Expr::Var(at), count)));
        Ok(())
    }

    /// The dimensions in another order.
    pub fn rearrange(&mut self, var: Option<Var>, array: Var, order: &[usize]) -> Low<()> {
        let Some(var) = var else {
            return Ok(());
        };
        let from = self.array(array)?;
        if order.iter().copied().eq(0..order.len()) {
            self.homes.bind(var, Rep::Array(from));
            return Ok(());
        }
        let strides = self.strides(&from, self.src.ty(array).dims())?;
        if let Some(k) = order.iter().find(|k| **k >= strides.len()) {
            base::bug!("dimension {k} of an array with fewer");
        }
        let strides = Strides::Explicit(order.iter().map(|k| strides[*k].clone()).collect());
        self.homes.bind(var, Rep::Array(Array { strides, ..from }));
        Ok(())
    }
}
