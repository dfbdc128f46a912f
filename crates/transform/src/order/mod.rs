//! Computes recursive arrays in an order that is known in advance.
//!
//! ```text
//! bulk {                                                   bulk scheduled {
//!   out gen [n] of (x: f64) rec (u: [n]f64) checked (..)     out gen [n] of (x: f64) rec (u: [n]f64)
//!   for i < p { emit [i] => .. u[i + 1] .. }         =>      emit [n - 1] => ..
//!   emit [n - 1] => ..                                       for k < p { let i = p - 1 - k; emit [i] => .. u[i + 1] .. }
//! }                                                        }
//! ```
//!
//! Without this pass, elements are computed on demand: each read asks whether the element is there. With it, a read is a
//! read.
//!
//! - [`find`]: which value reads which, and when that one is computed ([`ir::facts::precedence`]);
//! - [`plan`]: an order of the clauses and a direction of each loop so that all comes in time. Clauses that need each other
//!   turn by turn become one loop;
//! - [`filled`]: what `else` gives is in all elements before, and clauses replace it;
//! - [`apply`]: puts the steps into that order.
//!
//! Where elements are computed on demand, a check fails in the order of demand. So steps change their order only if nothing
//! in them can fail.

mod apply;
mod filled;
mod find;
mod plan;

use ir::facts::walk::walk;
use ir::{Program, Remark, Topic};

/// Schedules the recursive arrays of all functions.
pub fn order(program: &mut Program) {
    for function in program.functions.ids() {
        if !find::has_recursive(&program.functions[function].body) {
            continue;
        }
        let mut finder = find::Finder::new(program);
        walk(program, function, &mut finder);
        let plans = plan::plans(finder.found);
        if plans.is_empty() {
            continue;
        }
        let original = program.functions[function].body.clone();
        let spans: Vec<_> = plans.values().map(|plan| plan.span).collect();
        apply::apply(program, function, plans);
        // What the verifier cannot follow is computed on demand as before.
        if ir::verify::broken(program, function).is_some() {
            program.functions[function].body = original;
            continue;
        }
        for span in spans {
            let text =
                "the elements of this recursive array are computed in an order in which each is there when it is read";
            program.functions[function].remark(Remark::not_done(Topic::Checked, span, text));
        }
    }
}
