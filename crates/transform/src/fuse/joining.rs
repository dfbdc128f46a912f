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
//! is done only where there are rows. Two scatters or histograms at the same places are joined, too ([`join_places`]): several
//! threads can write one output only.

use super::settle::renumber;
use analysis::emits;
use ir::{Atom, Bulk, Coverage, Emit, Exp, Kind, Output, Program, Step, Stm, Var};

/// Joins outputs of a form as often as possible.
pub(super) fn join(program: &Program, stm: &mut Stm) {
    join_pairs(stm, &|bulk| pair(program, bulk, &bulk.steps), &|first, gone| first.elems.extend(gone.elems));
}

/// Joins outputs of a form that change arrays at the same places, as often as possible.
pub(super) fn join_places(program: &Program, stm: &mut Stm) {
    join_pairs(stm, &|bulk| same_places(program, bulk, &bulk.steps), &with_arrays);
}

/// Joins the outputs that `find` finds: `with` puts what the second makes into the first.
fn join_pairs(stm: &mut Stm, find: &dyn Fn(&Bulk) -> Option<(usize, usize)>, with: &dyn Fn(&mut Output, Output)) {
    let Exp::Bulk(bulk) = &mut stm.exp else { return };
    while let Some((first, second)) = find(bulk) {
        let mut bound = split(&stm.vars, &bulk.outputs);
        let more = bound.remove(second);
        bound[first].extend(more);
        stm.vars = bound.concat();
        let gone = bulk.outputs.remove(second);
        with(&mut bulk.outputs[first], gone);
        join_values(&mut bulk.steps, first, second);
        renumber(&mut bulk.steps, &|number| if number > second { number - 1 } else { number });
    }
}

/// Two outputs, the first before the second, that change arrays at the same places, where both values stand in one list.
fn same_places(program: &Program, bulk: &Bulk, steps: &[Step]) -> Option<(usize, usize)> {
    let alone = |emit: &&Emit| emit.value.stms.is_empty() && emits::count(&bulk.steps, emit.output) == 1;
    let values: Vec<&Emit> = steps.iter().filter_map(value).filter(alone).collect();
    for (number, emit) in values.iter().enumerate() {
        let other = values[number + 1..].iter().find(|other| {
            let (a, b) = (&bulk.outputs[emit.output], &bulk.outputs[other.output]);
            let at = emit.at.len() == other.at.len() && emit.at.iter().zip(&other.at).all(|(a, b)| same(steps, *a, *b));
            at && emit.output != other.output && change_alike(program, a, b)
        });
        if let Some(other) = other {
            return Some((emit.output.min(other.output), emit.output.max(other.output)));
        }
    }
    steps.iter().find_map(|step| match step {
        Step::For { body, .. } | Step::Guard(_, body) => same_places(program, bulk, body),
        Step::Let(_) | Step::Scan(_) | Step::Emit(_) => None,
    })
}

/// Whether two atoms are the same, or computed in the same way in a list.
pub(super) fn same(steps: &[Step], a: Atom, b: Atom) -> bool {
    let computed = |atom: Atom| {
        steps.iter().find_map(|step| match step {
            Step::Let(stm) if atom.var().is_some_and(|var| stm.vars == [var]) => Some(&stm.exp),
            _ => None,
        })
    };
    let all = |a: &[Atom], b: &[Atom]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(steps, *a, *b));
    a == b
        || match (computed(a), computed(b)) {
            (Some(Exp::Index(xs, at)), Some(Exp::Index(ys, other))) => xs == ys && all(at, other),
            (Some(Exp::Bin(op, prim, a, b)), Some(Exp::Bin(other, as_well, c, d))) => {
                (op, prim) == (other, as_well) && all(&[*a, *b], &[*c, *d])
            }
            (Some(a), Some(b)) => a.computation().is_some() && a.computation() == b.computation(),
            (_, _) => false,
        }
}

/// Whether two outputs change arrays of the same extents in the same way.
fn change_alike(program: &Program, a: &Output, b: &Output) -> bool {
    let dims = |arrays: &[Var]| arrays.iter().map(|array| program.ty(*array).dims().to_vec()).collect::<Vec<_>>();
    let alike = |a: &[Var], b: &[Var]| dims(a).iter().chain(&dims(b)).all(|other| Some(other) == dims(a).first());
    match (&a.kind, &b.kind) {
        (Kind::Update { arrays, skip, rec }, Kind::Update { arrays: others, skip: as_well, rec: more }) => {
            skip == as_well && rec.is_empty() && more.is_empty() && alike(arrays, others)
        }
        (Kind::Accum { arrays, skip, tree, .. }, Kind::Accum { arrays: others, skip: as_well, tree: other, .. }) => {
            skip == as_well && tree == other && alike(arrays, others)
        }
        (_, _) => false,
    }
}

/// An output that changes the arrays of another one, too.
fn with_arrays(output: &mut Output, other: Output) {
    output.elems.extend(other.elems);
    match (&mut output.kind, other.kind) {
        (Kind::Update { arrays, .. }, Kind::Update { arrays: more, .. }) => arrays.extend(more),
        (Kind::Accum { arrays, op, .. }, Kind::Accum { arrays: more, op: other, .. }) => {
            let (own, others) = (arrays.len(), more.len());
            arrays.extend(more);
            let (left, right) = op.params.split_at(own);
            let (more_left, more_right) = other.params.split_at(others);
            op.params = [left, more_left, right, more_right].concat();
            op.body.stms.extend(other.body.stms);
            op.body.result.extend(other.body.result);
        }
        (_, _) => base::bug!("outputs of different kinds are joined"),
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
        if let Step::For { body, .. } | Step::Guard(_, body) = step {
            join_values(body, first, second);
        }
    }
}
