//! Short vectors that reductions and loops carry become their components, and short reductions and loops the operations they are.
//! Arrays of such vectors become arrays of components where only these are read.
//!
//! ```text
//! let r: [2]f64 = bulk {                                  let v.1: f64 = v[0]
//!   out reduce of (x: [2]f64) from (v)                    let v.2: f64 = v[1]
//!     by (a: [2]f64, b: [2]f64) { .. => xs }        =>    let (r.1: f64, r.2: f64) = bulk {
//!   for i < n {                                             out reduce of (x.1: f64, x.2: f64) from (v.1, v.2)
//!     emit { .. => row }                                      by (a.1: f64, a.2: f64, b.1: f64, b.2: f64) {
//!   }                                                         let a: [2]f64 = f64[a.1, a.2] .. => xs[0], xs[1]
//! }                                                         }
//!                                                           for i < n { emit { .. => row[0], row[1] } }
//!                                                         }
//!                                                         let r: [2]f64 = f64[r.1, r.2]
//! ```
//!
//! Points whose number of components only the run knows get versions for the usual numbers first (`points.rs`).
//!
//! So a sum of points is a sum in registers: the pass `simplify` then computes the elements of `xs` and `row` one by one, and
//! neither is built.

mod branches;
mod points;
mod separate;
mod split;
mod unroll;

use ir::{Program, Stm};
use unroll::Limits;

/// Reductions and loops that are unrolled anywhere.
const SHORT: Limits = Limits { values: 8, turns: i64::MAX, statements: 64 };

/// Runs the pass on all functions.
pub fn vectors(program: &mut Program) {
    for fun in program.functions.ids() {
        let mut body = std::mem::take(&mut program.functions[fun].body);
        points::versions(program, &mut body);
        body.replace_stms(&mut |stm| in_components(program, stm));
        separate::separate(program, &mut body);
        program.functions[fun].body = body;
    }
}

fn in_components(program: &mut Program, stm: Stm) -> Vec<Stm> {
    let split = split::split(program, stm);
    split.into_iter().flat_map(|stm| unroll::unroll(program, &stm, &SHORT).unwrap_or_else(|| vec![stm])).collect()
}

/// Unrolls short nests of reductions and loops in branches, in all functions.
pub fn unroll(program: &mut Program) {
    for fun in program.functions.ids() {
        let mut body = std::mem::take(&mut program.functions[fun].body);
        branches::unroll(program, &mut body);
        program.functions[fun].body = body;
    }
}
