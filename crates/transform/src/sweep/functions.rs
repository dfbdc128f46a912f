//! Functions that nothing calls, parameters that nothing reads, results that no call uses.

use base::{IdSet, IdVec, Map, Set};
use ir::calls::Calls;
use ir::traverse::Part;
use ir::{Atom, Exp, FunId, Function, Program, Stm, Type, Var};

/// Removes the functions that no entry point reaches. A program without entry points keeps all.
pub(super) fn remove_unreachable(program: &mut Program) {
    if program.entries.is_empty() {
        return;
    }
    let entries = program.entries.iter().map(|entry| entry.function);
    let reached: Set<FunId> = Calls::new(program).callees_first(entries).into_iter().collect();
    if reached.len() == program.functions.len() {
        return;
    }
    let mut names: Map<FunId, FunId> = Map::default();
    let mut kept: IdVec<FunId, Function> = IdVec::new();
    for (old, function) in std::mem::take(&mut program.functions).into_items() {
        if reached.contains(&old) {
            names.insert(old, kept.push(function));
        }
    }
    for function in kept.values_mut() {
        function.body.for_each_stm_mut(&mut |stm| {
            if let Exp::Call(fun, _) = &mut stm.exp {
                *fun = names[fun];
            }
        });
    }
    program.entries.iter_mut().for_each(|entry| entry.function = names[&entry.function]);
    program.functions = kept;
}

/// Which parameters and which results of a function stay.
struct Kept {
    params: Vec<bool>,
    results: Vec<bool>,
}

/// Removes parameters and results that nothing uses; returns whether there were any. Entry points keep all of theirs.
pub(super) fn shorten(program: &mut Program) -> bool {
    let used = used_results(program);
    let entries: Set<FunId> = program.entries.iter().map(|entry| entry.function).collect();
    let mut kept: Map<FunId, Kept> = Map::default();
    for (fun, function) in program.functions.iter() {
        if let Some(used) = used.get(&fun)
            && !entries.contains(&fun)
        {
            let keep = kept_of(program, function, used);
            if keep.params.contains(&false) || keep.results.contains(&false) {
                kept.insert(fun, keep);
            }
        }
    }
    if kept.is_empty() {
        return false;
    }
    for (fun, keep) in &kept {
        declare_sizes(program, *fun, keep);
        shorten_function(&mut program.functions[*fun], keep);
    }
    for function in program.functions.values_mut() {
        function.body.for_each_stm_mut(&mut |stm| shorten_call(stm, &kept));
    }
    true
}

/// For each function that is called, which of its results something uses.
fn used_results(program: &Program) -> Map<FunId, Vec<bool>> {
    let mut used: Map<FunId, Vec<bool>> = Map::default();
    for function in program.functions.values() {
        let mut calls: Vec<(FunId, Vec<Var>)> = Vec::new();
        function.body.walk(&mut |part| {
            if let Part::Stm(Stm { exp: Exp::Call(fun, _), vars, .. }) = part {
                calls.push((*fun, vars.clone()));
            }
        });
        if calls.is_empty() {
            continue;
        }
        let mut mentioned = mentioned(program, &function.body.stms);
        mentioned.extend(function.body.result.iter().filter_map(|atom| atom.var()));
        for (fun, vars) in calls {
            let used = used.entry(fun).or_insert_with(|| vec![false; vars.len()]);
            used.iter_mut().zip(vars).for_each(|(used, var)| *used |= mentioned.contains(var));
        }
    }
    used
}

/// All variables that statements use, in types too.
fn mentioned(program: &Program, stms: &[Stm]) -> IdSet<Var> {
    let mut found = IdSet::default();
    let mut look = |part: Part<'_>| match part {
        Part::Atom(Atom::Var(var)) | Part::Use(var) => {
            found.insert(*var);
        }
        Part::Bind(var) => mention_type(program, *var, &mut found),
        Part::Atom(Atom::Const(_)) | Part::Block(_) | Part::Stm(_) => {}
    };
    stms.iter().for_each(|stm| stm.walk(&mut look));
    found
}

/// The variables that the type of a variable mentions.
fn mention_type(program: &Program, var: Var, found: &mut IdSet<Var>) {
    program.ty(var).for_each_var(&mut |size| {
        found.insert(size);
    });
}

/// The parameters and results of a function that stay, if these results are used.
fn kept_of(program: &Program, function: &Function, used: &[bool]) -> Kept {
    let mut needed = mentioned(program, &function.body.stms);
    let mut results = used.to_vec();
    // The pass `copies` identifies a statement by the first variable it binds, so a call that consumes something keeps one.
    if !used.contains(&true) && function.consumed.contains(&true) {
        results.iter_mut().take(1).for_each(|first| *first = true);
    }
    for (number, result) in function.results.iter().enumerate().rev() {
        results[number] |= needed.contains(*result);
        if results[number] {
            needed.extend(function.body.result[number].var());
            mention_type(program, *result, &mut needed);
        }
    }
    let mut params = vec![false; function.params.len()];
    for (number, param) in function.params.iter().enumerate().rev() {
        params[number] = needed.contains(*param);
        if params[number] {
            mention_type(program, *param, &mut needed);
        }
    }
    Kept { params, results }
}

/// The dimensions of an array are sizes. If the array goes and a dimension stays, the dimension says so itself.
fn declare_sizes(program: &mut Program, fun: FunId, keep: &Kept) {
    let function = &program.functions[fun];
    let sides = [(function.params.clone(), &keep.params), (function.results.clone(), &keep.results)];
    for (vars, keep) in sides {
        let mut sizes = IdSet::default();
        vars.iter().zip(keep).filter(|(_, keep)| !**keep).for_each(|(var, _)| mention_type(program, *var, &mut sizes));
        for var in vars.into_iter().filter(|var| sizes.contains(*var)) {
            let info = &mut program.vars[var];
            info.size |= matches!(info.ty, Type::Scalar(_) | Type::Array(..));
        }
    }
}

fn shorten_function(function: &mut Function, keep: &Kept) {
    retain(&mut function.params, &keep.params);
    retain(&mut function.consumed, &keep.params);
    retain(&mut function.results, &keep.results);
    retain(&mut function.fresh, &keep.results);
    retain(&mut function.body.result, &keep.results);
}

fn shorten_call(stm: &mut Stm, kept: &Map<FunId, Kept>) {
    if let Exp::Call(fun, args) = &mut stm.exp
        && let Some(keep) = kept.get(fun)
    {
        retain(args, &keep.params);
        retain(&mut stm.vars, &keep.results);
    }
}

fn retain<T>(items: &mut Vec<T>, keep: &[bool]) {
    let mut keep = keep.iter();
    items.retain(|_| keep.next().copied().unwrap_or(true));
}
