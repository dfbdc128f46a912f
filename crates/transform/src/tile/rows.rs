//! Operands of which a row of the result reads a column are transposed first.
//!
//! ```text
//! for i < n { for j < m {                  let as.1: [n][l]f32 = copy (rearrange as (1 0))
//!   ..sum over k < l of as[k, i] * ..  =>  for i < n { for j < m {
//! } }                                        ..sum over k < l of as.1[i, k] * ..
//!                                          } }
//! ```
//!
//! A tile goes through its rows again and again: elements that are far apart in memory would come from another line each.

use crate::write::Writer;
use analysis::contractions::Contraction;
use base::Set;
use ir::{Atom, Exp, Stm, Type, Var};

/// The same contraction, in which the values for a row lie side by side. The copies are written before.
pub(super) fn in_order(writer: &mut Writer<'_>, found: &Contraction) -> Contraction {
    let mut found = found.clone();
    let mut bound: Set<Var> = found.outer.iter().flat_map(|(var, _, stms)| bound_by(stms, *var)).collect();
    bound.extend(bound_by(&found.before, found.row.0));
    bound.extend(bound_by(&found.sum.value.stms, found.column.0));
    let (row, turn) = (Atom::Var(found.row.0), Atom::Var(found.sum.index));
    for stm in &mut found.sum.value.stms {
        let Exp::Index(array, at) = &mut stm.exp else { continue };
        let turns = at.iter().position(|atom| *atom == turn);
        if let (Some(place), true) = (turns, at.last() == Some(&row) && !bound.contains(array)) {
            let last = at.len() - 1;
            *array = transposed(writer, *array, (place, last));
            at.swap(place, last);
        }
    }
    found
}

fn bound_by(stms: &[Stm], index: Var) -> Vec<Var> {
    stms.iter().flat_map(|stm| stm.vars.iter().copied()).chain([index]).collect()
}

/// A copy of an array with two of its dimensions exchanged.
fn transposed(writer: &mut Writer<'_>, array: Var, (a, b): (usize, usize)) -> Var {
    let ty = writer.program.ty(array);
    let (mut dims, Some(prim)) = (ty.dims().to_vec(), ty.prim()) else { base::bug!("an array without elements") };
    let mut order: Vec<usize> = (0..dims.len()).collect();
    order.swap(a, b);
    dims.swap(a, b);
    let ty = Type::array(prim, dims);
    let view = writer.bind("columns", ty.clone(), Exp::Rearrange(array, order));
    let copy = view.var().map(|view| writer.bind("columns", ty, Exp::Copy(view)));
    match copy {
        Some(Atom::Var(copy)) => copy,
        Some(Atom::Const(_)) | None => base::bug!("an array is a constant"),
    }
}
