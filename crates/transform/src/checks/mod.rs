//! Removes checks that always hold, merges those that say the same, and moves others out of loops.
//!
//! ```text
//! for i < n {                                  for i < n {
//!   let t: bool = 0 <= i                         let t: bool = 0 <= i
//!   let u: bool = i < n                          let u: bool = i < n
//!   let v: bool = t && u                =>       let v: bool = t && u
//!   let c: cert = assert v else R001(i, n)
//!   let <c> x: f64 = a[i]                        let x: f64 = a[i]
//!   emit [i] => x                                emit [i] => x
//! }                                            }
//! ```
//!
//! - [`proved`]: which checks follow from what is around them, or from other checks;
//! - [`apply`]: removes them; statements that relied on one rely on the checks that imply it instead;
//! - [`sizes`]: which checks of limited indices (`xs[i64.min k (n - 1)]`) only ask whether there are elements;
//! - [`first`]: makes the first check of a loop's turns before the loop if it is the same in all of them;
//! - [`hoist`]: of those that are left, makes one check before an innermost loop in place of one in every turn, by what
//!   [`affine`] says about them; [`before`] computes it; [`replay`] has the loop's checks for the case that it fails;
//! - [`parts`]: of which checks a part holds where they are made, so that they need not ask for it;
//! - [`versions`]: where checks cannot move, a form runs without them if its sizes say that they would hold;
//! - [`ordinary`]: the same where checks hold for all integers that are not negative, and not too large;
//! - [`likely`]: whether the condition for a version may hold at all;
//! - [`merge`]: makes checks of a turn that follow each other as one;
//! - [`remarks`]: says what was done.
//!
//! The proofs are those of `ir::facts`, the prover that the verifier uses, in its exact form: no proof depends on arithmetic
//! that wraps around. The pass `sweep` then removes the conditions.

mod affine;
mod apply;
mod before;
mod first;
mod hoist;
mod likely;
mod merge;
mod ordinary;
mod parts;
mod proved;
mod remarks;
mod replay;
mod sizes;
mod versions;

use base::Set;
use hoist::{Hoisted, Loops};
use ir::traverse::Part;
use ir::{Block, Exp, FunId, Program, Step, Var};
use proved::{Proved, Which};
use remarks::Changed;
use sizes::Asked;
use versions::Versions;

/// How often a function is looked at again, without what the verifier could not follow.
const ATTEMPTS: usize = 4;

/// Removes checks that always hold, and moves others out of innermost loops.
pub fn checks(program: &mut Program) {
    each(program, |program, function, kept| {
        let (proved, asked) = remove_proved(program, function, Which::All, kept);
        let first = first::hoist(program, function, kept);
        let mut hoisted = hoist::hoist(program, function, Loops::All, &asked.enough, kept);
        hoisted.moved.extend(first);
        Changed { proved, asks_less: !asked.exactly.is_empty(), hoisted, versions: Versions::default() }
    });
    each(program, |program, function, kept| {
        let asks_less = parts::narrow(program, function, kept);
        let versions = versions::versions(program, function, kept);
        Changed { asks_less, versions, ..Changed::default() }
    });
    each(program, |program, function, kept| {
        let versions = ordinary::versions(program, function, kept);
        Changed { versions, ..Changed::default() }
    });
    each(program, |program, function, kept| {
        let asks_less = merge::merge(program, function, kept);
        Changed { asks_less, ..Changed::default() }
    });
}

/// Removes checks in loops that always hold, and moves out those that come first in each turn and do not change, and those of
/// loops that do little.
pub fn prove(program: &mut Program) {
    each(program, |program, function, kept| {
        let (proved, asked) = remove_proved(program, function, Which::InLoops, kept);
        let first = first::hoist(program, function, kept);
        let little = hoist::hoist(program, function, Loops::Little, &asked.enough, kept);
        // The other checks have not had their turn yet.
        let hoisted = Hoisted { moved: [first, little.moved].concat(), left: Vec::new() };
        Changed { proved, asks_less: !asked.exactly.is_empty(), hoisted, ..Changed::default() }
    });
}

/// Removes checks that hold anyway, and lets others ask for sizes alone. Says what checks ask of sizes.
fn remove_proved(program: &mut Program, function: FunId, which: Which, kept: &Set<Var>) -> (Proved, Asked) {
    let (proved, asked) = proved::proved(program, function, which, kept);
    let mut body = std::mem::take(&mut program.functions[function].body);
    apply::remove(&mut body, &proved);
    sizes::ask(program, &mut body, &asked.exactly);
    program.functions[function].body = body;
    (proved, asked)
}

/// Changes all functions, except for some checks.
fn each(program: &mut Program, change: impl Fn(&mut Program, FunId, &Set<Var>) -> Changed) {
    for function in program.functions.ids() {
        let original = program.functions[function].body.clone();
        let mut kept = Set::default();
        for attempt in 0..ATTEMPTS {
            let changed = change(program, function, &kept);
            if changed.is_nothing() {
                break;
            }
            // A proof may take more steps without a check than with it: what the verifier cannot follow is taken back.
            let Some(broken) = ir::verify::broken(program, function) else {
                remarks::say(program, function, &original, &changed);
                break;
            };
            program.functions[function].body = original.clone();
            let names = &changed.versions.names;
            let broken = broken.into_iter().map(|var| names.get(&var).copied().unwrap_or(var)).collect();
            let named = named_by(&original, &broken);
            if attempt + 1 == ATTEMPTS || named.is_subset(&kept) {
                break;
            }
            kept.extend(named);
        }
    }
}

/// The checks that some statements rely on.
fn named_by(body: &Block, stms: &Set<Var>) -> Set<Var> {
    let mut named = Set::default();
    body.walk(&mut |part| {
        if let Part::Stm(stm) = part
            && stm.vars.iter().any(|var| stms.contains(var))
        {
            named.extend(stm.certs.iter().copied());
            if let Exp::Bulk(bulk) = &stm.exp {
                bulk.steps.iter().for_each(|step| emitted(step, &mut named));
            }
        }
    });
    named
}

fn emitted(step: &Step, named: &mut Set<Var>) {
    match step {
        Step::For { body, .. } | Step::Guard(_, body) => body.iter().for_each(|step| emitted(step, named)),
        Step::Emit(emit) => named.extend(emit.certs.iter().copied()),
        Step::Let(_) | Step::Scan(_) => {}
    }
}
