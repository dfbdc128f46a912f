//! Results of a statement that nothing uses, where it has others.
//!
//! ```text
//! let (xs: [n]i32, ys: [n]i64) = bulk {            let ys: [n]i64 = bulk {
//!   out gen [n] of (x: i32, y: i64)                  out gen [n] of (y: i64)
//!   for i < n { emit [i] { .. => x, y } }     =>     for i < n { emit [i] { .. => y } }
//! }                                                }
//! => ys                                            => ys
//! ```
//!
//! The components of new arrays, the results of choices, and what sorting gives. Other outputs of bulk forms compute their
//! components together.

use base::IdSet;
use ir::{Bulk, Exp, Kind, Program, SortKeys, Sorted, Step, Stm, Var};

/// Takes out the results that are not among the used ones.
pub(super) fn narrow(program: &Program, stm: &mut Stm, used: &IdSet<Var>) {
    if stm.vars.iter().all(|var| used.contains(*var)) {
        return;
    }
    let needed = needed(program, stm, used);
    let unused = |var: &Var| !needed.contains(var);
    if !stm.vars.iter().any(unused) || stm.vars.iter().all(unused) {
        return;
    }
    let Stm { vars, exp, .. } = stm;
    match exp {
        Exp::If(_, one, other) | Exp::Choose(_, one, other) => {
            for block in [one, other] {
                let mut own = vars.iter();
                block.result.retain(|_| own.next().is_none_or(|var| !unused(var)));
            }
            vars.retain(|var| !unused(var));
        }
        Exp::SortKeys(SortKeys { gives, .. }) => {
            *gives = if unused(&vars[0]) { Sorted::Order } else { Sorted::Values };
            vars.retain(|var| !unused(var));
        }
        Exp::Bulk(bulk) => components(vars, bulk, &unused),
        _ => {}
    }
}

/// The used results of a statement, with those that their types mention.
fn needed(program: &Program, stm: &Stm, used: &IdSet<Var>) -> Vec<Var> {
    let mut needed: Vec<Var> = stm.vars.iter().copied().filter(|var| used.contains(*var)).collect();
    // Types mention only what is bound before them.
    for var in stm.vars.iter().rev() {
        if needed.contains(var) {
            program.ty(*var).for_each_var(&mut |var| needed.push(var));
        }
    }
    needed
}

/// Takes out unused components of new arrays, at least one of which stays.
fn components(vars: &mut Vec<Var>, bulk: &mut Bulk, unused: &dyn Fn(&Var) -> bool) {
    let Bulk { outputs, steps, .. } = bulk;
    let (mut first, mut gone) = (0, Vec::new());
    for (number, output) in outputs.iter_mut().enumerate() {
        let bound = output.bound();
        let own = &vars[first + bound - output.elems.len()..first + bound];
        first += bound;
        let Kind::Gen { otherwise, rec, .. } = &mut output.kind else { continue };
        let drops: Vec<bool> = own.iter().map(unused).collect();
        if !rec.is_empty() || !output.sizes.is_empty() || !drops.contains(&true) || !drops.contains(&false) {
            continue;
        }
        gone.extend(own.iter().zip(&drops).filter(|(_, drops)| **drops).map(|(var, _)| *var));
        retain(&mut output.elems, &drops);
        if let Some(block) = otherwise {
            retain(&mut block.result, &drops);
        }
        Step::for_each_emit_mut(steps, &mut |emit| {
            if emit.output == number {
                retain(&mut emit.value.result, &drops);
            }
        });
    }
    vars.retain(|var| !gone.contains(var));
}

fn retain<T>(list: &mut Vec<T>, drops: &[bool]) {
    let mut drops = drops.iter();
    list.retain(|_| drops.next() != Some(&true));
}
