//! Small arrays, element by element: every instance of every clause is listed, so all answers are exact.
//!
//! Whoever lists the instances says what each one defines and reads. [`super::certain_faults`] computes that from linear
//! forms; the checker also evaluates guards and subscripts that are no linear forms, such as `i / 2`.

use super::{Fault, Instance};
use crate::graph;
use std::collections::HashSet;

/// Most elements of an array that is looked at in this way.
const MAX_ELEMENTS: i64 = 100_000;

/// One instance of a clause, and what it does.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Which one.
    pub instance: Instance,
    /// The element that it defines; `None` where an index is not known.
    pub element: Vec<Option<i64>>,
    /// Whether it certainly runs: no condition is unknown.
    pub certain: bool,
    /// What it certainly reads of recursive arrays.
    pub reads: Vec<ElementRead>,
}

/// A read of one element.
#[derive(Clone, Copy, Debug)]
pub struct ElementRead {
    /// Which of the clause's reads.
    pub read: usize,
    /// Which of the arrays that are defined together.
    pub array: usize,
    /// The element's position in row-major order.
    pub position: usize,
}

/// The elements of a small array with their definitions.
#[derive(Debug)]
pub struct Table {
    shape: Vec<i64>,
    list: Vec<Listed>,
    /// For each element the first instance that certainly defines it.
    owner: Vec<Option<usize>>,
    /// What instances may define that are not certain, or of which not all indices are known.
    maybe: HashSet<Vec<Option<i64>>>,
    /// Which indices are known in elements of `maybe`.
    masks: HashSet<Vec<bool>>,
    /// Whether two certain instances define one element.
    overlapping: bool,
    /// Whether there may be instances that are not in the list.
    vague: bool,
}

/// Whether an array has few enough elements.
pub fn is_small(shape: &[i64]) -> bool {
    let size = shape.iter().try_fold(1i64, |total, extent| total.checked_mul(*extent));
    shape.iter().all(|extent| *extent >= 0) && size.is_some_and(|size| size <= MAX_ELEMENTS)
}

impl Table {
    /// An array with all instances of its clauses, in order; `vague` if there may be others. `None` if it is too large.
    pub fn new(shape: Vec<i64>, list: Vec<Listed>, vague: bool) -> Option<Table> {
        if !is_small(&shape) {
            return None;
        }
        let size = usize::try_from(shape.iter().product::<i64>()).ok()?;
        let (maybe, masks) = (HashSet::new(), HashSet::new());
        let mut table = Table { shape, list, owner: vec![None; size], maybe, masks, overlapping: false, vague };
        for (number, listed) in table.list.iter().enumerate() {
            if !listed.certain || listed.element.contains(&None) {
                table.masks.insert(listed.element.iter().map(Option::is_some).collect());
                table.maybe.insert(listed.element.clone());
            } else if let Some(at) = position(&table.shape, &listed.element) {
                table.overlapping |= table.owner[at].is_some();
                table.owner[at].get_or_insert(number);
            }
        }
        Some(table)
    }

    /// The extents.
    pub fn shape(&self) -> &[i64] {
        &self.shape
    }

    /// Whether two certain instances define one element.
    pub fn is_overlapping(&self) -> bool {
        self.overlapping
    }

    /// Whether everything that may define an element is known and certain.
    pub fn is_exact(&self) -> bool {
        !self.vague && self.maybe.is_empty()
    }

    /// The instance that certainly defines the element at a position, and comes first.
    pub fn owner(&self, position: usize) -> Option<&Listed> {
        self.owner[position].map(|number| &self.list[number])
    }

    /// Whether certainly no clause defines the element at a position.
    pub fn is_undefined(&self, position: usize) -> bool {
        if self.vague || self.owner[position].is_some() {
            return false;
        }
        let element = element(&self.shape, position);
        let seen_through = |mask: &Vec<bool>| -> Vec<Option<i64>> {
            mask.iter().zip(&element).map(|(known, index)| known.then_some(*index)).collect()
        };
        !self.masks.iter().any(|mask| self.maybe.contains(&seen_through(mask)))
    }

