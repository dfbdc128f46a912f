//! What the alias analysis finds out.

use crate::{Stm, Var};
use base::Map;
use std::collections::BTreeSet;

/// Variables that memory was made for.
pub type Origins = BTreeSet<Var>;

/// Who shares memory in a function.
#[derive(Clone, Debug, Default)]
pub struct Aliases {
    pub(super) origins: Map<Var, Origins>,
    /// Where the memory of an origin comes from in turn: what was consumed to make it, or flows into a loop variable.
    pub(super) earlier: Map<Var, Origins>,
}

/// A breach of the rules of consumption.
#[derive(Clone, Debug)]
pub struct Fault<'p> {
    /// The innermost statement around it.
    pub stm: Option<&'p Stm>,
    /// What is wrong.
    pub kind: FaultKind,
    /// With which variable.
    pub var: Var,
}

/// The kinds of breaches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// Read although its memory was consumed before.
    Read,
    /// Consumed although it belongs to the surrounding code: the caller, or the iterations of a bulk form or loop.
    Foreign,
    /// Consumed together with something that shares its memory.
    Shared,
    /// A result that is said to be fresh and is not.
    Fresh,
}

impl Aliases {
    /// The variables that the memory of an array may have been made for, by whatever way: through views, branches,
    /// loops, calls and updates in place. Empty if the variable is no array.
    pub fn roots(&self, var: Var) -> Origins {
        let mut found = Origins::new();
        let mut open: Vec<Var> = self.origins.get(&var).into_iter().flatten().copied().collect();
        while let Some(origin) = open.pop() {
            if found.insert(origin) {
                open.extend(self.earlier.get(&origin).into_iter().flatten());
            }
        }
        found
    }

    /// Whether two arrays may share memory.
    pub fn share(&self, a: Var, b: Var) -> bool {
        let roots = self.roots(a);
        !roots.is_disjoint(&self.roots(b))
    }

    /// For each array a number. Arrays that may share memory, by whatever way and whatever length of way, have the same.
    pub fn groups(&self) -> Map<Var, usize> {
        let mut known: Map<Var, usize> = Map::default();
        let mut parents: Vec<usize> = Vec::new();
        for (var, others) in self.origins.iter().chain(&self.earlier) {
            let own = number(*var, &mut known, &mut parents);
            for other in others {
                let other = number(*other, &mut known, &mut parents);
                let (a, b) = (find(&mut parents, own), find(&mut parents, other));
                parents[a] = b;
            }
        }
        known.values_mut().for_each(|number| *number = find(&mut parents, *number));
        known
    }

    /// All variables of the function that may share memory with an array, itself included.
    pub fn sharing(&self, var: Var) -> BTreeSet<Var> {
        let roots = self.roots(var);
        self.origins.keys().copied().filter(|other| !roots.is_disjoint(&self.roots(*other))).collect()
    }
}

/// The number of a variable, which starts as a group of its own.
fn number(var: Var, known: &mut Map<Var, usize>, parents: &mut Vec<usize>) -> usize {
    *known.entry(var).or_insert_with(|| {
        parents.push(parents.len());
        parents.len() - 1
    })
}

/// The representative of a group; paths are halved on the way.
fn find(parents: &mut [usize], mut at: usize) -> usize {
    while parents[at] != at {
        parents[at] = parents[parents[at]];
        at = parents[at];
    }
    at
}
