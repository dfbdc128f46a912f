//! One array of a form that makes several.
//!
//! ```text
//! let (ys, s) = bulk {                                          let s = bulk {
//!   out gen [n] of (y: i64)                                       out reduce ..
//!   out reduce ..                                                 for i < n { let x = xs[i]; emit => x }
//!   for i < n { let x = xs[i]; emit 0 [i] => x; emit 1 => x }  => }
//! }                                                             .. let x = xs[k] ..
//! .. ys[k] ..
//! ```
//!
//! Loops that read one input become one before it is known which arrays can be computed where they are read. What an element
//! shares with other outputs is then computed twice, so that must cost little.

use super::producer::{Part, Producer};
use super::settle::renumber;
use base::Set;
use ir::traverse;
use ir::{Atom, Emit, Exp, Output, Program, Step, Stm, Var};

/// The producer of the array that an output of a form makes, for each output that is one.
pub(super) fn outputs(program: &Program, stm: &Stm) -> Vec<(usize, Producer)> {
    let Exp::Bulk(bulk) = &stm.exp else { return Vec::new() };
    if bulk.outputs.len() < 2 || bulk.scheduled {
        return Vec::new();
    }
    let (mut found, mut first) = (Vec::new(), 0);
    for (number, output) in bulk.outputs.iter().enumerate() {
        let arrays = &stm.vars[first..first + output.bound()];
        first += output.bound();
        let part = value_alone(&bulk.steps, number);
        let producer = part.and_then(|part| Producer::of_value(program, output, &part, arrays, &stm.certs));
        found.extend(producer.map(|producer| (number, producer)));
    }
    found
}

/// The only value of an output with the loops around it and what it needs of their bindings, if others share only cheap ones.
fn value_alone(steps: &[Step], number: usize) -> Option<Part<'_>> {
    if analysis::emits::count(steps, number) != 1 {
        return None;
    }
    let (mut loops, mut lets, mut list) = (Vec::new(), Vec::new(), steps);
    let emit = loop {
        let mut inner = None;
        for step in list {
            match step {
                Step::Let(stm) => lets.push(stm),
                Step::Emit(emit) if emit.output == number => inner = Some(Err(emit)),
                Step::For { var, count, body, .. } if analysis::emits::count(body, number) == 1 => {
                    inner = Some(Ok((*var, *count, body)));
                }
                Step::For { .. } | Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => {}
            }
            if inner.is_some() {
                break;
            }
        }
        match inner? {
            Err(emit) => break emit,
            Ok((var, count, body)) => {
                loops.push((var, count));
                list = body;
            }
        }
    };
    let stms = needed_by(emit, &lets, steps)?;
    Some(Part { loops, stms, emit })
}

/// The bindings that a value needs, if all are cheap and none is a running combination.
fn needed_by(emit: &Emit, lets: &[&Stm], steps: &[Step]) -> Option<Vec<Stm>> {
    let mut needed: Set<Var> = emit.certs.iter().copied().collect();
    emit.value.walk(&mut |part| needed.extend(mentioned(&part)));
    let mut stms = Vec::new();
    for stm in lets.iter().rev() {
        if stm.vars.iter().any(|var| needed.contains(var)) {
            is_cheap(&stm.exp).then_some(())?;
            stm.walk(&mut |part| needed.extend(mentioned(&part)));
            stms.push((*stm).clone());
        }
    }
    stms.reverse();
    let scans = analysis::emits::scans(steps);
    let runs = scans.iter().flat_map(|scan| &scan.vars).any(|var| needed.contains(var));
    (!runs).then_some(stms)
}

fn mentioned(part: &traverse::Part<'_>) -> Option<Var> {
    match part {
        traverse::Part::Atom(Atom::Var(var)) => Some(*var),
        traverse::Part::Use(var) => Some(**var),
        _ => None,
    }
}

/// Whether computing it twice costs little, and it is no check.
fn is_cheap(exp: &Exp) -> bool {
    matches!(exp, Exp::Atom(_) | Exp::Bin(..) | Exp::Un(..) | Exp::Convert(..) | Exp::Select(..) | Exp::Index(..))
}

/// Removes an output of a form.
pub(super) fn remove(stm: &mut Stm, number: usize) {
    let Exp::Bulk(bulk) = &mut stm.exp else { base::bug!("an output of a form is removed") };
    let first: usize = bulk.outputs[..number].iter().map(Output::bound).sum();
    let gone = bulk.outputs.remove(number);
    stm.vars.drain(first..first + gone.bound());
    without(&mut bulk.steps, number);
    renumber(&mut bulk.steps, &|other| if other > number { other - 1 } else { other });
}

fn without(steps: &mut Vec<Step>, number: usize) {
    steps.retain_mut(|step| match step {
        Step::For { body, .. } | Step::Guard(_, body) => {
            without(body, number);
            true
        }
        Step::Emit(emit) => emit.output != number,
        Step::Let(_) | Step::Scan(_) => true,
    });
}
