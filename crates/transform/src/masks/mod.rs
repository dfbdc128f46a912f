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
//! another. Whether one is still going is asked every eighth turn. The last strip repeats the last point.
//!
//! Nothing may fail inside, and loops may not read arrays: a point that has ended would read anything. The pass runs when
//! checks have gone.

mod build;
mod find;

use base::Span;
use find::Divergent;
use ir::{Bulk, Exp, Kind, Program, Remark, Step, Topic};

/// Puts the loops of all functions side by side.
pub fn masks(program: &mut Program) {
    for fun in program.functions.ids() {
        let mut body = std::mem::take(&mut program.functions[fun].body);
        let mut changed = Vec::new();
        body.replace_stms(&mut |mut stm| {
            if let Exp::Bulk(bulk) = &mut stm.exp
                && is_plain(bulk)
            {
                bulk.steps = in_steps(program, std::mem::take(&mut bulk.steps), &mut changed);
            }
            vec![stm]
        });
        program.functions[fun].body = body;
        for span in changed {
            let text = "these loops end at different turns; they run side by side in 16 lanes, and those that have ended \
                wait for the others";
            program.functions[fun].remark(Remark::done(Topic::Tiled, span, text));
        }
    }
}

/// Whether a form only makes new arrays, of numbers: then loops can be cut.
fn is_plain(bulk: &Bulk) -> bool {
    let is_plain = |kind: &Kind| matches!(kind, Kind::Gen { rec, .. } if rec.is_empty());
    !bulk.scheduled && bulk.outputs.iter().all(|output| output.sizes.is_empty() && is_plain(&output.kind))
}

fn in_steps(program: &mut Program, steps: Vec<Step>, changed: &mut Vec<Span>) -> Vec<Step> {
    let mut new = Vec::new();
    for step in steps {
        match Divergent::of(program, &step) {
            Some(found) => {
                changed.push(found.span);
                new.extend(build::side_by_side(program, &found));
            }
            None => new.push(match step {
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
