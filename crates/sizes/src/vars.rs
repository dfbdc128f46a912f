//! Size variables: what is known of each, and what it turned out to be.
//!
//! Every size variable is a local of the program, so that types and size expressions mention it like any other name.
//! A dimension `[v]` whose `v` was found to be a size function reads as `[~k]` inside another dimension, and as the
//! length of the current row elsewhere.

use super::demand::Demand;
use base::Span;
use syntax::ast::Lifted;
use typed::{Dim, LocalId};

/// What is known of a size variable.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// A declared size parameter, or a parameter that a function type names.
    Param,
    /// A size known only at run time; equal to no other.
    Unknown,
    /// A size function.
    Function(Origin),
    /// Open.
    Free,
    /// Open: it belongs to the instance of a parameter of a used definition.
    Inst {
        /// What that parameter may be instantiated to.
        lifted: Lifted,
        /// Whether the parameter is the element type of an array in the definition's type.
        element: bool,
    },
    /// A further occurrence of an `Inst`: equal to it, unless the size turns out to be existential or to differ from
    /// row to row; then each occurrence (numbered) is on its own.
    Copy(LocalId, u32),
    /// An `Inst` that turned out to be existential.
    Absorbed {
        /// The size it was unified with, if that is a name.
        key: Option<LocalId>,
        /// Where that size is computed, if it is one known at run time.
        computed: Option<Span>,
    },
    /// Found.
    Solved(Dim),
}

/// Where a size function comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    /// Declared: `[~k]`.
    Named,
    /// Written in a parameter's type without a name: `[~]`.
    Anonymous,
    /// Known only at run time.
    Computed,
}

impl Origin {
    /// Whether callers give it.
    pub(super) fn is_declared(self) -> bool {
        self != Origin::Computed
    }
}

/// How tightly the occurrences of an instantiated size belong together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Tie {
    /// It is a size of rows, of an element type: rows of the occurrences may differ, or come in another order.
    Rows,
    /// It is a size of rows, and a function that is given takes them: all of them must suit that function.
    Demanded,
    /// It is a size of whole values, since its type parameter is no element type.
    Whole,
}

/// What a variable has to do with the rounds of an iteration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Round {
    /// Nothing.
    None,
    /// It is the length of the current row, or its row lengths: this size function says them for all rows.
    RowOf(LocalId),
    /// It belongs to a value that is another one in every round, and was decided from outside.
    Anew,
}

/// A size variable.
#[derive(Clone, Debug)]
pub(super) struct Var {
    pub kind: Kind,
    /// How deep in functions and iterations it was made.
    pub level: u32,
    /// Where it came up.
    pub span: Span,
    /// What it is, in the words of a message ("the size of the slice").
    pub what: &'static str,
    /// What is asked of it while it is open.
    pub demand: Demand,
    /// Of an `Inst`: how its occurrences belong together.
    pub tie: Tie,
    /// Of an `Inst`: whether its occurrences were found to differ.
    pub varies: bool,
    pub round: Round,
}

impl Var {
    pub(super) fn new(kind: Kind, level: u32, span: Span, what: &'static str) -> Var {
        let tie = if matches!(kind, Kind::Inst { element: false, .. }) { Tie::Whole } else { Tie::Rows };
        Var { kind, level, span, what, demand: Demand::default(), tie, varies: false, round: Round::None }
    }
}
