//! An order of clauses in which all elements are there in time.

use super::find::{Failing, Recursive, may_fail};
use base::{Map, Span};
use ir::Var;
use ir::facts::precedence::{Precedence, directions};

/// How the values of a form are computed: groups one after the other.
pub(super) struct Plan {
    pub span: Span,
    pub groups: Vec<Group>,
}

/// Clauses in one loop.
pub(super) struct Group {
    /// Their outermost steps, in the order in which a turn takes them.
    pub steps: Vec<usize>,
    /// How many of their outermost loops become one loop.
    pub shared: usize,
    /// Which of their loops run backward, the outermost first.
    pub backward: Vec<bool>,
}

/// The plans of those forms that have one, by the first variable that they bind.
pub(super) fn plans(found: Vec<Recursive<'_>>) -> Map<Var, Plan> {
    found.iter().filter_map(|form| Some((form.first, plan(form)?))).collect()
}

fn plan(form: &Recursive<'_>) -> Option<Plan> {
    let mut groups = Vec::new();
    for clauses in components(form) {
        groups.push(group(form, &clauses)?);
    }
    // Bindings outside of loops are computed first.
    let Failing { before, in_loops, in_values } = may_fail(&form.bulk.steps);
    let order: Vec<usize> = groups.iter().flat_map(|group| &group.steps).copied().collect();
    let as_written = order.is_sorted()
        && groups.iter().all(|group| group.steps.len() == 1 && !group.backward.iter().any(|backward| *backward));
    let may = if as_written { !(in_loops && (before || in_values)) } else { !in_loops && !in_values };
    may.then_some(Plan { span: form.span, groups })
}

/// The clauses that need each other, in an order in which each group comes after those that it needs; as far as that leaves
/// a choice, in the order of the program.
fn components(form: &Recursive<'_>) -> Vec<Vec<usize>> {
    let count = form.places.len();
    let mut reaches = vec![vec![false; count]; count];
    for read in &form.reads {
        reaches[read.reader][read.writer] = true;
    }
    for via in 0..count {
        for from in 0..count {
            for to in 0..count {
                reaches[from][to] |= reaches[from][via] && reaches[via][to];
            }
        }
    }
    let together = |a: usize, b: usize| a == b || reaches[a][b] && reaches[b][a];
    let (mut order, mut done) = (Vec::new(), vec![false; count]);
    while let Some(next) = (0..count)
        .find(|k| !done[*k] && (0..count).all(|other| done[other] || !reaches[*k][other] || together(*k, other)))
    {
        let group: Vec<usize> = (0..count).filter(|other| together(next, *other)).collect();
        group.iter().for_each(|k| done[*k] = true);
        order.push(group);
    }
    order
}

/// One loop for clauses that need each other. The fewer loops they share, the more of a clause is computed at a time.
fn group(form: &Recursive<'_>, clauses: &[usize]) -> Option<Group> {
    let first = *clauses.first()?;
    let loops = |clause: &usize| form.places[*clause].loops.len();
    let with_first = |clause: &usize| form.shared.get(&(first, *clause)).copied().unwrap_or(0);
    let shared = clauses.iter().filter(|clause| **clause != first).map(with_first).min().unwrap_or(loops(&first));
    let deepest = clauses.iter().map(loops).max()?;
    let sharing = |shared: usize| {
        directions(deepest).into_iter().enumerate().find_map(|(number, backward)| {
            let order = in_turn(form, clauses, shared, number)?;
            Some(Group { steps: order.iter().map(|clause| form.places[*clause].step).collect(), shared, backward })
        })
    };
    if clauses.len() > 1 && shared == 0 {
        return None;
    }
    (1..=shared).rev().chain((shared == 0).then_some(0)).find_map(sharing)
}

/// The clauses in an order in which each turn of the loops that they share takes them, if loops run in these directions.
fn in_turn(form: &Recursive<'_>, clauses: &[usize], shared: usize, direction: usize) -> Option<Vec<usize>> {
    let inside = form.reads.iter().filter(|read| clauses.contains(&read.reader) && clauses.contains(&read.writer));
    let mut same_turn = Vec::new();
    for read in inside {
        let levels = if read.reader == read.writer { form.places[read.reader].loops.len() } else { shared };
        // The directions of the loops inside do not matter.
        let outer = direction & ((1 << levels) - 1);
        match read.when.get(&levels)?.get(outer)? {
            Precedence::Before => {}
            Precedence::UpToSame if read.reader != read.writer => same_turn.push((read.reader, read.writer)),
            Precedence::UpToSame | Precedence::Unknown => return None,
        }
    }
    let mut order: Vec<usize> = Vec::new();
    while order.len() < clauses.len() {
        let ready = |clause: &&usize| {
            let waits = |(reader, writer): &(usize, usize)| reader == *clause && !order.contains(writer);
            !order.contains(clause) && !same_turn.iter().any(waits)
        };
        let next = *clauses.iter().find(ready)?;
        order.push(next);
    }
    Some(order)
}
