//! A running combination of which only the last value is read is a reduction.
//!
//! ```text
//! let (s: [n]i64, ys: [n]i64) = bulk {                  let (r: i64, ys: [n]i64) = bulk {
//!   out gen [n] of (x: i64)                               out reduce of (x: i64) from (0) by + ..
//!   out gen [n] of (y: i64)                               out gen [n] of (y: i64)
//!   for i < n {                                           for i < n {
//!     scan z by + of x                             =>       scan z by + of x
//!     emit 0 [i] => z                                       emit 0 => x
//!     emit 1 [i] => f z                                     emit 1 [i] => f z
//!   }                                                     }
//! }                                                     }
//! let last: i64 = n - 1                                 ..
//! .. s[last] ..                                         .. r ..
//! ```
//!
//! A program that counts what it keeps, finds the places of all by a scan and the number of them at its end, is of this form.
//! Where the element is read there is one, so the reduction is of at least one value.
//!
//! The blocks of a reduction are combined in another order. So a running combination of floats changes only if nothing else
//! uses it: the last of several running sums that a program reads is the sum that it reads beside them.

use super::last_reads::last_reads;
use super::shifted::starts_neutral;
use base::{Map, Set};
use ir::rename::{Substitution, copies, copy_block};
use ir::traverse::Part;
use ir::tree::{identities, is_exact};
use ir::{
    Atom, Block, Bulk, Coverage, Dim, Exp, Kind, Output, Program, Region, Scan, Step, Stm, Tree, Type, Var, VarInfo,
};

/// Changes the forms of a function.
pub(super) fn reduce(program: &mut Program, body: &mut Block) {
    let arrays = only_last(program, body);
    if arrays.is_empty() {
        return;
    }
    let mut totals: Map<Var, Var> = Map::default();
    body.for_each_stm_mut(&mut |stm| {
        for number in 0..outputs(stm) {
            if let Some(scan) = scan_of(stm, number, &arrays) {
                to_reduction(program, stm, number, &scan, &mut totals);
            }
        }
    });
    body.for_each_stm_mut(&mut |stm| {
        if let Exp::Index(array, _) = &stm.exp
            && let Some(total) = totals.get(array)
        {
            stm.exp = Exp::Atom((*total).into());
        }
    });
}

/// The arrays with one dimension that are read at their last index and used in no other way.
pub(super) fn only_last(program: &Program, body: &Block) -> Set<Var> {
    let mut uses: Map<Var, usize> = Map::default();
    body.walk(&mut |part| match part {
        Part::Atom(Atom::Var(var)) | Part::Use(var) => *uses.entry(*var).or_default() += 1,
        Part::Bind(var) => program.ty(*var).for_each_var(&mut |shape| *uses.entry(shape).or_default() += 1),
        Part::Atom(Atom::Const(_)) | Part::Block(_) | Part::Stm(_) => {}
    });
    let reads = last_reads(program, body);
    reads.into_iter().filter(|(array, times)| uses.get(array) == Some(times)).map(|(array, _)| array).collect()
}

/// How many outputs a form has.
pub(super) fn outputs(stm: &Stm) -> usize {
    match &stm.exp {
        Exp::Bulk(bulk) => bulk.outputs.len(),
        _ => 0,
    }
}

/// Which variables of a statement an output binds.
fn bound(bulk: &Bulk, number: usize) -> std::ops::Range<usize> {
    let first: usize = bulk.outputs[..number].iter().map(Output::bound).sum();
    first..first + bulk.outputs[number].bound()
}

