//! Arrays of which each turn replaces elements of its own.

use super::turn::{Part, Turn, mentioned};
use analysis::emits;
use analysis::ways::{Way, way};
use ir::rename::Substitution;
use ir::traverse;
use ir::{Atom, Bulk, Coverage, Dim, Exp, Kind, Mark, Output, Program, Step, Stm, Var};

/// The part of a loop that changes an array.
pub(super) fn part(program: &Program, turn: &Turn<'_>, number: usize) -> Option<Part> {
    let (param, init) = turn.params[number];
    let init = init.var().filter(|_| program.ty(param).is_array())?;
    let result = turn.body.result[number].var()?;
    let (place, update) = turn.body.stms.iter().enumerate().find(|(_, stm)| stm.vars == [result])?;
    let Exp::Bulk(Bulk { outputs, steps, .. }) = &update.exp else { return None };
    let [output @ Output { kind: Kind::Update { arrays, skip, rec }, .. }] = &outputs[..] else { return None };
    if arrays[..] != [param] || !rec.is_empty() || !emits::scans(steps).is_empty() {
        return None;
    }
    let dim = own_dimension(turn.index, steps)?;
    let reading = reads_own(program, turn, param, (place, update), dim)?;
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
            shape: program.ty(param).dims()[..subscripts(&steps)].to_vec(),
            otherwise: None,
            coverage: Coverage::Exact,
            rec: Vec::new(),
        },
        false => Kind::Update { arrays: vec![init], skip: *skip, rec: Vec::new() },
    };
    let output = Output { kind, ..output.clone() };
    let whole = vec![Step::For { var: turn.index, count: turn.count, mark: Mark::Open, body: steps.clone() }];
    let form = Bulk { outputs: vec![output.clone()], steps: whole, scheduled: false };
    // Values that must wait in lists until all places are known take longer than the loop.
    let old = Substitution::new(&[param], &[Atom::Var(init)]);
    matches!(way(program, &form, true), Way::Places).then_some(Part { place, needs, output, steps, old })
}

/// The dimension in which all places that a turn replaces have the number of the turn.
fn own_dimension(index: Var, steps: &[Step]) -> Option<usize> {
    let emits = emits::all(steps);
    let first = emits.first()?.at.len();
    (0..first).find(|dim| emits.iter().all(|emit| emit.at.get(*dim) == Some(&Atom::Var(index))))
}

/// The statements that read the array, if each reads only what its own turn replaces, and before that.
fn reads_own(
    program: &Program,
    turn: &Turn<'_>,
    param: Var,
    (place, update): (usize, &Stm),
    dim: usize,
) -> Option<Vec<usize>> {
    let own = |stm: &Stm| match &stm.exp {
        Exp::Index(x, at) if *x == param => at.get(dim) == Some(&Atom::Var(turn.index)),
        _ => false,
    };
    let is_mention = |var: &Var| *var == param;
    // The form itself names the array once, as what it changes.
    let inside = mentioned(program, update).iter().filter(|var| is_mention(var)).count();
    let mut read_inside = 0;
    update.walk(&mut |part| match part {
        traverse::Part::Stm(stm) if own(stm) => read_inside += 1,
        _ => {}
    });
    let mut reading = if read_inside > 0 { vec![place] } else { Vec::new() };
    for (number, stm) in turn.body.stms.iter().enumerate().filter(|(number, _)| *number != place) {
        let times = mentioned(program, stm).iter().filter(|var| is_mention(var)).count();
        let mut fine = usize::from(own(stm));
        stm.walk(&mut |part| match part {
            traverse::Part::Stm(inner) if own(inner) => fine += 1,
            _ => {}
        });
        if times > fine || times > 0 && number > place {
            return None;
        }
        if times > 0 {
            reading.push(number);
        }
    }
    (inside <= 1 + read_inside).then_some(reading)
}

/// How many subscripts values have.
fn subscripts(steps: &[Step]) -> usize {
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
