//! Which arrays share memory that something consumes.
//!
//! Statements that read such memory stay before the statement that consumes it.

use base::{Map, Set};
use ir::traverse::Part;
use ir::{Aliases, FunId, Program, Var};

/// For each variable whose memory may be consumed in the function, a number that all who share the memory have in common.
#[derive(Default)]
pub(super) struct Memory {
    groups: Map<Var, usize>,
    /// How many variables there were.
    known: usize,
}

impl Memory {
    /// The memory of a function.
    pub fn of(program: &Program, fun: FunId) -> Memory {
        let mut consumed = Set::default();
        program.functions[fun].body.walk(&mut |part| {
            if let Part::Stm(stm) = part {
                consumed.extend(stm.exp.consumes(&program.functions));
            }
        });
        let known = program.vars.len();
        if consumed.is_empty() {
            return Memory { groups: Map::default(), known };
        }
        let mut groups = Aliases::of(program, fun).groups();
        let taken: Set<usize> = consumed.iter().filter_map(|var| groups.get(var).copied()).collect();
        groups.retain(|_, group| taken.contains(group));
        Memory { groups, known }
    }

    /// Whether what is consumed may be memory that a variable is in. Of variables that came later, nothing is known.
    pub fn may_share(&self, consumed: Var, read: Var) -> bool {
        let is_new = |var: Var| var.0 as usize >= self.known;
        is_new(consumed) || is_new(read) || self.group(read).is_some() && self.group(read) == self.group(consumed)
    }

    /// The memory that a variable is in, if something consumes that.
    pub fn group(&self, var: Var) -> Option<usize> {
        self.groups.get(&var).copied()
    }
}
