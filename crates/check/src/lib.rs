//! Ast to Typed: names, types, sizes and shapes, uniqueness, and what can be said of `array` clauses.
//!
//! The passes, in order, group of definitions by group of definitions:
//! 1. `infer`: modules are evaluated away, names resolved, types inferred with sizes erased.
//! 2. `sizes`: sizes, size functions and shapes by constraints; writes them into the types of pass 1's tree.
//! 3. `unique`: consumption and aliasing.
//! 4. `clauses`: certain collisions, gaps, cycles and out-of-range subscripts of `array` with constant bounds.

pub use infer::{Checked, Std, Unit};

use base::{Diagnostic, Severity, Sources};
use infer::Group;
use typed::Program;
use unique::Summaries;

/// Checks the program whose main file is `units[main]`. Imports come before their importers, and the files of std
/// (those up to `std.library`) before all others.
pub fn check(sources: &Sources, units: &[Unit], std: Std, main: usize) -> Checked {
    let mut summaries = Summaries::default();
    let mut later = |program: &mut Program, group: &Group, diagnostics: &mut Vec<Diagnostic>| {
        later_passes(program, group, &mut summaries, diagnostics)
    };
    infer::infer(sources, units, std, main, &mut later)
}

/// Runs the passes after `infer` on a group. False if its sizes are wrong, so that nothing can rely on its types.
fn later_passes(
    program: &mut Program,
    group: &Group,
    summaries: &mut Summaries,
    diagnostics: &mut Vec<Diagnostic>,
) -> bool {
    let before = diagnostics.len();
    let kinds = sizes::Kinds { vars: group.type_vars, abstracts: group.abstracts };
    sizes::run(program, group.defs, kinds, group.function_first, group.dialect, diagnostics);
    if diagnostics[before..].iter().any(|d| d.severity == Severity::Error) {
        return false;
    }
    sizes::blank::run(program, group.defs, &kinds, group.blanks);
    // The errors of these passes say nothing about other definitions: types and summaries are there for those to use.
    let hints = unique::Hints { written: group.written_diets, lifted: group.type_vars };
    unique::run(program, group.defs, group.dialect, hints, summaries, diagnostics);
    clauses::run(program, group.defs, diagnostics);
    true
}
