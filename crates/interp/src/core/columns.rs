//! Values that were handed to an output, component by component.

use super::levels::Level;
use super::val::{Array, Val};
use scalar::Prim;
use std::rc::Rc;
use value::PrimVec;

/// All values of one output, in the order in which they came.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    /// How many there are.
    pub count: usize,
    /// For each of the output's sizes, that of every value.
    pub sizes: Vec<Vec<Val>>,
    /// For each of its components, that of every value.
    pub elems: Vec<Column>,
}

/// One component of many values.
#[derive(Clone, Debug)]
pub(super) struct Column {
    /// The elements of all values.
    pub data: PrimVec,
    /// Where each value ends.
    ends: Vec<usize>,
    /// The dimensions of each; empty if they are scalars.
    levels: Vec<Rc<[Level]>>,
}

impl Columns {
    /// No values, with so many sizes and components of these types.
    pub fn new(sizes: usize, prims: impl Iterator<Item = Prim>) -> Columns {
        let column = |prim| Column { data: PrimVec::new(prim), ends: Vec::new(), levels: Vec::new() };
        Columns { count: 0, sizes: vec![Vec::new(); sizes], elems: prims.map(column).collect() }
    }

    /// Adds a value: its sizes, then its components. Says whether they are of the right types.
    pub fn push(&mut self, vals: Vec<Val>) -> bool {
        if vals.len() != self.sizes.len() + self.elems.len() {
            return false;
        }
        let mut vals = vals.into_iter();
        self.sizes.iter_mut().zip(vals.by_ref()).for_each(|(size, val)| size.push(val));
        self.count += 1;
        self.elems.iter_mut().zip(vals).all(|(elem, val)| elem.push(val))
    }

    /// The components of a value.
    pub fn get(&self, slot: usize) -> Option<Vec<Val>> {
        self.elems.iter().map(|elem| elem.get(slot)).collect()
    }

    /// One component of a value; sizes count first.
    pub fn component(&self, component: usize, slot: usize) -> Option<Val> {
        match self.sizes.get(component) {
            Some(sizes) => sizes.get(slot).cloned(),
            None => self.elems.get(component - self.sizes.len())?.get(slot),
        }
    }

    /// How many bytes all of it takes, about.
    pub fn bytes(&self) -> usize {
        self.elems.iter().map(|elem| elem.data.len() * elem.data.prim().bytes()).sum()
    }
}

impl Column {
    fn push(&mut self, val: Val) -> bool {
        match val {
            Val::Scalar(x) if x.prim() == self.data.prim() => self.data.push(x),
            Val::Array(array) if array.data.prim() == self.data.prim() => {
                self.data.extend_from(&array.data);
                self.levels.push(array.levels);
            }
            Val::Scalar(_) | Val::Array(_) | Val::Desc(_) | Val::Cert => return false,
            Val::Rec(_) | Val::Box(_) | Val::Unbound => return false,
        }
        self.ends.push(self.data.len());
        true
    }

    /// Where the elements of a value lie.
    pub fn range(&self, slot: usize) -> Option<std::ops::Range<usize>> {
        let start = if slot == 0 { 0 } else { *self.ends.get(slot - 1)? };
        Some(start..*self.ends.get(slot)?)
    }

    /// A value.
    pub fn get(&self, slot: usize) -> Option<Val> {
        if self.levels.is_empty() {
            return self.data.get(slot).map(Val::Scalar);
        }
        let data = self.data.slice(self.range(slot)?)?;
        Some(Val::Array(Array { levels: self.levels.get(slot)?.clone(), data: Rc::new(data) }))
    }
}
