//! Kept values of which only the last is read become a reduction.
//!
//! ```text
//! let (m, xs) = bulk {                                let (m, r) = bulk {
//!   out keep of (x: f64)                                out reduce (+) of (one: i64)
//!   for i < n {                                         out reduce of (x: f64) by (a, b) { => b }
//!     ..                                                for i < n {
//!     if c { emit => y }                       =>         if c { emit 0 => 1; emit 1 => y }
//!   }                                                   }
//! }                                                   }
//! let last = m - 1                                    let last = m - 1
//! let check = assert 0 <= last else ..                let check = assert 0 <= last else ..
//! let <check> y = xs[last]                            let <check> y = r
//! ```
//!
//! If the values are running combinations, the reduction combines what these combine. If nothing is kept, nothing is read.

use super::counting;
use super::lasts::{may_be_reduced, only_last, outputs};
use super::uses::Uses;
use base::{Map, Set};
use ir::rename::{Substitution, copies, copy_block};
use ir::tree::identities;
use ir::{Atom, Block, Bulk, Emit, Exp, Kind, Output, Program, Region, Scan, Step, Stm, Tree, Type, Var, VarInfo};

/// Changes the forms of a function.
pub(super) fn reduce(program: &mut Program, body: &mut Block) {
    let arrays = only_last(program, body);
    if arrays.is_empty() {
        return;
    }
    let uses = Uses::of(program, body);
    let mut totals: Map<Var, Var> = Map::default();
    body.for_each_stm_mut(&mut |stm| {
        let before = totals.len();
        for number in 0..outputs(stm) {
            if keeps_lasts(program, stm, number, &arrays) {
                to_reduction(program, stm, number, &mut totals);
            }
        }
        if totals.len() > before {
            let gone: Vec<Var> = totals.keys().copied().collect();
            counting::count_kept(program, &uses, stm, &gone);
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

/// Whether an output keeps values of which only the last is read.
fn keeps_lasts(program: &Program, stm: &Stm, number: usize, arrays: &Set<Var>) -> bool {
    let Exp::Bulk(bulk) = &stm.exp else { return false };
    let output = &bulk.outputs[number];
    let bound = &stm.vars[first(bulk, number)..][..output.bound()];
    let scalars = output.elems.iter().all(|elem| matches!(program.ty(*elem), Type::Scalar(_)));
    matches!(output.kind, Kind::Keep)
        && output.sizes.is_empty()
        && !output.elems.is_empty()
        && scalars
        && bound[1..].iter().all(|array| arrays.contains(array))
        && analysis::emits::count(&bulk.steps, number) == 1
}

/// Where the variables of an output begin.
fn first(bulk: &Bulk, number: usize) -> usize {
    bulk.outputs[..number].iter().map(Output::bound).sum()
}

/// Adds a reduction to the outputs of a form, and keeps nothing but the number of values. Notes what the arrays become.
fn to_reduction(program: &mut Program, stm: &mut Stm, number: usize, totals: &mut Map<Var, Var>) {
    let Exp::Bulk(bulk) = &mut stm.exp else { return };
    let place = first(bulk, number) + 1;
    let elems = std::mem::take(&mut bulk.outputs[number].elems);
    for array in stm.vars.drain(place..place + elems.len()).collect::<Vec<_>>() {
        let info = program.vars[array].clone();
        let Some(prim) = info.ty.prim() else { base::bug!("a form keeps what is no array") };
        let total = program.vars.push(VarInfo { ty: Type::Scalar(prim), ..info });
        totals.insert(array, total);
        stm.vars.push(total);
    }
    let own = bulk.outputs.len();
    let scan = split(&mut bulk.steps, number, own);
    let kind = match scan {
        Some(scan) => of_scan(program, &scan),
        None => last_one(program, &elems),
    };
    bulk.outputs.push(Output { kind, sizes: Vec::new(), elems });
}

/// Gives the values of an output to another one. If they are running combinations, it gets what these combine; returns them.
fn split(steps: &mut Vec<Step>, number: usize, own: usize) -> Option<Scan> {
    let place = steps.iter().position(|step| matches!(step, Step::Emit(emit) if emit.output == number));
    let Some(place) = place else {
        return steps.iter_mut().find_map(|step| match step {
            Step::For { body, .. } | Step::Guard(_, body) => split(body, number, own),
            Step::Let(_) | Step::Scan(_) | Step::Emit(_) => None,
        });
    };
    let Step::Emit(emit) = &mut steps[place] else { return None };
    let mut value = Emit { output: own, ..emit.clone() };
    emit.value = Block::default();
    let result = &value.value.result;
    let is_it = |scan: &Scan| {
        let plain = value.value.stms.is_empty() && identities(&scan.op).is_some();
        plain && result.iter().copied().eq(scan.vars.iter().map(|var| Atom::Var(*var)))
    };
    let scan = steps.iter().position(|step| matches!(step, Step::Scan(scan) if is_it(scan)));
    let scan = scan.filter(|at| matches!(&steps[*at], Step::Scan(scan) if may_be_reduced(scan, steps)));
    let mut found = None;
    let mut lets = Vec::new();
    if let Some(Step::Scan(scan)) = scan.map(|at| &mut steps[at]) {
        lets = std::mem::take(&mut scan.value.stms);
        value.value.result.clone_from(&scan.value.result);
        found = Some(scan.clone());
    }
    steps.insert(place + 1, Step::Emit(value));
    let at = scan.unwrap_or(place);
    steps.splice(at..at, lets.into_iter().map(Step::Let));
    found
}

/// A reduction that combines what a running combination does.
fn of_scan(program: &mut Program, scan: &Scan) -> Kind {
    let params = copies(&mut program.vars, &scan.op.params);
    let names: Vec<Atom> = params.iter().map(|param| Atom::Var(*param)).collect();
    let body = copy_block(&mut program.vars, &scan.op.body, Substitution::new(&scan.op.params, &names));
    let neutral = identities(&scan.op).unwrap_or_else(|| base::bug!("an operator without identities"));
    let neutral = neutral.into_iter().map(Atom::Const).collect();
    Kind::Reduce { op: Region { params, body }, neutral, commutes: true, tree: Tree::PLAIN }
}

/// A reduction that gives the last value.
fn last_one(program: &mut Program, elems: &[Var]) -> Kind {
    let params = [copies(&mut program.vars, elems), copies(&mut program.vars, elems)].concat();
    let result = params[elems.len()..].iter().copied().map(Atom::Var).collect();
    let zero = |elem: &Var| program.ty(*elem).prim().map(|prim| Atom::Const(prim.zero()));
    let neutral = elems.iter().filter_map(zero).collect();
    let op = Region { params, body: Block { stms: Vec::new(), result } };
    Kind::Reduce { op, neutral, commutes: false, tree: Tree::PLAIN }
}
