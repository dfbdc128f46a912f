//! What the condition of a loop computes from values that no turn changes goes before the loop.
//!
//! ```text
//! loop (s, k) while {                                  let c = assert u else R001(t, n)
//!   let c = assert u else R001(t, n)                   let <c> m = ptr[t]
//!   let <c> m = ptr[t]                          =>     loop (s, k) while {
//!   let more = k < m                                     let more = k < m
//!   => more                                              => more
//! } do { .. }                                          } do { .. }
//! ```
//!
//! The condition is asked at least once, before anything else, so its checks may go along.

use base::Set;
use ir::traverse::Part;
use ir::{Atom, Exp, LoopForm, Stm, Var};

/// Takes out of the condition of a loop what is to be computed before the loop.
pub(super) fn before(stm: &mut Stm) -> Vec<Stm> {
    let certs = stm.certs.clone();
    let Exp::Loop { params, form: LoopForm::While(cond), .. } = &mut stm.exp else { return Vec::new() };
    let mut changing: Set<Var> = params.iter().map(|(param, _)| *param).collect();
    let (mut out, mut fails) = (Vec::new(), false);
    for mut stm in std::mem::take(&mut cond.stms) {
        let is_check = matches!(stm.exp, Exp::Assert { .. });
        if (stm.exp.is_simple() || is_check && !fails) && !mentions(&stm, &changing) {
            stm.certs.extend(certs.iter().filter(|cert| !stm.certs.contains(cert)).copied().collect::<Vec<_>>());
            out.push(stm);
        } else {
            changing.extend(&stm.vars);
            fails |= stm.can_fail();
            cond.stms.push(stm);
        }
    }
    out
}

fn mentions(stm: &Stm, vars: &Set<Var>) -> bool {
    let mut found = stm.certs.iter().any(|cert| vars.contains(cert));
    stm.walk(&mut |part| {
        found |= matches!(part, Part::Atom(Atom::Var(var)) | Part::Use(var) if vars.contains(var));
    });
    found
}
