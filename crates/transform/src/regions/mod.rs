//! Arrays of which a region has values of its own: each element chooses between them and the value of all others.
//!
//! ```text
//! let b: [n][m]f32 = bulk {                          let b: [n][m]f32 = bulk {
//!   out update (a) of (x: f32)                         out gen [n][m] of (x: f32)
//!   for i < n - 2 {                                    for i < n {
//!     for j < m - 2 {                                    for j < m {
//!       emit [i + 1, j + 1] { .. => y }        =>          emit [i, j] {
//!     }                                                      let c = 1 <= i && i < n - 1 && 1 <= j && j < m - 1
//!   }                                                        let x = if c { .. => y } else { => a[i, j] }
//! }                                                          => x
//!                                                          }
//!                                                      }}
//!                                                    }
//! ```
//!
//! So stencils have one form in every spelling, that of `tabulate_2d` with a condition:
//! - an array by clauses with an `else`, which needs no marks then that say which elements are defined;
//! - an update whose values read other elements that it replaces, and would have to wait until all are computed. In a loop, the
//!   new array takes turns with the old one;
//! - an update of a copy, such as `copy a with [1:n-1] = xs`, which is made in one pass.
//!
//! Loops without conditions come back in the end, when code is made for inner loops: their borders run by themselves.
//!
//! Where that depends on integers that may be anything (`for k <= i < n - k`), there are two versions: [`asked`] computes whether
//! all subscripts are inside and no region meets another one. The other version has all checks, and the marks ([`sink`]).
//!
//! Limits: elements are scalars, each loop moves a subscript of its own by one, and values cannot fail. Updates must replace all
//! elements but a few at the borders; others should not touch the rest of the array.

mod asked;
mod copied;
mod find;
mod sink;
mod write;

use crate::attempt;
use base::{Map, Set};
use find::{Finder, Found};
use ir::facts::walk::walk;
use ir::{Exp, FunId, Kind, Program, Remark, Step, Stm, Topic, Var};

const DONE: &str = "each element chooses between the value of its region and that of all others";

/// Changes the forms of all functions.
pub fn regions(program: &mut Program) {
    for fun in program.functions.ids() {
        let mut body = std::mem::take(&mut program.functions[fun].body);
        body.replace_stms(&mut before_update);
        program.functions[fun].body = body;
        let copied = copied::copied(program, &program.functions[fun].body);
        let mut finder = Finder::new(program, copied);
        walk(program, fun, &mut finder);
        let found = finder.found;
        if found.is_empty() {
            continue;
        }
        let spans: Vec<base::Span> = found.values().map(|found| found.span).collect();
        if change(program, fun, found) {
            let remark = |span| Remark::done(Topic::Fused, span, DONE);
            spans.into_iter().for_each(|span| program.functions[fun].remark(remark(span)));
        }
    }
}

/// What an update binds before its loops stands before the update: checks of slices, for example.
fn before_update(mut stm: Stm) -> Vec<Stm> {
    let mut stms = Vec::new();
    if let Exp::Bulk(bulk) = &mut stm.exp
        && bulk.outputs.iter().all(|output| matches!(output.kind, Kind::Update { .. }))
    {
        let first = bulk.steps.iter().position(|step| matches!(step, Step::For { .. }));
        let is_first = |first: &usize| bulk.steps[..*first].iter().all(|step| matches!(step, Step::Let(_)));
        let first = first.filter(is_first).unwrap_or(0);
        stms.extend(bulk.steps.drain(..first).filter_map(|step| match step {
            Step::Let(mut own) => {
                // It relied on what the update relies on.
                own.certs
                    .extend(stm.certs.iter().filter(|cert| !own.certs.contains(cert)).copied().collect::<Vec<_>>());
                Some(own)
            }
            Step::For { .. } | Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => None,
        }));
    }
    stms.push(stm);
    stms
}

/// Changes a function. A proof may take more steps with a condition than with a loop: what the verifier cannot follow is taken
/// back.
fn change(program: &mut Program, fun: FunId, mut found: Map<Var, Found>) -> bool {
    let mut body = program.functions[fun].body.clone();
    let versions: Set<Var> = found.iter().filter(|(_, found)| !found.asked.is_nothing()).map(|(var, _)| *var).collect();
    body.replace_stms(&mut |stm| match stm.vars.first().and_then(|var| found.remove(var)) {
        Some(found) => write::chosen(program, stm, &found),
        None => vec![stm],
    });
    sink::into_versions(program, &mut body, &versions);
    attempt::body(program, fun, body)
}
