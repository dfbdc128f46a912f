//! Arrays of which some dimensions are known only as a shape vector.
//!
//! `[n][..s]t` has the dimensions `n` and `s`. What needs more of them one by one takes them from the front of the shape
//! ([`Desugar::with_leading`]); what needs one vector for all puts them together ([`Desugar::shape_from`]).

use crate::arrays::dims::{rank_of, shape_below, vector_val};
use crate::arrays::parts::{retyped, vector_var, with_front, with_new_dims};
use crate::context::{Desugar, Made};
use crate::data::value::{ArrayVal, Val, is_shape, leading};
use fault::message;
use ir::build::Builder;
use ir::num::Compute;
use ir::{Atom, Dim, Exp, Limitation, Range, Type, Var};
use scalar::Prim;
use std::rc::Rc;

impl<'t> Desugar<'t> {
    /// The shape of a regular array as a vector.
    pub(crate) fn shape_val(&mut self, dims: &[Dim]) -> Made<Val<'t>> {
        let mut parts = Vec::with_capacity(dims.len());
        for dim in dims {
            parts.push(match dim {
                Dim::Size(n) => Val::size(*n),
                Dim::Jagged(_) => return self.unsupported(Limitation::JaggedShape),
                Dim::Shape(v) => vector_val(&self.b, *v),
            });
        }
        self.one_after_another(parts)
    }

    /// Numbers and vectors of numbers as one vector.
    pub(crate) fn one_after_another(&mut self, parts: Vec<Val<'t>>) -> Made<Val<'t>> {
        let mut whole: Option<Val<'t>> = None;
        let mut atoms = Vec::new();
        for part in parts {
            match part {
                Val::Scalar(_, n) => atoms.push(n),
                vector => {
                    let before = Val::Vector(Prim::I64, std::mem::take(&mut atoms).into());
                    let before = self.behind(whole.take(), before)?;
                    whole = Some(self.behind(Some(before), vector)?);
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

    /// The array with all its dimensions from number `start` on put together to one shape, and that.
    pub(crate) fn shape_from(&mut self, array: &ArrayVal<'t>, start: usize) -> Made<(ArrayVal<'t>, Var)> {
        if let [Dim::Shape(shape)] = array.dims[start..] {
            return Ok((array.clone(), shape));
        }
        if array.rows.leaves().iter().any(|v| self.rec_vars.contains_key(v)) {
            return self.unsupported(Limitation::RecAtVector);
        }
        let shape = self.shape_val(&array.dims[start..])?;
        let (shape, _) = self.as_vector(&shape)?;
        let dims = [&array.dims[..start], &[Dim::Shape(shape)]].concat();
        Ok((with_new_dims(&mut self.b, array, &dims), shape))
    }

    /// The array with at least `count` dimensions one by one behind the first `start`. Its type says that it has so many.
    pub(crate) fn with_leading(&mut self, array: &ArrayVal<'t>, start: usize, count: usize) -> Made<ArrayVal<'t>> {
        let known = leading(&array.dims[start.min(array.dims.len())..]);
        let Some(Dim::Shape(shape)) = array.dims.get(start + known).copied().filter(|_| known < count) else {
            return Ok(array.clone());
        };
        let (more, rank) = (count - known, rank_of(&self.b, shape));
        let all = Atom::size(more as i64);
        let cert = self.check(all.at_most(rank), message::rank_at_least(more), [shape.into()]);
        Ok(self.split_shape(array, start + known, cert, |b| {
            let mut dims = extents(b, shape, more);
            dims.extend((rank != all).then(|| Dim::Shape(shape_below(b, shape, all))));
            dims
        }))
    }

    /// The array with a shape as its dimension number `at` and `count` dimensions one by one behind it. Its type says that
    /// it has so many.
    pub(crate) fn with_trailing(&mut self, array: &ArrayVal<'t>, at: usize, count: usize) -> Made<ArrayVal<'t>> {
        if array.dims.get(at).is_some_and(is_shape) && array.dims.len() == at + 1 + count {
            return Ok(array.clone());
        }
        let (array, shape) = self.shape_from(array, at)?;
        let rank = rank_of(&self.b, shape);
        let last = Atom::size(count as i64);
        let cert = self.check(last.at_most(rank), message::rank_at_least(count), [shape.into()]);
        let before = self.b.num(rank - last);
        let places: Vec<Atom> = (0..count).map(|k| self.b.num(before + k as i64)).collect();
        Ok(self.split_shape(&array, at, cert, |b| {
            let range = Range { start: Atom::size(0), count: before, stride: Atom::size(1) };
            let ty = Type::Array(Prim::I64, vec![Dim::Size(before)]);
            let front = Dim::Shape(b.bind("s", ty, Exp::Slice(shape, vec![range])));
            [front].into_iter().chain(places.iter().map(|k| Dim::Size(b.number("n", shape, *k)))).collect()
        }))
    }

    /// The array with its dimensions from number `start` on put together to this shape, checked.
    pub(crate) fn in_this_shape(&mut self, array: &ArrayVal<'t>, start: usize, want: Var) -> Made<ArrayVal<'t>> {
        let (array, have) = self.shape_from(array, start)?;
        if have == want {
            return Ok(array);
        }
        let (a, b) = (vector_val(&self.b, want), vector_val(&self.b, have));
        let equal = self.equal(&a, &b)?;
        let cert = self.check(equal, message::shapes_differ(), [Atom::Var(want), Atom::Var(have)]);
        let mut dims = array.dims[..start].to_vec();
        dims.push(Dim::Shape(want));
        Ok(retyped(&mut self.b, &array, dims, cert.as_slice()))
    }

    /// An array of unknown rank as one of this rank behind the first `start` dimensions, checked.
    pub(crate) fn with_rank(&mut self, array: &ArrayVal<'t>, start: usize, rank: usize) -> Made<ArrayVal<'t>> {
        let (array, shape) = self.shape_from(array, start)?;
        let have = rank_of(&self.b, shape);
        let cert = self.check(have.equals(rank as i64), message::rank(rank), [shape.into()]);
        Ok(self.split_shape(&array, start, cert, |b| extents(b, shape, rank)))
    }

    /// The array with others in the place of dimension number `at`, a shape, by a check.
    fn split_shape(
        &mut self,
        array: &ArrayVal<'t>,
        at: usize,
        cert: Option<Var>,
        dims: impl FnOnce(&mut Builder) -> Vec<Dim>,
    ) -> ArrayVal<'t> {
        self.b.under(cert.as_slice(), |b| {
            let dims = [&array.dims[..at], &dims(b), &array.dims[at + 1..]].concat();
            with_new_dims(b, array, &dims)
        })
    }

    /// The array of rank 0 that a value is.
    pub(crate) fn rank_zero(&mut self, val: &Val<'t>) -> Made<Rc<ArrayVal<'t>>> {
        let one = self.filled(&[Dim::Size(Atom::size(1))], val)?;
        let shape = vector_var(&mut self.b, Prim::I64, &[]);
        Ok(Rc::new(with_front(&mut self.b, &one, 1, &[Dim::Shape(shape)])))
    }

    /// An array with a first dimension that can be walked along, and its extent.
    pub(crate) fn rows_of(&mut self, val: &Val<'t>) -> Made<(Rc<ArrayVal<'t>>, Atom)> {
        let array = self.as_array(val)?;
        let array = match array.dims.first() {
            Some(Dim::Shape(_)) => Rc::new(self.with_leading(&array, 0, 1)?),
            _ => array,
        };
        let n = array.first_size();
        Ok((array, n))
    }

    /// Several arrays that are walked along together, and the extent of the first, which all of them have.
    pub(crate) fn all_rows(&mut self, vals: &[Val<'t>]) -> Made<(Vec<Rc<ArrayVal<'t>>>, Atom)> {
        let arrays = vals.iter().map(|val| Ok(self.rows_of(val)?.0)).collect::<Made<Vec<_>>>()?;
        let n = arrays[0].first_size();
        Ok((arrays, n))
    }
}

/// The first extents of a shape.
fn extents(b: &mut Builder, shape: Var, count: usize) -> Vec<Dim> {
    (0..count).map(|k| Dim::Size(b.extent(shape, k as i64))).collect()
}
