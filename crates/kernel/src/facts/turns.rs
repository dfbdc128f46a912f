//! How many turns lie between those of a loop that use one place.

use super::form::{Form, Known};
use crate::{Expr, Program, Var};

/// A loop.
pub struct Turns<'a> {
    known: Known<'a>,
}

impl<'a> Turns<'a> {
    /// A loop with this index, behind such bindings.
    pub fn new(program: &'a Program, index: Var, before: &[(Var, Expr)]) -> Self {
        let mut known = Known::new(program, index);
        before.iter().for_each(|(var, value)| known.outside(*var, *value));
        Turns { known }
    }

    /// Its body binds a variable to a value; none if it may change.
    pub fn declare(&mut self, var: Var, value: Option<Expr>) {
        self.known.declare(var, value);
    }

    /// How far one turn moves a place, if that is known.
    pub fn step(&self, place: Expr) -> Option<i64> {
        Form::of(place, &self.known).map(|form| form.step)
    }

    /// How many turns after the turn that has a place as `first` a turn has it as `second`, if that is always so.
    pub fn between(&self, first: Expr, second: Expr) -> Option<i64> {
        let (first, second) = (Form::of(first, &self.known)?, Form::of(second, &self.known)?);
        second.turns_behind(&first)
    }
}
