//! Typed ids and vectors indexed by them, in place of references and bare `usize`.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A type that is a number underneath; made by [`define_id!`](crate::define_id).
pub trait Id: Copy {
    /// The id of this index.
    fn from_index(index: usize) -> Self;
    /// The index of this id.
    fn index(self) -> usize;
}

/// Defines a typed id: `define_id!(LocalId, "x")` prints as `x7`.
#[macro_export]
macro_rules! define_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);
        impl $crate::id::Id for $name {
            fn from_index(index: usize) -> Self { $name(index as u32) }
            fn index(self) -> usize { self.0 as usize }
        }
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

/// A vector whose index is a typed id.
#[derive(Clone, Debug)]
pub struct IdVec<I, T> {
    items: Vec<T>,
    ids: PhantomData<I>,
}

impl<I, T> Default for IdVec<I, T> {
    fn default() -> Self {
        IdVec { items: Vec::new(), ids: PhantomData }
    }
}

impl<I: Id, T> IdVec<I, T> {
    /// An empty vector.
    pub fn new() -> Self {
        IdVec::default()
    }

    /// Adds an item and returns its id.
    pub fn push(&mut self, item: T) -> I {
        self.items.push(item);
        I::from_index(self.items.len() - 1)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Ids and items in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> {
        self.items.iter().enumerate().map(|(i, t)| (I::from_index(i), t))
    }

    /// The items alone, in order.
    pub fn values(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// The items alone, in order, to be changed.
    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    /// The items themselves, with their ids.
    pub fn into_items(self) -> impl Iterator<Item = (I, T)> {
        self.items.into_iter().enumerate().map(|(index, item)| (I::from_index(index), item))
    }

    /// The ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + use<I, T> {
        (0..self.items.len()).map(I::from_index)
    }

    /// The item, if there is one with this id.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }
}

impl<I: Id, T> Index<I> for IdVec<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IdVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

/// A set of ids as bits: for many ids near one another.
#[derive(Clone, Debug)]
pub struct IdSet<I> {
    words: Vec<u64>,
    ids: PhantomData<I>,
}

impl<I> Default for IdSet<I> {
    fn default() -> Self {
        IdSet { words: Vec::new(), ids: PhantomData }
    }
}

impl<I: Id> IdSet<I> {
    /// Adds an id.
    pub fn insert(&mut self, id: I) {
        let word = id.index() / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (id.index() % 64);
    }

    /// Whether an id is there.
    pub fn contains(&self, id: I) -> bool {
        self.words.get(id.index() / 64).is_some_and(|word| word >> (id.index() % 64) & 1 == 1)
    }
}

impl<I: Id> Extend<I> for IdSet<I> {
    fn extend<T: IntoIterator<Item = I>>(&mut self, ids: T) {
        ids.into_iter().for_each(|id| self.insert(id));
    }
}

impl<I: Id> FromIterator<I> for IdSet<I> {
    fn from_iter<T: IntoIterator<Item = I>>(ids: T) -> Self {
        let mut set = IdSet::default();
        set.extend(ids);
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    define_id!(
        /// An id.
        Number,
        "n"
    );

    #[test]
    fn a_set_has_what_was_added() {
        let set: IdSet<Number> = [0, 63, 64, 1000].map(Number).into_iter().collect();
        let all: Vec<u32> = (0..2000).filter(|n| set.contains(Number(*n))).collect();
        assert_eq!(all, [0, 63, 64, 1000]);
    }
}
