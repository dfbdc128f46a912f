//! Lists the instances of clauses with linear subscripts, if they are few.

use super::table::{ElementRead, Listed, Table, cycle, is_small, position};
use super::{Fault, Link, Prepared, Subscript};
use crate::space::{Loop, iterations};

/// Most iterations of all clauses together.
const MAX_ITERATIONS: i64 = 200_000;

/// The array's elements; `None` if the array or its loops are too large for that.
pub(super) fn table(shape: &[i64], clauses: &[Prepared]) -> Option<Table> {
    let total = clauses.iter().try_fold(0i64, |total, c| total.checked_add(iterations(c.loops)?))?;
    if !is_small(shape) || total > MAX_ITERATIONS {
        return None;
    }
    let mut list = Vec::new();
    for clause in clauses {
        for_each_iteration(clause.loops, |values| list.push(listed(shape, clause, values)));
    }
    Table::new(shape.to_vec(), list, false)
}

fn listed(shape: &[i64], clause: &Prepared, values: &[i64]) -> Listed {
    let at = |subscript: &Subscript| -> Vec<Option<i64>> {
        subscript.iter().map(|form| form.as_ref()?.eval(|v| values.get(v.0).copied())).collect()
    };
    let target = |(read, subscript): (usize, &Subscript)| {
        let position = position(shape, at(subscript).get(..shape.len())?)?;
        Some(ElementRead { read, array: 0, position })
    };
    Listed {
        instance: clause.instance(values.to_vec()),
        element: at(&clause.subscript),
        certain: !clause.guarded,
        reads: clause.reads.iter().enumerate().filter_map(target).collect(),
    }
}

/// An element that needs itself.
pub(super) fn find_cycle(table: &Table) -> Option<Fault> {
    let steps = cycle(&[Some(table)], &|_, position| table.owner(position))?;
    let link =
        |step: super::table::Step| Link { element: step.element, instance: step.by.instance.clone(), read: step.read };
    Some(Fault::Cycle { chain: steps.into_iter().map(link).collect() })
}

/// Calls `visit` with the loop variables of every iteration, in order.
fn for_each_iteration(nest: &[Loop], mut visit: impl FnMut(&[i64])) {
    let Some(total) = iterations(nest) else { return };
    let mut counters = vec![0; nest.len()];
    let mut values: Vec<i64> = nest.iter().map(Loop::lo).collect();
    for _ in 0..total {
        visit(&values);
        for depth in (0..nest.len()).rev() {
            counters[depth] += 1;
            if counters[depth] < nest[depth].trip() {
                values[depth] = nest[depth].value(counters[depth]);
                break;
            }
            counters[depth] = 0;
            values[depth] = nest[depth].lo();
        }
    }
}
