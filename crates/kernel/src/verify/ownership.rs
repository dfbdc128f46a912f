//! The rules of ownership: memory is released exactly once, and nothing that was released is used.

use super::function::Verifier;
use super::owners::Owner;
use crate::{Type, Var};

impl Verifier<'_> {
    fn owner(&self, var: Var) -> Option<Owner> {
        self.owners.as_ref().map(|owners| owners.get(var))
    }

    fn set_owner(&mut self, var: Var, owner: Owner) {
        if let (false, Some(owners)) = (self.is_local(var), &mut self.owners) {
            owners.set(var, owner);
        }
    }

    /// A buffer whose memory stays as it is, but not if something is done to it.
    fn fixed(&mut self, var: Var, done: &str) {
        match self.owner(var) {
            Some(Owner::Lent) => self.wrong(format!("{} was lent and is {done}", self.show(var))),
            Some(Owner::Local) => self.wrong(format!("{} is a local array and is {done}", self.show(var))),
            Some(Owner::Fresh | Owner::Empty | Owner::Owned | Owner::Maybe) | None => {}
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
            Some(Owner::Lent | Owner::Local) => self.fixed(var, "overwritten"),
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
            Some(Owner::Lent | Owner::Local) => self.fixed(var, "given away"),
            Some(Owner::Fresh | Owner::Owned | Owner::Maybe) | None => {}
        }
        self.set_owner(var, Owner::Empty);
    }

    /// A buffer is released; it may have nothing.
    pub fn releases(&mut self, var: Var) {
        self.uses_buffer(var);
        self.assigns(var);
        self.fixed(var, "released");
        self.set_owner(var, Owner::Empty);
    }

    /// A buffer is made larger, which attempts may do to those from outside.
    pub fn grows(&mut self, var: Var) {
        self.uses_buffer(var);
        self.changes(var);
        self.fixed(var, "resized");
        self.set_owner(var, Owner::Owned);
    }

    /// A buffer is made larger or smaller: it must not be lent, and owns its memory afterwards.
    pub fn resizes(&mut self, var: Var) {
        self.uses_buffer(var);
        self.assigns(var);
        self.fixed(var, "resized");
        self.set_owner(var, Owner::Owned);
    }

    /// The variables of the innermost scope go: they must own nothing.
    pub fn leave_scope(&mut self) {
        for var in self.scopes.pop().unwrap_or_default() {
            let may_own = matches!(self.owner(var), Some(Owner::Owned | Owner::Maybe)) && !self.kept.contains(&var);
            if let (true, Some(Type::Buffer(_))) = (may_own, self.type_of(var)) {
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
