//! Sequential loops whose turns do not depend on one another become bulk forms.
//!
//! ```text
//! let (ys, s) = loop (xs: [n]f64 = zeros, r: f64 = 0) for t < n {      let ys = bulk {
//!   let a = as[t]                                                        out update (zeros) of (x: f64)
//!   let v = sqrt(a)                                                      for t < n { let a = as[t]; let v = sqrt(a); emit [t] => v }
//!   let xs.1 = bulk { out update (xs) of (x: f64) emit [t] => v }   =>   }
//!   let r.1 = r * a + 1                                                  let s = loop (r: f64 = 0) for t < n {
//!   => xs.1, r.1                                                           let a = as[t]
//! }                                                                        let r.1 = r * a + 1
//!                                                                          => r.1
//!                                                                        }
//! ```
//!
//! What a loop carries is taken apart ([`turn`]). An array leaves the loop if each turn replaces elements that no other turn
//! replaces or reads, because the turn's number is one of their subscripts ([`arrays`]). A number leaves it if each turn
//! combines it with a value by an operator that is exact in any order ([`sums`]). An array leaves it, too, if turns only combine
//! values with its elements ([`elements`]). The values may depend on the number of the
//! turn and on what is outside, not on what else is carried. Inner loops come first, so loops in loops become one nest.
//! If all elements are replaced, the array is a new one.
//!
//! What several parts of a loop need is computed in each, so it must be cheap. The first check that fails stays the first: all
//! that can fail leaves the loop at once, or nothing does.

mod access;
mod arrays;
mod elements;
mod fission;
mod subscripts;
mod sums;
mod turn;

use ir::{Exp, Program, Remark, Stm, Topic};
use subscripts::Subscripts;
use sums::Rounding;
use turn::Turn;

/// Makes bulk forms of loops in all functions; all numbers keep their bits.
pub fn loops(program: &mut Program) {
    change(program, Rounding::Kept);
}

/// The same for loops that add up numbers, or look for the least or the greatest, which then are combined in any order.
pub fn sums(program: &mut Program) {
    for fun in program.functions.ids() {
        program.functions[fun].body.for_each_stm_mut(&mut elements::in_any_order);
    }
    change(program, Rounding::Free);
}

fn change(program: &mut Program, rounding: Rounding) {
    for fun in program.functions.ids() {
        let mut body = std::mem::take(&mut program.functions[fun].body);
        let mut subscripts = Subscripts::default();
        subscripts.block(&body);
        let mut changed = Vec::new();
        body.replace_stms(&mut |stm| {
            let (span, is_loop) = (stm.span, matches!(stm.exp, Exp::Loop { .. }));
            let stms = apart(program, &mut subscripts, stm, rounding);
            if is_loop && stms.iter().any(|stm| matches!(stm.exp, Exp::Bulk(_))) {
                changed.push(span);
            }
            stms
        });
        program.functions[fun].body = body;
        for span in changed {
            let text = "turns of this `loop` do not need what others compute, so they need not wait for one another";
            program.functions[fun].remark(Remark::done(Topic::Parallel, span, text));
        }
    }
}

/// Takes one part after the other out of a loop.
fn apart(program: &mut Program, subscripts: &mut Subscripts, mut stm: Stm, rounding: Rounding) -> Vec<Stm> {
    if let Some(whole) = Turn::of(&stm).and_then(|turn| sums::all(program, &turn, rounding)) {
        return vec![whole];
    }
    let mut out = Vec::new();
    while let Some((part, rest)) = one_part(program, subscripts, &stm, rounding) {
        subscripts.stm(&part);
        out.push(part);
        match rest {
            Some(rest) => stm = rest,
            None => return out,
        }
    }
    let parts = in_two(program, subscripts, &stm, rounding);
    out.extend(parts.unwrap_or_else(|| vec![stm]));
    out
}

/// A loop as several, one after the other, if none of them needs turns.
fn in_two(program: &mut Program, subscripts: &mut Subscripts, stm: &Stm, rounding: Rounding) -> Option<Vec<Stm>> {
    let (first, second) = fission::split(program, subscripts, stm)?;
    let mut parts = Vec::new();
    for part in [first, second] {
        subscripts.stm(&part);
        parts.extend(apart(program, subscripts, part, rounding));
    }
    parts.iter().all(|part| matches!(part.exp, Exp::Bulk(_))).then_some(parts)
}

/// A part of a loop as a bulk form, and the loop without it.
fn one_part(
    program: &mut Program,
    subscripts: &Subscripts,
    stm: &Stm,
    rounding: Rounding,
) -> Option<(Stm, Option<Stm>)> {
    let turn = Turn::of(stm)?;
    (0..turn.params.len()).find_map(|number| {
        let part = elements::part(program, &turn, number)
            .or_else(|| arrays::part(program, subscripts, &turn, number))
            .or_else(|| sums::part(program, &turn, number, rounding))?;
        let rest = turn.without(program, number, &part)?;
        Some((part.stm(program, &turn, number), rest))
    })
}
