//! The tree that values and their forms share: scalars, records, sums and arrays, whatever stands at the leaves.
//!
//! An array of records is a tree, too: `Array([n], Record([i64, Array([m], f64)]))` has two leaves, of which the second
//! has the dimensions `[n][m]`. So walks go outside in and pass the dimensions around along.

use crate::data::types::Cases;
use scalar::Prim;
use std::convert::Infallible;
use std::fmt::Debug;
use std::rc::Rc;

/// What stands in a tree.
pub(crate) trait Kind: Clone + Debug {
    /// At a scalar, and for the constructor of a sum.
    type Atom: Clone + Debug;
    /// For a vector of known length.
    type Vector: Clone + Debug;
    /// For the row lengths that a descriptor holds.
    type Lengths: Clone + Debug;
    type Dim: Clone + Debug;
    type Fun: Clone + Debug;
}

/// What no tree of a kind has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Never {}

#[derive(Clone, Debug)]
pub(crate) enum Tree<K: Kind> {
    Scalar(Prim, K::Atom),
    Vector(Prim, K::Vector),
    Lengths(K::Lengths),
    /// Fields in order.
    Record(Rc<[Tree<K>]>),
    Sum(Rc<Sum<K>>),
    Array(Rc<Array<K>>),
    Fun(K::Fun),
}

#[derive(Clone, Debug)]
pub(crate) struct Sum<K: Kind> {
    /// Which constructor.
    pub tag: K::Atom,
    pub cases: Cases,
    /// The parts of each constructor; none where a value is known to have another.
    pub parts: Vec<Option<Vec<Tree<K>>>>,
}

/// Dimensions over rows that are no arrays themselves. Leaves have all dimensions around them.
#[derive(Clone, Debug)]
pub(crate) struct Array<K: Kind> {
    pub dims: Vec<K::Dim>,
    pub rows: Tree<K>,
}

/// Makes a tree out of another, outside in: dimensions before what they are around.
pub(crate) trait Walk<From: Kind, To: Kind> {
    /// What a scalar becomes inside of these dimensions.
    fn scalar(&mut self, prim: Prim, atom: &From::Atom, outer: &[To::Dim]) -> To::Atom;
    /// What the constructor of a sum becomes.
    fn tag(&mut self, prim: Prim, atom: &From::Atom, outer: &[To::Dim]) -> To::Atom {
        self.scalar(prim, atom, outer)
    }
    /// What a dimension becomes behind these.
    fn dim(&mut self, dim: &From::Dim, outer: &[To::Dim]) -> To::Dim;
    /// What a vector, row lengths or a function become.
    fn other(&mut self, tree: &Tree<From>, outer: &[To::Dim]) -> Tree<To>;
}

impl<K: Kind> Tree<K> {
    /// Rows inside of dimensions; those of an array go on behind them.
    pub fn array(mut dims: Vec<K::Dim>, rows: Tree<K>) -> Tree<K> {
        match rows {
            rows if dims.is_empty() => rows,
            Tree::Array(more) => {
                dims.extend(more.dims.iter().cloned());
                Tree::Array(Rc::new(Array { dims, rows: more.rows.clone() }))
            }
            rows => Tree::Array(Rc::new(Array { dims, rows })),
        }
    }

    /// The tree as dimensions and what lies inside; what is no array has none.
    pub fn split(&self) -> (&[K::Dim], &Tree<K>) {
        match self {
            Tree::Array(array) => (&array.dims, &array.rows),
            _ => (&[], self),
        }
    }

    /// Fields, parts of constructors, the rows of an array.
    pub fn children(&self) -> Vec<&Tree<K>> {
        match self {
            Tree::Record(fields) => fields.iter().collect(),
            Tree::Sum(sum) => sum.parts.iter().flatten().flatten().collect(),
            Tree::Array(array) => vec![&array.rows],
            Tree::Scalar(..) | Tree::Vector(..) | Tree::Lengths(_) | Tree::Fun(_) => Vec::new(),
        }
    }

    /// Whether something holds for the tree or anything in it.
    pub fn any(&self, holds: &mut dyn FnMut(&Tree<K>) -> bool) -> bool {
        holds(self) || self.children().into_iter().any(|child| child.any(holds))
    }

    /// Whether something holds for any dimension.
    pub fn any_dim(&self, mut holds: impl FnMut(&K::Dim) -> bool) -> bool {
        self.any(&mut |tree| tree.split().0.iter().any(&mut holds))
    }

