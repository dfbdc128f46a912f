//! Whether a program is Core. The checklist is [`Rule`].
//!
//! A program that the verifier refuses is the mistake of the pass that made it, never the user's. Scopes and types
//! come first; the rules of memory are looked at only in functions where those are right.

mod arrays;
mod bounds;
mod bulk;
mod control;
mod coverage;
mod descs;
mod entry;
mod equal;
mod exp;
mod nests;
mod rule;
mod scalars;
mod scope;
mod violation;

pub use rule::Rule;
pub use violation::Violation;

use crate::alias::{self, FaultKind};
use crate::print::{print_stm, print_var};
use crate::{FunId, Program, Var};
use base::Set;
use scope::Verifier;
use violation::{MOST, first_line};

/// Whether all rules hold; otherwise the first places where they do not.
pub fn verify(program: &Program) -> Result<(), Vec<Violation>> {
    check(program, true)
}

/// Whether all rules hold except those of memory, which hold only after the pass `copies`.
pub fn verify_types(program: &Program) -> Result<(), Vec<Violation>> {
    check(program, false)
}

/// The statements of a function that break a rule other than those of memory: what they bind. Nothing if the rules hold.
pub fn broken(program: &Program, function: FunId) -> Option<Set<Var>> {
    let mut verifier = Verifier::new(program);
    verifier.function(function);
    (!verifier.found.is_empty()).then_some(verifier.broken)
}

fn check(program: &Program, with_memory: bool) -> Result<(), Vec<Violation>> {
    let mut verifier = Verifier::new(program);
    program.boxes.ids().for_each(|id| verifier.boxes(id));
    for function in program.functions.ids() {
        let before = verifier.found.len();
        verifier.function(function);
        if with_memory && verifier.found.len() == before {
            verifier.found.extend(memory(program, function));
        }
    }
    program.entries.iter().for_each(|entry| verifier.entry(entry));
    let mut found = verifier.found;
    found.truncate(MOST);
    if found.is_empty() { Ok(()) } else { Err(found) }
}

/// What breaks the rules of memory in a function.
fn memory(program: &Program, function: FunId) -> Vec<Violation> {
    let (_, faults) = alias::analyse(program, function);
    let violation = |fault: &alias::Fault<'_>| {
        let name = print_var(program, function, fault.var);
        let (rule, detail) = match fault.kind {
            FaultKind::Read => (Rule::Read, format!("`{name}` is read, but its memory has been consumed")),
            FaultKind::Foreign => (Rule::Foreign, format!("`{name}` may not be consumed here")),
            FaultKind::Shared => (Rule::Shared, format!("`{name}` is consumed and shares its memory")),
            FaultKind::Fresh => (Rule::Fresh, format!("`{name}` is not fresh")),
        };
        let statement = fault.stm.map(|stm| first_line(&print_stm(program, function, stm))).unwrap_or_default();
        Violation { rule, function: program.functions[function].name.to_string(), statement, detail }
    };
    faults.iter().take(MOST).map(violation).collect()
}
