//! Which arrays share memory that something consumes.
//!
//! Statements that read such memory stay before the statement that consumes it.

use base::{Map, Set};
use ir::traverse::Part;
use ir::{Aliases, FunId, Program, Var};

/// For each variable whose memory may be consumed in the function, a number that all who share the memory have in common.
#[derive(Default)]
pub(super) struct Memory(Map<Var, usize>);

impl Memory {
    /// The memory of a function.
    pub fn of(program: &Program, fun: FunId) -> Memory {
        let mut consumed = Set::default();
        program.functions[fun].body.walk(&mut |part| {
            if let Part::Stm(stm) = part {
                consumed.extend(stm.exp.consumes(&program.functions));
            }
        });
        if consumed.is_empty() {
            return Memory::default();
        }
        let mut groups = Aliases::of(program, fun).groups();
        let taken: Set<usize> = consumed.iter().filter_map(|var| groups.get(var).copied()).collect();
        groups.retain(|_, group| taken.contains(group));
        Memory(groups)
    }

    /// The memory that a variable is in, if something consumes that.
    pub fn group(&self, var: Var) -> Option<usize> {
        self.0.get(&var).copied()
    }
}
