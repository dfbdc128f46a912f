//! Subscripts that leave the array.

use super::{Fault, Instance, Prepared};
use crate::instances::{Bound, Instances};
use crate::linear::Linear;
use crate::range::Range;
use crate::space::{Loop, LoopVar};

/// The first iteration in which the clause certainly writes outside the shape.
pub(super) fn write(shape: &[i64], clause: &Prepared) -> Option<Fault> {
    if clause.guarded {
        return None;
    }
    let (iteration, dimension, index) = first_outside(shape, clause.loops, &clause.subscript)?;
    Some(Fault::WriteOutside { instance: clause.instance(iteration), dimension, index })
}

/// For each read that certainly leaves the shape, the first iteration in which it does.
pub(super) fn reads(shape: &[i64], clause: &Prepared) -> Vec<Fault> {
    if clause.guarded {
        return Vec::new();
    }
    let fault = |(read, subscript)| {
        let (iteration, dimension, index) = first_outside(shape, clause.loops, subscript)?;
        let instance = Instance { clause: clause.index, iteration };
        Some(Fault::ReadOutside { instance, read, dimension, index })
    };
    clause.reads.iter().enumerate().filter_map(fault).collect()
}

/// The first iteration with an index outside, the dimension, and the index.
fn first_outside(shape: &[i64], loops: &[Loop], subscript: &super::Subscript) -> Option<(Vec<i64>, usize, i64)> {
    let dimensions = subscript.iter().zip(shape).enumerate();
    let candidate = |(dimension, (form, extent)): (usize, (&Option<Linear<LoopVar>>, &i64))| {
        let form = form.as_ref()?;
        let iteration = first_leaving(loops, form, *extent)?;
        let index = form.eval(|v| iteration.get(v.0).copied())?;
        Some((iteration, dimension, index))
    };
    dimensions.filter_map(candidate).min()
}

/// The first iteration in which the form is negative or at least `extent`.
fn first_leaving(loops: &[Loop], form: &Linear<LoopVar>, extent: i64) -> Option<Vec<i64>> {
    let values = Range::of_linear(form, |v| loops.get(v.0).map_or(Range::ALL, Loop::range));
    if values.within(&Range::new(0, extent - 1)) {
        return None;
    }
    let solve = |bound| {
        let mut instances = Instances::default();
        let instance = instances.add(loops);
        instances.bound(instance, form, bound)?;
        instances.solve()??.pop()
    };
    let below = solve(Bound::AtMost(-1));
    let above = solve(Bound::AtLeast(extent));
    below.into_iter().chain(above).min()
}
