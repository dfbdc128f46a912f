//! Dimensions as expressions: how many elements, how far apart, where one of them lies.
//!
//! All of it follows one walk. Outside of all dimensions there is one element, number 0. A dimension of extent `n` turns
//! element `p` into the elements `p * n .. (p + 1) * n`; a jagged one turns it into `offsets[start + p] ..
//! offsets[start + p + 1]`.

use crate::context::Lower;
use crate::rep::{Array, Desc, Strides};
use crate::{Low, expr};
use ir::{Dim, Limitation, Var};
use kernel::{Expr, Stm};
use scalar::Prim;

/// Whether all dimensions have one extent.
pub(crate) fn is_regular(dims: &[Dim]) -> bool {
    dims.iter().all(|d| matches!(d, Dim::Size(_)))
}

/// Whether the numbers that descriptors give say where elements are.
pub(crate) fn is_jagged(dims: &[Dim]) -> bool {
    dims.iter().any(|d| matches!(d, Dim::Jagged(_)))
}

impl Lower<'_> {
    /// How many elements lie inside of dimensions none of which is jagged.
    pub fn inside(&mut self, dims: &[Dim]) -> Low<Expr> {
        let mut count = expr::int(1);
        for dim in dims {
            let n = match dim {
                Dim::Size(n) => self.homes.scalar(*n),
                Dim::Shape(v) => self.product(*v, expr::int(0), expr::mul)?,
                Dim::Jagged(_) => return self.unsupported(Limitation::IrregularDimensions),
            };
            count = expr::mul(count, n);
        }
        Ok(count)
    }

    /// Extents of regular dimensions.
    pub fn extents(&self, dims: &[Dim]) -> Low<Vec<Expr>> {
        dims.iter()
            .map(|dim| match dim {
                Dim::Size(n) => Ok(self.homes.scalar(*n)),
                Dim::Jagged(_) | Dim::Shape(_) => self.unsupported(Limitation::IrregularDimensions),
            })
            .collect()
    }

    /// An offset of a descriptor.
    pub fn offset_at(&mut self, desc: &Desc, row: Expr) -> Expr {
        let value = expr::load(desc.offsets, expr::add(desc.start.clone(), row));
        self.code.name_int("off", value)
    }

    /// The numbers of the first element in dimensions and of the one behind the last.
    pub fn span_of(&mut self, dims: &[Dim]) -> Low<(Expr, Expr)> {
        self.walk_span(dims, (expr::int(0), expr::int(1)), expr::mul)
    }

    /// The elements in dimensions that lie inside element number `place` of those around them.
    pub fn span_below(&mut self, dims: &[Dim], place: Expr) -> Low<(Expr, Expr)> {
        let behind = self.code.name_int("behind", expr::add(place.clone(), expr::int(1)));
        self.walk_span(dims, (place, behind), expr::mul)
    }

    fn walk_span(
        &mut self,
        dims: &[Dim],
        (mut first, mut last): (Expr, Expr),
        times: fn(Expr, Expr) -> Expr,
    ) -> Low<(Expr, Expr)> {
        for dim in dims {
            match dim {
                Dim::Size(n) => {
                    let n = self.homes.scalar(*n);
                    first = self.code.name_int("first", expr::mul(first, n.clone()));
                    last = self.code.name_int("count", times(last, n));
                }
                Dim::Jagged(d) => {
                    let desc = self.homes.desc(*d);
                    first = self.offset_at(&desc, first);
                    last = self.offset_at(&desc, last);
                }
                Dim::Shape(v) => {
                    let n = self.product(*v, expr::int(0), times)?;
                    first = self.code.name_int("first", expr::mul(first, n.clone()));
                    last = self.code.name_int("count", times(last, n));
                }
            }
        }
        Ok((first, last))
    }

    /// How many elements there are.
    pub fn count(&mut self, dims: &[Dim]) -> Low<Expr> {
        let (first, last) = self.span_of(dims)?;
        Ok(self.code.name_int("count", expr::sub(last, first)))
    }

    /// How many elements there are; too many to allocate if the number is too large.
    pub fn capacity(&mut self, dims: &[Dim]) -> Low<Expr> {
        let (first, last) = self.walk_span(dims, (expr::int(0), expr::int(1)), expr::capacity)?;
        Ok(self.code.name_int("count", expr::sub(last, first)))
    }

    /// How much to allocate for an array that is filled row by row.
    pub fn memory(&mut self, dims: &[Dim]) -> Low<Expr> {
        let (first, last) = self.walk_span(dims, (expr::int(0), expr::int(1)), expr::memory)?;
        Ok(self.code.name_int("count", expr::sub(last, first)))
    }

    /// The product of a shape vector's elements from one on.
    pub fn product(&mut self, shape: Var, from: Expr, times: fn(Expr, Expr) -> Expr) -> Low<Expr> {
        if let (Some(elements), Some(from)) = (self.elements(shape)?, expr::as_int(&from)) {
            let mut product = expr::int(1);
            for n in elements.into_iter().skip(from as usize) {
                product = self.code.name_int("count", times(product, n));
            }
            return Ok(product);
        }
        let length = self.length(shape);
        let product = self.code.variable("count", expr::int(1));
        self.for_loop("t", from, length, kernel::Mode::Short, |this, t| {
            let n = this.element(shape, t)?;
            let n = this.code.name_int("n", n);
            this.code.emit(Stm::Set(product, times(Expr::Var(product), n)));
            Ok(())
        })?;
        Ok(Expr::Var(product))
    }

    /// Strides of regular dimensions in row-major order.
    pub fn row_major(&mut self, dims: &[Dim]) -> Low<Vec<Expr>> {
        let extents = self.extents(dims)?;
        let mut strides = vec![expr::int(1); dims.len()];
        for k in (1..dims.len()).rev() {
            strides[k - 1] = self.code.name_int("stride", expr::mul(strides[k].clone(), extents[k].clone()));
        }
        Ok(strides)
    }

    /// The strides of an array with regular dimensions.
    pub fn strides(&mut self, array: &Array, dims: &[Dim]) -> Low<Vec<Expr>> {
        match &array.strides {
            Strides::Explicit(strides) => Ok(strides.clone()),
            Strides::RowMajor => self.row_major(dims),
        }
    }

    /// The number of the element with these indices, one for each of the dimensions.
    pub fn place(&mut self, dims: &[Dim], at: &[Expr]) -> Low<Expr> {
        self.place_below(expr::int(0), dims, at)
    }

    /// The same inside of element number `place` of the dimensions around them.
    pub fn place_below(&mut self, place: Expr, dims: &[Dim], at: &[Expr]) -> Low<Expr> {
        let mut place = place;
        for (dim, i) in dims.iter().zip(at) {
            place = match dim {
                Dim::Size(n) => expr::mul(place, self.homes.scalar(*n)),
                Dim::Jagged(d) => {
                    let desc = self.homes.desc(*d);
                    let place = self.code.name_int("row", place);
                    self.offset_at(&desc, place)
                }
                Dim::Shape(_) => return self.unsupported(Limitation::IndicesOfUnknownRank),
            };
            place = expr::add(place, i.clone());
        }
        Ok(self.code.name_int("at", place))
    }

    /// If a jagged dimension comes next, its row with this number: where that begins, and the dimensions inside.
    pub fn row<'d>(&mut self, place: Expr, dims: &'d [Dim]) -> (Expr, &'d [Dim]) {
        match dims.split_first() {
            Some((Dim::Jagged(d), inside)) => {
                let desc = self.homes.desc(*d);
                (self.offset_at(&desc, place), inside)
            }
            _ => (place, dims),
        }
    }

    /// The number of the element at a vector of indices in a shape, and how many of the shape's dimensions are used up.
    pub fn place_by_vector(&mut self, shape: Var, at: Var) -> Low<(Expr, Expr)> {
        if let (Some(extents), Some(at)) = (self.elements(shape)?, self.elements(at)?) {
            let mut place = expr::int(0);
            for (n, i) in extents.iter().zip(&at) {
                place = expr::add(expr::mul(place, n.clone()), i.clone());
            }
            return Ok((self.code.name_int("at", place), expr::int(at.len() as i64)));
        }
        let used = self.length(at);
        let place = self.code.variable("at", expr::int(0));
        self.short_loop("t", used.clone(), |this, t| {
            let n = this.element_or_known(shape, t.clone())?;
            let i = this.element_or_known(at, t)?;
            this.code.emit(Stm::Set(place, expr::add(expr::mul(Expr::Var(place), n), i)));
            Ok(())
        })?;
        Ok((Expr::Var(place), used))
    }

    /// An element of a vector at a place known at run time.
    pub fn element_or_known(&mut self, var: Var, at: Expr) -> Low<Expr> {
        if let crate::rep::Rep::Vector(_, elements) = self.homes.rep(var) {
            let last = elements.last().cloned().unwrap_or(expr::int(0));
            let choose =
                |rest, (i, e): (usize, &Expr)| expr::select(expr::eq(at.clone(), expr::int(i as i64)), e.clone(), rest);
            return Ok(elements.iter().enumerate().rev().skip(1).fold(last, choose));
        }
        self.element(var, at)
    }

    /// An array of these dimensions packed into a buffer from a place on.
    pub fn packed(&mut self, buffer: kernel::Var, at: Expr, dims: &[Dim]) -> Low<Array> {
        let first = if is_regular(dims) { expr::int(0) } else { self.span_of(dims)?.0 };
        let offset = self.code.name_int("base", expr::sub(at, first));
        Ok(Array::at(buffer, offset))
    }

    /// The number of the first element in memory: where a row-major array begins.
    pub fn begin(&mut self, array: &Array, dims: &[Dim]) -> Low<Expr> {
        if is_regular(dims) {
            return Ok(array.offset.clone());
        }
        let (first, _) = self.span_of(dims)?;
        Ok(self.code.name_int("begin", expr::add(array.offset.clone(), first)))
    }

    /// A new array of these dimensions, row-major.
    pub fn new_array(&mut self, name: &str, prim: Prim, dims: &[Dim]) -> Low<Array> {
        let room = self.memory(dims)?;
        let buffer = self.code.alloc(name, prim, room);
        let array = self.packed(buffer, expr::int(0), dims)?;
        Ok(Array { whole: true, ..array })
    }
}
