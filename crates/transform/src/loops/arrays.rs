//! Arrays of which each turn replaces elements of its own.

use super::access::Access;
use super::subscripts::Subscripts;
use super::turn::{Part, Turn, mentioned};
use analysis::emits;
use analysis::ways::{Way, way};
use ir::moves;
use ir::rename::Substitution;
use ir::{Atom, Bulk, Coverage, Dim, Exp, Kind, Output, Program, Step, Stm, Var};

/// The part of a loop that changes an array.
pub(super) fn part(program: &Program, subscripts: &Subscripts, turn: &Turn<'_>, number: usize) -> Option<Part> {
    let (param, init) = turn.params[number];
    let init = init.var().filter(|_| program.ty(param).is_array())?;
    let result = turn.body.result[number].var()?;
    let (place, update) = turn.body.stms.iter().enumerate().find(|(_, stm)| stm.vars == [result])?;
    let Exp::Bulk(Bulk { outputs, steps, .. }) = &update.exp else { return None };
    let [output @ Output { kind: Kind::Update { arrays, skip, rec }, .. }] = &outputs[..] else { return None };
    if arrays[..] != [param] || !rec.is_empty() || !emits::scans(steps).is_empty() {
        return None;
    }
    let access = Access::of(subscripts, turn, emits::all(steps))?;
    let reading = reads(program, turn, &access, param, (place, update))?;
    let mut inside = mentioned(program, update);
    inside.retain(|var| *var != param && *var != result);
    let mut needs = turn.needs(program, inside, &reading)?;
    needs.remove(&place);
    let mut steps = steps.clone();
    for step in &mut steps {
        rely(step, &update.certs);
    }
    let kind = match replaces_all(program, turn, param, &steps) && !*skip && reading.is_empty() {
        true => Kind::Gen {
            shape: program.ty(param).dims()[..subscripts_of(&steps)].to_vec(),
            otherwise: None,
            coverage: Coverage::Exact,
            rec: Vec::new(),
        },
        false => Kind::Update { arrays: vec![init], skip: *skip, rec: Vec::new() },
    };
    let output = Output { kind, ..output.clone() };
    let old = Substitution::new(&[param], &[Atom::Var(init)]);
    let part = Part { place, needs, output, steps, old };
    let is_own = !turn.body.stms.iter().any(|stm| access.reads_others(stm, &[param]));
    is_at_once(program, &part.form(turn), param, is_own).then_some(part)
}

/// Whether values are written as soon as they are computed, perhaps after copies of rows and columns. Values that must wait in
/// lists take longer than the loop.
fn is_at_once(program: &Program, form: &Bulk, array: Var, reads_own: bool) -> bool {
    let has_lines = || moves::of(form).is_some_and(|moves| moves.lines(array).is_some());
    reads_own && matches!(way(program, form, true), Way::Places) || has_lines()
}

/// The statements that read the array, if none reads what another turn replaces, and all read it before its own turn does.
fn reads(
    program: &Program,
    turn: &Turn<'_>,
    access: &Access<'_>,
    param: Var,
    (place, update): (usize, &Stm),
) -> Option<Vec<usize>> {
    let mut reading = Vec::new();
    for (number, stm) in turn.body.stms.iter().enumerate() {
        let reads = access.reads(stm, &[param]);
        // The form itself names the array once, as what it changes.
        let times = mentioned(program, stm).iter().filter(|var| **var == param).count() - usize::from(number == place);
        if times > reads || times > 0 && number > place {
            return None;
        }
        if times > 0 {
            reading.push(number);
        }
    }
    debug_assert_eq!(turn.body.stms[place].vars, update.vars, "the form is in the turn");
    Some(reading)
}

/// How many subscripts values have.
fn subscripts_of(steps: &[Step]) -> usize {
    emits::all(steps).first().map_or(0, |emit| emit.at.len())
}

/// Whether all turns together replace all elements: each dimension is gone through in order.
fn replaces_all(program: &Program, turn: &Turn<'_>, param: Var, steps: &[Step]) -> bool {
    let mut loops = vec![(turn.index, turn.count)];
    let mut steps = steps;
    let emit = loop {
        match steps {
            [Step::Let(_), rest @ ..] => steps = rest,
            [Step::For { var, count, body, .. }] => {
                loops.push((*var, *count));
                steps = body;
            }
            [Step::Emit(emit)] => break emit,
            _ => return false,
        }
    };
    let dims = program.ty(param).dims();
    let at: Vec<Atom> = loops.iter().map(|(var, _)| Atom::Var(*var)).collect();
    let extents: Vec<Dim> = loops.iter().map(|(_, count)| Dim::Size(*count)).collect();
    emit.at == at && dims.starts_with(&extents)
}

/// What relied on the checks of the form does so in its steps.
pub(super) fn rely(step: &mut Step, certs: &[Var]) {
    match step {
        Step::For { body, .. } | Step::Guard(_, body) => body.iter_mut().for_each(|step| rely(step, certs)),
        Step::Let(stm) => stm.rely_on(certs),
        Step::Emit(emit) => emit.rely_on(certs),
        Step::Scan(_) => {}
    }
}
