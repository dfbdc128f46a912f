//! Certain faults of an array defined by clauses, found before the program runs.
//!
//! The array has a constant shape; each clause runs over loops with constant bounds and defines the
//! element at an affine subscript. What is reported happens on every run: guarded clauses count only
//! as "may define", and whatever is not affine makes no claim. Small arrays are enumerated, which is
//! exact; large ones are handled by boxes and dependence tests, which never visit the elements.

mod collide;
mod cover;
mod cycle;
mod enumerate;
mod outside;
mod table;
#[cfg(test)]
mod tests;

pub use self::table::{ElementRead, Listed, Step, Table, cycle, is_small};

use crate::linear::Linear;
use crate::space::{Loop, LoopVar, iterations};

/// One index for each dimension; `None` where the index is not an affine function of the loops.
pub type Subscript = Vec<Option<Linear<LoopVar>>>;

/// `[subscript] => value for loops`.
///
/// Where a loop's bounds are not constant, describe the clause as guarded, with `None` for every
/// subscript that mentions that loop's variable. The same goes for bounds that depend on outer
/// variables, or give the surrounding rectangle and say guarded.
#[derive(Clone, Debug)]
pub struct Clause {
    /// The generators, outermost first.
    pub loops: Vec<Loop>,
    /// The element that an iteration defines.
    pub subscript: Subscript,
    /// What the value certainly reads of the array itself, if that is recursive.
    pub reads: Vec<Read>,
    /// Whether a condition may skip iterations.
    pub guarded: bool,
}

/// A reference to the recursive array that is evaluated whenever its clause is (not in a branch).
#[derive(Clone, Debug)]
pub struct Read {
    /// Fewer indices than the rank read a whole subarray; more go on into the element.
    pub subscript: Subscript,
}

/// The description of `array SHAPE { clauses; else }`.
#[derive(Clone, Debug)]
pub struct ArrayClauses {
    /// The extents of SHAPE.
    pub shape: Vec<i64>,
    /// In the order of the source.
    pub clauses: Vec<Clause>,
    /// Whether `else` defines what no clause does.
    pub has_else: bool,
    /// Whether the reads refer to the array under definition.
    pub recursive: bool,
}

/// One iteration of one clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The clause's position.
    pub clause: usize,
    /// The values of its loop variables, outermost first.
    pub iteration: Vec<i64>,
}

/// An element on a dependence cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
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
    /// A clause reads the array under definition outside its bounds.
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

/// Finds certain faults: writes outside (at most one for each clause), collisions (at most one for
/// each later clause), the first gap, reads outside (one for each read), one cycle.
///
/// ```
/// use affine::clauses::{ArrayClauses, Clause, Fault, certain_faults};
/// use affine::{Linear, Loop, LoopVar};
/// // array [10] { [i + 1] => ... for i < 9 }
/// let clause = Clause {
///     loops: vec![Loop::below(9)],
///     subscript: vec![Linear::symbol(LoopVar(0)).add_constant(1)],
///     reads: vec![],
///     guarded: false,
/// };
/// let array = ArrayClauses { shape: vec![10], clauses: vec![clause], has_else: false, recursive: false };
/// assert_eq!(certain_faults(&array), [Fault::Gap { element: vec![0] }]);
/// ```
pub fn certain_faults(array: &ArrayClauses) -> Vec<Fault> {
    if array.shape.iter().any(|extent| *extent < 0) {
        return Vec::new();
    }
    let clauses = prepare(array);
    let small = enumerate::table(&array.shape, &clauses);
    faults_of(array, &clauses, small.as_ref())
}

/// The faults, by enumeration if the array's elements are given, else by reasoning.
fn faults_of(array: &ArrayClauses, clauses: &[Prepared], small: Option<&Table>) -> Vec<Fault> {
    let mut faults: Vec<Fault> = clauses.iter().filter_map(|c| outside::write(&array.shape, c)).collect();
    match small {
        Some(elements) => faults.extend(elements.collisions()),
        None => faults.extend(collide::collisions(&array.shape, clauses)),
    }
    if !array.has_else {
        faults.extend(match small {
            Some(elements) => elements.gap(),
            None => cover::gap(&array.shape, clauses),
        });
    }
    if array.recursive {
        faults.extend(clauses.iter().flat_map(|c| outside::reads(&array.shape, c)));
        faults.extend(match small {
            Some(elements) => enumerate::find_cycle(elements),
            None => cycle::short_cycle(&array.shape, clauses),
        });
    }
    faults
}

/// A clause that runs at least once, checked for form.
struct Prepared<'a> {
    index: usize,
    loops: &'a [Loop],
    guarded: bool,
    /// One entry for each dimension of the shape.
    subscript: Subscript,
    /// The subscript, if every dimension is affine.
    affine: Option<Vec<Linear<LoopVar>>>,
    reads: Vec<Subscript>,
    /// Each read's element, if every dimension of the shape is affine.
    affine_reads: Vec<Option<Vec<Linear<LoopVar>>>>,
}

impl Prepared<'_> {
    fn instance(&self, iteration: Vec<i64>) -> Instance {
        Instance { clause: self.index, iteration }
    }

    /// The subscript, if every iteration certainly defines the element it says.
    fn certain(&self) -> Option<&[Linear<LoopVar>]> {
        self.affine.as_deref().filter(|_| !self.guarded)
    }
}

fn prepare(array: &ArrayClauses) -> Vec<Prepared<'_>> {
    let running = array.clauses.iter().enumerate().filter(|(_, clause)| iterations(&clause.loops) != Some(0));
    running.map(|(index, clause)| prepare_clause(index, clause, array.shape.len())).collect()
}

fn prepare_clause(index: usize, clause: &Clause, rank: usize) -> Prepared<'_> {
    let depth = clause.loops.len();
    let fits = clause.subscript.len() == rank;
    let subscript = if fits { well_formed(&clause.subscript, depth) } else { vec![None; rank] };
    let reads: Vec<Subscript> = clause.reads.iter().map(|read| well_formed(&read.subscript, depth)).collect();
    let element = |read: &Subscript| read.get(..rank)?.iter().cloned().collect();
    Prepared {
        index,
        loops: &clause.loops,
        guarded: clause.guarded,
        affine: subscript.iter().cloned().collect(),
        subscript,
        affine_reads: reads.iter().map(element).collect(),
        reads,
    }
}

/// Whether `element` is an index of an array of this shape.
fn inside(shape: &[i64], element: &[i64]) -> bool {
    element.iter().zip(shape).all(|(index, extent)| (0..*extent).contains(index))
}

/// The subscript without forms that mention variables of loops that are not there.
fn well_formed(subscript: &Subscript, loops: usize) -> Subscript {
    let usable = |form: &Linear<LoopVar>| form.symbols().all(|v| v.0 < loops);
    subscript.iter().map(|form| form.clone().filter(usable)).collect()
}
