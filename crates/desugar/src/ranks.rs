//! Arrays of which some dimensions are known only as a shape vector.
//!
//! `[n][..s]t` has the dimensions `n` and `s`. What needs more of them one by one takes them from the front of the shape
//! ([`Desugar::with_leading`]); what needs one vector for all puts them together ([`Desugar::with_shape`]).

use crate::convert::Why;
use crate::index::Idx;
use crate::value::{ArrayVal, Rows, Val};
use crate::{Desugar, Made, faults};
use ir::{Atom, Dim, Exp, Limitation, Range, Type, Var};
use scalar::{BinOp, Prim};
use std::rc::Rc;

/// Whether a dimension stands for any number of them.
pub(crate) fn is_shape(dim: &Dim) -> bool {
    matches!(dim, Dim::Shape(_))
}

/// How many dimensions come one by one before a shape.
pub(crate) fn leading(dims: &[Dim]) -> usize {
    dims.iter().take_while(|dim| !is_shape(dim)).count()
}

impl<'t> Desugar<'t> {
    /// The length of a shape vector.
    pub(crate) fn rank_of(&self, shape: Var) -> Atom {
        match self.b.ty(shape).dims() {
            [Dim::Size(rank)] => *rank,
            // The verifier would not let another vector be a shape.
            _ => Atom::size(0),
        }
    }

