//! Short dependence cycles in a large recursive array.
//!
//! A cycle of length k is a solution of k vector equations: what the first instance reads, the
//! second defines, and so on around. The exact solver answers for cycles of up to three elements;
//! that includes reads at distance zero and reads at opposite distances. Longer cycles are left to
//! the run-time check.

use super::table::Table;
use super::{Array, Fault, Form, Link, Prepared, PreparedRead};
use crate::access::Access;
use crate::depend::depends;
use crate::instances::{Bound, Instances};
use crate::space::index_at;

/// Longest cycle looked for.
const MAX_LENGTH: usize = 3;
/// Limit on the systems solved, and on the edges they are made of.
const MAX_SYSTEMS: usize = 500;
/// Limit on the steps of walks, closed or not.
const MAX_STEPS: usize = 20_000;

/// A read of one clause that may meet the element another clause defines.
struct Edge<'a> {
    from: &'a Prepared<'a>,
    read: (usize, &'a PreparedRead),
    element: Vec<Form>,
    to: &'a Prepared<'a>,
    defined: &'a [Form],
    /// Of the array that is read.
    shape: &'a [i64],
}

/// A shortest certain cycle, if one of few elements exists. Nothing is left to find where every array has a table.
pub(super) fn short_cycle(arrays: &[Array], tables: &[Option<Table>], decided: &[bool]) -> Option<(usize, Fault)> {
    if tables.iter().all(Option::is_some) {
        return None;
    }
    let edges = possible_edges(arrays, decided);
    let (mut systems_left, mut steps_left) = (MAX_SYSTEMS, MAX_STEPS);
    for length in 1..=MAX_LENGTH {
        let mut walk: Vec<usize> = Vec::new();
        let mut next = 0;
        // All closed walks of this length over the edges; the first edge is the least of its walk,
        // because a cycle may be entered anywhere.
        loop {
            steps_left = steps_left.checked_sub(1)?;
            if walk.len() == length {
                if edges[walk[length - 1]].to.is(edges[walk[0]].from) {
                    systems_left = systems_left.checked_sub(1)?;
                    let closed: Vec<&Edge> = walk.iter().map(|e| &edges[*e]).collect();
                    if let Some(chain) = solve_walk(&closed) {
                        return Some((chain.first()?.array, Fault::Cycle { chain }));
                    }
                }
            } else if let Some(edge) = next_edge(&edges, &walk, next) {
                next = walk.first().copied().unwrap_or(edge);
                walk.push(edge);
                continue;
            }
            let Some(last) = walk.pop() else { break };
            next = last + 1;
        }
    }
    None
}

/// The first edge from `start` on that continues the walk.
fn next_edge(edges: &[Edge], walk: &[usize], start: usize) -> Option<usize> {
    let continues = |edge: &usize| walk.last().is_none_or(|last| edges[*last].to.is(edges[*edge].from));
    (start..edges.len()).find(continues)
}

fn possible_edges<'a>(arrays: &'a [Array<'a>], decided: &[bool]) -> Vec<Edge<'a>> {
    let known = arrays.iter().zip(decided).filter(|(_, decided)| **decided).flat_map(|(array, _)| &array.clauses);
    let certain: Vec<(&Prepared, &[Form])> = known.filter_map(|c| Some((c, c.certain()?))).collect();
    let mut edges = Vec::new();
    for (from, _) in &certain {
        for (number, read) in from.reads.iter().enumerate() {
            let shape = arrays[read.array].shape;
            let Some(element) = read.element(shape.len()) else { continue };
            let reader = Access { loops: &read.loops, guards: from.guards, subscript: &element };
            for (to, defined) in certain.iter().filter(|(to, _)| to.array == read.array) {
                let writer = Access { loops: to.loops, guards: to.guards, subscript: defined };
                if edges.len() < MAX_SYSTEMS && depends(&reader, &writer, &[]).possible() {
                    edges.push(Edge { from, read: (number, read), element: element.clone(), to, defined, shape });
                }
            }
        }
    }
    edges
}

/// Iterations in which every edge's read is what the next edge's clause defines, inside the shape.
fn solve_walk(walk: &[&Edge]) -> Option<Vec<Link>> {
    let mut instances = Instances::default();
    let ids: Vec<usize> = walk.iter().map(|edge| instances.add(&edge.read.1.loops)).collect();
    for (position, edge) in walk.iter().enumerate() {
        instances.guard(ids[position], edge.from.guards)?;
        instances.equate(ids[position], &edge.element, ids[(position + 1) % walk.len()], edge.defined)?;
        for (form, extent) in edge.element.iter().zip(edge.shape) {
            instances.bound(ids[position], form, Bound::AtLeast(0))?;
            instances.bound(ids[position], form, Bound::AtMost(extent - 1))?;
        }
    }
    let iterations = instances.solve()??;
    let link = |(edge, iteration): (&&Edge, Vec<i64>)| {
        let element = index_at(edge.from.certain()?, &iteration)?;
        let instance = edge.from.instance(iteration);
        Some(Link { array: edge.from.array, element, instance, read: edge.read.0 })
    };
    walk.iter().zip(iterations).map(link).collect()
}