/// The running combination all values of which an output stores in arrays that are among these.
fn scan_of(stm: &Stm, number: usize, arrays: &Set<Var>) -> Option<Scan> {
    let Exp::Bulk(bulk) = &stm.exp else { return None };
    let output = &bulk.outputs[number];
    let Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec } = &output.kind else { return None };
    let [before @ .., Step::For { var, count, body, .. }] = &bulk.steps[..] else { return None };
    let all = stm.vars[bound(bulk, number)].iter().all(|array| arrays.contains(array));
    let plain = rec.is_empty() && output.sizes.is_empty() && *shape == [Dim::Size(*count)];
    if !all || !plain || !before.iter().all(|step| matches!(step, Step::Let(_))) {
        return None;
    }
    let emit = body.iter().find_map(|step| match step {
        Step::Emit(emit) if emit.output == number => Some(emit),
        Step::For { .. } | Step::Let(_) | Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => None,
    })?;
    let stores = |scan: &Scan| emit.value.result.iter().copied().eq(scan.vars.iter().map(|var| Atom::Var(*var)));
    let scan = body.iter().find_map(|step| match step {
        Step::Scan(scan) if stores(scan) => Some(scan),
        Step::For { .. } | Step::Let(_) | Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => None,
    })?;
    let fits = emit.value.stms.is_empty() && emit.at == [Atom::Var(*var)] && may_be_reduced(scan, body);
    (fits && analysis::emits::count(&bulk.steps, number) == 1).then(|| scan.clone())
}

/// Whether the values of a running combination in these steps may be combined in another order, beginning with what
/// changes nothing.
pub(super) fn may_be_reduced(scan: &Scan, steps: &[Step]) -> bool {
    let only_stored = || steps.iter().map(|step| uses(step, scan)).sum::<usize>() == scan.vars.len();
    starts_neutral(scan) || !is_exact(&scan.op) && identities(&scan.op).is_some() && only_stored()
}

/// How often a step uses the values of a running combination.
fn uses(step: &Step, scan: &Scan) -> usize {
    let mut times = 0;
    step.walk(&mut |part| {
        if let Part::Atom(Atom::Var(var)) | Part::Use(var) = part {
            times += usize::from(scan.vars.contains(var));
        }
    });
    times
}

/// Combines the values of a running combination in place of storing it. Notes what the arrays become.
fn to_reduction(program: &mut Program, stm: &mut Stm, number: usize, scan: &Scan, totals: &mut Map<Var, Var>) {
    let Exp::Bulk(bulk) = &mut stm.exp else { return };
    for array in &mut stm.vars[bound(bulk, number)] {
        let info = program.vars[*array].clone();
        let Some(prim) = info.ty.prim() else { base::bug!("a form makes what is no array") };
        let total = program.vars.push(VarInfo { ty: Type::Scalar(prim), ..info });
        totals.insert(std::mem::replace(array, total), total);
    }
    let params = copies(&mut program.vars, &scan.op.params);
    let names: Vec<Atom> = params.iter().map(|param| Atom::Var(*param)).collect();
    let body = copy_block(&mut program.vars, &scan.op.body, Substitution::new(&scan.op.params, &names));
    let op = Region { params, body };
    // A running combination begins with its first value. What is neutral to the user may not be: `0.0 + -0.0` is `0.0`.
    let neutral = identities(&scan.op).unwrap_or_else(|| base::bug!("an operator without identities"));
    let neutral = neutral.into_iter().map(Atom::Const).collect();
    bulk.outputs[number].kind = Kind::Reduce { op, neutral, commutes: true, tree: Tree::PLAIN };
    let Some(Step::For { body, .. }) = bulk.steps.last_mut() else { return };
    combine(body, number, scan);
    drop_scan(body, scan);
}

/// Binds the value of a running combination before it, and gives it to an output.
fn combine(steps: &mut Vec<Step>, number: usize, scan: &Scan) {
    let mut out = Vec::with_capacity(steps.len());
    for mut step in std::mem::take(steps) {
        match &mut step {
            Step::Scan(own) if own.vars == scan.vars => {
                out.extend(std::mem::take(&mut own.value.stms).into_iter().map(Step::Let));
            }
            Step::Emit(emit) if emit.output == number => {
                emit.at.clear();
                emit.value.result.clone_from(&scan.value.result);
            }
            Step::For { .. } | Step::Let(_) | Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => {}
        }
        out.push(step);
    }
    *steps = out;
}

/// Removes a running combination that nothing uses.
fn drop_scan(steps: &mut Vec<Step>, scan: &Scan) {
    if steps.iter().all(|step| uses(step, scan) == 0) {
        steps.retain(|step| !matches!(step, Step::Scan(own) if own.vars == scan.vars));
    }
}
