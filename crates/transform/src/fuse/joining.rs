//! Joins outputs that get their values at the same places.
//!
//! ```text
//! out gen [n] of (x: [m]f64)              out gen [n] of (x: [m]f64, y: f64)
//! out gen [n] of (y: f64)                 for i < n {
//! for i < n {                               let (row, r) = bulk { .. }
//!   let (row, r) = bulk { .. }       =>     emit [i] => row, r
//!   emit 0 [i] => row                     }
//!   emit 1 [i] => r
//! }
//! ```
//!
//! One value can then contain the loop that computes both, and `lower` computes the row where it is needed in memory. So this
//! is done only where there are rows.

use super::settle::renumber;
use analysis::emits;
use ir::{Bulk, Coverage, Emit, Exp, Kind, Output, Program, Step, Stm, Var};

/// Joins outputs of a form as often as possible.
pub(super) fn join(program: &Program, stm: &mut Stm) {
    let Exp::Bulk(bulk) = &mut stm.exp else { return };
    while let Some((first, second)) = pair(program, bulk, &bulk.steps) {
        let mut bound = split(&stm.vars, &bulk.outputs);
        let more = bound.remove(second);
        bound[first].extend(more);
        stm.vars = bound.concat();
        let gone = bulk.outputs.remove(second);
        bulk.outputs[first].elems.extend(gone.elems);
        join_values(&mut bulk.steps, first, second);
        renumber(&mut bulk.steps, &|number| if number > second { number - 1 } else { number });
    }
}

/// The variables of each output.
fn split(vars: &[Var], outputs: &[Output]) -> Vec<Vec<Var>> {
    let mut rest = vars.iter().copied();
    outputs.iter().map(|output| rest.by_ref().take(output.bound()).collect()).collect()
}

/// Two outputs, the first before the second, whose values stand in one list.
fn pair(program: &Program, bulk: &Bulk, steps: &[Step]) -> Option<(usize, usize)> {
    let alone = |emit: &&Emit| emit.value.stms.is_empty() && emits::count(&bulk.steps, emit.output) == 1;
    let values: Vec<&Emit> = steps.iter().filter_map(value).filter(alone).collect();
    for (number, emit) in values.iter().enumerate() {
        let other = values[number + 1..].iter().find(|other| {
            let (a, b) = (&bulk.outputs[emit.output], &bulk.outputs[other.output]);
            emit.at == other.at && emit.output != other.output && can_join(program, a, b)
        });
        if let Some(other) = other {
            return Some((emit.output.min(other.output), emit.output.max(other.output)));
        }
    }
    steps.iter().find_map(|step| match step {
        Step::For { body, .. } => pair(program, bulk, body),
        Step::Guard(..) | Step::Let(_) | Step::Scan(_) | Step::Emit(_) => None,
    })
}

fn value(step: &Step) -> Option<&Emit> {
    match step {
        Step::Emit(emit) => Some(emit),
        Step::For { .. } | Step::Guard(..) | Step::Let(_) | Step::Scan(_) => None,
    }
}

/// Whether two outputs are new arrays of the same extents, of which one has rows. An array of integers stays alone: it may
/// hold sizes, which the verifier knows only of single arrays.
fn can_join(program: &Program, a: &Output, b: &Output) -> bool {
    let shape = |output: &Output| match &output.kind {
        Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec } if rec.is_empty() => Some(shape.clone()),
        _ => None,
    };
    let has_rows = |output: &Output| output.elems.iter().any(|elem| !program.ty(*elem).dims().is_empty());
    let is_size = |output: &Output| output.elems.iter().any(|elem| *program.ty(*elem) == ir::Type::I64);
    let same = shape(a).is_some() && shape(a) == shape(b) && a.sizes.is_empty() && b.sizes.is_empty();
    same && (has_rows(a) || has_rows(b)) && !is_size(a) && !is_size(b)
}

/// Makes the values of two outputs one: where the later of them stands.
fn join_values(steps: &mut Vec<Step>, first: usize, second: usize) {
    let place = |steps: &[Step], output: usize| {
        steps.iter().position(|step| value(step).is_some_and(|emit| emit.output == output))
    };
    if let (Some(a), Some(b)) = (place(steps, first), place(steps, second)) {
        let (Step::Emit(earlier), behind) = (steps.remove(a.min(b)), a.max(b) - 1) else { return };
        let Step::Emit(later) = &mut steps[behind] else { return };
        let (own, other) = (std::mem::take(&mut later.value.result), earlier.value.result);
        later.value.result = if later.output == second { [other, own].concat() } else { [own, other].concat() };
        later.output = first;
        later.certs.extend(earlier.certs);
        return;
    }
    for step in steps {
        if let Step::For { body, .. } = step {
            join_values(body, first, second);
        }
    }
}
