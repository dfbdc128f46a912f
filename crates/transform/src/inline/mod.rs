//! Inlining: replaces calls by the bodies of the functions, where that costs little.
//!
//! ```text
//! fn scaled(k: i64, x: i64) -> (y: i64) {
//!   let t: i64 = x * k
//!   => t
//! }
//!                                            let t.1: i64 = a * 3
//! let b: i64 = scaled(3, a)          =>      let t.2: i64 = t.1 * 3
//! let c: i64 = scaled(3, b)                  => t.2
//! => c
//! ```
//!
//! Functions are taken callees first, so what is inlined is final, and each call is considered once. [`cost`] decides: a
//! function that one place calls is inlined there, a small function everywhere, a recursive function never. What is inlined
//! everywhere is limited in size, and so is the growth of the whole program. So nested definitions that each call the one
//! before twice give a program in proportion to their text, although unfolding all of them would double it each time.
//!
//! [`splice`] copies a body with fresh variables. Its statements rely on the checks that the call relied on. Statements of
//! the library that are shown at their caller ([`Span::OF_CALLER`](base::Span::OF_CALLER)) get the place of the call.
//!
//! The functions stay; the pass `sweep` removes those that nothing calls any more. Parameters that are constants at an
//! inlined call become known there: the pass `simplify` uses that.

mod cost;
mod splice;

use ir::Program;
use ir::calls::Calls;

/// Runs the pass on all functions.
pub fn inline(program: &mut Program) {
    let calls = Calls::new(program);
    let mut costs = cost::Costs::new(program, &calls);
    for fun in calls.callees_first(program.functions.ids()) {
        let mut body = std::mem::take(&mut program.functions[fun].body);
        splice::inline_calls(program, &mut costs, fun, &mut body);
        costs.measure(fun, &body);
        program.functions[fun].body = body;
    }
}
