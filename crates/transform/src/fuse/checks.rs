//! Checks of two forms that become one.
//!
//! ```text
//! for i < n { let c = cs[i]; assert c < 10; emit => xs[i] }          for i < n {
//! for j < n { let d = cs[j]; assert d < 10; emit => 1 }        =>      let c = cs[i]; assert c < 10; emit 0 => xs[i]
//!                                                                      let d = cs[i]; assert d < 10; emit 1 => 1
//!                                                                    }
//! ```
//!
//! All checks of the first form come before those of the second, and the first that fails is reported. In one loop the turns of both
//! alternate. That changes nothing if whatever fails in a turn of the second fails in the same turn of the first.

use super::joining::same;
use super::merge::OneLoop;
use base::Set;
use ir::traverse::Part;
use ir::{Exp, Step, Stm, Var};

/// The checks of a form by their certificates, if all that can fail in it are checks that every turn of its loop makes.
pub(super) fn of_turns(stm: &Stm) -> Option<Set<Var>> {
    let Exp::Bulk(bulk) = &stm.exp else { return None };
    let checks: Set<Var> = asserts(OneLoop::of(bulk)?.body).filter_map(|check| check.vars.first().copied()).collect();
    let mut failing = 0;
    stm.walk(&mut |part| {
        if let Part::Stm(stm) = part {
            failing += usize::from(stm.exp.can_fail());
        }
    });
    (failing == checks.len()).then_some(checks)
}

/// Whether every turn of a form makes each of these checks earlier, under another name.
pub(super) fn are_repeated(made: &Stm, checks: &Set<Var>) -> bool {
    let Exp::Bulk(bulk) = &made.exp else { return false };
    let Some(OneLoop { body, .. }) = OneLoop::of(bulk) else { return false };
    let asks_alike = |a: &Stm, b: &Stm| match (&a.exp, &b.exp) {
        (Exp::Assert { cond, .. }, Exp::Assert { cond: other, .. }) => same(body, *cond, *other),
        (_, _) => false,
    };
    let mut earlier: Vec<&Stm> = Vec::new();
    let mut repeated = 0;
    for check in asserts(body) {
        if !check.vars.iter().any(|var| checks.contains(var)) {
            earlier.push(check);
        } else if earlier.iter().any(|other| asks_alike(check, other)) {
            repeated += 1;
        }
    }
    repeated == checks.len()
}

/// The checks among the bindings of a list.
fn asserts(steps: &[Step]) -> impl Iterator<Item = &Stm> {
    steps.iter().filter_map(|step| match step {
        Step::Let(stm) if matches!(stm.exp, Exp::Assert { .. }) => Some(stm),
        _ => None,
    })
}
