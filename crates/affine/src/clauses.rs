//! Certain faults of arrays defined by clauses, found before the program runs.
//!
//! Each clause is a loop nest with constant bounds, affine guards and an affine subscript: it defines the element at the
//! subscript in every iteration in which its guards are not negative. For example
//!
//! ```text
//! array [4, 4] { [i, j] => ... for i < 4 for j < i; else => ... }      loops i < 4, j < 3; guard i - j - 1 >= 0
//! ```
//!
//! What is not affine makes no claim: an unknown index is `None`, and a clause with an unknown condition is `guarded`,
//! so that it only *may* define its elements. Every reported fault happens on every run.
//!
//! A small array is enumerated into a table of its elements (`enumerate`, `table`), which is exact. A large one is
//! decided by boxes (`cover`) and by dependence tests (`collide`, `cycle`), which never visit the elements.

mod collide;
mod cover;
mod cycle;
mod enumerate;
mod outside;
mod table;
#[cfg(test)]
mod tests;

use crate::linear::Linear;
use crate::space::{Loop, LoopVar, iterations};
use std::collections::HashSet;
use table::Table;

pub use table::is_small;

/// An integer that is linear in the variables of a loop nest.
pub type Form = Linear<LoopVar>;

/// One index for each dimension; `None` where the index is not an affine function of the loops.
pub type Subscript = Vec<Option<Form>>;

/// An extent that is not known: larger than any index may be.
pub const OPEN: i64 = 1 << 61;

/// `[subscript] => value for loops if guards`, or some iterations of it.
///
/// Where a loop's bounds are not constant, describe the clause as guarded, with `None` for every
/// subscript that mentions that loop's variable. Bounds that depend on outer variables become guards.
#[derive(Clone, Debug)]
pub struct Clause {
    /// The clause in the program. Several of these may describe parts of one.
    pub source: usize,
    /// The generators, outermost first.
    pub loops: Vec<Loop>,
    /// An iteration runs if all of these are at least zero.
    pub guards: Vec<Form>,
    /// The element that an iteration defines.
    pub subscript: Subscript,
    /// What the value certainly reads of the arrays that are defined together.
    pub reads: Vec<Read>,
    /// Whether a condition that `guards` does not describe may skip iterations.
    pub guarded: bool,
}

/// A reference to one of the arrays under definition that is evaluated whenever its clause is (not in a branch).
#[derive(Clone, Debug)]
pub struct Read {
    /// Which of the arrays.
    pub array: usize,
    /// Loops of this read alone, inside those of the clause: a slice or row is all its elements.
    pub loops: Vec<Loop>,
    /// Fewer indices than the rank make no claim about elements; more go on into the element.
    pub subscript: Subscript,
}

/// What the clauses belong to: decides which faults are faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Construct {
    /// `array`: every element has exactly one definition.
    Array,
    /// `update`: the last definition counts.
    Update,
    /// `accum`: definitions are combined.
    Accum,
}

/// An array and its clauses.
#[derive(Clone, Debug)]
pub struct ArrayClauses {
    /// Which construct.
    pub construct: Construct,
    /// The extents; [`OPEN`] where unknown.
    pub shape: Vec<i64>,
    /// In the order of the source.
    pub clauses: Vec<Clause>,
    /// `else`, which defines what no clause does: a clause without loops, whose subscript does not matter.
    pub otherwise: Option<Clause>,
}

/// One iteration of one clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The clause's position; for `else` the number of clauses.
    pub clause: usize,
    /// The values of its loop variables, outermost first.
    pub iteration: Vec<i64>,
}

/// An element on a dependence cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Which array.
    pub array: usize,
    /// The element.
    pub element: Vec<i64>,
    /// What defines it.
    pub instance: Instance,
    /// Which of the clause's reads leads to the next link's element.
    pub read: usize,
}

