//! Short dependence cycles in a large recursive array.
//!
//! A cycle of length k is a solution of k vector equations: what the first instance reads, the
//! second defines, and so on around. The exact solver answers for cycles of up to three elements;
//! that includes reads at distance zero and reads at opposite distances. Longer cycles are left to
//! the run-time check.

use super::{Fault, Link, Prepared};
use crate::access::Access;
use crate::depend::depends;
use crate::instances::{Bound, Instances};
use crate::linear::Linear;
use crate::space::{LoopVar, index_at};

/// Longest cycle looked for.
const MAX_LENGTH: usize = 3;
/// Limit on the systems solved, and on the edges they are made of.
const MAX_SYSTEMS: usize = 500;
/// Limit on the steps of walks, closed or not.
const MAX_STEPS: usize = 20_000;

/// A read of one clause that may meet the element another clause defines.
struct Edge<'a> {
    from: &'a Prepared<'a>,
    read: usize,
    element: &'a [Linear<LoopVar>],
    to: &'a Prepared<'a>,
    defined: &'a [Linear<LoopVar>],
}

/// A shortest certain cycle, if one of few elements exists.
pub(super) fn short_cycle(shape: &[i64], clauses: &[Prepared]) -> Option<Fault> {
    let edges = possible_edges(clauses);
    let (mut systems_left, mut steps_left) = (MAX_SYSTEMS, MAX_STEPS);
    for length in 1..=MAX_LENGTH {
        let mut walk: Vec<usize> = Vec::new();
        let mut next = 0;
        // All closed walks of this length over the edges; the first edge is the least of its walk,
        // because a cycle may be entered anywhere.
        loop {
            steps_left = steps_left.checked_sub(1)?;
            if walk.len() == length {
                if edges[walk[length - 1]].to.index == edges[walk[0]].from.index {
                    systems_left = systems_left.checked_sub(1)?;
                    let closed: Vec<&Edge> = walk.iter().map(|e| &edges[*e]).collect();
                    if let Some(chain) = solve_walk(shape, &closed) {
                        return Some(Fault::Cycle { chain });
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
    let continues = |edge: &usize| walk.last().is_none_or(|last| edges[*last].to.index == edges[*edge].from.index);
    (start..edges.len()).find(continues)
}

fn possible_edges<'a>(clauses: &'a [Prepared<'a>]) -> Vec<Edge<'a>> {
    let certain: Vec<(&Prepared, &[Linear<LoopVar>])> =
        clauses.iter().filter_map(|c| Some((c, c.certain()?))).collect();
    let mut edges = Vec::new();
    for (from, _) in &certain {
        for (read, element) in from.affine_reads.iter().enumerate() {
            let Some(element) = element.as_deref() else { continue };
            for (to, defined) in &certain {
                let reader = Access { loops: from.loops, subscript: element };
                let writer = Access { loops: to.loops, subscript: defined };
                if edges.len() < MAX_SYSTEMS && depends(&reader, &writer, &[]).possible() {
                    edges.push(Edge { from, read, element, to, defined });
                }
            }
        }
    }
    edges
}

/// Iterations in which every edge's read is what the next edge's clause defines, inside the shape.
fn solve_walk(shape: &[i64], walk: &[&Edge]) -> Option<Vec<Link>> {
    let mut instances = Instances::default();
    let ids: Vec<usize> = walk.iter().map(|edge| instances.add(edge.from.loops)).collect();
    for (position, edge) in walk.iter().enumerate() {
        instances.equate(ids[position], edge.element, ids[(position + 1) % walk.len()], edge.defined)?;
        for (form, extent) in edge.element.iter().zip(shape) {
            instances.bound(ids[position], form, Bound::AtLeast(0))?;
            instances.bound(ids[position], form, Bound::AtMost(extent - 1))?;
        }
    }
    let iterations = instances.solve()??;
    let link = |(edge, iteration): (&&Edge, Vec<i64>)| {
        let element = index_at(edge.from.certain()?, &iteration)?;
        Some(Link { element, instance: edge.from.instance(iteration), read: edge.read })
    };
    walk.iter().zip(iterations).map(link).collect()
}
