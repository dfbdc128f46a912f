//! Arrays of which some dimensions are known only as a shape vector.
//!
//! `[n][..s]t` has the dimensions `n` and `s`. What needs more of them one by one takes them from the front of the shape
//! ([`Desugar::with_leading`]); what needs one vector for all puts them together ([`Desugar::shape_from`]).
//!
//! An array has one shape for all its rows. Where rows of unknown rank are computed one by one, that shape must be known
//! before the rows are put into the array, and it is known only after they are computed. So a row goes into the array as a
//! pair: its elements one after the other, and its shape ([`Desugar::box_val`]). When all rows are there, their shapes are
//! compared, and the elements are given that shape ([`Desugar::unbox`]).

use crate::arrays::dims::{rank_of, shape_below, vector_val};
use crate::arrays::parts::{element, retyped, vector_var, with_front, with_new_dims};
use crate::context::{Desugar, Made};
use crate::data::draft::Draft;
use crate::data::form::{Form, has_open_shape, is_open};
use crate::data::value::{ArrayVal, Val, behind, inside, is_shape, leading};
use fault::message;
use ir::build::Builder;
use ir::num::Compute;
use ir::{Atom, Dim, Exp, Limitation, Range, Type, Var};
use scalar::Prim;
use std::rc::Rc;

