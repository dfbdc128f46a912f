//! What nothing needs goes away.
//!
//! ```text
//! let s: i64 = a + b
//! let t: i64 = a * b        =>      let s: i64 = a + b
//! => s                              => s
//! ```
//!
//! A statement stays if something uses what it binds, if it shows something (`trace`), or if it is a check that no
//! statement names: such a check guards a whole computation. A check that statements name goes with the last of them,
//! unless it is the check of a size: `length (iota n)` needs no array, but `n` has to be a size; nor does `length xs[a:b]`.
//! Functions that nothing calls stay.

use base::Set;
use ir::traverse::{Part, PartMut};
use ir::{Atom, Block, Exp, Program, Step, Stm, Var};

/// Removes statements whose results nothing uses.
pub fn sweep(program: &mut Program) {
    for fun in program.functions.ids() {
        let mut body = std::mem::take(&mut program.functions[fun].body);
        let attached = attached_certs(&body);
        sweep_block(program, &mut body, &attached, &mut Set::default());
        program.functions[fun].body = body;
    }
}

/// Certificates that something names: their checks go when nothing that names them is left.
fn attached_certs(block: &Block) -> Set<Var> {
    let mut out = Set::default();
    block.walk(&mut |part| {
        if let Part::Use(var) = part {
            out.insert(*var);
        }
    });
    out
}

fn sweep_block(program: &Program, block: &mut Block, attached: &Set<Var>, used: &mut Set<Var>) {
    used.extend(block.result.iter().filter_map(|a| a.var()));
    let mut kept = Vec::with_capacity(block.stms.len());
    for mut stm in std::mem::take(&mut block.stms).into_iter().rev() {
        if needed(program, &stm, attached, used) {
            sweep_stm(program, &mut stm, attached, used);
            kept.push(stm);
        }
    }
    kept.reverse();
    block.stms = kept;
}

fn needed(program: &Program, stm: &Stm, attached: &Set<Var>, used: &Set<Var>) -> bool {
    stm.vars.iter().any(|v| used.contains(v)) || is_root(program, stm, attached) || has_root(program, stm, attached)
}

/// Whether a statement stays whatever becomes of its results: it shows something, or is a check that no statement names, or
/// that of a size.
fn is_root(program: &Program, stm: &Stm, attached: &Set<Var>) -> bool {
    match &stm.exp {
        Exp::Trace(..) => true,
        Exp::Assert { site, .. } => {
            program.sites[*site].message.fault.must_stay() || !stm.vars.iter().any(|v| attached.contains(v))
        }
        _ => false,
    }
}

/// Whether something inside must stay whatever becomes of the results.
fn has_root(program: &Program, stm: &Stm, attached: &Set<Var>) -> bool {
    let mut found = false;
    stm.exp.for_each_part(&mut |part| {
        let mut look = |inner: &Stm| {
            found |= is_root(program, inner, attached) || has_root(program, inner, attached);
        };
        match part {
            Part::Block(block) => block.stms.iter().for_each(look),
            Part::Stm(stm) => look(stm),
            Part::Atom(_) | Part::Use(_) | Part::Bind(_) => {}
        }
    });
    found
}

fn sweep_stm(program: &Program, stm: &mut Stm, attached: &Set<Var>, used: &mut Set<Var>) {
    used.extend(stm.certs.iter().copied());
    let mut types: Vec<Var> = stm.vars.clone();
    // Steps of a bulk form are swept by hand: what one binds, later ones use.
    if let Exp::Bulk(bulk) = &mut stm.exp {
        sweep_steps(program, &mut bulk.steps, attached, used);
    }
    let is_bulk = matches!(stm.exp, Exp::Bulk(_));
    stm.exp.for_each_part_mut(&mut |part| match part {
        PartMut::Atom(Atom::Var(var)) | PartMut::Use(var) => {
            used.insert(*var);
        }
        PartMut::Atom(Atom::Const(_)) => {}
        PartMut::Bind(var) => types.push(*var),
        PartMut::Block(block) => sweep_block(program, block, attached, used),
        PartMut::Stm(inner) => {
            debug_assert!(is_bulk);
            types.extend(&inner.vars);
            inner.walk(&mut |part| {
                if let Part::Atom(Atom::Var(var)) | Part::Use(var) = part {
                    used.insert(*var);
                }
            });
        }
    });
    for var in types {
        program.ty(var).for_each_var(&mut |v| {
            used.insert(v);
        });
    }
}

fn sweep_steps(program: &Program, steps: &mut Vec<Step>, attached: &Set<Var>, used: &mut Set<Var>) {
    let mut kept = Vec::with_capacity(steps.len());
    for mut step in std::mem::take(steps).into_iter().rev() {
        match &mut step {
            Step::For { var: _, count, body } => {
                sweep_steps(program, body, attached, used);
                used.extend(count.var());
            }
            Step::Guard(cond, body) => {
                sweep_steps(program, body, attached, used);
                used.extend(cond.var());
            }
            Step::Emit(emit) => {
                sweep_block(program, &mut emit.value, attached, used);
                used.extend(emit.at.iter().filter_map(|a| a.var()));
                used.extend(emit.certs.iter().copied());
            }
            Step::Let(stm) => {
                if !needed(program, stm, attached, used) {
                    continue;
                }
                sweep_stm(program, stm, attached, used);
            }
        }
        kept.push(step);
    }
    kept.reverse();
    *steps = kept;
}
