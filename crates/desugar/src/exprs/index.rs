//! Indexing and slicing.

use crate::arrays::dims::{is_inside, rank_of, rearranged, row_major, shape_below};
use crate::arrays::parts::{as_atoms, element, map_leaves, sliced, vector_var, with_front};
use crate::context::{Desugar, Made};
use crate::data::draft::Cursor;
use crate::data::value::{ArrayVal, Val, has_jagged, leading};
use crate::faults::{Described, Place, text};
use base::{Span, bug};
use fault::message;
use ir::num::Compute;
use ir::{Atom, Dim, Exp, Limitation, Range, Var};
use scalar::{BinOp, Prim, Scalar};
use std::rc::Rc;
use typed::{Expr, Index};

/// The largest `u64` that is an `i64`.
const LARGEST: Atom = Atom::Const(Scalar::U64(i64::MAX as u64));

/// What indexing does not support.
const INDEXED: (Limitation, Limitation) = (Limitation::IndexOfPartlyKnownRank, Limitation::VectorAndSlice);

/// An index whose parts are atoms.
#[derive(Clone)]
pub(crate) enum Idx<'t> {
    At(Atom),
    Slice(Slice, Span),
    /// A vector whose length is not known.
    Vector(Val<'t>),
}

impl Idx<'_> {
    /// Whether it may leave out some of a dimension.
    pub(crate) fn narrows(&self) -> bool {
        !matches!(self, Idx::Slice(Slice { start: None, end: None, .. }, _))
    }
}

/// A slice as it is written.
#[derive(Clone, Copy)]
pub(crate) struct Slice {
    pub start: Option<Atom>,
    pub end: Option<Atom>,
    pub stride: Atom,
}

/// What messages show: the whole array, and all indices.
pub(crate) type Shown<'a, 't> = (&'a Val<'t>, &'a [Idx<'t>]);

impl<'t> Desugar<'t> {
    /// Takes the next index: the cursor moves on, or stays in front of the range that a slice, or no index, selects. Beyond
    /// dimensions that are known one by one there is a limitation, as for vectors.
    pub(crate) fn step(
        &mut self,
        shown: Shown<'_, 't>,
        dims: &[Dim],
        index: Option<&Idx<'t>>,
        cursor: &mut Cursor,
        (unknown, vector): (Limitation, Limitation),
    ) -> Made<Option<Range>> {
        let Some(extent) = cursor.extent(&mut self.b, dims) else { return self.unsupported(unknown) };
        match index {
            Some(Idx::At(i)) => {
                cursor.certs.extend(self.index_check(shown, *i, extent));
                cursor.at.push(*i);
                Ok(None)
            }
            Some(Idx::Slice(slice, span)) => {
                let (range, certs) = self.at(*span, |d| d.run(*slice, extent));
                cursor.certs.extend(certs);
                Ok(Some(range))
            }
            Some(Idx::Vector(_)) => self.unsupported(vector),
            None => Ok(Some(Range { start: Atom::size(0), count: extent, stride: Atom::size(1) })),
        }
    }

