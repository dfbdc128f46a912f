//! What is around the only value of a form, as a list.

use ir::{Atom, Emit, Mark, Step, Stm, Var};

/// What is around a value.
#[derive(Clone)]
pub(super) enum Around {
    For(Var, Atom),
    Guard(Atom),
    Let(Stm),
}

impl Around {
    /// The steps that have this around others.
    pub fn around(self, inner: Vec<Step>) -> Vec<Step> {
        match self {
            Around::For(var, count) => vec![Step::For { var, count, mark: Mark::Open, body: inner }],
            Around::Guard(cond) => vec![Step::Guard(cond, inner)],
            Around::Let(stm) => std::iter::once(Step::Let(stm)).chain(inner).collect(),
        }
    }
}

/// What is around the only value of steps, from outside to inside, and the value.
pub(super) fn around(steps: &[Step]) -> Option<(Vec<Around>, Emit)> {
    let (mut found, mut steps) = (Vec::new(), steps);
    loop {
        let (last, lets) = steps.split_last()?;
        for step in lets {
            let Step::Let(stm) = step else { return None };
            found.push(Around::Let(stm.clone()));
        }
        match last {
            Step::For { var, count, body, .. } => {
                found.push(Around::For(*var, *count));
                steps = body;
            }
            Step::Guard(cond, body) => {
                found.push(Around::Guard(*cond));
                steps = body;
            }
            Step::Emit(emit) => return Some((found, emit.clone())),
            Step::Let(_) | Step::Scan(_) => return None,
        }
    }
}
