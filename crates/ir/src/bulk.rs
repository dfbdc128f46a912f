//! The one form for work on many elements.
//!
//! A bulk form runs through an index space and hands values to results. `map`, `reduce`, `scan`, `filter`, `scatter`,
//! comprehensions, WITH-loops, recursive arrays, `update` and `accum` are all of this kind:
//!
//! ```text
//! map f xs          gen [n]        { for i < n { let x = xs[i]; emit [i] => f x } }
//! filter p xs       keep           { for i < n { let x = xs[i]; let c = p x; if c { emit => x } } }
//! reduce op ne xs   reduce op ne   { for i < n { let x = xs[i]; emit => x } }
//! scan op ne xs     gen [n]        { for i < n { let x = xs[i]; scan s of x; emit [i] => s } }
//! ```
//!
//! The order of steps is the order of the program where it shows: which of several updates stands, the order of what
//! is kept, what running combinations have seen. In which order values are combined is a [`Tree`]. The steps of different iterations are independent of one another otherwise.

use crate::exp::add_certs;
use crate::{Atom, Block, Region, Stm, Tree, Var};
use base::Span;

/// A bulk form. The statement that holds it binds, for each result in turn, its descriptors (one for each of
/// [`Output::sizes`]) and its arrays or scalars (one for each of [`Output::elems`]).
#[derive(Clone, Debug)]
pub struct Bulk {
    /// What comes out.
    pub outputs: Vec<Output>,
    /// The index space and what is handed over in it.
    pub steps: Vec<Step>,
    /// Of a form that makes recursive arrays: whether its values, in the order of the steps, read only elements that are
    /// there already. Then reading one is like reading any array.
    pub scheduled: bool,
}

/// A step of the walk through the index space.
#[derive(Clone, Debug)]
pub enum Step {
    /// The steps inside for every value of `var` (an `i64`) from 0 to `count`, exclusive; independent of one another.
    For {
        /// The index.
        var: Var,
        /// How many; negative is none.
        count: Atom,
        /// How turns run.
        mark: Mark,
        /// What is done for each.
        body: Vec<Step>,
    },
    /// A binding for the steps that follow.
    Let(Stm),
    /// The steps inside only if the condition holds.
    Guard(Atom, Vec<Step>),
    /// A running combination, for the steps that follow.
    Scan(Scan),
    /// A value for an output.
    Emit(Emit),
}

impl Bulk {
    /// The sites of its checks that elements are defined exactly once.
    pub fn sites_mut(&mut self) -> impl Iterator<Item = &mut crate::SiteId> {
        self.outputs.iter_mut().flat_map(|output| match &mut output.kind {
            Kind::Gen { coverage: Coverage::Checked { collision, gap, cycle, called: _ }, .. } => {
                vec![collision, gap, cycle]
            }
            Kind::Gen { .. } | Kind::Keep | Kind::Update { .. } | Kind::Reduce { .. } | Kind::Accum { .. } => {
                Vec::new()
            }
        })
    }
}

impl Step {
    /// How many turns a loop has.
    pub fn count(&self) -> Option<Atom> {
        match self {
            Step::For { count, .. } => Some(*count),
            Step::Let(_) | Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => None,
        }
    }

    /// Calls `f` on all values that steps hand over, at any depth.
    pub fn for_each_emit_mut(steps: &mut [Step], f: &mut dyn FnMut(&mut Emit)) {
        for step in steps {
            match step {
                Step::For { body, .. } | Step::Guard(_, body) => Step::for_each_emit_mut(body, f),
                Step::Emit(emit) => f(emit),
                Step::Let(_) | Step::Scan(_) => {}
            }
        }
    }
}

/// How the turns of a loop run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// Not decided yet.
    Open,
    /// One after the other.
    Sequential(Split),
    /// Several at once in the lanes of a vector.
    Simd,
    /// On several threads.
    Threads(Split),
}

/// Whether a loop is split at its borders. Turns that go into lanes of vectors or into tables are not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Split {
    /// All turns run the same code.
    No,
    /// The turns in which conditions on the counter come out the same way run without these conditions.
    Middle,
}

/// A running combination: binds that of all values which came here so far, the one of this turn included.
#[derive(Clone, Debug)]
pub struct Scan {
    /// What is bound: the components of a value.
    pub vars: Vec<Var>,
    /// The operator: all left components, then all right ones.
    pub op: Region,
    /// Its neutral element.
    pub neutral: Vec<Atom>,
    /// In which order values are combined: in blocks of one lane, or in order.
    pub tree: Tree,
    /// The value of this turn.
    pub value: Block,
    /// The place in the source.
    pub span: Span,
}

