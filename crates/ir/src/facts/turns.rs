//! Loops that do the same in every turn.

use crate::tree::identities;
use crate::{Atom, Bulk, Emit, Kind, Output, Step, Var};
use scalar::Scalar;

/// The index, the number of turns and the condition of a loop that checks whether a condition holds in every turn; result
/// number `number` of the bulk form says so.
pub(super) fn every(bulk: &Bulk, number: usize) -> Option<(Var, Atom, Atom)> {
    let (output, _) = output_of(bulk, number)?;
    of_each_turn(bulk, output).filter(|_| is_all(&bulk.outputs[output]))
}

/// The same of a loop that puts a value into a vector at its index, with the value in place of the condition.
pub(super) fn value_of_each(bulk: &Bulk, number: usize) -> Option<(Var, Atom, Atom)> {
    let (output, component) = output_of(bulk, number)?;
    let Output { kind: Kind::Gen { shape, .. }, sizes, elems } = &bulk.outputs[output] else { return None };
    let whole = shape.len() == 1 && sizes.is_empty() && elems.len() == 1 && component == 0;
    of_each_turn(bulk, output).filter(|_| whole)
}

/// Which output of a bulk form a result belongs to, and which component of it that is.
fn output_of(bulk: &Bulk, number: usize) -> Option<(usize, usize)> {
    let mut first = 0;
    bulk.outputs.iter().enumerate().find_map(|(i, output)| {
        let component = number - first;
        first += output.bound();
        (component < output.bound()).then_some((i, component))
    })
}

/// The index, the number of turns and the one value that goes into an output in every turn of the outermost loop, at the
/// index of that loop if it goes into an array.
fn of_each_turn(bulk: &Bulk, output: usize) -> Option<(Var, Atom, Atom)> {
    let [Step::For { var, count, body, .. }] = &bulk.steps[..] else { return None };
    let emits: Vec<&Emit> = body.iter().filter_map(|step| emit_to(step, output)).collect();
    match emits[..] {
        [emit] if emit.at.iter().all(|at| *at == (*var).into()) => Some((*var, *count, *emit.value.result.first()?)),
        _ => None,
    }
}

fn emit_to(step: &Step, output: usize) -> Option<&Emit> {
    match step {
        Step::Emit(emit) if emit.output == output => Some(emit),
        _ => None,
    }
}

fn is_all(output: &Output) -> bool {
    match &output.kind {
        Kind::Reduce { op, neutral, .. } => {
            **neutral == [Atom::bool(true)] && identities(op) == Some(vec![Scalar::Bool(true)])
        }
        Kind::Gen { .. } | Kind::Update { .. } | Kind::Accum { .. } | Kind::Keep => false,
    }
}
