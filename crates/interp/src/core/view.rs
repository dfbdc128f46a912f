//! Parts of arrays and descriptors. Views of the compiled program are copies here.

use super::levels::{self, Level};
use super::machine::Machine;
use super::stop::Run;
use super::val::{Array, Desc, Val};
use crate::leaf;
use ir::{Atom, Range, Type, Var};
use scalar::Scalar;
use std::ops::Range as Rows;

/// Part of a dimension, with its numbers.
#[derive(Clone, Copy)]
pub(super) struct Part {
    start: i64,
    count: usize,
    stride: i64,
}

impl<'p> Machine<'p> {
    /// The element or subarray at indices; `var` is what it will be bound to.
    pub(super) fn index(&mut self, x: Var, at: &[i64], var: Var) -> Run<Val> {
        if let Val::Rec(name) = self.get(x)? {
            return self.rec_index(*name, at, var);
        }
        let array = self.array(x)?;
        if at.len() == array.levels.len() && matches!(self.ty(var), Type::Scalar(_)) {
            return match levels::place(&array.levels, at).and_then(|place| array.data.get(place)) {
                Some(x) => Ok(Val::Scalar(x)),
                None => self.outside(at),
            };
        }
        let part = self.part_at(array, at)?;
        self.as_scalar(part, var)
    }

    /// An array of rank 0 is a scalar if the variable says so.
    pub(super) fn as_scalar(&self, array: Array, var: Var) -> Run<Val> {
        match (self.ty(var), array.data.get(0)) {
            (Type::Scalar(_), Some(x)) if array.levels.is_empty() => Ok(Val::Scalar(x)),
            (_, _) => Ok(Val::Array(array)),
        }
    }

    /// What lies at indices.
    pub(super) fn part_at(&self, array: &Array, at: &[i64]) -> Run<Array> {
        let place = levels::place(&array.levels, at);
        match place.and_then(|place| array.row(at.len(), place)) {
            Some(part) => Ok(part),
            None => self.outside(at),
        }
    }

    pub(super) fn outside<T>(&self, at: &[i64]) -> Run<T> {
        self.internal(format!("index {at:?} lies outside, and no check excludes it"))
    }

    pub(super) fn slice(&mut self, x: Var, ranges: &[Range], var: Var) -> Run<Val> {
        let parts = self.parts(ranges)?;
        if let Val::Rec(name) = self.get(x)? {
            return self.rec_slice(*name, &parts, var);
        }
        Ok(Val::Array(self.sliced(self.array(x)?, &parts)?))
    }

    pub(super) fn sliced(&self, array: &Array, parts: &[Part]) -> Run<Array> {
        let rows = self.rows_of(&array.levels, parts)?;
        let runs: Vec<Rows<usize>> = rows.into_iter().map(|row| row..row + 1).collect();
        match array.rows(parts.len(), &outer(parts), runs) {
            Some(slice) => Ok(slice),
            None => self.internal("a slice lies outside, and no check excludes it"),
        }
    }

    pub(super) fn parts(&self, ranges: &[Range]) -> Run<Vec<Part>> {
        let part = |range: &Range| {
            let Ok(count) = usize::try_from(self.int(range.count)?) else {
                return self.internal("a slice of a negative number of elements");
            };
            Ok(Part { start: self.int(range.start)?, count, stride: self.int(range.stride)? })
        };
        ranges.iter().map(part).collect()
    }

    /// The rows that parts of the outer dimensions lead to, in order.
    pub(super) fn rows_of(&self, all: &[Level], parts: &[Part]) -> Run<Vec<usize>> {
        let count = parts.iter().fold(1usize, |n, part| n.saturating_mul(part.count));
        self.afford(count, size_of::<Rows<usize>>())?;
        let mut rows = vec![0usize];
        for (i, part) in parts.iter().enumerate() {
            let mut next = Vec::with_capacity(rows.len().saturating_mul(part.count).min(count));
            for row in rows {
                for k in 0..part.count {
                    let index = part.stride.checked_mul(k as i64).and_then(|step| part.start.checked_add(step));
                    let inside = all.get(i).and_then(|level| level.below(&(row..row + 1)));
                    match (index.and_then(|index| usize::try_from(index).ok()), inside) {
                        (Some(index), Some(inside)) if index < inside.len() => next.push(inside.start + index),
                        (_, _) => return self.internal("a slice lies outside, and no check excludes it"),
                    }
                }
            }
            rows = next;
        }
        Ok(rows)
    }

