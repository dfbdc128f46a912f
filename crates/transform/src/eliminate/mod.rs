//! Matrices of two triangles that need one another become loops that add to all sums at once: elimination.
//!
//! ```text
//! bulk scheduled {                                     loop (s = ..zeros..) for k < n {
//!   out gen [n][n] of (x: f64) rec (f: [n][n]f64)        let s1 = ..the element [k, k] of s by u..
//!   for i < n {                                          let s2 = ..the elements [k, j] of s1 by u, for k < j..
//!     for j < i { emit [i, j] =>                         let s3 = ..the elements [i, k] of s2 by l, for k < i..
//!       l(i, j, ..sum of f[i, k] * f[k, j]     =>        let s4 = ..s3[i, j] + s3[i, k] * s3[k, j] at [i, j], for k < i, j..
//!                for k < j.., f[j, j]) }                 => s4
//!     for i <= j < n { emit [i, j] =>                  }
//!       u(i, j, ..the same sum for k < i..) }
//!   }
//! }
//! ```
//!
//! The sum of an element has a value for each element before it in its row, or above it in its column, whichever are fewer. In
//! turn `k` the elements of row and column `k` have all values of their sums, so they are computed; then they are in memory for
//! all others. A turn can change all sums in any order, and several turns can be done at a time ([`ir::turns::pivots`]).
//!
//! Values are added one after the other, and products are not rounded before, as in the pass `tile`. Small matrices, and large
//! ones whose sums should not be added one after the other, stay as they were (`if`).
//!
//! Limits: the form that `order` gives to the clauses of an LU decomposition; nothing fails.

mod build;
mod find;

use crate::attempt;
use find::Triangles;
use ir::{Program, Topic};

const DONE: &str = "each turn adds to the sums of all elements behind and below it what the elements of its row and column give, \
    unless there are few";

/// Makes loops of the triangles of all functions. What the verifier cannot follow is taken back.
pub fn eliminate(program: &mut Program) {
    for fun in program.functions.ids() {
        attempt::stms(program, fun, (Topic::Tiled, DONE), |program, stm, changed| match Triangles::of(program, &stm) {
            Some(found) => {
                changed.push(stm.span);
                build::by_turns(program, &found, stm)
            }
            None => vec![stm],
        });
    }
}
