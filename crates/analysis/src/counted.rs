//! How many values a step gives: known before it begins, or not.

use base::Set;
use ir::traverse::Part;
use ir::{Atom, Exp, Step, Stm, Var};

/// Whether the number of values is known before a step begins.
pub fn counted(step: &Step) -> bool {
    match step {
        Step::For { var, body, .. } => counted_in(body, &mut Set::from_iter([*var])),
        other => counted_in(std::slice::from_ref(other), &mut Set::default()),
    }
}

/// The same for steps, some of whose variables are not known before.
fn counted_in(steps: &[Step], unknown: &mut Set<Var>) -> bool {
    steps.iter().all(|step| match step {
        Step::For { var, count, body, .. } => {
            unknown.insert(*var);
            known(count, unknown) && counted_in(body, unknown)
        }
        Step::Guard(_, body) => counted_in(body, unknown),
        Step::Let(stm) => {
            if !computed_before(stm, unknown) {
                unknown.extend(stm.vars.iter().copied());
            }
            true
        }
        Step::Scan(scan) => {
            unknown.extend(&scan.vars);
            true
        }
        Step::Emit(_) => true,
    })
}

fn known(atom: &Atom, unknown: &Set<Var>) -> bool {
    atom.var().is_none_or(|v| !unknown.contains(&v))
}

/// Whether a binding is arithmetic of what is known before the steps begin. A division is not: if no turn comes to it, its
/// divisor may be zero.
pub fn computed_before(stm: &Stm, unknown: &Set<Var>) -> bool {
    let arithmetic = matches!(
        stm.exp,
        Exp::Atom(_) | Exp::Bin(..) | Exp::Un(..) | Exp::Math(..) | Exp::Convert(..) | Exp::Select(..)
    );
    let divides = matches!(&stm.exp, Exp::Bin(..)) && stm.exp.is_partial();
    let mut all = arithmetic && !divides && stm.certs.is_empty();
    stm.exp.for_each_part(&mut |part| {
        if let Part::Atom(atom) = part {
            all &= known(atom, unknown);
        }
    });
    all
}
