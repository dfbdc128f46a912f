//! Removes checks from a body.

use super::proved::{Proved, in_place_of};
use ir::traverse::ListMut;
use ir::{Block, Exp, Step, Stm, Var};

/// Removes the checks that hold anyway.
pub(super) fn remove(body: &mut Block, proved: &Proved) {
    if !proved.is_empty() {
        block(body, proved);
    }
}

/// The same, from the steps of a loop.
pub(super) fn remove_from_steps(body: &mut Vec<Step>, proved: &Proved) {
    steps(body, proved);
}

fn block(block: &mut Block, proved: &Proved) {
    block.stms.retain(|stm| !goes(stm, proved));
    block.stms.iter_mut().for_each(|inner| stm(inner, proved));
}

fn stm(stm: &mut Stm, proved: &Proved) {
    certs(&mut stm.certs, proved);
    stm.exp.for_each_list_mut(&mut |list| match list {
        ListMut::Block(inner) => block(inner, proved),
        ListMut::Steps(inner) => steps(inner, proved),
    });
}

fn steps(steps: &mut Vec<Step>, proved: &Proved) {
    steps.retain(|step| !matches!(step, Step::Let(stm) if goes(stm, proved)));
    for step in steps {
        match step {
            Step::For { body, .. } | Step::Guard(_, body) => self::steps(body, proved),
            Step::Let(inner) => stm(inner, proved),
            Step::Scan(scan) => {
                block(&mut scan.op.body, proved);
                block(&mut scan.value, proved);
            }
            Step::Emit(emit) => {
                certs(&mut emit.certs, proved);
                block(&mut emit.value, proved);
            }
        }
    }
}

/// Whether a statement is a check that holds anyway.
fn goes(stm: &Stm, proved: &Proved) -> bool {
    matches!(stm.exp, Exp::Assert { .. } | Exp::Ensure { .. }) && stm.vars.iter().all(|cert| proved.contains_key(cert))
}

fn certs(certs: &mut Vec<Var>, proved: &Proved) {
    if certs.iter().any(|cert| proved.contains_key(cert)) {
        *certs = in_place_of(proved, certs);
    }
}
