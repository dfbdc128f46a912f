//! Constant propagation, common subexpressions and known results, inside functions and between them.
//!
//! ```text
//! fn scaled(n: i64, k: i64, xs: [n]i64) -> (m: i64, ys: [m]i64, k.1: i64) { ... => n, zs, k }
//!
//! let (m, ys, l) = scaled(n, 3, xs)        =>      let (m, ys, l) = scaled(n, 3, xs)
//! let t: i64 = l + 1                               // `m` is `n`, `t` is 4, and `scaled` knows that `k` is 3
//! let a: bool = t > 0                              let r: i64 = n * ys[0]
//! let r: i64 = if a { => m * ys[0] } else { => 0 }
//! => r                                             => r
//! ```
//!
//! Inside of a function ([`body`]) the pass removes copies of atoms, computations on constants, repeated computations, checks
//! that hold, branches with a known condition, results that both branches share, and loop values that no iteration changes.
//! Messages of checks name the calls that led to them as soon as these are known ([`callers`]).
//!
//! Between functions: a result that is a constant or an argument is known at every call; a parameter that is the same
//! constant at every call is known inside. The functions keep their parameters and results, and calls their arguments: the
//! pass `sweep` removes those that nothing uses any more.

mod body;
mod callers;
mod defs;
mod elements;
mod forms;
mod results;
mod rules;
mod scalarise;
mod scope;

use base::{Map, Set};
use ir::calls::{Calls, prints};
use ir::rename::Substitution;
use ir::traverse::Part;
use ir::{Atom, Exp, FunId, Program, Stm, Var};

/// How often known arguments are propagated into the functions that receive them.
const ROUNDS: usize = 8;

/// Runs the pass on all functions.
pub fn simplify(program: &mut Program) {
    let mut arguments = Map::default();
    let mut resolved = callers::Resolved::default();
    for _ in 0..ROUNDS {
        simplify_bodies(program, &arguments, &mut resolved);
        let found = constant_arguments(program);
        let news = found
            .iter()
            .any(|(fun, params)| arguments.get(fun).is_none_or(|before: &Substitution| before.0 != params.0));
        arguments = found;
        if !news {
            return;
        }
    }
}

/// Simplifies all functions, each after those that it calls. `arguments` are the known parameters.
fn simplify_bodies(program: &mut Program, arguments: &Map<FunId, Substitution>, resolved: &mut callers::Resolved) {
    let (mut results, mut silent) = (Map::default(), Set::default());
    let calls = Calls::new(program);
    let recursive = calls.recursive();
    for fun in calls.callees_first(program.functions.ids()) {
        let mut body = std::mem::take(&mut program.functions[fun].body);
        let known = arguments.get(&fun).cloned().unwrap_or_default();
        for var in program.functions[fun].params.iter().chain(&program.functions[fun].results) {
            program.vars[*var].ty = known.ty(&program.vars[*var].ty);
        }
        let params = program.functions[fun].params.clone();
        body::simplify(program, &results, &silent, known, &params, &mut body);
        if !prints(&body, &silent) {
            silent.insert(fun);
        }
        callers::resolve(program, resolved, &mut body);
        program.functions[fun].body = body;
        // Calls in the recursion itself have been simplified: the types of their results must stay as they are.
        let stays = recursive.contains(&fun) && mentions_results(program, fun);
        if !stays && !program.entries.iter().any(|entry| entry.function == fun) {
            results.insert(fun, results::given(program, fun));
            name_results(program, fun);
        }
    }
}

/// Whether the types of results mention other results.
fn mentions_results(program: &Program, fun: FunId) -> bool {
    let results = &program.functions[fun].results;
    let mut found = false;
    for result in results {
        program.ty(*result).for_each_var(&mut |var| found |= results.contains(&var));
    }
    found
}

/// If a result is known, the types of the other results mention its value instead of its name.
fn name_results(program: &mut Program, fun: FunId) {
    let function = &program.functions[fun];
    let known = |(result, atom): (&Var, &Atom)| {
        let outside = atom.var().is_none_or(|var| function.params.contains(&var));
        outside.then_some((*result, *atom))
    };
    let known = Substitution(function.results.iter().zip(&function.body.result).filter_map(known).collect());
    for result in &function.results {
        program.vars[*result].ty = known.ty(&program.vars[*result].ty);
    }
}

/// What calls pass for a parameter.
#[derive(Clone, Copy)]
enum Passed {
    Nothing,
    One(Atom),
    Several,
}

impl Passed {
    fn and(self, arg: Atom) -> Passed {
        match self {
            Passed::Nothing if matches!(arg, Atom::Const(_)) => Passed::One(arg),
            Passed::One(other) if other == arg => self,
            _ => Passed::Several,
        }
    }
}

/// The parameters that are the same constant in every call; entry points are also called from outside. What a function
/// hands on to itself is no news.
fn constant_arguments(program: &Program) -> Map<FunId, Substitution> {
    let mut seen: Map<FunId, Vec<Passed>> = Map::default();
    for (caller, function) in program.functions.iter() {
        function.body.walk(&mut |part| {
            let Part::Stm(Stm { exp: Exp::Call(fun, args), .. }) = part else { return };
            let passed = seen.entry(*fun).or_insert_with(|| vec![Passed::Nothing; args.len()]);
            for ((passed, arg), param) in passed.iter_mut().zip(args).zip(&program.functions[*fun].params) {
                if *fun != caller || *arg != Atom::Var(*param) {
                    *passed = passed.and(*arg);
                }
            }
        });
    }
    program.entries.iter().for_each(|entry| drop(seen.remove(&entry.function)));
    let known = |(fun, args): (FunId, Vec<Passed>)| {
        let one = |(param, passed): (&Var, Passed)| match passed {
            Passed::One(atom) => Some((*param, atom)),
            Passed::Nothing | Passed::Several => None,
        };
        (fun, Substitution(program.functions[fun].params.iter().zip(args).filter_map(one).collect()))
    };
    seen.into_iter().map(known).collect()
}
