//! Loops that end at different turns, side by side in the lanes of vectors.
//!
//! ```text
//! for i < n {                                  for strip < (n + 63) / 64 {
//!   emit [i] {                                   let as: [64]f32 = ..a of the points 64 strip ..
//!     let a = ..                                 let (xs: [64]f32, _, _) =
//!     let x = loop (y = a) while c(y) {    =>      loop (ys = as, going = [1, 1, ..], more = true) while more {
//!       => f(y)                                      ..in lanes: eight turns, which change y only where c(y) held so far..
//!     }                                              let more = ..is one still going?..
//!     => x                                         }
//!   }                                            for l < min(64, n - 64 strip) { emit [64 strip + l] => xs[l] }
//! }                                            }
//! ```
//!
//! Turns that change nothing are computed in vain, but sixteen lanes at a time, in up to four vectors that do not wait for one
//! another. Whether one is still going is asked every eighth turn. A number of turns that limits all points alike is asked for there, too
//! ([`find::Counter`]). The last strip repeats the last point. Few points stay as they were (`if`).
//!
//! Nothing may fail inside, and loops may not read arrays: a point that has ended would read anything. The pass runs when
//! checks have gone.

mod build;
mod find;

use crate::attempt;
use crate::write::{Writer, binds, version};
use base::Span;
use find::Divergent;
use ir::{Atom, Bulk, Exp, Kind, Program, Step, Stm, Topic};
use scalar::{BinOp, Prim};

/// Fewer points are computed one after the other.
const FEWEST: i64 = 16;

const DONE: &str = "these loops end at different turns; they run side by side in 16 lanes, and those that have ended \
    wait for the others, unless there are few";

/// Puts the loops of all functions side by side.
pub fn masks(program: &mut Program) {
    for fun in program.functions.ids() {
        // Subscripts that are kept for later may be in bounds for reasons that nobody sees any more.
        attempt::stms(program, fun, (Topic::Tiled, DONE), |program, stm, changed| {
            let mut found = Vec::new();
            let new = match &stm.exp {
                Exp::Bulk(bulk) if is_plain(bulk) && find::repeats(&stm) => {
                    in_steps(program, bulk.steps.clone(), &mut found)
                }
                _ => Vec::new(),
            };
            if found.is_empty() {
                return vec![stm];
            }
            changed.extend(found.iter().map(|(span, _)| *span));
            where_many(program, stm, new, found.into_iter().map(|(_, count)| count))
        });
    }
}

/// Whether a form only makes new arrays, of numbers: then loops can be cut.
fn is_plain(bulk: &Bulk) -> bool {
    let is_plain = |kind: &Kind| matches!(kind, Kind::Gen { rec, .. } if rec.is_empty());
    !bulk.scheduled && bulk.outputs.iter().all(|output| output.sizes.is_empty() && is_plain(&output.kind))
}

/// The statement with these steps, if all loops over points have enough turns. Numbers that are known only inside of the form are not
/// asked for.
fn where_many(program: &mut Program, stm: Stm, steps: Vec<Step>, counts: impl Iterator<Item = Atom>) -> Vec<Stm> {
    let Exp::Bulk(bulk) = &stm.exp else { base::bug!("only bulk forms have steps") };
    let counts: Vec<Atom> = counts.filter(|count| count.var().is_some_and(|var| !binds(bulk, var))).collect();
    let fast = Stm { exp: Exp::Bulk(Bulk { steps, ..bulk.clone() }), ..stm.clone() };
    let mut writer = Writer { program, stms: Vec::new(), span: stm.span };
    let enough = counts.into_iter().map(|count| writer.truth(BinOp::Ge, Prim::I64, count, Atom::size(FEWEST)));
    let enough: Vec<Atom> = enough.collect();
    let Some(enough) = enough.into_iter().reduce(|a, b| writer.truth(BinOp::LogAnd, Prim::Bool, a, b)) else {
        return vec![fast];
    };
    let mut stms = writer.taken();
    let (then, otherwise) = (version(program, fast), version(program, stm.clone()));
    stms.push(Stm { exp: Exp::If(enough, then, otherwise), ..stm });
    stms
}

/// Changes loops over points; says where they are, and how many points they have.
fn in_steps(program: &mut Program, steps: Vec<Step>, changed: &mut Vec<(Span, Atom)>) -> Vec<Step> {
    let mut new = Vec::new();
    for step in steps {
        match Divergent::of(program, &step) {
            Some(found) if found.count.as_size().is_none_or(|count| count >= FEWEST) => {
                changed.push((found.span, found.count));
                new.extend(build::side_by_side(program, &found));
            }
            _ => new.push(match step {
                Step::For { var, count, mark, body } => {
                    Step::For { var, count, mark, body: in_steps(program, body, changed) }
                }
                Step::Guard(cond, body) => Step::Guard(cond, in_steps(program, body, changed)),
                other => other,
            }),
        }
    }
    new
}
