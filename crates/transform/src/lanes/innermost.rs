//! The loop of a form whose turns are points.

use ir::{Exp, Step, Stm, Var};

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

/// The same with other steps in the place of the loop with this index.
fn with_loop(step: &Step, index: Var, new: &[Step]) -> Vec<Step> {
    match step {
        Step::For { var, .. } if *var == index => new.to_vec(),
        Step::For { var, count, mark, body } => {
            let body = body.iter().flat_map(|step| with_loop(step, index, new)).collect();
            vec![Step::For { var: *var, count: *count, mark: *mark, body }]
        }
        _ => vec![step.clone()],
    }
}

/// A copy of a form with other steps in the place of the loop with this index.
pub(super) fn replaced(stm: &Stm, index: Var, new: &[Step]) -> Stm {
    let mut stm = stm.clone();
    if let Exp::Bulk(bulk) = &mut stm.exp {
        bulk.steps = bulk.steps.iter().flat_map(|step| with_loop(step, index, new)).collect();
    }
    stm
}
