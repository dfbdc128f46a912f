//! What each buffer variable owns: one reference, nothing, perhaps one (after a choice), or one that the caller lent
//! it.

use crate::Var;
use base::Map;

/// What a buffer variable has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Owner {
    /// It was declared and got nothing yet: an array without elements.
    Fresh,
    /// It refers to nothing any more.
    Empty,
    /// It owns a reference.
    Owned,
    /// One or the other, depending on the way taken.
    Maybe,
    /// It is a parameter: the caller owns it.
    Lent,
    /// It is a local array, which nobody owns.
    Local,
}

/// What all buffer variables have.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Owners(Map<Var, Owner>);

impl Owners {
    pub fn set(&mut self, var: Var, owner: Owner) {
        self.0.insert(var, owner);
    }

    pub fn get(&self, var: Var) -> Owner {
        self.0.get(&var).copied().unwrap_or(Owner::Lent)
    }

    pub fn remove(&mut self, var: Var) {
        self.0.remove(&var);
    }

    /// The variables that own something, or may.
    pub fn holders(&self) -> Vec<Var> {
        let mut holders: Vec<Var> =
            self.0.iter().filter(|(_, o)| matches!(o, Owner::Owned | Owner::Maybe)).map(|(v, _)| *v).collect();
        holders.sort();
        holders
    }

    pub fn join(&self, other: &Owners) -> Owners {
        let one = |(var, owner): (&Var, &Owner)| {
            let there = other.0.get(var).copied()?;
            let both = match (*owner, there) {
                (one, other) if one == other => one,
                (Owner::Fresh | Owner::Empty, Owner::Fresh | Owner::Empty) => Owner::Empty,
                _ => Owner::Maybe,
            };
            Some((*var, both))
        };
        Owners(self.0.iter().filter_map(one).collect())
    }
}

/// What is true after two ways meet; a way that does not arrive says nothing.
pub(super) fn join(left: Option<Owners>, right: Option<Owners>) -> Option<Owners> {
    match (left, right) {
        (Some(left), Some(right)) => Some(left.join(&right)),
        (one, None) | (None, one) => one,
    }
}
