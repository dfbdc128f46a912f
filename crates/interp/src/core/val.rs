//! Values of variables.

use super::levels::{self, Level};
use crate::leaf;
use ir::BoxId;
use scalar::Scalar;
use std::ops::Range;
use std::rc::Rc;
use value::PrimVec;

/// What a variable holds.
#[derive(Clone, Debug)]
pub(super) enum Val {
    /// Nothing yet, or nothing any more.
    Unbound,
    /// A number or truth value.
    Scalar(Scalar),
    /// An array; of rank 0 if its shape is a vector without elements.
    Array(Array),
    /// A descriptor.
    Desc(Desc),
    /// Evidence.
    Cert,
    /// A recursive array under construction.
    Rec(RecName),
    /// A box.
    Box(Rc<BoxVal>),
}

impl Val {
    /// Whether two values are the same bits. What stands for something else is not looked into.
    pub fn is_same(&self, other: &Val) -> bool {
        match (self, other) {
            (Val::Scalar(a), Val::Scalar(b)) => a.prim() == b.prim() && a.bits() == b.bits(),
            (Val::Array(a), Val::Array(b)) => {
                let alike = a.levels == b.levels && a.data.prim() == b.data.prim() && a.data.len() == b.data.len();
                let bits = |data: &PrimVec, i: usize| data.get(i).map(|x| x.bits());
                alike && (0..a.data.len()).all(|i| bits(&a.data, i) == bits(&b.data, i))
            }
            (Val::Desc(a), Val::Desc(b)) => a.levels == b.levels && a.offsets == b.offsets,
            (Val::Box(a), Val::Box(b)) => {
                let parts = a.parts.len() == b.parts.len() && a.parts.iter().zip(&b.parts).all(|(a, b)| a.is_same(b));
                a.kind == b.kind && a.case == b.case && parts
            }
            (Val::Cert, Val::Cert) | (Val::Rec(_), Val::Rec(_)) | (Val::Unbound, Val::Unbound) => true,
            (_, _) => false,
        }
    }
}

/// A box.
#[derive(Debug)]
pub(super) struct BoxVal {
    /// Its kind.
    pub kind: BoxId,
    /// Which case.
    pub case: usize,
    /// The components.
    pub parts: Vec<Val>,
}

/// Boxes in boxes are dropped one after the other: a long chain of them needs no stack.
impl Drop for BoxVal {
    fn drop(&mut self) {
        let mut open = std::mem::take(&mut self.parts);
        while let Some(val) = open.pop() {
            if let Val::Box(inner) = val
                && let Some(mut inner) = Rc::into_inner(inner)
            {
                open.append(&mut inner.parts);
            }
        }
    }
}

/// An array: all elements in row-major order.
#[derive(Clone, Debug)]
pub(super) struct Array {
    /// The dimensions.
    pub levels: Rc<[Level]>,
    /// The elements.
    pub data: Rc<PrimVec>,
}

/// A descriptor.
#[derive(Clone, Debug)]
pub(super) struct Desc {
    /// The dimensions around.
    pub levels: Rc<[Level]>,
    /// Where each row begins and ends; one more than there are rows, the first is 0.
    pub offsets: Rc<[usize]>,
}

/// A component of a recursive array.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecName {
    /// The group of arrays: its place among those under way.
    pub serial: usize,
    /// The output.
    pub output: usize,
    /// The component: sizes first, then data.
    pub component: usize,
}

impl Array {
    pub fn new(levels: impl Into<Rc<[Level]>>, data: impl Into<PrimVec>) -> Array {
        Array { levels: levels.into(), data: Rc::new(data.into()) }
    }

    /// A vector of sizes or indices.
    pub fn vector(items: Vec<i64>) -> Array {
        Array::new([Level::Regular(items.len())], items)
    }

    /// The row at a place of a depth. None if there is no such row.
    pub fn row(&self, depth: usize, place: usize) -> Option<Array> {
        let (levels, run) = levels::pick_row(self.levels.get(depth..)?, place)?;
        Some(Array::new(levels, self.data.slice(run)?))
    }

    /// What some runs of rows at a depth hold, as one array: these outer dimensions, then their own. None if there are
    /// no such rows.
    pub fn rows(&self, depth: usize, outer: &[Level], runs: Vec<Range<usize>>) -> Option<Array> {
        let (inner, runs) = levels::pick(self.levels.get(depth..)?, runs)?;
        let levels: Vec<Level> = outer.iter().cloned().chain(inner).collect();
        if runs.last().is_some_and(|run| run.end > self.data.len()) {
            return None;
        }
        let data = match &runs[..] {
            [run] if *run == (0..self.data.len()) => {
                return Some(Array { levels: levels.into(), data: self.data.clone() });
            }
            [run] => self.data.slice(run.clone())?,
            _ if runs.iter().all(|run| run.len() == 1) => {
                let places: Vec<usize> = runs.iter().map(|run| run.start).filter(|p| *p < self.data.len()).collect();
                leaf::gather(&self.data, &places)
            }
            _ => {
                let mut data = PrimVec::new(self.data.prim());
                for run in runs {
                    data.extend_from(&self.data.slice(run)?);
                }
                data
            }
        };
        Some(Array::new(levels, data))
    }
}

impl Desc {
    /// Rows inside dimensions: as an array's dimensions would list them.
    pub fn all_levels(&self) -> Vec<Level> {
        self.levels.iter().cloned().chain([Level::Jagged(self.offsets.clone())]).collect()
    }
}
