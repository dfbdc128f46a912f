//! Small arrays, element by element: every instance of every clause is listed, so all answers are exact.

use super::{Fault, Instance, Link, first_of_each};
use crate::graph;
use std::collections::HashSet;

/// Most elements of an array that is looked at in this way.
const MAX_ELEMENTS: i64 = 100_000;

/// One instance of a clause, and what it does.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    pub instance: Instance,
    /// The clause in the program.
    pub source: usize,
    /// The element that it defines; `None` where an index is not known.
    pub element: Vec<Option<i64>>,
    /// Whether it certainly runs: no condition is unknown.
    pub certain: bool,
    /// What it certainly reads of recursive arrays.
    pub reads: Vec<ElementRead>,
}

/// A read of one element.
#[derive(Clone, Copy, Debug)]
pub(super) struct ElementRead {
    /// Which of the clause's reads.
    pub read: usize,
    /// Which of the arrays that are defined together.
    pub array: usize,
    /// The element's position in row-major order.
    pub position: usize,
}

/// The elements of a small array with their definitions.
#[derive(Debug)]
pub(super) struct Table {
    shape: Vec<i64>,
    list: Vec<Listed>,
    /// For each element the first instance that certainly defines it.
    owner: Vec<Option<usize>>,
    /// What instances may define that are not certain, or of which not all indices are known.
    maybe: HashSet<Vec<Option<i64>>>,
    /// Which indices are known in elements of `maybe`.
    masks: HashSet<Vec<bool>>,
    /// What defines the elements that no clause does.
    otherwise: Option<Listed>,
}

/// Whether an array has few enough elements.
pub fn is_small(shape: &[i64]) -> bool {
    let size = shape.iter().try_fold(1i64, |total, extent| total.checked_mul(*extent));
    shape.iter().all(|extent| *extent >= 0) && size.is_some_and(|size| size <= MAX_ELEMENTS)
}

impl Table {
    /// An array with all instances of its clauses, in order, and `else`. `None` if it is too large.
    pub fn new(shape: Vec<i64>, list: Vec<Listed>, otherwise: Option<Listed>) -> Option<Table> {
        if !is_small(&shape) {
            return None;
        }
        let size = usize::try_from(shape.iter().product::<i64>()).ok()?;
        let (maybe, masks) = (HashSet::new(), HashSet::new());
        let mut table = Table { shape, list, owner: vec![None; size], maybe, masks, otherwise };
        for (number, listed) in table.list.iter().enumerate() {
            if !listed.certain || listed.element.contains(&None) {
                table.masks.insert(listed.element.iter().map(Option::is_some).collect());
                table.maybe.insert(listed.element.clone());
            } else if let Some(at) = position(&table.shape, &listed.element) {
                table.owner[at].get_or_insert(number);
            }
        }
        Some(table)
    }

    /// The instance that certainly defines the element at a position, and comes first.
    pub fn owner(&self, position: usize) -> Option<&Listed> {
        self.owner[position].map(|number| &self.list[number])
    }

    /// `else`, if it certainly defines the element at a position.
    pub fn otherwise(&self, position: usize) -> Option<&Listed> {
        self.otherwise.as_ref().filter(|_| self.is_undefined(position))
    }

    /// Whether certainly no clause defines the element at a position.
    fn is_undefined(&self, position: usize) -> bool {
        if self.owner[position].is_some() {
            return false;
        }
        let element = element(&self.shape, position);
        let seen_through = |mask: &Vec<bool>| -> Vec<Option<i64>> {
            mask.iter().zip(&element).map(|(known, index)| known.then_some(*index)).collect()
        };
        !self.masks.iter().any(|mask| self.maybe.contains(&seen_through(mask)))
    }

    /// For each clause, the first element that it defines a second time.
    pub fn collisions(&self) -> Vec<Fault> {
        let second = |(number, listed): (usize, &Listed)| {
            let at = position(&self.shape, &listed.element).filter(|_| listed.certain)?;
            let first = self.owner[at].filter(|first| *first != number)?;
            let (first, second) = (self.list[first].instance.clone(), listed.instance.clone());
            Some((listed.source, Fault::Collision { element: element(&self.shape, at), first, second }))
        };
        first_of_each(self.list.iter().enumerate().filter_map(second))
    }

    /// The first element that no clause can define.
    pub fn first_undefined(&self) -> Option<Vec<i64>> {
        let at = (0..self.owner.len()).find(|at| self.is_undefined(*at))?;
        Some(element(&self.shape, at))
    }
}

/// An element that needs itself, through any of these arrays, and a shortest way around through it. `defines` says what
/// certainly defines the element at a position of an array.
pub(super) fn cycle<'t>(
    tables: &[Option<&'t Table>],
    defines: &dyn Fn(usize, usize) -> Option<&'t Listed>,
) -> Option<Vec<Link>> {
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
    let link = |(at, read): (usize, usize)| {
        let (array, position, by) = nodes[at];
        let element = element(&tables[array]?.shape, position);
        Some(Link { array, element, instance: by?.instance.clone(), read })
    };
    graph::cycle(&edges)?.into_iter().map(link).collect()
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
