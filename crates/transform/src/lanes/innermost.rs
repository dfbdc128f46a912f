//! The innermost loop of a form.

use ir::{Exp, Step, Stm};

/// The innermost of loops directly inside of one another.
pub(super) fn innermost(step: &Step) -> Option<&Step> {
    let Step::For { body, .. } = step else { return None };
    match body.iter().find(|inner| matches!(inner, Step::For { .. })) {
        Some(inner) if body.iter().all(|step| matches!(step, Step::Let(_)) || std::ptr::eq(step, inner)) => {
            innermost(inner)
        }
        Some(_) => None,
        None => Some(step),
    }
}

/// The same with other steps in the place of the innermost loop.
fn with_innermost(step: &Step, new: &[Step]) -> Vec<Step> {
    let Step::For { var, count, mark, body } = step else { return vec![step.clone()] };
    if !body.iter().any(|inner| matches!(inner, Step::For { .. })) {
        return new.to_vec();
    }
    let body = body.iter().flat_map(|step| with_innermost(step, new)).collect();
    vec![Step::For { var: *var, count: *count, mark: *mark, body }]
}

/// A copy of a form with other steps in the place of its innermost loop.
pub(super) fn replaced(stm: &Stm, new: &[Step]) -> Stm {
    let mut stm = stm.clone();
    if let Exp::Bulk(bulk) = &mut stm.exp {
        bulk.steps = bulk.steps.iter().flat_map(|step| with_innermost(step, new)).collect();
    }
    stm
}