    /// What indices select; `whole` says that they lead to an element, not to a subarray.
    pub(crate) fn index(&mut self, val: &Val<'t>, indices: &'t [Index], whole: bool) -> Made<Val<'t>> {
        let indices = self.indices(indices, Place::Index)?;
        // The one element of a recursive array without dimensions is asked for by no index at all.
        let rec_scalar = indices.is_empty()
            && matches!(val, Val::Array(array) if leading(&array.dims) == 0 && self.rec_var(array).is_some());
        let vectors = rec_scalar || indices.iter().any(|i| matches!(i, Idx::Vector(_)));
        if let (Val::Array(array), true, true) = (val, vectors, whole)
            && let Some(vector) = self.one_vector(&indices)?
        {
            if let Some(rec) = self.rec_var(array)
                && !matches!(array.dims.as_slice(), [Dim::Shape(_)])
            {
                // The vector is as long as there are dimensions.
                let rank = array.dims.len();
                let atoms =
                    self.vector_atoms(&vector, rank, |d, count| d.check_count(count.equals(rank as i64), count, val))?;
                return self.select_rec(array, rec, &atoms.into_iter().map(Idx::At).collect::<Vec<_>>());
            }
            let (array, _) = self.shape_from(array, 0)?;
            return self.select_unknown(&array, &vector, true);
        }
        self.select(val, &indices)
    }

    /// Indices as atoms; vectors of known length become as many indices as they are long.
    pub(crate) fn indices(&mut self, indices: &'t [Index], place: Place) -> Made<Vec<Idx<'t>>> {
        let mut out = Vec::with_capacity(indices.len());
        for index in indices {
            match index {
                Index::At(expr) => out.push(Idx::At(self.position(expr, place)?)),
                Index::Vector(expr) => {
                    let val = self.expr(expr)?;
                    match self.at(expr.span, |d| as_atoms(&mut d.b, &val)) {
                        Some(atoms) => out.extend(atoms.iter().map(|a| Idx::At(*a))),
                        None => out.push(Idx::Vector(val)),
                    }
                }
                Index::Slice { start, end, stride, span } => {
                    let part = |d: &mut Self, e: &'t Option<Expr>| e.as_ref().map(|e| d.number(e)).transpose();
                    let (start, end) = (part(self, start)?, part(self, end)?);
                    let stride = part(self, stride)?.unwrap_or(Atom::size(1));
                    out.push(Idx::Slice(Slice { start, end, stride }, *span));
                }
            }
        }
        Ok(out)
    }

    /// An integer of a slice or of a generator, as `i64`.
    pub(crate) fn number(&mut self, expr: &'t Expr) -> Made<Atom> {
        let (prim, atom) = self.integer(expr)?;
        Ok(self.at(expr.span, |d| d.b.convert("i", prim, Prim::I64, atom)))
    }

    /// An integer of any type that says where something is, as `i64`. What lies beyond is nowhere, whatever the
    /// shape, and the message shows it as it is: as an `i64` it would be negative.
    fn position(&mut self, expr: &'t Expr, place: Place) -> Made<Atom> {
        let (prim, atom) = self.integer(expr)?;
        let mut cert = None;
        if prim == Prim::U64 {
            let fine = self.b.bin(BinOp::Le, prim, atom, LARGEST);
            cert = self.check(fine, message::beyond(place), [atom]);
        }
        Ok(self.at(expr.span, |d| d.b.under(cert.as_slice(), |b| b.convert("i", prim, Prim::I64, atom))))
    }

    fn integer(&mut self, expr: &'t Expr) -> Made<(Prim, Atom)> {
        match self.expr(expr)? {
            Val::Scalar(prim, atom) => Ok((prim, atom)),
            _ => bug!("an index is no scalar"),
        }
    }

    pub(crate) fn select(&mut self, val: &Val<'t>, indices: &[Idx<'t>]) -> Made<Val<'t>> {
        if indices.is_empty() {
            return Ok(val.clone());
        }
        if let Some(part) = known_part(val, indices) {
            return Ok(part);
        }
        if matches!(val, Val::Scalar(..) | Val::Record(_) | Val::Sum(_)) {
            // An array of rank 0, at a vector that must be empty.
            let count = match self.one_vector(indices)? {
                Some(vector) if indices.iter().any(|i| matches!(i, Idx::Vector(_))) => self.as_vector(&vector)?.1,
                Some(_) | None => Atom::size(indices.len() as i64),
            };
            let cert = self.check_count(count.equals(0), count, val);
            return self.relying(val, cert.as_slice());
        }
        let array = self.as_array(val)?;
        let known = leading(&array.dims);
        let by_vector = lead_by_vector(&array.dims, indices);
        let rec = self.rec_var(&array);
        if by_vector && (rec.is_none() || known == 0) {
            let Some(vector) = self.one_vector(indices)? else {
                return self.unsupported(Limitation::SliceOfUnknownRank);
            };
            // The elements of a recursive array are asked for as they are; what stands behind the shape is theirs.
            let array = match rec {
                Some(_) if array.dims.len() > 1 => (*array).clone(),
                Some(_) | None => self.shape_from(&array, 0)?.0,
            };
            return self.select_unknown(&array, &vector, false);
        }
        match rec {
            Some(rec) => self.select_rec(&array, rec, indices),
            None => self.select_known(&array, indices),
        }
    }

    /// An array of unknown rank at a vector of indices.
    fn select_unknown(&mut self, array: &ArrayVal<'t>, vector: &Val<'t>, element: bool) -> Made<Val<'t>> {
        let Dim::Shape(shape) = array.dims[0] else {
            return self.unsupported(Limitation::IndexOfPartlyKnownRank);
        };
        let (iv, certs) = self.check_vector(array, shape, vector, element)?;
        let count = rank_of(&self.b, iv);
        let is_element = element || count == rank_of(&self.b, shape);
        self.under(&certs, |d| {
            let below = if is_element { None } else { Some(Dim::Shape(shape_below(&mut d.b, shape, count))) };
            d.vector_element(array, iv, below.as_slice())
        })
    }

    /// Checks that a vector of indices is not too long and inside; the vector and the certificates.
    pub(crate) fn check_vector(
        &mut self,
        array: &ArrayVal<'t>,
        shape: Var,
        vector: &Val<'t>,
        element: bool,
    ) -> Made<(Var, Vec<Var>)> {
        let (iv, count) = self.as_vector(vector)?;
        let order = if element { BinOp::Eq } else { BinOp::Le };
        let fits = self.b.bin(order, Prim::I64, count, rank_of(&self.b, shape));
        let whole = Val::Array(Rc::new(array.clone()));
        let mut certs: Vec<Var> = self.check_count(fits, count, &whole).into_iter().collect();
        let inside = self.is_inside_shape(iv, shape, &certs)?;
        let described = self.describe(&whole, 1);
        let args: Vec<Atom> = [Atom::Var(iv)].into_iter().chain(described.args).chain([Atom::Var(shape)]).collect();
        certs.extend(self.check(inside, message::index_vector(described.text, args.len() - 1), args));
        Ok((iv, certs))
    }

    /// Indices as one vector; none if there is a slice among them.
    pub(crate) fn one_vector(&mut self, indices: &[Idx<'t>]) -> Made<Option<Val<'t>>> {
        let part = |index: &Idx<'t>| match index {
            Idx::At(i) => Some(Val::size(*i)),
            Idx::Slice(..) => None,
            Idx::Vector(vector) => Some(vector.clone()),
        };
        let parts: Option<Vec<Val>> = indices.iter().map(part).collect();
        parts.map(|parts| self.one_after_another(parts)).transpose()
    }

    /// Whether all of a vector of indices are inside a shape that is at least as long, by the checks.
    pub(crate) fn is_inside_shape(&mut self, iv: Var, shape: Var, certs: &[Var]) -> Made<Atom> {
        if self.multi_indices.get(&iv) == Some(&shape) {
            return Ok(Atom::bool(true));
        }
        self.all(rank_of(&self.b, iv), |d, k| {
            let i = d.b.number("i", iv, k);
            let n = d.b.under(certs, |b| b.number("n", shape, k));
            Ok(is_inside(&mut d.b, i, n))
        })
    }

    /// The elements of a vector one by one, `rank` of them, if `check` finds that there are so many.
    pub(crate) fn vector_atoms(
        &mut self,
        vector: &Val<'t>,
        rank: usize,
        check: impl FnOnce(&mut Self, Atom) -> Option<Var>,
    ) -> Made<Vec<Atom>> {
        let (iv, count) = self.as_vector(vector)?;
        let cert = check(self, count);
        let element = |k: usize| self.b.under(cert.as_slice(), |b| b.number("i", iv, Atom::size(k as i64)));
        Ok((0..rank).map(element).collect())
    }

    /// The one element of an array whose rank turned out to be 0.
    pub(crate) fn only_element(&mut self, array: &ArrayVal<'t>) -> Made<Val<'t>> {
        let (array, _) = self.shape_from(array, 0)?;
        let nowhere = vector_var(&mut self.b, Prim::I64, &[]);
        self.vector_element(&array, nowhere, &[])
    }

    pub(crate) fn vector_element(&mut self, array: &ArrayVal<'t>, iv: Var, dims: &[Dim]) -> Made<Val<'t>> {
        if array.dims[1..].iter().any(|d| matches!(d, Dim::Jagged(_))) || has_jagged(&array.rows) {
            return self.jagged_element(array, iv, dims);
        }
        // Behind the unknown dimensions there may be known ones.
        let dims: Vec<Dim> = dims.iter().chain(&array.dims[1..]).copied().collect();
        let rows = map_leaves(&mut self.b, &array.rows, &dims, &|var| Exp::IndexVector(var, iv));
        Ok(Val::array(dims, rows))
    }

    /// What a vector leads to if rows differ in length: descriptors count rows one after the other, so the array is looked
    /// at as one sequence of them.
    fn jagged_element(&mut self, array: &ArrayVal<'t>, iv: Var, dims: &[Dim]) -> Made<Val<'t>> {
        let Dim::Shape(shape) = array.dims[0] else {
            return self.unsupported(Limitation::IndexOfPartlyKnownRank);
        };
        let total = self.b.total(vec![array.dims[0]]);
        let sequence = with_front(&mut self.b, array, 1, &[Dim::Size(total)]);
        let at = row_major(&mut self.b, shape, iv);
        let [Dim::Shape(below)] = dims else {
            return Ok(element(&mut self.b, &sequence, &[at]));
        };
        let count = self.b.total(dims.to_vec());
        let start = self.b.num(at * count);
        let part = sliced(&mut self.b, &sequence, Range { start, count, stride: Atom::size(1) });
        let part = self.as_array(&part)?;
        Ok(Val::Array(Rc::new(with_front(&mut self.b, &part, 1, &[Dim::Shape(*below)]))))
    }

    pub(crate) fn select_known(&mut self, array: &Rc<ArrayVal<'t>>, indices: &[Idx<'t>]) -> Made<Val<'t>> {
        let whole = Val::Array(array.clone());
        if indices.len() > array.dims.len() {
            let cert = self.check_count(Atom::bool(false), Atom::size(indices.len() as i64), &whole);
            let zeros = vec![Atom::size(0); array.dims.len()];
            return Ok(self.b.under(cert.as_slice(), |b| element(b, array, &zeros)));
        }
        self.select_in((&whole, indices), array, indices)
    }

    /// What indices that may begin with slices select; messages show the whole array and all indices.
    fn select_in(&mut self, shown: Shown<'_, 't>, array: &Rc<ArrayVal<'t>>, indices: &[Idx<'t>]) -> Made<Val<'t>> {
        let mut cursor = Cursor::default();
        for index in indices.iter().take_while(|index| matches!(index, Idx::At(_))) {
            self.step(shown, &array.dims, Some(index), &mut cursor, INDEXED)?;
        }
        let row = cursor.element(&mut self.b, array);
        match &indices[cursor.at.len()..] {
            [] => Ok(row),
            rest => {
                let row = self.as_array(&row)?;
                self.slices(shown, &row, rest)
            }
        }
    }

    /// Checks that an index, one of those shown, is inside.
    pub(crate) fn index_check(&mut self, shown: Shown<'_, 't>, i: Atom, extent: Atom) -> Option<Var> {
        let fine = is_inside(&mut self.b, i, extent);
        if fine == Atom::bool(true) {
            return None;
        }
        let last = self.b.num(extent - 1);
        let Described { text, args } = written(shown.1);
        let Some(which) = args.iter().position(|written| *written == i) else {
            bug!("an index is not among those written");
        };
        let shape = self.describe(shown.0, args.len() + 2);
        let message = message::index(text, which, args.len(), shape.text);
        self.check(fine, message, args.into_iter().chain([extent, last]).chain(shape.args))
    }

    /// Slices, and indices among them, of leading dimensions; the first is a slice.
    fn slices(&mut self, shown: Shown<'_, 't>, array: &Rc<ArrayVal<'t>>, indices: &[Idx<'t>]) -> Made<Val<'t>> {
        let mut cursor = Cursor::default();
        let Some(range) = self.step(shown, &array.dims, Some(&indices[0]), &mut cursor, INDEXED)? else {
            bug!("an index comes before the slices");
        };
        let part = if array.dims[1..].iter().any(|d| matches!(d, Dim::Jagged(_))) && range.stride != Atom::size(1) {
            self.build(range.count, None, |d, i| {
                let place = cursor.in_range(&mut d.b, range, i);
                Ok(place.element(&mut d.b, array))
            })?
        } else {
            self.b.under(&cursor.certs, |b| sliced(b, array, range))
        };
        let rest = &indices[1..];
        if rest.is_empty() {
            return Ok(part);
        }
        let part = self.as_array(&part)?;
        if part.dims.iter().all(|d| matches!(d, Dim::Size(_))) && !has_jagged(&part.rows) {
            // Bring the sliced dimension behind the others, index those, and put it back in front.
            return self.slices_below(shown, &part, rest);
        }
        let count = part.first_size();
        self.build(count, None, |d, i| {
            let row = element(&mut d.b, &part, &[i]);
            let row = d.as_array(&row)?;
            d.select_in(shown, &row, rest)
        })
    }

    fn slices_below(&mut self, shown: Shown<'_, 't>, array: &Rc<ArrayVal<'t>>, rest: &[Idx<'t>]) -> Made<Val<'t>> {
        let rank = array.dims.len();
        let count = rest.len();
        // Dimension 0 goes behind the next `count` ones.
        let order: Vec<usize> = (1..=count).chain([0]).chain(count + 1..rank).collect();
        let moved = Rc::new(rearranged(&mut self.b, array, &order));
        let selected = self.select_in(shown, &moved, rest)?;
        let selected = self.as_array(&selected)?;
        let kept = rest.iter().filter(|i| matches!(i, Idx::Slice(..))).count();
        if kept == 0 {
            return Ok(Val::Array(selected));
        }
        let order: Vec<usize> = [kept].into_iter().chain(0..kept).chain(kept + 1..selected.dims.len()).collect();
        Ok(Val::Array(Rc::new(rearranged(&mut self.b, &selected, &order))))
    }
}

