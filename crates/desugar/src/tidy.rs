//! What is left to do on Core itself: constants become parameters, and what nothing needs goes away.
//!
//! While definitions are translated, a constant is a variable that is bound nowhere. Afterwards every function gets the
//! constants that it (or what it calls) uses as parameters, and entry points compute them first.

use crate::instance::Constant;
use base::{Map, Set};
use ir::rename::Substitution;
use ir::traverse::{Part, PartMut};
use ir::{Atom, Block, Exp, FunId, Program, Stm, Type, Var};
use typed::DefId;

pub(crate) fn tidy(mut program: Program, constants: Map<DefId, Constant>) -> Program {
    lift_constants(&mut program, constants.into_values().map(|c| (c.fun, c.vars)).collect());
    for fun in program.functions.ids() {
        let mut body = std::mem::take(&mut program.functions[fun].body);
        let attached = attached_certs(&body);
        sweep(&program, &mut body, &attached);
        program.functions[fun].body = body;
    }
    program
}

/// A constant: the function that computes it, the variables that stand for it.
type Global = (FunId, Vec<Var>);

fn lift_constants(program: &mut Program, mut globals: Vec<Global>) {
    if globals.is_empty() {
        return;
    }
    // A constant's function is made before those of constants that use it.
    globals.sort_by_key(|g| g.0);
    let owner: Map<Var, usize> =
        globals.iter().enumerate().flat_map(|(i, g)| g.1.iter().map(move |v| (*v, i))).collect();
    let needs = needs(program, &globals, &owner);
    let entries: Set<FunId> = program.entries.iter().map(|e| e.function).collect();
    for fun in program.functions.ids() {
        let needed = &needs[&fun];
        let mut copies = Substitution::default();
        let mut prelude = Vec::new();
        let mut params = Vec::new();
        for index in needed {
            let (computes, vars) = &globals[*index];
            let new: Vec<Var> = vars.iter().map(|v| program.vars.push(program.vars[*v].clone())).collect();
            vars.iter().zip(&new).for_each(|(old, new)| copies.insert(*old, *new));
            for var in &new {
                program.vars[*var].ty = copies.ty(&program.vars[*var].ty);
            }
            let span = program.functions[*computes].span;
            prelude.push(Stm { vars: new.clone(), certs: Vec::new(), exp: Exp::Call(*computes, Vec::new()), span });
            params.extend(new);
        }
        let mut body = std::mem::take(&mut program.functions[fun].body);
        if entries.contains(&fun) {
            body.stms.splice(0..0, prelude);
        } else {
            let function = &mut program.functions[fun];
            function.params.extend(&params);
            function.consumed.resize(function.params.len(), false);
        }
        add_arguments(&mut body, &globals, &needs);
        copies.block(&mut program.vars, &mut body);
        program.functions[fun].body = body;
    }
}

/// Which constants each function needs, itself or through calls, in order.
fn needs(
    program: &Program,
    globals: &[Global],
    owner: &Map<Var, usize>,
) -> Map<FunId, std::collections::BTreeSet<usize>> {
    let mut needs: Map<FunId, std::collections::BTreeSet<usize>> = Map::default();
    let mut calls: Map<FunId, Set<FunId>> = Map::default();
    for (id, function) in program.functions.iter() {
        let free = function.body.free(&program.vars);
        let mut called = Set::default();
        calls_in(&function.body, &mut called);
        let used: std::collections::BTreeSet<usize> = free.iter().filter_map(|v| owner.get(v)).copied().collect();
        // Whoever uses a constant has it computed, which may take other constants.
        called.extend(used.iter().map(|i| globals[*i].0));
        needs.insert(id, used);
        calls.insert(id, called);
    }
    loop {
        let mut changed = false;
        for (id, called) in &calls {
            let more: Vec<usize> = called.iter().flat_map(|c| needs[c].iter().copied()).collect();
            if let Some(own) = needs.get_mut(id) {
                let before = own.len();
                own.extend(more);
                changed |= own.len() != before;
            }
        }
        if !changed {
            return needs;
        }
    }
}

fn calls_in(block: &Block, out: &mut Set<FunId>) {
    block.walk(&mut |part| {
        if let Part::Stm(Stm { exp: Exp::Call(fun, _), .. }) = part {
            out.insert(*fun);
        }
    });
}

/// Every call passes the constants that the function needs.
fn add_arguments(block: &mut Block, globals: &[Global], needs: &Map<FunId, std::collections::BTreeSet<usize>>) {
    for stm in &mut block.stms {
        add_to_stm(stm, globals, needs);
    }
}

fn add_to_stm(stm: &mut Stm, globals: &[Global], needs: &Map<FunId, std::collections::BTreeSet<usize>>) {
    if let Exp::Call(fun, args) = &mut stm.exp {
        args.extend(needs[fun].iter().flat_map(|i| globals[*i].1.iter().map(|v| Atom::Var(*v))));
    }
    stm.exp.for_each_part_mut(&mut |part| match part {
        PartMut::Block(block) => add_arguments(block, globals, needs),
        PartMut::Stm(stm) => add_to_stm(stm, globals, needs),
        PartMut::Atom(_) | PartMut::Use(_) | PartMut::Bind(_) => {}
    });
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

/// Removes statements whose results nothing uses. What may not end, or shows something, stays.
fn sweep(program: &Program, block: &mut Block, attached: &Set<Var>) {
    let mut used: Set<Var> = Set::default();
    sweep_block(program, block, attached, &mut used);
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
    let loose = |v: &Var| *program.ty(*v) == Type::Cert && !attached.contains(v);
    stm.vars.iter().any(|v| used.contains(v) || loose(v))
        || matches!(stm.exp, Exp::Trace(..))
        || has_root(program, stm, attached)
}

/// Whether something inside must stay whatever becomes of the results: a check that nobody names, a trace.
fn has_root(program: &Program, stm: &Stm, attached: &Set<Var>) -> bool {
    let mut found = false;
    stm.exp.for_each_part(&mut |part| {
        let mut look = |inner: &Stm| {
            let loose = |v: &Var| *program.ty(*v) == Type::Cert && !attached.contains(v);
            found |= inner.vars.iter().any(loose)
                || matches!(inner.exp, Exp::Trace(..))
                || has_root(program, inner, attached);
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

fn sweep_steps(program: &Program, steps: &mut Vec<ir::Step>, attached: &Set<Var>, used: &mut Set<Var>) {
    use ir::Step;
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