    pub(super) fn rearrange(&mut self, x: Var, order: &[usize]) -> Run<Val> {
        let array = self.array(x)?;
        let mut extents = Vec::with_capacity(array.levels.len());
        for level in array.levels.iter() {
            match level {
                Level::Regular(n) => extents.push(*n),
                Level::Jagged(_) => return self.internal("jagged dimensions are rearranged"),
            }
        }
        let mut strides = vec![1usize; extents.len()];
        for i in (1..extents.len()).rev() {
            strides[i - 1] = strides[i].saturating_mul(extents[i]);
        }
        let pick = |all: &[usize]| order.iter().map(|i| all.get(*i).copied()).collect::<Option<Vec<usize>>>();
        let (Some(extents), Some(strides)) = (pick(&extents), pick(&strides)) else {
            return self.internal("dimensions are rearranged that are not there");
        };
        self.afford(array.data.len(), size_of::<usize>())?;
        let mut places = if array.data.is_empty() { Vec::new() } else { vec![0] };
        for (extent, stride) in extents.iter().zip(&strides) {
            places = places.iter().flat_map(|place| (0..*extent).map(move |i| place + i * stride)).collect();
        }
        if places.iter().any(|place| *place >= array.data.len()) {
            return self.internal("dimensions are rearranged that are not there");
        }
        let levels = extents.into_iter().map(Level::Regular).collect();
        Ok(Val::Array(self.make(levels, leaf::gather(&array.data, &places))?))
    }

    pub(super) fn desc_length(&self, d: Var, at: &[Atom]) -> Run<Val> {
        let at = self.ints(at)?;
        if let Val::Rec(name) = self.get(d)? {
            return self.rec_desc_length(*name, &at);
        }
        self.length_in(self.desc(d)?, &at)
    }

    /// The length of one row.
    pub(super) fn length_in(&self, desc: &Desc, at: &[i64]) -> Run<Val> {
        let row = levels::place(&desc.levels, at);
        match row.and_then(|row| desc.offsets.get(row..row + 2)) {
            Some(ends) if at.len() == desc.levels.len() => Ok(Val::Scalar(Scalar::I64((ends[1] - ends[0]) as i64))),
            Some(_) | None => self.outside(at),
        }
    }

    /// How many elements lie before a row.
    pub(super) fn desc_offset(&self, d: Var, at: &[Atom]) -> Run<Val> {
        let (desc, at) = (self.desc(d)?, self.ints(at)?);
        let row = levels::place(&desc.levels, &at).filter(|_| at.len() == desc.levels.len());
        match row.and_then(|row| desc.offsets.get(row)) {
            Some(offset) => Ok(Val::Scalar(Scalar::I64(*offset as i64))),
            None => self.outside(&at),
        }
    }

    /// The number of the row of an element.
    pub(super) fn desc_row(&self, d: Var, element: Atom) -> Run<Val> {
        let (desc, element) = (self.desc(d)?, self.int(element)?);
        let total = desc.offsets.last().copied().unwrap_or(0);
        match usize::try_from(element).ok().filter(|element| *element < total) {
            Some(element) => {
                let row = desc.offsets.partition_point(|offset| *offset <= element) - 1;
                Ok(Val::Scalar(Scalar::I64(row as i64)))
            }
            None => self.outside(&[element]),
        }
    }

    pub(super) fn desc_index(&self, d: Var, at: &[Atom], var: Var) -> Run<Val> {
        let at = self.ints(at)?;
        if let Val::Rec(name) = self.get(d)? {
            return self.rec_desc_index(*name, &at, var);
        }
        self.index_in(self.desc(d)?, &at)
    }

    /// The descriptor of a subarray.
    pub(super) fn index_in(&self, desc: &Desc, at: &[i64]) -> Run<Val> {
        let inner = levels::place(&desc.levels, at).zip(desc.all_levels().get(at.len()..).map(<[Level]>::to_vec));
        match inner.and_then(|(row, inner)| levels::pick_row(&inner, row)) {
            Some((levels, _)) => self.as_desc(levels),
            None => self.outside(at),
        }
    }

    pub(super) fn desc_slice(&self, d: Var, ranges: &[Range]) -> Run<Val> {
        let parts = self.parts(ranges)?;
        let desc = self.desc(d)?;
        let runs = self.rows_of(&desc.levels, &parts)?.into_iter().map(|row| row..row + 1).collect();
        let all = desc.all_levels();
        match all.get(parts.len()..).and_then(|inner| levels::pick(inner, runs)) {
            Some((inner, _)) => self.as_desc(outer(&parts).into_iter().chain(inner).collect()),
            None => self.internal("rows that a descriptor does not have"),
        }
    }

    /// The last of some dimensions as a descriptor inside of the others.
    fn as_desc(&self, mut levels: Vec<Level>) -> Run<Val> {
        match levels.pop() {
            Some(Level::Jagged(offsets)) => Ok(Val::Desc(Desc { levels: levels.into(), offsets })),
            Some(Level::Regular(_)) | None => self.internal("a row length is no descriptor"),
        }
    }
}

/// The dimensions that parts leave.
fn outer(parts: &[Part]) -> Vec<Level> {
    parts.iter().map(|part| Level::Regular(part.count)).collect()
}
