//! A loop whose turns replace elements of an array twice becomes two loops.
//!
//! ```text
//! loop (a = a0) for i < t {                          let b = loop (a = a0) for i < t {
//!   let r = k + 1 + i                                  let r = k + 1 + i
//!   let x = a[r, k]                                    let x = a[r, k]
//!   let f = x / p                                      let f = x / p
//!   let a.1 = bulk { update (a) [r, k] => f }     =>   => bulk { update (a) [r, k] => f }
//!   let a.2 = bulk { update (a.1) .. f .. }          }
//!   => a.2                                           loop (a.1 = b) for i < t {
//! }                                                    let r = k + 1 + i
//!                                                      let f = a.1[r, k]
//!                                                      => bulk { update (a.1) .. f .. }
//!                                                    }
//! ```
//!
//! No turn reads what another one replaces, so all turns can do the first part before any of them does the second. What is
//! computed from the array before the first part cannot be computed again after it; but a number that was stored can be read.
//!
//! Limits: the loop carries one array; nothing fails; what both parts need is cheap.

use super::access::Access;
use super::subscripts::Subscripts;
use super::turn::{Turn, can_fail, is_cheap, mentioned};
use analysis::emits;
use base::Set;
use ir::rename::{Substitution, copies, copy_block};
use ir::{Atom, Block, Bulk, Emit, Exp, Kind, LoopForm, Program, Step, Stm, Var};

/// The first and the second loop.
pub(super) fn split(program: &mut Program, subscripts: &Subscripts, stm: &Stm) -> Option<(Stm, Stm)> {
    let turn = Turn::of(stm)?;
    let [(param, init)] = turn.params[..] else { return None };
    let stms = &turn.body.stms;
    let chain = chain(&turn, param)?;
    (chain.len() > 1 && !stms.iter().any(can_fail)).then_some(())?;
    let names: Vec<Var> = chain.iter().map(|place| stms[*place].vars[0]).collect();
    is_apart(program, subscripts, &turn, &chain, &[&[param], &names[..]].concat()).then_some(())?;
    let (first, second) = (chain[0], names[0]);
    let one = needed(program, stms, vec![second], &[]);
    let before = body(stms, &one, second);
    let read = stored(&stms[first], second).filter(|(value, _)| stms[..first].iter().any(|stm| stm.vars == [*value]));
    let known: Vec<Var> = read.iter().map(|(value, _)| *value).chain([second]).collect();
    let mut wanted: Vec<Var> = read.iter().flat_map(|(_, read)| mentioned(program, read)).collect();
    wanted.extend(names.last());
    let own = needed(program, stms, wanted, &known);
    let repeats = |number: &usize| is_cheap(&stms[*number]) && !mentioned(program, &stms[*number]).contains(&param);
    let is_second = |number: &usize| *number > first;
    own.iter().filter(|number| !is_second(number)).all(repeats).then_some(())?;
    let mut after = body(stms, &own, *names.last()?);
    if let Some((_, read)) = read {
        let at = own.iter().filter(|number| **number < first).count();
        after.stms.insert(at, read);
    }
    let result = copies(&mut program.vars, &[param])[0];
    let whole = |params, vars, body| {
        let exp = Exp::repeat(params, LoopForm::For(turn.index, turn.count), body);
        Stm { vars, exp, ..stm.clone() }
    };
    let one = whole(vec![(param, init)], vec![result], before);
    let two = whole(vec![(second, result.into())], stm.vars.clone(), after);
    Some((one, renamed(program, two)))
}

/// The updates that lead from the array to what the turn gives, if nothing else does.
fn chain(turn: &Turn<'_>, param: Var) -> Option<Vec<usize>> {
    let mut current = turn.body.result[0].var()?;
    let mut found = Vec::new();
    while current != param {
        let place = turn.body.stms.iter().position(|stm| stm.vars == [current])?;
        let Exp::Bulk(bulk) = &turn.body.stms[place].exp else { return None };
        let [output] = &bulk.outputs[..] else { return None };
        let Kind::Update { arrays, rec, skip: false } = &output.kind else { return None };
        (rec.is_empty() && emits::scans(&bulk.steps).is_empty()).then_some(())?;
        current = *arrays.first()?;
        found.push(place);
    }
    found.reverse();
    Some(found)
}

/// Whether no turn reads what another replaces, under any of the array's names.
fn is_apart(program: &Program, subscripts: &Subscripts, turn: &Turn<'_>, chain: &[usize], names: &[Var]) -> bool {
    let stms = &turn.body.stms;
    let values = chain.iter().filter_map(|place| match &stms[*place].exp {
        Exp::Bulk(bulk) => Some(emits::all(&bulk.steps)),
        _ => None,
    });
    let values: Vec<&Emit> = values.flatten().collect();
    let Some(access) = Access::of(subscripts, turn, values) else { return false };
    stms.iter().enumerate().all(|(number, stm)| {
        let mentions = mentioned(program, stm).iter().filter(|var| names.contains(var)).count();
        // An update binds a name and changes the array of another.
        let own = if chain.contains(&number) { 2 } else { 0 };
        mentions == own + access.reads(stm, names)
    })
}

/// The number that an update stores in one place, and a statement that reads it from there.
fn stored(update: &Stm, array: Var) -> Option<(Var, Stm)> {
    let Exp::Bulk(Bulk { steps, .. }) = &update.exp else { return None };
    let [Step::Emit(emit)] = &steps[..] else { return None };
    let [Atom::Var(value)] = emit.value.result[..] else { return None };
    emit.value.stms.is_empty().then_some(())?;
    let mut read =
        Stm { vars: vec![value], certs: Vec::new(), exp: Exp::Index(array, emit.at.clone()), span: emit.span };
    read.rely_on(&update.certs);
    read.rely_on(&emit.certs);
    Some((value, read))
}

/// The statements that variables need where these others are there already.
fn needed(program: &Program, stms: &[Stm], mut open: Vec<Var>, known: &[Var]) -> Set<usize> {
    let mut found = Set::default();
    while let Some(var) = open.pop() {
        let place = stms.iter().position(|stm| stm.vars.contains(&var)).filter(|_| !known.contains(&var));
        if let Some(place) = place.filter(|place| found.insert(*place)) {
            open.extend(mentioned(program, &stms[place]));
        }
    }
    found
}

fn body(stms: &[Stm], wanted: &Set<usize>, result: Var) -> Block {
    let stms = (0..stms.len()).filter(|number| wanted.contains(number)).map(|number| stms[number].clone());
    Block { stms: stms.collect(), result: vec![result.into()] }
}

/// A loop with names of its own: the other one has the same.
fn renamed(program: &mut Program, stm: Stm) -> Stm {
    let vars = stm.vars.clone();
    let mut copy =
        copy_block(&mut program.vars, &Block { stms: vec![stm], result: Vec::new() }, Substitution::default());
    let Some(stm) = copy.stms.pop() else { base::bug!("a copy without its statement") };
    Stm { vars, ..stm }
}
