//! Pass `unique`: consumption and aliasing.
//!
//! A value that is consumed (updated in place, or passed for a parameter marked `*`) hands its memory on: neither it
//! nor anything that may share its memory is used afterwards. The pass walks each definition once, in the order of
//! evaluation, and keeps for every value, part by part, what it may share memory with.
//!
//! - `alias`: alias sets, one for each part of a value. `walk`: what is in scope and what has been consumed.
//! - `expr`, `apply`, `function`, `control`, `clauses`: the walk, by construct.
//! - `pattern`: which part of a value each name of a pattern gets.
//! - `known`: what calls may rely on: a result shares only what the function's body can make it share.
//! - `recursion`: what Futhark asks of recursive functions that take functions.
//! - `rows`: a row taken out of an array may be updated and put back.
//!
//! `.fut` files follow Futhark: a local is consumed as a whole, a parameter too, and a result shares all arguments
//! that are not consumed unless it is unique. `.rv` files track the parts of records separately and look into bodies.

mod alias;
mod apply;
mod clauses;
mod control;
mod errors;
mod expr;
mod function;
mod known;
mod mentions;
mod pattern;
mod recursion;
mod rows;
mod walk;

pub use known::Summaries;

use alias::{Known, Shares};
use base::{Diagnostic, Map};
use function::Signature;
use std::rc::Rc;
use syntax::ast::{Dialect, Lifted};
use typed::{Body, Def, DefId, Diet, LocalId, Program, TypeVarId};
use walk::Walk;

/// How often a recursive group is walked to find what its results share, before giving up on looking into bodies.
const ROUNDS: usize = 8;

/// What the program itself does not say.
#[derive(Clone, Copy)]
pub struct Hints<'a> {
    /// The diets of names in patterns whose types are written.
    pub written: &'a Map<LocalId, Diet>,
    /// Which type parameters may be instantiated to functions.
    pub lifted: &'a Map<TypeVarId, Lifted>,
}

/// Checks a group of definitions (one, or several that are recursive together).
pub fn run(
    program: &Program,
    defs: &[DefId],
    dialect: Dialect,
    hints: Hints,
    summaries: &mut Summaries,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let precise = dialect == Dialect::Ravel;
    let written = hints.written;
    if !precise {
        defs.iter().for_each(|def| recursion::check(program, *def, hints.lifted, diagnostics));
    }
    for def in defs {
        let found = &program.defs[*def];
        if !found.params.is_empty() && matches!(found.body, Body::Expr(_)) {
            summaries.defs.insert(*def, Rc::new(nothing_known(found)));
        }
    }
    let mut found = Vec::new();
    for _ in 0..ROUNDS {
        found.clear();
        let mut changed = false;
        for def in defs {
            let (known, more) = check(program, *def, precise, written, summaries);
            found.extend(more);
            if let Some(known) = known {
                changed |= summaries.defs.get(def).is_none_or(|old| !same_sharing(&old.result, &known.result));
                summaries.defs.insert(*def, Rc::new(known));
            }
        }
        if !changed || !is_recursive(program, defs) {
            diagnostics.extend(found);
            return;
        }
    }
    // No summary that stays: rely on the types.
    for def in defs {
        summaries.defs.remove(def);
    }
    for def in defs {
        let (_, more) = check(program, *def, precise, written, summaries);
        diagnostics.extend(more);
    }
}

/// Walks one definition: what its calls may rely on, and what is wrong with it.
fn check(
    program: &Program,
    def: DefId,
    precise: bool,
    written: &Map<LocalId, Diet>,
    summaries: &Summaries,
) -> (Option<Known>, Vec<Diagnostic>) {
    let found = &program.defs[def];
    let Body::Expr(body) = &found.body else { return (None, Vec::new()) };
    let mut walk = Walk::new(program, summaries, written, precise);
    let signature = Signature { params: &found.params, ret: &found.ret, ret_written: found.ret_written };
    if found.params.is_empty() && found.ret.unique.consumes() {
        walk.unique_constant(found.span);
    }
    let known = walk.function(&signature, body);
    let known = (!found.params.is_empty()).then_some(known);
    (known, walk.diagnostics)
}

fn nothing_known(def: &Def) -> Known {
    Known { arity: def.params.len(), unique: None, result: Shares::fresh(&def.ret.ty) }
}

/// Whether some definition of the group uses one of the group.
fn is_recursive(program: &Program, defs: &[DefId]) -> bool {
    defs.iter().any(|def| match &program.defs[*def].body {
        Body::Expr(body) => mentions::uses_any(body, defs),
        Body::Intrinsic(_) | Body::Specified => false,
    })
}

/// Whether two summaries say the same.
fn same_sharing(a: &Shares, b: &Shares) -> bool {
    match (a, b) {
        (Shares::Nothing, Shares::Nothing) => true,
        (Shares::Whole(a), Shares::Whole(b)) => a == b,
        (Shares::Fun(a), Shares::Fun(b)) => a.closure == b.closure,
        (Shares::Record(a), Shares::Record(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_sharing(a, b))
        }
        (Shares::Sum(a), Shares::Sum(b)) => {
            a.len() == b.len() && a.iter().flatten().zip(b.iter().flatten()).all(|(a, b)| same_sharing(a, b))
        }
        _ => false,
    }
}
