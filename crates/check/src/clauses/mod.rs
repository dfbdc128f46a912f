//! Pass `clauses`: what certainly goes wrong in arrays defined by clauses with constant bounds.

use base::Diagnostic;
use typed::{DefId, Program};

/// Reports certain collisions, gaps, cycles and out-of-range subscripts of a group of definitions.
pub(crate) fn run(program: &Program, defs: &[DefId], diagnostics: &mut Vec<Diagnostic>) {
    let _ = (program, defs, diagnostics);
}
