//! What is assumed of a group of definitions until a walk refutes it (see `fixpoint`).

use super::scheme::Scheme;
use base::{Map, Set, Span};
use typed::DefId;

/// The assumptions of a group of definitions.
#[derive(Default)]
pub(super) struct Assumptions {
    /// Sizes that do change: the loop or recursive array, and the number of the dimension in its type.
    pub varying: Set<(Span, usize)>,
    /// The types of recursive definitions whose result is not written.
    pub results: Map<DefId, Scheme>,
    /// The dimensions of their results that nothing is assumed of.
    pub unknown: Set<(DefId, usize)>,
    /// Whether such a definition was used inside its group in this walk.
    pub recursive: bool,
    /// Whether this walk refuted something.
    pub refuted: bool,
}

impl Assumptions {
    /// Whether a dimension of a loop's value or of a recursive array may change.
    pub(super) fn varies(&self, at: Span, dimension: usize) -> bool {
        self.varying.contains(&(at, dimension))
    }

    /// A dimension was found to change.
    pub(super) fn refute(&mut self, at: Span, dimension: usize) {
        self.refuted |= self.varying.insert((at, dimension));
    }

    /// What is assumed of a recursive definition, once there is something.
    pub(super) fn result(&mut self, def: DefId) -> Option<Scheme> {
        self.recursive = true;
        self.results.get(&def).cloned()
    }
}