/// A value for an output.
#[derive(Clone, Debug)]
pub struct Emit {
    /// Which output.
    pub output: usize,
    /// Where: subscripts for [`Kind::Gen`], [`Kind::Update`] and [`Kind::Accum`], none otherwise. One vector if the
    /// output's shape is unknown.
    pub at: Vec<Atom>,
    /// Checks that it relies on.
    pub certs: Vec<Var>,
    /// The value: first one result for each of [`Output::sizes`], then one for each of [`Output::elems`]. Only this
    /// block sees the names of recursive arrays.
    pub value: Block,
    /// The place in the source.
    pub span: Span,
}

impl Emit {
    /// Makes it rely on more checks.
    pub fn rely_on(&mut self, certs: &[Var]) {
        add_certs(&mut self.certs, certs);
    }
}

/// One output.
#[derive(Clone, Debug)]
pub struct Output {
    /// What is done with the values.
    pub kind: Kind,
    /// Sizes that differ from value to value, in the order of their use: `i64` for the length of a jagged row, a
    /// descriptor for one below that. Each becomes a descriptor of the whole. Only in `Gen` and `Keep`.
    pub sizes: Vec<Var>,
    /// The components of one value, as if bound after `sizes`: scalars or arrays. All dimensions that are not in
    /// `sizes` are bound outside of the bulk form. A descriptor from outside is that of the whole: in `gen [n] of (x:
    /// [~d]f64)` with `d: desc [n]`, the value at `[i]` is as long as row `i` of `d`, and the result is of type
    /// `[n][~d]f64`. Where rows are given like this, values define each element exactly once.
    pub elems: Vec<Var>,
}

/// What is done with values.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A new array in which each element is defined by exactly one value, or by `otherwise`.
    Gen {
        /// Extents, one for each subscript, of which later ones may be rows of descriptors that are there already:
        /// `gen [n][~d]` with values at `[i, j]`. Or one shape vector.
        shape: Vec<crate::Dim>,
        /// The value of elements that nothing else defines: sizes and elems.
        otherwise: Option<Block>,
        /// What is known or must be checked about the elements that are defined.
        coverage: Coverage,
        /// Names under which the values may read the array being made: one for each of [`Output::sizes`] (a descriptor
        /// of which values take the part of one element), then one for each of [`Output::elems`]. If there are sizes,
        /// an element is read alone: by as many indices as there are subscripts, or more.
        rec: Vec<Var>,
    },
    /// Replaces elements of arrays (one for each of `elems`), which it consumes. The values see the old arrays under
    /// their own names; of several values for one element the last stands.
    Update {
        /// The arrays.
        arrays: Vec<Var>,
        /// Whether subscripts outside of the arrays are skipped; otherwise there are none.
        skip: bool,
        /// Names under which the values may read the new arrays.
        rec: Vec<Var>,
    },
    /// Combines elements of arrays, which it consumes, with the values: `old op value`.
    Accum {
        /// The arrays.
        arrays: Vec<Var>,
        /// Whether subscripts outside of the arrays are skipped; otherwise there are none.
        skip: bool,
        /// The operator: associative; all old components, then all new ones.
        op: Region,
        /// In which order values are combined: all orders are the same, in order, or in parts.
        tree: Tree,
    },
    /// Combines all values.
    Reduce {
        /// The operator: all left components, then all right ones.
        op: Region,
        /// The result for no values.
        neutral: Vec<Atom>,
        /// Whether the operator is commutative, too.
        commutes: bool,
        /// In which order values are combined.
        tree: Tree,
    },
    /// An array of all values in order. Binds the number of them (an `i64`) before its descriptors.
    Keep,
}

/// Which elements of a [`Kind::Gen`] the values define.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Coverage {
    /// Each exactly once, or at most once if there is an `otherwise`: nothing to check.
    Exact,
    /// Unknown: an element that is defined twice, or by nothing, or (if recursive) by itself ends the program.
    Checked {
        /// Says that an element is defined twice; its arguments are the subscripts.
        collision: crate::SiteId,
        /// Says that nothing defines an element; its arguments are how many are missing, then the subscripts.
        gap: crate::SiteId,
        /// Says that an element depends on itself; its arguments are the subscripts.
        cycle: crate::SiteId,
        /// The calls under way, as sites that have callers want them: one more argument, the last.
        called: Option<Atom>,
    },
}