impl<'t> Desugar<'t> {
    /// The shape of a regular array as a vector.
    pub(crate) fn shape_val(&mut self, dims: &[Dim]) -> Made<Val<'t>> {
        let part = |dim: &Dim| match dim {
            Dim::Size(n) => Ok(Val::size(*n)),
            Dim::Jagged(_) => self.unsupported(Limitation::JaggedShape),
            Dim::Shape(v) => Ok(vector_val(&self.b, *v)),
        };
        let parts = dims.iter().map(part).collect::<Made<Vec<_>>>()?;
        self.one_after_another(parts)
    }

    /// Numbers and vectors of numbers as one vector.
    pub(crate) fn one_after_another(&mut self, parts: Vec<Val<'t>>) -> Made<Val<'t>> {
        let mut vectors: Vec<Val> = Vec::new();
        for part in parts {
            match (part, vectors.last_mut()) {
                (Val::Scalar(_, n), Some(Val::Vector(_, atoms))) => *atoms = atoms.iter().copied().chain([n]).collect(),
                (Val::Scalar(prim, n), _) => vectors.push(Val::Vector(prim, [n].into())),
                (vector, _) => vectors.push(vector),
            }
        }
        vectors.retain(|vector| !matches!(vector, Val::Vector(_, atoms) if atoms.is_empty()));
        let mut vectors = vectors.into_iter();
        let first = vectors.next().unwrap_or(Val::Vector(Prim::I64, [].into()));
        vectors.try_fold(first, |before, vector| self.joined_vectors(&before, &vector))
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

    /// The steps with rows of unknown rank as pairs.
    pub(crate) fn box_steps(&mut self, steps: Vec<Draft<'t>>, form: &Form) -> Made<Vec<Draft<'t>>> {
        Draft::replace_emits(steps, &mut |emit| {
            Ok(vec![Draft::Emit(self.map_emit(emit, |d, emit| d.box_val(&emit.val, form, &[]))?)])
        })
    }

    /// A value inside of some dimensions with its parts of unknown rank as pairs.
    pub(crate) fn box_val(&mut self, val: &Val<'t>, form: &Form, outer: &[Dim]) -> Made<Val<'t>> {
        if !has_open_shape(form) {
            return Ok(val.clone());
        }
        match (form, val) {
            (Form::Record(_), Val::Record(_)) => val.try_zip(form, |val, form| self.box_val(val, form, outer)),
            (Form::Array(form), val) => {
                let array = if outer.is_empty() { (*self.as_array(val)?).clone() } else { inside(outer, val) };
                if !is_open(&form.dims) {
                    let rows = self.box_val(&array.rows, &form.rows, &array.dims)?;
                    return Ok(behind(&ArrayVal { dims: array.dims, rows }, outer.len()));
                }
                let (merged, shape) = self.shape_from(&array, outer.len())?;
                let total = self.b.total(vec![Dim::Shape(shape)]);
                let flat = with_new_dims(&mut self.b, &merged, &[outer, &[Dim::Size(total)]].concat());
                let shape = vector_val(&self.b, shape);
                let shapes = if outer.is_empty() { shape } else { behind(&*self.filled(outer, &shape)?, outer.len()) };
                Ok(Val::Record([behind(&flat, outer.len()), shapes].into()))
            }
            (_, _) => self.unsupported(Limitation::SumsOfUnknownRank),
        }
    }

    /// The array whose rows were put in as pairs.
    pub(crate) fn unbox(&mut self, val: &Val<'t>, form: &Form, outer: usize) -> Made<Val<'t>> {
        let array = self.as_array(val)?;
        let dims = array.dims[..outer].to_vec();
        let rows = self.unbox_rows(&behind(&array, outer), form, &dims)?;
        Ok(Val::array(dims, rows))
    }

    /// The value, inside of some dimensions, whose parts of unknown rank are pairs.
    pub(crate) fn unbox_rows(&mut self, rows: &Val<'t>, form: &Form, outer: &[Dim]) -> Made<Val<'t>> {
        if !has_open_shape(form) {
            return Ok(rows.clone());
        }
        match (form, rows) {
            (Form::Array(form), Val::Record(pair)) if is_open(&form.dims) => {
                let (shape, certs) = match outer {
                    [] => (self.as_vector(&pair[1])?.0, Vec::new()),
                    _ => self.common_shape(&inside(outer, &pair[1]), outer.len())?,
                };
                let data = if outer.is_empty() { (*self.as_array(&pair[0])?).clone() } else { inside(outer, &pair[0]) };
                let below = data.dims.get(outer.len() + 1..).unwrap_or_default();
                let all = [outer, &[Dim::Shape(shape)], below].concat();
                let data = self.b.under(&certs, |b| with_new_dims(b, &data, &all));
                Ok(behind(&data, outer.len()))
            }
            (Form::Record(_), Val::Record(_)) => rows.try_zip(form, |rows, form| self.unbox_rows(rows, form, outer)),
            (Form::Array(form), Val::Array(own)) => {
                let rows = self.unbox_rows(&own.rows, &form.rows, &[outer, &own.dims].concat())?;
                Ok(Val::array(own.dims.clone(), rows))
            }
            (_, _) => self.unsupported(Limitation::SumsOfUnknownRank),
        }
    }

    /// The shape that all rows have, checked; without rows, no dimensions.
    fn common_shape(&mut self, shapes: &ArrayVal<'t>, outer: usize) -> Made<(Var, Vec<Var>)> {
        let total = self.b.total(shapes.dims[..outer].to_vec());
        // One row each, whatever the dimensions around them.
        let table = with_new_dims(&mut self.b, shapes, &[Dim::Size(total), shapes.dims[outer]]);
        let some = self.b.num(total.above(0));
        let first = self.choose(
            some,
            |d| Ok(element(&mut d.b, &table, &[Atom::size(0)])),
            |d| Ok(Val::Array(d.as_array(&Val::Vector(Prim::I64, [].into()))?)),
        )?;
        let (shape, _) = self.as_vector(&first)?;
        let same = self.all(total, |d, k| {
            let row = element(&mut d.b, &table, &[k]);
            let equal = d.equal(&first, &row)?;
            let (row, _) = d.as_vector(&row)?;
            let cert = d.check(equal, message::row_shapes(), [shape.into(), row.into()]);
            let equal = d.relying(&Val::bool(equal), cert.as_slice())?;
            Ok(equal.atom().unwrap_or(Atom::bool(true)))
        })?;
        let cert = self.check(same, message::row_shapes(), [shape.into(), shape.into()]);
        // Who asks only for the shape relies on the check, too.
        let shape = self.b.under(cert.as_slice(), |b| b.bind("s", b.ty(shape).clone(), Exp::Retype(shape)));
        Ok((shape, cert.into_iter().collect()))
    }
}

/// The first extents of a shape.
fn extents(b: &mut Builder, shape: Var, count: usize) -> Vec<Dim> {
    (0..count).map(|k| Dim::Size(b.extent(shape, k as i64))).collect()
}