    /// For each clause, the first instance that certainly defines an element outside.
    pub fn writes_outside(&self) -> Vec<Fault> {
        let mut seen = HashSet::new();
        let outside = |listed: &Listed| {
            let mut known = listed.element.iter().zip(&self.shape).enumerate();
            known.find_map(|(d, (index, extent))| (*index).filter(|i| !(0..*extent).contains(i)).map(|i| (d, i)))
        };
        let fault = |listed: &Listed| {
            let (dimension, index) = outside(listed)?;
            let first = seen.insert(listed.instance.clause);
            first.then(|| Fault::WriteOutside { instance: listed.instance.clone(), dimension, index })
        };
        self.list.iter().filter(|listed| listed.certain).filter_map(fault).collect()
    }

    /// For each clause, the first element that it defines a second time.
    pub fn collisions(&self) -> Vec<Fault> {
        let mut seen = HashSet::new();
        let second = |(number, listed): (usize, &Listed)| {
            let at = position(&self.shape, &listed.element).filter(|_| listed.certain)?;
            let first = self.owner[at].filter(|first| *first != number)?;
            seen.insert(listed.instance.clause).then(|| Fault::Collision {
                element: element(&self.shape, at),
                first: self.list[first].instance.clone(),
                second: listed.instance.clone(),
            })
        };
        self.list.iter().enumerate().filter_map(second).collect()
    }

    /// The first element that nothing can define.
    pub fn gap(&self) -> Option<Fault> {
        let at = (0..self.owner.len()).find(|at| self.is_undefined(*at))?;
        Some(Fault::Gap { element: element(&self.shape, at) })
    }
}

/// One element on a cycle through several arrays.
#[derive(Debug)]
pub struct Step<'t> {
    /// Which array.
    pub array: usize,
    /// Which element of it.
    pub element: Vec<i64>,
    /// What defines it.
    pub by: &'t Listed,
    /// Which of the reads there leads to the next element.
    pub read: usize,
}

/// An element that needs itself, through any of these arrays, and a shortest way around through it. `defines` says what
/// certainly defines the element at a position of an array.
pub fn cycle<'t>(
    tables: &[Option<&'t Table>],
    defines: &dyn Fn(usize, usize) -> Option<&'t Listed>,
) -> Option<Vec<Step<'t>>> {
    let mut offsets = Vec::new();
    let mut nodes: Vec<(usize, usize, Option<&'t Listed>)> = Vec::new();
    for (array, table) in tables.iter().enumerate() {
        offsets.push(nodes.len());
        nodes.extend((0..table.map_or(0, |t| t.owner.len())).map(|at| (array, at, defines(array, at))));
    }
    let target = |read: &ElementRead| {
        let to = offsets.get(read.array)? + read.position;
        nodes.get(to).filter(|node| node.0 == read.array && node.2.is_some()).map(|_| (read.read, to))
    };
    let reads = |by: &Listed| by.reads.iter().filter_map(target).collect();
    let edges: Vec<Vec<(usize, usize)>> = nodes.iter().map(|node| node.2.map_or_else(Vec::new, reads)).collect();
    let step = |(at, read): (usize, usize)| {
        let (array, position, by) = nodes[at];
        Some(Step { array, element: element(&tables[array]?.shape, position), by: by?, read })
    };
    graph::cycle(&edges)?.into_iter().map(step).collect()
}

/// The row-major position of an element; `None` if it is not known or lies outside.
pub(super) fn position(shape: &[i64], element: &[Option<i64>]) -> Option<usize> {
    let mut position = 0;
    for (index, extent) in element.iter().zip(shape) {
        let index = (*index).filter(|i| (0..*extent).contains(i))?;
        position = position * extent + index;
    }
    usize::try_from(position).ok()
}

fn element(shape: &[i64], position: usize) -> Vec<i64> {
    let mut rest = position as i64;
    let mut out = vec![0; shape.len()];
    for (index, extent) in out.iter_mut().zip(shape).rev() {
        *index = rest % extent.max(&1);
        rest /= extent.max(&1);
    }
    out
}
