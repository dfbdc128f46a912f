//! Loops whose turns compute each row of an array from the rows around it: stencils.
//!
//! ```text
//! loop (a: [n][m]f32 = a0) for t < turns {
//!   let b: [n][m]f32 = bulk {
//!     out gen [n][m] of (x: f32)
//!     for i < n {
//!       let up = i - 1
//!       for j < m { emit [i, j] { .. a[up, j] .. a[i, j] .. } }
//!     }
//!   }
//!   => b
//! }
//! ```
//!
//! A row of the next array needs only the rows of this one that are as near as the stencil reaches. So a row can go through
//! several turns before rows far from it go through the first.
//!
//! Limits: one array of scalars of at least two dimensions; nothing fails; rows are read at fixed distances.

use crate::traverse::Part;
use crate::{Atom, Block, Bulk, Coverage, Dim, Exp, Kind, LoopForm, Output, Program, Step, Stm, Type, Var};
use base::Map;
use scalar::{BinOp, Prim};

/// Rows further away are not looked for.
const FARTHEST: i64 = 4;

/// A loop of this kind.
pub struct Bands<'b> {
    /// The index of a turn.
    pub turn: Var,
    /// How many turns there are.
    pub turns: Atom,
    /// The array before a turn.
    pub array: Var,
    /// What a turn computes before it comes to rows.
    pub before: &'b [Stm],
    /// The index of a row.
    pub row: Var,
    /// What is computed for a row.
    pub steps: &'b [Step],
    /// The variables that name rows of the array, and how far those are from the row.
    pub reads: Map<Var, i64>,
    /// How far away the farthest of them is.
    pub reach: i64,
}

/// Recognises a loop that carries one array.
pub fn of<'b>(program: &Program, params: &[(Var, Atom)], form: &LoopForm, body: &'b Block) -> Option<Bands<'b>> {
    let ([(array, _)], LoopForm::For(turn, turns)) = (params, form) else { return None };
    let Type::Array(_, dims) = program.ty(*array) else { return None };
    let (last, before) = body.stms.split_last()?;
    let (Exp::Bulk(bulk), true) = (&last.exp, body.result == [Atom::Var(*last.vars.first()?)]) else { return None };
    let is_regular = dims.len() >= 2 && dims.iter().all(|dim| matches!(dim, Dim::Size(_)));
    let (row, steps) = rows(bulk, dims).filter(|_| is_regular)?;
    let reads = reads(*array, row, &bulk.steps)?;
    let reach = reads.values().map(|distance| distance.abs()).max()?;
    let is_number = |stm: &Stm| stm.vars.iter().all(|var| matches!(program.ty(*var), Type::Scalar(_)));
    let sound = body.stms.iter().all(|stm| !stm.can_fail())
        && before.iter().all(|stm| stm.exp.is_simple() && is_number(stm) && !uses(stm, *array))
        && only_numbers(&bulk.steps, &is_number)
        && reach > 0;
    let (turn, turns, array) = (*turn, *turns, *array);
    sound.then_some(Bands { turn, turns, array, before, row, steps, reads, reach })
}

/// The loop over rows, if all elements of the only output are computed in it.
fn rows<'b>(bulk: &'b Bulk, dims: &[Dim]) -> Option<(Var, &'b [Step])> {
    let ([Output { kind, sizes, elems }], [Step::For { var, count, body, .. }]) = (&bulk.outputs[..], &bulk.steps[..])
    else {
        return None;
    };
    let Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec } = kind else { return None };
    let plain = shape == dims && rec.is_empty() && sizes.is_empty() && elems.len() == 1;
    (plain && dims.first() == Some(&Dim::Size(*count)) && in_own_row(body, *var)).then_some((*var, &body[..]))
}

/// Whether all values go into the row itself.
fn in_own_row(steps: &[Step], row: Var) -> bool {
    steps.iter().all(|step| match step {
        Step::For { body, .. } | Step::Guard(_, body) => in_own_row(body, row),
        Step::Emit(emit) => emit.at.first() == Some(&Atom::Var(row)),
        Step::Let(_) => true,
        Step::Scan(_) => false,
    })
}

/// Whether nothing inside of steps is an array.
fn only_numbers(steps: &[Step], is_number: &dyn Fn(&Stm) -> bool) -> bool {
    let mut found = true;
    for step in steps {
        step.walk(&mut |part| {
            if let Part::Stm(stm) = part {
                found &= is_number(stm);
            }
        });
    }
    found
}

fn uses(stm: &Stm, array: Var) -> bool {
    let mut found = false;
    stm.walk(&mut |part| found |= matches!(part, Part::Use(var) | Part::Atom(Atom::Var(var)) if *var == array));
    found
}

/// The rows of the array that are read: none if something else than an element at a fixed distance is.
fn reads(array: Var, row: Var, steps: &[Step]) -> Option<Map<Var, i64>> {
    let (mut distances, mut reads) = (Map::from_iter([(row, 0)]), Map::default());
    let (mut uses, mut elements, mut fits) = (0, 0, true);
    for step in steps {
        step.walk(&mut |part| match part {
            Part::Stm(Stm { vars, exp: Exp::Bin(op, Prim::I64, a, b), .. }) => {
                if let Some(distance) = distance(*op, row, *a, *b) {
                    distances.insert(vars[0], distance);
                }
            }
            Part::Stm(Stm { exp: Exp::Index(read, at), .. }) if *read == array => {
                elements += 1;
                let known = at.first().and_then(|atom| atom.var()).and_then(|var| Some((var, *distances.get(&var)?)));
                fits &= known.is_some();
                reads.extend(known);
            }
            Part::Use(var) | Part::Atom(Atom::Var(var)) if *var == array => uses += 1,
            _ => {}
        });
    }
    (fits && uses == elements).then_some(reads)
}

/// How far a sum is from the index of the row.
fn distance(op: BinOp, row: Var, a: Atom, b: Atom) -> Option<i64> {
    let row = Atom::Var(row);
    let distance = match op {
        BinOp::Add if a == row => b.as_size(),
        BinOp::Add if b == row => a.as_size(),
        BinOp::Sub if a == row => b.as_size().and_then(i64::checked_neg),
        _ => None,
    };
    distance.filter(|distance| (-FARTHEST..=FARTHEST).contains(distance))
}