/// Something that goes wrong on every run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A clause defines an element outside the array.
    WriteOutside {
        /// The first iteration that does.
        instance: Instance,
        /// The offending dimension.
        dimension: usize,
        /// The index there.
        index: i64,
    },
    /// Two iterations, of one clause or of two, define the same element.
    Collision {
        /// The element.
        element: Vec<i64>,
        /// The definition that comes first in the source.
        first: Instance,
        /// The other one.
        second: Instance,
    },
    /// Nothing can define this element, the first of its kind.
    Gap {
        /// The element.
        element: Vec<i64>,
    },
    /// A clause reads an array under definition outside its bounds.
    ReadOutside {
        /// The first iteration that does.
        instance: Instance,
        /// Which of the clause's reads.
        read: usize,
        /// The offending dimension.
        dimension: usize,
        /// The index there.
        index: i64,
    },
    /// An element needs itself: each link reads the next, the last one the first.
    Cycle {
        /// The elements on the cycle, at least one.
        chain: Vec<Link>,
    },
}

/// Finds certain faults of arrays that are defined together, each with the array it belongs to: writes outside (at most
/// one for each clause of the source), collisions (at most one for each later clause), the first gap, reads outside
/// (one for each read), and one cycle, which belongs to the array of its first link.
///
/// ```
/// use affine::clauses::{ArrayClauses, Clause, Construct, Fault, certain_faults};
/// use affine::{Linear, Loop, LoopVar};
/// // array [10] { [i + 1] => ... for i < 9 }
/// let clause = Clause {
///     source: 0,
///     loops: vec![Loop::below(9)],
///     guards: vec![],
///     subscript: vec![Linear::symbol(LoopVar(0)).add_constant(1)],
///     reads: vec![],
///     guarded: false,
/// };
/// let array = ArrayClauses { construct: Construct::Array, shape: vec![10], clauses: vec![clause], otherwise: None };
/// assert_eq!(certain_faults(&[array]), [(0, Fault::Gap { element: vec![0] })]);
/// ```
pub fn certain_faults(arrays: &[ArrayClauses]) -> Vec<(usize, Fault)> {
    let prepared: Vec<Array> = arrays.iter().enumerate().map(|(number, array)| Array::new(number, array)).collect();
    let tables: Vec<Option<Table>> = prepared.iter().map(|array| enumerate::table(array, arrays)).collect();
    faults_of(&prepared, &tables)
}

/// The faults, by enumeration where an array's elements are listed, else by reasoning.
fn faults_of(arrays: &[Array], tables: &[Option<Table>]) -> Vec<(usize, Fault)> {
    let mut faults = Vec::new();
    let mut decided = Vec::new();
    for (array, table) in arrays.iter().zip(tables) {
        let overlaps = match table {
            Some(table) => table.collisions(),
            None => collide::collisions(array),
        };
        decided.push(array.construct == Construct::Array || array.is_exact() && overlaps.is_empty());
        let mut found = outside::writes(array);
        let overlapping = !overlaps.is_empty();
        if array.construct == Construct::Array {
            found.extend(overlaps);
            found.extend(array.gap(table.as_ref()));
        }
        // Of several definitions in `update` perhaps only the last is computed.
        if array.construct == Construct::Array || !overlapping {
            found.extend(array.reading(table.as_ref()).flat_map(|clause| outside::reads(arrays, clause)));
        }
        faults.extend(found.into_iter().map(|fault| (array.number, fault)));
    }
    let cycle = enumerate::find_cycle(arrays, tables, &decided);
    faults.extend(cycle.or_else(|| cycle::short_cycle(arrays, tables, &decided)));
    faults
}

/// An array whose clauses are checked for form.
struct Array<'a> {
    number: usize,
    construct: Construct,
    shape: &'a [i64],
    /// The clauses that run at least once, as far as their loops say.
    clauses: Vec<Prepared<'a>>,
    otherwise: Option<Prepared<'a>>,
}

