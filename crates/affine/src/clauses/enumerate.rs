//! Lists the instances of clauses, if they are few.

use super::table::{ElementRead, Listed, Table, cycle, is_small, position};
use super::{Array, ArrayClauses, Construct, Fault, Link, Prepared, PreparedRead, Subscript};
use crate::space::{Loop, iterations};

/// Most iterations of all clauses of an array together.
const MAX_ITERATIONS: i64 = 200_000;
/// Most elements that they read.
const MAX_READS: i64 = 3_000_000;

/// The array's elements; `None` if the array, its loops or its reads are too many for that.
pub(super) fn table(array: &Array, arrays: &[ArrayClauses]) -> Option<Table> {
    let instances = total(array.clauses.iter().map(|c| c.loops))?;
    let elements = total(array.clauses.iter().flat_map(|c| &c.reads).map(|r| &r.loops[..]))?;
    if !is_small(array.shape) || instances > MAX_ITERATIONS || elements > MAX_READS {
        return None;
    }
    let mut list = Vec::new();
    for clause in &array.clauses {
        for_each_iteration(clause.loops, &[], |values| list.extend(listed(clause, values, arrays)));
    }
    let otherwise = array.otherwise.as_ref().and_then(|clause| listed(clause, &[], arrays));
    Table::new(array.shape.to_vec(), list, otherwise)
}

/// The number of iterations of all these nests, if it fits.
fn total<'a>(mut nests: impl Iterator<Item = &'a [Loop]>) -> Option<i64> {
    nests.try_fold(0i64, |total, nest| total.checked_add(iterations(nest)?))
}

/// What one iteration does; `None` if a guard skips it.
fn listed(clause: &Prepared, values: &[i64], arrays: &[ArrayClauses]) -> Option<Listed> {
    let mut certain = !clause.guarded;
    for guard in clause.guards {
        match guard.eval(|v| values.get(v.0).copied()) {
            Some(value) if value < 0 => return None,
            Some(_) => {}
            None => certain = false,
        }
    }
    let reads = clause.reads.iter().enumerate().flat_map(|(number, read)| elements(number, read, values, arrays));
    Some(Listed {
        instance: clause.instance(values.to_vec()),
        source: clause.source,
        element: at(&clause.subscript, values),
        certain,
        reads: if certain { reads.collect() } else { Vec::new() },
    })
}

fn at(subscript: &Subscript, values: &[i64]) -> Vec<Option<i64>> {
    subscript.iter().map(|form| form.as_ref()?.eval(|v| values.get(v.0).copied())).collect()
}

/// The elements that a read takes in one iteration of its clause.
fn elements(number: usize, read: &PreparedRead, outer: &[i64], arrays: &[ArrayClauses]) -> Vec<ElementRead> {
    let mut out = Vec::new();
    let shape = &arrays[read.array].shape;
    if is_small(shape) && read.subscript.len() >= shape.len() {
        for_each_iteration(&read.loops[outer.len()..], outer, |values| {
            let position = position(shape, &at(&read.subscript, values)[..shape.len()]);
            out.extend(position.map(|position| ElementRead { read: number, array: read.array, position }));
        });
    }
    out
}

/// An element that needs itself, through any arrays whose elements are listed.
pub(super) fn find_cycle(arrays: &[Array], tables: &[Option<Table>], decided: &[bool]) -> Option<(usize, Fault)> {
    let defines = |array: usize, position: usize| {
        let table = tables[array].as_ref()?;
        match table.owner(position) {
            Some(owner) => Some(owner).filter(|_| decided[array]),
            None => table.otherwise(position).filter(|_| arrays[array].construct == Construct::Array),
        }
    };
    let tables: Vec<Option<&Table>> = tables.iter().map(Option::as_ref).collect();
    let chain: Vec<Link> = cycle(&tables, &defines)?;
    Some((chain.first()?.array, Fault::Cycle { chain }))
}

/// Calls `visit` with the loop variables of every iteration, in order, those of `outer` loops in front.
fn for_each_iteration(nest: &[Loop], outer: &[i64], mut visit: impl FnMut(&[i64])) {
    let Some(total) = iterations(nest) else { return };
    let first = outer.len();
    let mut counters = vec![0; nest.len()];
    let mut values: Vec<i64> = outer.iter().copied().chain(nest.iter().map(Loop::lo)).collect();
    for _ in 0..total {
        visit(&values);
        for depth in (0..nest.len()).rev() {
            counters[depth] += 1;
            if counters[depth] < nest[depth].trip() {
                values[first + depth] = nest[depth].value(counters[depth]);
                break;
            }
            counters[depth] = 0;
            values[first + depth] = nest[depth].lo();
        }
    }
}
