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
//! - [`hoist`]: of those that are left, makes one check before an innermost loop in place of one in every turn, by what
//!   [`affine`] says about them; [`replay`] has the loop's checks for the case that it fails.
//!
//! The proofs are those of `ir::facts`, the prover that the verifier uses, in its exact form: no proof depends on arithmetic
//! that wraps around. The pass `sweep` then removes the conditions.

mod affine;
mod apply;
mod hoist;
mod proved;
mod replay;

use ir::{FunId, Program};
use proved::Which;

/// Removes checks that always hold, and moves others out of innermost loops.
pub fn checks(program: &mut Program) {
    each(program, |program, function| {
        remove_proved(program, function, Which::All);
        hoist::hoist(program, function);
    });
}

/// Removes checks in loops that always hold.
pub fn prove(program: &mut Program) {
    each(program, |program, function| remove_proved(program, function, Which::InLoops));
}

fn remove_proved(program: &mut Program, function: FunId, which: Which) {
    let proved = proved::proved(program, function, which);
    apply::remove(&mut program.functions[function].body, &proved);
}

/// Changes all functions.
fn each(program: &mut Program, change: impl Fn(&mut Program, FunId)) {
    for function in program.functions.ids() {
        let original = program.functions[function].body.clone();
        change(program, function);
        // A proof may take more steps without a check than with it: what the verifier cannot follow is taken back.
        if !ir::verify::is_function(program, function) {
            program.functions[function].body = original;
        }
    }
}
