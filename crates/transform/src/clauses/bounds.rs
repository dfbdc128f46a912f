//! What computes the bounds of clauses goes before the form.
//!
//! ```text
//! let xs = bulk {                                 let t = n - 2
//!   out gen [n] .. checked (..)                   let xs = bulk {
//!   for i < 2 { emit [i] .. }              =>       out gen [n] .. checked (..)
//!   let t = n - 2                                   for i < 2 { emit [i] .. }
//!   for i < t { emit [i + 2] .. }                   for i < t { emit [i + 2] .. }
//! }                                               }
//! ```

use super::coverage::is_checked;
use base::Set;
use ir::traverse::Part;
use ir::{Atom, Block, Bulk, Exp, Step, Stm, Var};

/// Moves them, of all forms that check which elements are defined.
pub(super) fn before_forms(body: &mut Block) {
    body.replace_stms(&mut |mut stm| {
        let mut before = match &mut stm.exp {
            Exp::Bulk(bulk) if bulk.outputs.iter().any(is_checked) => taken(bulk),
            _ => Vec::new(),
        };
        before.push(stm);
        before
    });
}

/// Takes out the statements between loops that cannot fail and need nothing that stays.
fn taken(bulk: &mut Bulk) -> Vec<Stm> {
    let (mut out, mut staying): (Vec<Stm>, Set<Var>) = (Vec::new(), Set::default());
    for step in std::mem::take(&mut bulk.steps) {
        match step {
            Step::Let(stm) if !stm.can_fail() && !needs(&stm, &staying) => out.push(stm),
            other => {
                if let Step::Let(stm) = &other {
                    staying.extend(&stm.vars);
                }
                bulk.steps.push(other);
            }
        }
    }
    out
}

fn needs(stm: &Stm, vars: &Set<Var>) -> bool {
    let mut found = false;
    stm.walk(&mut |part| {
        found |= matches!(part, Part::Atom(Atom::Var(var)) | Part::Use(var) if vars.contains(var));
    });
    found
}