impl<'a> Array<'a> {
    fn new(number: usize, array: &'a ArrayClauses) -> Array<'a> {
        let runs = |clause: &Clause| iterations(&clause.loops) != Some(0);
        // A negative extent fails before any clause runs.
        let clauses = array.clauses.iter().enumerate().filter(|_| array.shape.iter().all(|extent| *extent >= 0));
        let rank = array.shape.len();
        Array {
            number,
            construct: array.construct,
            shape: &array.shape,
            clauses: clauses.filter(|(_, c)| runs(c)).map(|(at, c)| Prepared::new(number, at, c, rank)).collect(),
            otherwise: array.otherwise.as_ref().map(|c| Prepared::new(number, array.clauses.len(), c, rank)),
        }
    }

    /// Whether it is known exactly which clause defines which elements.
    fn is_exact(&self) -> bool {
        self.clauses.iter().all(|clause| clause.certain().is_some())
    }

    fn gap(&self, table: Option<&Table>) -> Option<Fault> {
        if self.otherwise.is_some() || self.shape.iter().any(|extent| *extent < 0 || *extent == OPEN) {
            return None;
        }
        match table {
            Some(table) => table.first_undefined().map(|element| Fault::Gap { element }),
            None => cover::gap(self),
        }
    }

    /// The clauses whose values are computed; `else` only if it certainly defines an element.
    fn reading(&self, table: Option<&Table>) -> impl Iterator<Item = &Prepared<'a>> {
        let otherwise = self.otherwise.iter().filter(move |_| table.is_some_and(|t| t.first_undefined().is_some()));
        self.clauses.iter().chain(otherwise)
    }
}

/// A clause, checked for form.
struct Prepared<'a> {
    array: usize,
    index: usize,
    source: usize,
    loops: &'a [Loop],
    guards: &'a [Form],
    guarded: bool,
    /// One entry for each dimension of the shape.
    subscript: Subscript,
    /// The subscript, if every dimension is affine.
    affine: Option<Vec<Form>>,
    reads: Vec<PreparedRead>,
}

/// A read, checked for form.
struct PreparedRead {
    array: usize,
    /// The loops of the clause, then those of the read.
    loops: Vec<Loop>,
    subscript: Subscript,
}

impl PreparedRead {
    /// The element that is read of an array of this rank, if every dimension is affine.
    fn element(&self, rank: usize) -> Option<Vec<Form>> {
        self.subscript.get(..rank)?.iter().cloned().collect()
    }
}

impl<'a> Prepared<'a> {
    fn new(array: usize, index: usize, clause: &'a Clause, rank: usize) -> Prepared<'a> {
        let depth = clause.loops.len();
        let fits = clause.subscript.len() == rank;
        let subscript = if fits { well_formed(&clause.subscript, depth) } else { vec![None; rank] };
        let read = |read: &Read| {
            let loops: Vec<Loop> = clause.loops.iter().chain(&read.loops).copied().collect();
            PreparedRead { array: read.array, subscript: well_formed(&read.subscript, loops.len()), loops }
        };
        Prepared {
            array,
            index,
            source: clause.source,
            loops: &clause.loops,
            guards: &clause.guards,
            guarded: clause.guarded,
            affine: subscript.iter().cloned().collect(),
            subscript,
            reads: clause.reads.iter().map(read).collect(),
        }
    }

    fn instance(&self, mut iteration: Vec<i64>) -> Instance {
        // What follows belongs to the loops of a read.
        iteration.truncate(self.loops.len());
        Instance { clause: self.index, iteration }
    }

    /// The subscript, if every iteration certainly defines the element it says.
    fn certain(&self) -> Option<&[Form]> {
        self.affine.as_deref().filter(|_| !self.guarded)
    }

    fn is(&self, other: &Prepared) -> bool {
        (self.array, self.index) == (other.array, other.index)
    }
}

/// The first of these faults for each clause of the source.
fn first_of_each(faults: impl Iterator<Item = (usize, Fault)>) -> Vec<Fault> {
    let mut seen = HashSet::new();
    faults.filter(|(source, _)| seen.insert(*source)).map(|(_, fault)| fault).collect()
}

/// Whether `element` is an index of an array of this shape.
fn inside(shape: &[i64], element: &[i64]) -> bool {
    element.iter().zip(shape).all(|(index, extent)| (0..*extent).contains(index))
}

/// The subscript without forms that mention variables of loops that are not there.
fn well_formed(subscript: &Subscript, loops: usize) -> Subscript {
    let usable = |form: &Form| form.symbols().all(|v| v.0 < loops);
    subscript.iter().map(|form| form.clone().filter(usable)).collect()
}
