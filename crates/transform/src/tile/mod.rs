//! Contractions by tiles: an array of which each element combines many values, such as a matrix product.
//!
//! ```text
//! let c: [n][p]f32 = bulk {                     let b': [p / 16 + 1][m][16]f32 = ..b[k, 16 * t + l] at [t, k, l]..
//!   out gen [n][p] of (x: f32)                  let c: [n][p]f32 = bulk {
//!   for i < n {                                   out gen [n][p] of (x: f32)
//!     for j < p {                                 for t < p / 16 {
//!       emit [i, j] {                     =>        for u < n / 8 {
//!         let s = ..sum over k < m                    for l < 16 {
//!           of a[i, k] * b[k, j]..                      let (s0, .., s7) = loop .. for k < m {
//!         => s                                            let y = b'[t, k, l]
//!       }                                                 => fma(a[8 * u, k], y, s0), .., fma(a[8 * u + 7, k], y, s7)
//!     }                                                 }
//!   }                                                   emit [8 * u, 16 * t + l] => s0
//! }                                                     ..
//!                                                 }}}
//!                                                 ..the columns and rows that are left over..
//!                                               }
//! ```
//!
//! What only depends on the column is computed once for all rows and *packed*: columns of one tile lie side by side, row after
//! row. So each number that is read from it serves eight rows, lanes of vectors are columns, and all sums are in registers.
//! Any nest of this kind will do: the operands may be transposed, be computed (`f(b[k, j])`), and be combined in other ways than
//! by products; the operator may be a minimum; something may be done with the result.
//!
//! Values are combined one after the other, from the neutral element on. A product that is added is not rounded before (`fma`):
//! the sum is as exact as before or more so. Arrays of few columns, and very long sums, which should not be added one after the
//! other, stay as they were; the sizes decide at run time (`if`).
//!
//! The pass runs when checks have gone: nothing may fail inside.

mod build;
mod rows;

use crate::attempt;
use analysis::contractions::Contraction;
use ir::{Program, Topic};

const DONE: &str = "sums are computed in tiles of 8 rows and 16 columns, and what belongs to a column is laid out by tiles, \
    unless there are few";

/// Tiles the contractions of all functions.
pub fn tile(program: &mut Program) {
    for fun in program.functions.ids() {
        // One check before a nest may be all that says that elements are there, and tiles go through them in another order.
        attempt::stms(program, fun, (Topic::Tiled, DONE), |program, stm, changed| {
            let tiled = Contraction::of(program, &stm).and_then(|found| build::tiled(program, &found, &stm));
            changed.extend(tiled.is_some().then_some(stm.span));
            tiled.unwrap_or_else(|| vec![stm])
        });
    }
}
