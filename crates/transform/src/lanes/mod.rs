//! Points of an array side by side in the lanes of vectors, each with its own sums.
//!
//! ```text
//! for j < m {                                   for strip < (m + 63) / 64 {
//!   emit [i, j] {                                 let first = min(64 strip, m - 64)
//!     let s = ..sum over k < p, l < q       =>    let (ss: [16]f32, ..) = loop (as: [16]f32 = 0, ..) for k < p {
//!       of w[k, l] * x[i + k, j + l]..              ..in lanes: for l < q, a + w[k, l] * x[i + k, first + lane + l]..
//!     => s                                        }
//!   }                                             ..what is new of it: emit [i, first + lane] => ss[lane]..
//! }                                             }
//! ```
//!
//! Sums over neighbours, distances to a few points and the like: loops of points that all have the same number of turns. What a
//! turn reads must be the same for all points, or lie side by side; rows of a matrix that are read again and again are laid
//! out side by side first. The loops inside stay as they are; values are combined one after the other, and only the innermost
//! loop is inside of the lanes: C compilers want it so. States of outer loops are in short arrays, which end up in registers.
//!
//! What is computed behind the loops inside and is not only handed over, such as checks and what is combined with elements of
//! arrays, is done for one point after the other, in the order of the points.
//!
//! The last strip ends with the last point: some points are computed twice, but each is handed over once. Few points and very
//! long sums stay as they were (`if`). Nothing may fail inside: the pass runs when checks have gone, and after tiles.

mod build;
mod find;
mod innermost;
mod items;
mod narrow;
mod reads;

use crate::attempt;
use analysis::contractions::Contraction;
use find::Points;
use innermost::innermost;
use ir::tree::may_have_parts;
use ir::{Bulk, Exp, Kind, Output, Program, Topic};

const DONE: &str = "points are computed side by side in 16 lanes, unless there are few";

/// Puts points of all functions into lanes.
pub fn lanes(program: &mut Program) {
    for fun in program.functions.ids() {
        // What says that elements are there may be said of one point after the other.
        attempt::stms(program, fun, (Topic::Tiled, DONE), |program, stm, changed| {
            let Exp::Bulk(bulk) = &stm.exp else { return vec![stm] };
            // What is left of a contraction beside its tiles has few columns.
            let is_tiled = Contraction::of(program, &stm).is_some_and(|found| found.asked().is_some());
            let points = if is_tiled { None } else { points_of(program, bulk) };
            match points {
                Some(points) => {
                    changed.push(stm.span);
                    build::in_lanes(program, &points, stm)
                }
                None => vec![stm],
            }
        });
    }
}

/// The innermost loop of a form that only makes new arrays, or the loop of one that also combines values with elements, if its
/// points can be side by side.
fn points_of(program: &mut Program, bulk: &Bulk) -> Option<Points> {
    let combines = |output: &Output| matches!(output.kind, Kind::Accum { .. });
    let is_plain = |output: &Output| match &output.kind {
        Kind::Gen { rec, .. } => rec.is_empty() && output.sizes.is_empty(),
        _ => combines(output),
    };
    let [step] = &bulk.steps[..] else { return None };
    (bulk.outputs.iter().all(is_plain) && !bulk.scheduled).then_some(())?;
    let step = match bulk.outputs.iter().any(combines) {
        true => may_have_parts(program, bulk).then_some(step)?,
        false => innermost(step)?,
    };
    Points::of(program, step, &bulk.outputs)
}
