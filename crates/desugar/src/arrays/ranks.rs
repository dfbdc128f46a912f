//! Arrays of which some dimensions are known only as a shape vector.
//!
//! `[n][..s]t` has the dimensions `n` and `s`. What needs more of them one by one takes them from the front of the shape
//! ([`Desugar::with_leading`]); what needs one vector for all puts them together ([`Desugar::with_shape`]).

use crate::arrays::dims::{rank_of, shape_below, vector_val};
use crate::arrays::parts::{retyped, vector_var, with_front, with_new_dims};
use crate::context::{Desugar, Made};
use crate::data::value::{ArrayVal, Val, is_shape, leading};
use base::bug;
use fault::message;
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

    /// The array as one of unknown rank, with its shape and rank.
    pub(crate) fn with_shape(&mut self, array: &ArrayVal<'t>) -> Made<(ArrayVal<'t>, Var, Atom)> {
        if array.rows.leaves().iter().any(|v| self.rec_vars.contains_key(v))
            && !matches!(array.dims.as_slice(), [Dim::Shape(_)])
        {
            return self.unsupported(Limitation::RecAtVector);
        }
        let array = self.merged(array, 0)?;
        match array.dims.first() {
            Some(Dim::Shape(shape)) => Ok((array.clone(), *shape, rank_of(&self.b, *shape))),
            _ => bug!("an array has no dimension to walk along"),
        }
    }

    /// The array with all its dimensions from number `start` on put together to one shape.
    pub(crate) fn merged(&mut self, array: &ArrayVal<'t>, start: usize) -> Made<ArrayVal<'t>> {
        if let [Dim::Shape(_)] = array.dims[start..] {
            return Ok(array.clone());
        }
        let shape = self.shape_val(&array.dims[start..])?;
        let (shape, _) = self.as_vector(&shape)?;
        let dims: Vec<Dim> = array.dims[..start].iter().copied().chain([Dim::Shape(shape)]).collect();
        Ok(with_new_dims(&mut self.b, array, &dims))
    }

    /// The array with at least `count` dimensions one by one behind the first `start`. Its type says that it has so many.
    pub(crate) fn with_leading(&mut self, array: &ArrayVal<'t>, start: usize, count: usize) -> Made<ArrayVal<'t>> {
        let known = leading(&array.dims[start.min(array.dims.len())..]);
        let Some(Dim::Shape(shape)) = array.dims.get(start + known).copied() else {
            return Ok(array.clone());
        };
        if known >= count {
            return Ok(array.clone());
        }
        let more = count - known;
        let rank = rank_of(&self.b, shape);
        let cert = self.check(Atom::size(more as i64).at_most(rank), message::rank_at_least(more), [Atom::Var(shape)]);
        let mut dims = array.dims[..start + known].to_vec();
        for k in 0..more {
            dims.push(Dim::Size(self.b.under(cert.as_slice(), |b| b.extent(shape, k as i64))));
        }
        if rank != Atom::size(more as i64) {
            dims.push(Dim::Shape(
                self.b.under(cert.as_slice(), |b| shape_below(b, shape, rank, Atom::size(more as i64))),
            ));
        }
        dims.extend_from_slice(&array.dims[start + known + 1..]);
        Ok(self.b.under(cert.as_slice(), |b| with_new_dims(b, array, &dims)))
    }

    /// The array with a shape as its dimension number `at` and `count` dimensions one by one behind it. Its type says that
    /// it has so many.
    pub(crate) fn with_trailing(&mut self, array: &ArrayVal<'t>, at: usize, count: usize) -> Made<ArrayVal<'t>> {
        if array.dims.get(at).is_some_and(is_shape) && array.dims.len() == at + 1 + count {
            return Ok(array.clone());
        }
        let array = self.merged(array, at)?;
        let Some(Dim::Shape(shape)) = array.dims.get(at).copied() else {
            return Ok(array);
        };
        let rank = rank_of(&self.b, shape);
        let last = Atom::size(count as i64);
        let cert = self.check(last.at_most(rank), message::rank_at_least(count), [Atom::Var(shape)]);
        let before = self.b.num(rank - last);
        let front = Range { start: Atom::size(0), count: before, stride: Atom::size(1) };
        let ty = Type::Array(Prim::I64, vec![Dim::Size(before)]);
        let front = self.b.under(cert.as_slice(), |b| b.bind("s", ty, Exp::Slice(shape, vec![front])));
        let mut dims = array.dims[..at].to_vec();
        dims.push(Dim::Shape(front));
        for k in 0..count {
            let k = self.b.num(before + Atom::size(k as i64));
            dims.push(Dim::Size(self.b.under(cert.as_slice(), |b| b.number("n", shape, k))));
        }
        Ok(self.b.under(cert.as_slice(), |b| with_new_dims(b, &array, &dims)))
    }

    /// The array with its dimensions from number `start` on put together to this shape, checked.
    pub(crate) fn in_this_shape(&mut self, array: &ArrayVal<'t>, start: usize, want: Var) -> Made<ArrayVal<'t>> {
        let array = self.merged(array, start)?;
        let Some(Dim::Shape(have)) = array.dims.get(start).copied() else {
            return Ok(array);
        };
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
        let array = self.merged(array, start)?;
        let Some(Dim::Shape(shape)) = array.dims.get(start).copied() else {
            return Ok(array);
        };
        let have = rank_of(&self.b, shape);
        let cert = self.check(have.equals(rank as i64), message::rank(rank), [Atom::Var(shape)]);
        let mut dims = array.dims[..start].to_vec();
        dims.extend((0..rank).map(|k| Dim::Size(self.b.under(cert.as_slice(), |b| b.extent(shape, k as i64)))));
        Ok(self.b.under(cert.as_slice(), |b| with_new_dims(b, &array, &dims)))
    }

    /// The array of rank 0 that a value is.
    pub(crate) fn rank_zero(&mut self, val: &Val<'t>) -> Made<Rc<ArrayVal<'t>>> {
        let one = self.build(Atom::size(1), None, |_, _| Ok(val.clone()))?;
        let one = self.as_array(&one)?;
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
}
