//! Which elements of an array a turn replaces, and whether others read them.
//!
//! ```text
//! loop (a = a0) for i < t {
//!   let r = k + 1 + i                     all places that a turn replaces are in row `r`, which is another one in each turn
//!   let x = a[r, k]                       its own row
//!   let y = a[k, k]                       row `k`, which no turn replaces
//!   .. emit [r, j] => f x y ..
//! ```

use super::subscripts::{Subscripts, Sum};
use super::turn::Turn;
use base::Set;
use ir::traverse::Part;
use ir::{Atom, Emit, Exp, Stm, Var};

/// The places that the turns of a loop replace in an array.
pub(super) struct Access<'t> {
    subscripts: &'t Subscripts,
    emits: Vec<&'t Emit>,
    /// A dimension in which all places of a turn have one subscript, which is another one in each turn.
    dim: usize,
    own: Sum,
    /// What may differ from turn to turn.
    inside: Set<Var>,
}

impl<'t> Access<'t> {
    /// The places of these values, if each turn has places of its own.
    pub fn of(subscripts: &'t Subscripts, turn: &Turn<'_>, emits: Vec<&'t Emit>) -> Option<Access<'t>> {
        let mut inside: Set<Var> = turn.body.bound().into_iter().collect();
        inside.extend(turn.params.iter().map(|(param, _)| *param));
        inside.insert(turn.index);
        let first = emits.first()?;
        let (dim, own) = (first.at.iter().enumerate()).find_map(|(dim, at)| {
            let own = subscripts.sum(*at);
            let is_own = own.moves_with(turn.index, &|var| inside.contains(&var));
            let same = |emit: &&Emit| emit.at.get(dim).is_some_and(|at| subscripts.sum(*at).equals(&own));
            (is_own && emits.iter().all(same)).then_some((dim, own))
        })?;
        Some(Access { subscripts, emits, dim, own, inside })
    }

    /// How often a statement reads one of these arrays where no other turn replaces anything.
    pub fn reads(&self, stm: &Stm, arrays: &[Var]) -> usize {
        let fine = |stm: &Stm| match &stm.exp {
            Exp::Index(array, at) => arrays.contains(array) && self.is_safe(at),
            _ => false,
        };
        let mut found = usize::from(fine(stm));
        stm.walk(&mut |part| match part {
            Part::Stm(stm) => found += usize::from(fine(stm)),
            Part::Atom(_) | Part::Use(_) | Part::Bind(_) | Part::Block(_) => {}
        });
        found
    }

    /// Whether a statement reads one of these arrays outside of the places of its own turn.
    pub fn reads_others(&self, stm: &Stm, arrays: &[Var]) -> bool {
        let other = |stm: &Stm| match &stm.exp {
            Exp::Index(array, at) => arrays.contains(array) && !self.is_own(at),
            _ => false,
        };
        let mut found = other(stm);
        stm.walk(&mut |part| match part {
            Part::Stm(stm) => found |= other(stm),
            Part::Atom(_) | Part::Use(_) | Part::Bind(_) | Part::Block(_) => {}
        });
        found
    }

    /// Whether no other turn replaces what is at this place.
    fn is_safe(&self, at: &[Atom]) -> bool {
        self.is_own(at) || (0..at.len()).any(|dim| self.is_outside(dim, at[dim]))
    }

    fn is_own(&self, at: &[Atom]) -> bool {
        at.get(self.dim).is_some_and(|at| self.subscripts.sum(*at).equals(&self.own))
    }

    /// Whether no value goes to where a dimension has this subscript, which is the same in all turns.
    fn is_outside(&self, dim: usize, at: Atom) -> bool {
        let is_fixed = self.subscripts.sum(at).is_fixed(&|var| self.inside.contains(&var));
        let differs = |emit: &&Emit| emit.at.get(dim).is_some_and(|own| self.subscripts.differ(*own, at));
        is_fixed && self.emits.iter().all(differs)
    }
}
