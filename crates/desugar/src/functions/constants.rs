//! Constants become parameters.
//!
//! While definitions are translated, a constant is a variable that is bound nowhere. Afterwards every function gets the
//! constants that it (or what it calls) uses as parameters, and entry points compute them first.

use crate::context::Constant;
use base::{Map, Set};
use ir::calls::Calls;
use ir::rename::{Substitution, copies_in};
use ir::{Atom, Exp, FunId, Function, Program, Stm, Var};
use std::collections::BTreeSet;
use typed::DefId;

/// A constant: the function that computes it, and its variables.
type Global = (FunId, Vec<Var>);

/// Gives every function the constants that it needs.
pub(crate) fn lift(program: &mut Program, constants: Map<DefId, Constant>) {
    let mut globals: Vec<Global> = constants.into_values().map(|c| (c.fun, c.vars)).collect();
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
            let new = copies_in(&mut program.vars, vars, &mut copies);
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
        // Row lengths of a constant may be those of another one.
        for result in &program.functions[fun].results {
            program.vars[*result].ty = copies.ty(&program.vars[*result].ty);
        }
        body.for_each_stm_mut(&mut |stm| add_arguments(stm, &globals, &needs));
        copies.block(&mut program.vars, &mut body);
        program.functions[fun].body = body;
    }
}

/// Which constants each function needs, itself or through calls, in order.
fn needs(program: &Program, globals: &[Global], owner: &Map<Var, usize>) -> Map<FunId, BTreeSet<usize>> {
    let uses =
        |function: &Function| function.body.free(&program.vars).iter().filter_map(|v| owner.get(v)).copied().collect();
    let uses: Map<FunId, BTreeSet<usize>> =
        program.functions.iter().map(|(id, function)| (id, uses(function))).collect();
    let calls = Calls::new(program);
    let needs = |fun: FunId| {
        let (mut needed, mut seen, mut todo) = (BTreeSet::new(), Set::default(), vec![fun]);
        while let Some(fun) = todo.pop() {
            if seen.insert(fun) {
                needed.extend(&uses[&fun]);
                // Using a constant computes it, which may take other constants.
                todo.extend(uses[&fun].iter().map(|i| globals[*i].0).chain(calls.of(fun).iter().copied()));
            }
        }
        (fun, needed)
    };
    program.functions.ids().map(needs).collect()
}

/// A call passes the constants that the function needs.
fn add_arguments(stm: &mut Stm, globals: &[Global], needs: &Map<FunId, BTreeSet<usize>>) {
    if let Exp::Call(fun, args) = &mut stm.exp {
        args.extend(needs[fun].iter().flat_map(|i| globals[*i].1.iter().map(|v| Atom::Var(*v))));
    }
}
