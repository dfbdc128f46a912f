//! Values of a row and a number, say, that are combined part by part become values of several outputs.
//!
//! ```text
//! out accum (sums, counts) of (x: [m]f64, k: i64)      out accum (sums) of (x: [m]f64) by (map2 (+))
//!   by (a: [m]f64, i: i64, b: [m]f64, j: i64) {        out accum (counts) of (k: i64) by (+)
//!   .. => map2 (+) a b, i + j                          for t < n {
//! }                                                =>    emit 0 [cs[t]] => as[t]
//! for t < n { emit [cs[t]] => as[t], 1 }                 emit 1 [cs[t]] => 1
//!                                                      }
//! ```
//!
//! Then the rows can be combined element by element.

use analysis::mentions::Mentions;
use base::Set;
use ir::rename::{Substitution, copies, copy_block};
use ir::{Atom, Block, Bulk, Emit, Exp, Kind, Output, Program, Region, Step, Stm, Var};

/// Changes a statement that combines such values.
pub(super) fn take_apart(program: &mut Program, stm: &mut Stm) {
    let Exp::Bulk(bulk) = &mut stm.exp else { return };
    for number in (0..bulk.outputs.len()).rev() {
        if let Some(groups) = groups(program, &bulk.outputs[number]) {
            apart(program, bulk, &mut stm.vars, number, &groups);
        }
    }
}

/// The parts of an output's values that are combined on their own. None if it is one, or if all have the same dimensions.
fn groups(program: &Program, output: &Output) -> Option<Vec<Vec<usize>>> {
    let (Kind::Accum { op, .. } | Kind::Reduce { op, .. }) = &output.kind else { return None };
    let dims = |elem: &Var| program.ty(*elem).dims().to_vec();
    let first = dims(output.elems.first()?);
    output.elems.iter().any(|elem| dims(elem) != first).then_some(())?;
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for part in 0..output.elems.len() {
        let mut group = needs(program, op, part);
        // What needs a part of another group belongs to it.
        groups.retain(|other| {
            let apart = other.iter().all(|part| !group.contains(part));
            if !apart {
                group.extend(other);
            }
            apart
        });
        groups.push(group.into_iter().collect());
    }
    groups.iter_mut().for_each(|group| group.sort_unstable());
    groups.sort_unstable();
    (groups.len() > 1).then_some(groups)
}

/// The parts of operands that a part of the result needs, itself included.
fn needs(program: &Program, op: &Region, part: usize) -> Set<usize> {
    let mut wanted: Set<Var> = op.body.result[part].var().into_iter().collect();
    for stm in op.body.stms.iter().rev() {
        if stm.vars.iter().any(|var| wanted.contains(var)) {
            wanted.extend(mentioned(program, stm));
        }
    }
    let width = op.params.len() / 2;
    let used = op.params.iter().enumerate().filter(|(_, param)| wanted.contains(param)).map(|(k, _)| k % width);
    used.chain([part]).collect()
}

fn mentioned(program: &Program, stm: &Stm) -> Vec<Var> {
    let mut mentions = Mentions::new(program);
    mentions.stm(stm);
    mentions.found.extend(&stm.certs);
    mentions.found
}

fn apart(program: &mut Program, bulk: &mut Bulk, vars: &mut Vec<Var>, number: usize, groups: &[Vec<usize>]) {
    let bound =
        |output: &Output| output.sizes.len() + output.elems.len() + usize::from(matches!(output.kind, Kind::Keep));
    let first: usize = bulk.outputs[..number].iter().map(bound).sum();
    let whole = bulk.outputs.remove(number);
    let own: Vec<Var> = vars.drain(first..first + whole.elems.len()).collect();
    let ordered: Vec<usize> = groups.concat();
    vars.splice(first..first, ordered.iter().map(|part| own[*part]));
    for (k, group) in groups.iter().enumerate() {
        bulk.outputs.insert(number + k, part(program, &whole, group));
    }
    let steps = std::mem::take(&mut bulk.steps);
    bulk.steps = split(steps, number, groups);
}

/// The output of some parts.
fn part(program: &mut Program, whole: &Output, group: &[usize]) -> Output {
    let pick = |atoms: &[Atom]| group.iter().map(|part| atoms[*part]).collect::<Vec<Atom>>();
    let kind = match &whole.kind {
        Kind::Accum { arrays, skip, op, tree } => {
            let arrays = group.iter().map(|part| arrays[*part]).collect();
            Kind::Accum { arrays, skip: *skip, op: operator(program, op, group), tree: *tree }
        }
        Kind::Reduce { op, neutral, commutes, tree } => {
            let op = operator(program, op, group);
            Kind::Reduce { op, neutral: pick(neutral), commutes: *commutes, tree: *tree }
        }
        Kind::Gen { .. } | Kind::Update { .. } | Kind::Keep => base::bug!("nothing is combined"),
    };
    Output { kind, sizes: Vec::new(), elems: group.iter().map(|part| whole.elems[*part]).collect() }
}

/// The operator on some parts.
fn operator(program: &mut Program, op: &Region, group: &[usize]) -> Region {
    let width = op.params.len() / 2;
    let own: Vec<Var> =
        group.iter().copied().chain(group.iter().map(|part| width + part)).map(|k| op.params[k]).collect();
    let params = copies(&mut program.vars, &own);
    let atoms: Vec<Atom> = params.iter().copied().map(Atom::Var).collect();
    let names = Substitution::new(&own, &atoms);
    // What computes other parts would name their operands.
    let result: Vec<Atom> = group.iter().map(|part| op.body.result[*part]).collect();
    let mut wanted: Set<Var> = result.iter().filter_map(|atom| atom.var()).collect();
    let mut stms: Vec<Stm> = Vec::new();
    for stm in op.body.stms.iter().rev() {
        if stm.vars.iter().any(|var| wanted.contains(var)) {
            wanted.extend(mentioned(program, stm));
            stms.push(stm.clone());
        }
    }
    stms.reverse();
    Region { params, body: copy_block(&mut program.vars, &Block { stms, result }, names) }
}

/// Steps that hand the parts of values over one by one.
fn split(steps: Vec<Step>, number: usize, groups: &[Vec<usize>]) -> Vec<Step> {
    let mut out = Vec::new();
    for step in steps {
        match step {
            Step::For { var, count, mark, body } => {
                out.push(Step::For { var, count, mark, body: split(body, number, groups) });
            }
            Step::Guard(cond, body) => out.push(Step::Guard(cond, split(body, number, groups))),
            Step::Emit(emit) if emit.output == number => {
                let Emit { at, certs, value, span, .. } = emit;
                out.extend(value.stms.into_iter().map(Step::Let));
                for (k, group) in groups.iter().enumerate() {
                    let result = group.iter().map(|part| value.result[*part]).collect();
                    let value = Block { stms: Vec::new(), result };
                    let (at, certs) = (at.clone(), certs.clone());
                    out.push(Step::Emit(Emit { output: number + k, at, certs, value, span }));
                }
            }
            Step::Emit(emit) if emit.output > number => {
                out.push(Step::Emit(Emit { output: emit.output + groups.len() - 1, ..emit }));
            }
            step @ (Step::Let(_) | Step::Scan(_) | Step::Emit(_)) => out.push(step),
        }
    }
    out
}