    /// Calls `f` on all scalars and tags in order.
    pub fn for_each_atom(&self, f: &mut dyn FnMut(&K::Atom)) {
        match self {
            Tree::Scalar(_, atom) => f(atom),
            Tree::Sum(sum) => f(&sum.tag),
            _ => {}
        }
        self.children().into_iter().for_each(|child| child.for_each_atom(f));
    }

    /// The tree with `f` of each field, part of a constructor, or of an array's rows in its place.
    pub fn map(&self, mut f: impl FnMut(&Tree<K>) -> Tree<K>) -> Tree<K> {
        let Ok(tree) = self.try_map(|child| Ok::<_, Infallible>(f(child)));
        tree
    }

    pub fn try_map<E>(&self, mut f: impl FnMut(&Tree<K>) -> Result<Tree<K>, E>) -> Result<Tree<K>, E> {
        Ok(match self {
            Tree::Record(fields) => Tree::Record(fields.iter().map(&mut f).collect::<Result<_, E>>()?),
            Tree::Sum(sum) => {
                let mut sum = (**sum).clone();
                for part in sum.parts.iter_mut().flatten().flatten() {
                    *part = f(part)?;
                }
                Tree::Sum(Rc::new(sum))
            }
            Tree::Array(array) => Tree::array(array.dims.clone(), f(&array.rows)?),
            Tree::Scalar(..) | Tree::Vector(..) | Tree::Lengths(_) | Tree::Fun(_) => self.clone(),
        })
    }

    /// The tree with `f` of each field, or part of a constructor, and its counterpart in a tree of the same structure.
    pub fn try_zip<J: Kind, E>(
        &self,
        other: &Tree<J>,
        mut f: impl FnMut(&Tree<K>, &Tree<J>) -> Result<Tree<K>, E>,
    ) -> Result<Tree<K>, E> {
        let others = other.children();
        let mut others = others.into_iter();
        self.try_map(|child| match others.next() {
            Some(other) => f(child, other),
            None => Ok(child.clone()),
        })
    }

    /// The tree with other dimensions.
    pub fn map_dims(&self, f: &mut dyn FnMut(&K::Dim) -> K::Dim) -> Tree<K> {
        match self {
            Tree::Array(array) => Tree::array(array.dims.iter().map(&mut *f).collect(), array.rows.map_dims(f)),
            _ => self.map(|child| child.map_dims(f)),
        }
    }

    /// The tree that a walk makes of this one, which stands inside of some dimensions.
    pub fn walk<To: Kind>(&self, outer: &[To::Dim], walk: &mut dyn Walk<K, To>) -> Tree<To> {
        match self {
            Tree::Scalar(prim, atom) => Tree::Scalar(*prim, walk.scalar(*prim, atom, outer)),
            Tree::Vector(..) | Tree::Lengths(_) | Tree::Fun(_) => walk.other(self, outer),
            Tree::Record(fields) => Tree::Record(fields.iter().map(|field| field.walk(outer, walk)).collect()),
            Tree::Sum(sum) => {
                let tag = walk.tag(ir::Layout::tag_prim(sum.cases.len()), &sum.tag, outer);
                let mut part = |parts: &Vec<Tree<K>>| parts.iter().map(|part| part.walk(outer, walk)).collect();
                let parts = sum.parts.iter().map(|parts| parts.as_ref().map(&mut part)).collect();
                Tree::Sum(Rc::new(Sum { tag, cases: sum.cases.clone(), parts }))
            }
            Tree::Array(array) => {
                let mut dims = outer.to_vec();
                for dim in &array.dims {
                    let dim = walk.dim(dim, &dims);
                    dims.push(dim);
                }
                let rows = array.rows.walk(&dims, walk);
                Tree::array(dims.split_off(outer.len()), rows)
            }
        }
    }
}

impl<K: Kind> Sum<K> {
    /// A part of a constructor, if this may be the one.
    pub fn part(&self, case: usize, number: usize) -> Option<&Tree<K>> {
        self.parts[case].as_ref().map(|parts| &parts[number])
    }

    /// The parts of constructors that both of two sums may have, side by side. All others are dummies, or there are none.
    pub fn common_parts<'a>(&'a self, other: &'a Sum<K>) -> impl Iterator<Item = (&'a Tree<K>, &'a Tree<K>)> {
        let both = self.parts.iter().zip(&other.parts).filter_map(|(x, y)| Some((x.as_ref()?, y.as_ref()?)));
        both.flat_map(|(x, y)| x.iter().zip(y))
    }
}
