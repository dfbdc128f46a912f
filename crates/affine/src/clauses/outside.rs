//! Subscripts that leave the array.

use super::{Array, Fault, Form, Prepared, Subscript, first_of_each};
use crate::instances::{Bound, Instances};
use crate::range::Range;
use crate::space::Loop;

/// For each clause, the first iteration that certainly writes outside the array.
pub(super) fn writes(array: &Array) -> Vec<Fault> {
    let fault = |clause: &Prepared| {
        let (iteration, dimension, index) = first_outside(array.shape, clause, clause.loops, &clause.subscript)?;
        let fault = Fault::WriteOutside { instance: clause.instance(iteration), dimension, index };
        Some((clause.source, fault))
    };
    first_of_each(array.clauses.iter().filter_map(fault))
}

/// For each read that certainly leaves the array it reads, the first iteration in which it does.
pub(super) fn reads(arrays: &[Array], clause: &Prepared) -> Vec<Fault> {
    let fault = |(read, prepared): (usize, &super::PreparedRead)| {
        let shape = arrays[prepared.array].shape;
        let (iteration, dimension, index) = first_outside(shape, clause, &prepared.loops, &prepared.subscript)?;
        Some(Fault::ReadOutside { instance: clause.instance(iteration), read, dimension, index })
    };
    clause.reads.iter().enumerate().filter_map(fault).collect()
}

/// The first iteration with an index outside, the dimension, and the index.
fn first_outside(
    shape: &[i64],
    clause: &Prepared,
    loops: &[Loop],
    subscript: &Subscript,
) -> Option<(Vec<i64>, usize, i64)> {
    if clause.guarded {
        return None;
    }
    let dimensions = subscript.iter().zip(shape).enumerate();
    let candidate = |(dimension, (form, extent)): (usize, (&Option<Form>, &i64))| {
        let form = form.as_ref()?;
        let iteration = first_leaving(clause.guards, loops, form, *extent)?;
        let index = form.eval(|v| iteration.get(v.0).copied())?;
        Some((iteration, dimension, index))
    };
    dimensions.filter_map(candidate).min()
}

/// The first iteration in which the form is negative or at least `extent`.
fn first_leaving(guards: &[Form], loops: &[Loop], form: &Form, extent: i64) -> Option<Vec<i64>> {
    let values = Range::of_linear(form, |v| loops.get(v.0).map_or(Range::ALL, Loop::range));
    if values.within(&Range::new(0, extent - 1)) {
        return None;
    }
    let solve = |bound| {
        let mut instances = Instances::default();
        let instance = instances.add(loops);
        instances.guard(instance, guards)?;
        instances.bound(instance, form, bound)?;
        instances.solve()??.pop()
    };
    let below = solve(Bound::AtMost(-1));
    let above = solve(Bound::AtLeast(extent));
    below.into_iter().chain(above).min()
}
