//! Who owns references: each buffer variable owns one, owns nothing, may own one (after a choice), or was lent it.

use super::function::Verifier;
use crate::{Type, Var};
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

    fn join(&self, other: &Owners) -> Owners {
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

impl Verifier<'_> {
    fn owner(&self, var: Var) -> Option<Owner> {
        self.owners.as_ref().map(|owners| owners.get(var))
    }

    fn set_owner(&mut self, var: Var, owner: Owner) {
        if let Some(owners) = &mut self.owners {
            owners.set(var, owner);
        }
    }

    /// A buffer gets a reference: it must have none.
    pub fn receives(&mut self, var: Var) {
        self.uses_buffer(var);
        self.assigns(var);
        match self.owner(var) {
            Some(Owner::Owned | Owner::Maybe) => {
                self.wrong(format!("{} is overwritten while it may own a reference", self.show(var)));
            }
            Some(Owner::Lent) => self.wrong(format!("{} was lent and is overwritten", self.show(var))),
            Some(Owner::Fresh | Owner::Empty) | None => {}
        }
        self.set_owner(var, Owner::Owned);
    }

    /// A buffer gives its reference away: it must have one, or never have got anything.
    pub fn gives(&mut self, var: Var) {
        self.uses_buffer(var);
        self.assigns(var);
        match self.owner(var) {
            Some(Owner::Empty) => self.wrong(format!("{} gives away what it does not have", self.show(var))),
            Some(Owner::Lent) => self.wrong(format!("{} was lent and is given away", self.show(var))),
            Some(Owner::Fresh | Owner::Owned | Owner::Maybe) | None => {}
        }
        self.set_owner(var, Owner::Empty);
    }

    /// A buffer is released; it may have nothing.
    pub fn releases(&mut self, var: Var) {
        self.uses_buffer(var);
        self.assigns(var);
        if self.owner(var) == Some(Owner::Lent) {
            self.wrong(format!("{} was lent and is released", self.show(var)));
        }
        self.set_owner(var, Owner::Empty);
    }

    /// A buffer is made larger, which attempts may do to those from outside.
    pub fn grows(&mut self, var: Var) {
        self.uses_buffer(var);
        self.changes(var);
        if self.owner(var) == Some(Owner::Lent) {
            self.wrong(format!("{} was lent and is resized", self.show(var)));
        }
        self.set_owner(var, Owner::Owned);
    }

    /// A buffer is made larger or smaller: it must not be lent, and owns its memory afterwards.
    pub fn resizes(&mut self, var: Var) {
        self.uses_buffer(var);
        self.assigns(var);
        if self.owner(var) == Some(Owner::Lent) {
            self.wrong(format!("{} was lent and is resized", self.show(var)));
        }
        self.set_owner(var, Owner::Owned);
    }

    /// The variables of the innermost scope go: they must own nothing.
    pub fn leave_scope(&mut self) {
        for var in self.scopes.pop().unwrap_or_default() {
            if let (Some(Owner::Owned | Owner::Maybe), Some(Type::Buffer(_))) = (self.owner(var), self.type_of(var)) {
                self.wrong(format!("{} goes out of scope while it may own a reference", self.show(var)));
            }
            if let Some(owners) = &mut self.owners {
                owners.remove(var);
            }
        }
    }

    /// The function returns: nothing may be owned any more.
    pub fn leave_function(&mut self) {
        let holders = self.owners.as_ref().map(|owners| owners.holders()).unwrap_or_default();
        for var in holders {
            self.wrong(format!("{} owns a reference when the function is left", self.show(var)));
        }
        self.owners = None;
    }
}
