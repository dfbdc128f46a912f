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

/// One loop for clauses that need each other.
fn group(form: &Recursive<'_>, clauses: &[usize]) -> Option<Group> {
    let first = *clauses.first()?;
    let alike = clauses.iter().all(|clause| *clause == first || form.alike.contains(&(first, *clause)));
    if !alike {
        return None;
    }
    let depth = form.places[first].loops.len();
    directions(depth).into_iter().enumerate().find_map(|(number, backward)| {
        let order = in_turn(form, clauses, number)?;
        Some(Group { steps: order.iter().map(|clause| form.places[*clause].step).collect(), backward })
    })
}

/// The clauses in an order in which each turn takes them, if loops run in these directions.
fn in_turn(form: &Recursive<'_>, clauses: &[usize], direction: usize) -> Option<Vec<usize>> {
    let inside = form.reads.iter().filter(|read| clauses.contains(&read.reader) && clauses.contains(&read.writer));
    let mut same_turn = Vec::new();
    for read in inside {
        match read.when.get(direction)? {
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
