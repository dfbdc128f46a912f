//! Rows that are combined with rows of an array, element by element, are handed over element by element.
//!
//! ```text
//! out accum (sums) of (x: [m]f64)               out accum (sums) of (x: f64)
//!   by (a: [m]f64, b: [m]f64) {                   by (a: f64, b: f64) {
//!   .. map2 (+) a b                               a + b
//! }                                     =>      }
//! for i < n {                                   for i < n {
//!   emit [c] => row                               for j < m {
//! }                                                 emit [c, j] { let x: f64 = row[j] => x }
//!                                                 }
//!                                               }
//! ```
//!
//! So the sum of rows needs no memory for a row, and what makes the rows is fused with the loop that adds them. A reduction of
//! rows combines them with a copy of its neutral row; often that is one reduction for each element (`own_places.rs`).

use super::apart::take_apart;
use super::element_wise::{element_wise, is_regular, scalar};
use super::own_places::{Arrays, one_sum_each};
use base::Name;
use ir::traverse::Part;
use ir::{Atom, Block, Bulk, Dim, Emit, Exp, Kind, Mark, Output, Program, Region, Step, Stm, Tree, Var, VarInfo};

/// Changes the forms of a function.
pub(super) fn accumulate(program: &mut Program, body: &mut Block) {
    let arrays = Arrays::of(program, body);
    body.for_each_stm_mut(&mut |stm| {
        take_apart(program, stm);
        if let Exp::Bulk(bulk) = &mut stm.exp {
            let mut reduced = false;
            for number in 0..bulk.outputs.len() {
                reduced |= by_elements(program, bulk, number);
            }
            one_sum_each(program, &arrays, stm, reduced);
        }
    });
}

/// Hands the rows of an output over element by element, if it combines them so. Says whether it reduced them.
fn by_elements(program: &mut Program, bulk: &mut Bulk, number: usize) -> bool {
    let Some((rank, op)) = on_elements(program, &bulk.outputs[number]) else { return false };
    let output = &mut bulk.outputs[number];
    let rows = std::mem::take(&mut output.elems);
    output.elems = rows.iter().map(|row| element(program, *row)).collect();
    let reduced = match &mut output.kind {
        Kind::Accum { op: old, .. } => {
            *old = op;
            false
        }
        Kind::Reduce { neutral, .. } => {
            // A new array holds the row for no values, and all rows are combined with it.
            let arrays = neutral.iter().filter_map(|atom| atom.var()).collect();
            output.kind = Kind::Accum { arrays, skip: false, op, tree: Tree::Uncut };
            true
        }
        Kind::Gen { .. } | Kind::Update { .. } | Kind::Keep => base::bug!("nothing is combined"),
    };
    let extents: Vec<Atom> = program.ty(rows[0]).dims()[..rank].iter().filter_map(size).collect();
    let steps = std::mem::take(&mut bulk.steps);
    bulk.steps = spread(program, steps, number, &extents);
    reduced
}

/// How many dimensions rows have and the operator on their elements, if an output combines rows so.
fn on_elements(program: &mut Program, output: &Output) -> Option<(usize, Region)> {
    let (Kind::Accum { op, .. } | Kind::Reduce { op, .. }) = &output.kind else { return None };
    let dims = program.ty(*output.elems.first()?).dims().to_vec();
    let alike = output.elems.iter().all(|row| program.ty(*row).dims() == dims && is_regular(program, *row));
    let scalars = |op: &Region| op.params.iter().any(|param| !program.ty(*param).is_array());
    if !alike || scalars(op) {
        return None;
    }
    let (loops, op) = element_wise(program, op)?;
    let indices: Vec<Var> = loops.iter().map(|(var, _)| *var).collect();
    (loops.len() == dims.len() && !mentions(&op.body, &indices)).then_some((dims.len(), op))
}

fn mentions(body: &Block, vars: &[Var]) -> bool {
    let mut found = false;
    body.walk(&mut |part| match part {
        Part::Atom(Atom::Var(var)) | Part::Use(var) => found |= vars.contains(var),
        Part::Atom(Atom::Const(_)) | Part::Bind(_) | Part::Block(_) | Part::Stm(_) => {}
    });
    found
}

fn size(dim: &Dim) -> Option<Atom> {
    match dim {
        Dim::Size(size) => Some(*size),
        Dim::Jagged(_) | Dim::Shape(_) => None,
    }
}

/// A new variable for an element of a row.
fn element(program: &mut Program, row: Var) -> Var {
    let info = VarInfo::new(program.vars[row].name, scalar(program, row));
    program.vars.push(info)
}

/// Hands the values of an output over element by element.
fn spread(program: &mut Program, steps: Vec<Step>, number: usize, extents: &[Atom]) -> Vec<Step> {
    let mut new = Vec::new();
    for step in steps {
        match step {
            Step::For { var, count, mark, body } => {
                let body = spread(program, body, number, extents);
                new.push(Step::For { var, count, mark, body });
            }
            Step::Guard(cond, body) => new.push(Step::Guard(cond, spread(program, body, number, extents))),
            Step::Emit(emit) if emit.output == number => new.extend(elements(program, emit, extents)),
            other @ (Step::Let(_) | Step::Scan(_) | Step::Emit(_)) => new.push(other),
        }
    }
    new
}

/// The steps that hand over the elements of a value's rows.
fn elements(program: &mut Program, emit: Emit, extents: &[Atom]) -> Vec<Step> {
    let Emit { output, mut at, certs, value, span } = emit;
    let loops: Vec<(Var, Atom)> =
        extents.iter().map(|count| (program.vars.push(VarInfo::new(Name::new("j"), ir::Type::I64)), *count)).collect();
    let indices: Vec<Atom> = loops.iter().map(|(var, _)| Atom::Var(*var)).collect();
    let read = |row: Var| {
        let vars = vec![element(program, row)];
        Stm { vars, certs: Vec::new(), exp: Exp::Index(row, indices.clone()), span }
    };
    let reads: Vec<Stm> = value.result.iter().filter_map(|row| row.var()).map(read).collect();
    at.extend(&indices);
    let result = reads.iter().flat_map(|stm| &stm.vars).map(|var| Atom::Var(*var)).collect();
    let inner = Step::Emit(Emit { output, at, certs, value: Block { stms: reads, result }, span });
    let nest = loops.into_iter().rev().fold(inner, |inner, (var, count)| Step::For {
        var,
        count,
        mark: Mark::Open,
        body: vec![inner],
    });
    value.stms.into_iter().map(Step::Let).chain([nest]).collect()
}