    /// A vector that is a variable.
    pub(crate) fn vector_val(&self, vector: Var) -> Val<'t> {
        Val::array(self.b.ty(vector).dims().to_vec(), Rows::Data(Prim::I64, vector))
    }

    /// The shape of a regular array as a vector.
    pub(crate) fn shape_val(&mut self, dims: &[Dim]) -> Made<Val<'t>> {
        let mut whole: Option<Val<'t>> = None;
        let mut atoms = Vec::new();
        for dim in dims {
            match dim {
                Dim::Size(n) => atoms.push(*n),
                Dim::Jagged(_) => return self.unsupported(Limitation::JaggedShape),
                Dim::Shape(v) => {
                    let before = Val::Vector(Prim::I64, std::mem::take(&mut atoms).into());
                    let shape = self.vector_val(*v);
                    let before = self.behind(whole.take(), before)?;
                    whole = Some(self.behind(Some(before), shape)?);
                }
            }
        }
        self.behind(whole, Val::Vector(Prim::I64, atoms.into()))
    }

    /// One vector behind another, which may be missing or empty.
    fn behind(&mut self, first: Option<Val<'t>>, second: Val<'t>) -> Made<Val<'t>> {
        let empty = |val: &Val| matches!(val, Val::Vector(_, atoms) if atoms.is_empty());
        match first {
            None => Ok(second),
            Some(first) if empty(&first) => Ok(second),
            Some(first) if empty(&second) => Ok(first),
            Some(first) => self.joined_vectors(&first, &second),
        }
    }

    /// The array as one of unknown rank, with its shape and rank.
    pub(crate) fn with_shape(&mut self, array: &ArrayVal) -> Made<(ArrayVal, Var, Atom)> {
        let mut data = Vec::new();
        crate::replace::leaves(&array.rows, &mut data);
        if data.iter().any(|v| self.rec_vars.contains_key(v)) && !matches!(array.dims.as_slice(), [Dim::Shape(_)]) {
            return self.unsupported(Limitation::RecAtVector);
        }
        let array = self.merged(array, 0)?;
        match array.dims.first() {
            Some(Dim::Shape(shape)) => Ok((array.clone(), *shape, self.rank_of(*shape))),
            _ => base::bug!("an array has no dimension to walk along"),
        }
    }

    /// The array with all its dimensions from number `start` on put together to one shape.
    pub(crate) fn merged(&mut self, array: &ArrayVal, start: usize) -> Made<ArrayVal> {
        if let [Dim::Shape(_)] = array.dims[start..] {
            return Ok(array.clone());
        }
        let shape = self.shape_val(&array.dims[start..])?;
        let (shape, _) = self.as_vector(&shape)?;
        let dims: Vec<Dim> = array.dims[..start].iter().copied().chain([Dim::Shape(shape)]).collect();
        Ok(self.with_new_dims(array, &dims))
    }

    /// The array with at least `count` dimensions one by one behind the first `start`. Its type says that it has so many.
    pub(crate) fn with_leading(&mut self, array: &ArrayVal, start: usize, count: usize) -> Made<ArrayVal> {
        let known = leading(&array.dims[start.min(array.dims.len())..]);
        let Some(Dim::Shape(shape)) = array.dims.get(start + known).copied() else {
            return Ok(array.clone());
        };
        if known >= count {
            return Ok(array.clone());
        }
        let more = count - known;
        let rank = self.rank_of(shape);
        let enough = self.b.bin(BinOp::Le, Prim::I64, Atom::size(more as i64), rank);
        let site = faults::rank_at_least(self, more);
        let cert = self.b.assert(enough, site, vec![Atom::Var(shape)]);
        let mut dims = array.dims[..start + known].to_vec();
        for k in 0..more {
            dims.push(Dim::Size(self.b.under(cert.as_slice(), |b| b.extent(shape, k as i64))));
        }
        if rank != Atom::size(more as i64) {
            dims.push(Dim::Shape(self.under(cert.as_slice(), |d| d.shape_below(shape, rank, Atom::size(more as i64)))));
        }
        dims.extend_from_slice(&array.dims[start + known + 1..]);
        Ok(self.under(cert.as_slice(), |d| d.with_new_dims(array, &dims)))
    }

    /// The array with a shape as its dimension number `at` and `count` dimensions one by one behind it. Its type says that
    /// it has so many.
    pub(crate) fn with_trailing(&mut self, array: &ArrayVal, at: usize, count: usize) -> Made<ArrayVal> {
        if array.dims.get(at).is_some_and(is_shape) && array.dims.len() == at + 1 + count {
            return Ok(array.clone());
        }
        let array = self.merged(array, at)?;
        let Some(Dim::Shape(shape)) = array.dims.get(at).copied() else {
            return Ok(array);
        };
        let rank = self.rank_of(shape);
        let last = Atom::size(count as i64);
        let enough = self.b.bin(BinOp::Le, Prim::I64, last, rank);
        let site = faults::rank_at_least(self, count);
        let cert = self.b.assert(enough, site, vec![Atom::Var(shape)]);
        let before = self.b.sub(rank, last);
        let front = Range { start: Atom::size(0), count: before, stride: Atom::size(1) };
        let ty = Type::Array(Prim::I64, vec![Dim::Size(before)]);
        let front = self.b.under(cert.as_slice(), |b| b.bind("s", ty, Exp::Slice(shape, vec![front])));
        let mut dims = array.dims[..at].to_vec();
        dims.push(Dim::Shape(front));
        for k in 0..count {
            let k = self.b.add(before, Atom::size(k as i64));
            dims.push(Dim::Size(
                self.b.under(cert.as_slice(), |b| b.scalar("n", Prim::I64, Exp::Index(shape, vec![k]))),
            ));
        }
        Ok(self.under(cert.as_slice(), |d| d.with_new_dims(&array, &dims)))
    }

    /// The array with its dimensions from number `start` on put together to this shape, checked.
    pub(crate) fn in_this_shape(&mut self, array: &ArrayVal, start: usize, want: Var, why: Why) -> Made<ArrayVal> {
        let array = self.merged(array, start)?;
        let Some(Dim::Shape(have)) = array.dims.get(start).copied() else {
            return Ok(array);
        };
        if have == want {
            return Ok(array);
        }
        let (a, b) = (self.vector_val(want), self.vector_val(have));
        let equal = self.equal(&a, &b)?;
        let site = faults::shapes_differ(self, why);
        let cert = self.b.assert(equal, site, vec![Atom::Var(want), Atom::Var(have)]);
        let mut dims = array.dims[..start].to_vec();
        dims.push(Dim::Shape(want));
        Ok(self.retyped(&array, dims, cert.as_slice()))
    }

    /// An array of unknown rank as one of this rank behind the first `start` dimensions, checked.
    pub(crate) fn with_rank(&mut self, array: &ArrayVal, start: usize, rank: usize) -> Made<ArrayVal> {
        let array = self.merged(array, start)?;
        let Some(Dim::Shape(shape)) = array.dims.get(start).copied() else {
            return Ok(array);
        };
        let have = self.rank_of(shape);
        let equal = self.b.bin(BinOp::Eq, Prim::I64, have, Atom::size(rank as i64));
        let site = faults::rank(self, rank);
        let cert = self.b.assert(equal, site, vec![Atom::Var(shape)]);
        let mut dims = array.dims[..start].to_vec();
        dims.extend((0..rank).map(|k| Dim::Size(self.b.under(cert.as_slice(), |b| b.extent(shape, k as i64)))));
        Ok(self.under(cert.as_slice(), |d| d.with_new_dims(&array, &dims)))
    }

    /// The same elements in other dimensions; descriptors of later ones are renamed along.
    pub(crate) fn with_new_dims(&mut self, array: &ArrayVal, dims: &[Dim]) -> ArrayVal {
        let mut new: Vec<Dim> = Vec::new();
        for dim in dims {
            let dim = match dim {
                Dim::Jagged(d) if self.b.ty(*d).dims() != new.as_slice() => {
                    Dim::Jagged(self.b.bind("d", Type::Desc(new.clone()), Exp::Retype(*d)))
                }
                dim => *dim,
            };
            new.push(dim);
        }
        let rows = self.map_leaves(&array.rows, &new, &Exp::Reshape);
        ArrayVal { dims: new, rows }
    }

    /// The array of rank 0 that a value is.
    pub(crate) fn rank_zero(&mut self, val: &Val<'t>) -> Made<Rc<ArrayVal>> {
        let one = self.build(Atom::size(1), None, |_, _| Ok(val.clone()))?;
        let one = self.as_array(&one)?;
        let shape = self.vector_var(Prim::I64, &[]);
        let dims: Vec<Dim> = [Dim::Shape(shape)].into_iter().chain(one.dims[1..].iter().copied()).collect();
        Ok(Rc::new(self.with_new_dims(&one, &dims)))
    }

    /// An array with a first dimension that can be walked along, and its extent.
    pub(crate) fn rows_of(&mut self, val: &Val<'t>) -> Made<(Rc<ArrayVal>, Atom)> {
        let array = self.as_array(val)?;
        let array = match array.dims.first() {
            Some(Dim::Shape(_)) => Rc::new(self.with_leading(&array, 0, 1)?),
            _ => array,
        };
        match array.dims.first() {
            Some(Dim::Size(n)) => {
                let n = *n;
                Ok((array, n))
            }
            _ => base::bug!("an array has no dimension to walk along"),
        }
    }

    /// Indices as one vector; none if there is a slice among them.
    pub(crate) fn one_vector(&mut self, indices: &[Idx<'t>]) -> Made<Option<Val<'t>>> {
        let mut whole: Option<Val<'t>> = None;
        let mut atoms = Vec::new();
        for index in indices {
            match index {
                Idx::At(i) => atoms.push(*i),
                Idx::Slice { .. } => return Ok(None),
                Idx::Vector(vector) => {
                    let before = Val::Vector(Prim::I64, std::mem::take(&mut atoms).into());
                    let before = self.behind(whole.take(), before)?;
                    whole = Some(self.behind(Some(before), vector.clone())?);
                }
            }
        }
        self.behind(whole, Val::Vector(Prim::I64, atoms.into())).map(Some)
    }
}