/// A number in a vector of known length, or some of them: `iv[0]`, `iv[1:]`.
fn known_part<'t>(val: &Val<'t>, indices: &[Idx<'t>]) -> Option<Val<'t>> {
    let (Val::Vector(prim, atoms), [index]) = (val, indices) else { return None };
    let place = |atom: Atom| usize::try_from(atom.as_size()?).ok();
    match index {
        Idx::At(i) => Some(Val::Scalar(*prim, *atoms.get(place(*i)?)?)),
        Idx::Slice(Slice { start, end, stride }, _) => {
            let start = start.map_or(Some(0), place)?;
            let end = end.map_or(Some(atoms.len()), place)?;
            let part = atoms.get(start..end).filter(|part| !part.is_empty() && *stride == Atom::size(1))?;
            Some(Val::Vector(*prim, part.into()))
        }
        Idx::Vector(_) => None,
    }
}

/// Whether indices lead somewhere only as one vector: one of them is a vector of unknown length, or they go behind the
/// dimensions that are known one by one.
pub(crate) fn lead_by_vector(dims: &[Dim], indices: &[Idx<'_>]) -> bool {
    let known = leading(dims);
    indices.iter().any(|i| matches!(i, Idx::Vector(_))) || (known < dims.len() && indices.len() > known)
}

/// The indices that are single numbers.
pub(crate) fn at_atoms<'i>(indices: &'i [Idx<'_>]) -> impl Iterator<Item = Atom> + 'i {
    indices.iter().filter_map(|i| if let Idx::At(a) = i { Some(*a) } else { None })
}

/// Indices as messages write them, and the numbers in them.
fn written(indices: &[Idx<'_>]) -> Described {
    let mut args = Vec::new();
    let mut gap = |n: Atom| {
        args.push(n);
        format!("{{{}}}", args.len() - 1)
    };
    let mut part = |index: &Idx<'_>| match index {
        Idx::At(i) => Some(gap(*i)),
        Idx::Slice(Slice { start, end, stride }, _) => {
            let [start, end] = [start, end].map(|n| n.map(&mut gap).unwrap_or_default());
            let short = format!("{start}:{end}");
            if *stride == Atom::size(1) {
                return Some(short);
            }
            let stride = gap(*stride);
            let number = stride.trim_matches(['{', '}']);
            Some(format!("{{{number}=1?{short}|{short}:{stride}}}"))
        }
        // Where one of these stands, indices are checked as a vector.
        Idx::Vector(_) => None,
    };
    let parts: Vec<String> = indices.iter().filter_map(&mut part).collect();
    let all = if parts.len() == 1 { parts.concat() } else { format!("[{}]", parts.join(", ")) };
    Described { text: text(&all), args }
}
