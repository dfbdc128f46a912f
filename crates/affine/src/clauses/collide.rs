//! Elements of a large array that are defined twice.

use super::cover::region;
use super::{Array, Fault, Form, Prepared, first_of_each, inside};
use crate::access::{Access, Direction};
use crate::boxes::StridedBox;
use crate::depend::{Answer, depends};
use crate::space::index_at;

/// Limit on the pairs of clauses that face the dependence tests.
const MAX_PAIRS: usize = 2000;

/// A clause whose every iteration certainly defines an element.
struct Writer<'a> {
    clause: &'a Prepared<'a>,
    subscript: &'a [Form],
    region: StridedBox,
}

impl Writer<'_> {
    fn access(&self) -> Access<'_> {
        Access { loops: self.clause.loops, guards: self.clause.guards, subscript: self.subscript }
    }
}

/// For each clause, its first certain collision with itself or an earlier one.
pub(super) fn collisions(array: &Array) -> Vec<Fault> {
    let shape = array.shape;
    let writer =
        |clause| Some(Writer { clause, subscript: Prepared::certain(clause)?, region: region(shape, clause)? });
    let writers: Vec<Writer> = array.clauses.iter().filter_map(writer).collect();
    let mut pairs_left = MAX_PAIRS;
    let mut faults = Vec::new();
    for (position, second) in writers.iter().enumerate() {
        // The boxes hold all elements, so disjoint boxes settle most pairs at once.
        let near = writers[..position].iter().filter(|first| first.region.intersect(&second.region).is_some());
        let pairs = near.chain([second]).take(pairs_left).inspect(|_| pairs_left -= 1);
        let mut found = pairs.filter_map(|first| collision(shape, first, second));
        faults.extend(found.next().map(|fault| (second.clause.source, fault)));
    }
    first_of_each(faults.into_iter())
}

fn collision(shape: &[i64], first: &Writer, second: &Writer) -> Option<Fault> {
    if !first.clause.is(second.clause) {
        return meeting(shape, first, second, &[]);
    }
    // Two different iterations of one clause: they agree up to some loop and differ there. Start
    // with the innermost, so that the reported iterations are close to one another.
    (0..first.clause.loops.len()).rev().find_map(|depth| {
        let mut directions = vec![Direction::Equal; depth];
        directions.push(Direction::Less);
        meeting(shape, first, second, &directions)
    })
}

fn meeting(shape: &[i64], first: &Writer, second: &Writer, directions: &[Direction]) -> Option<Fault> {
    let Answer::Yes(witness) = depends(&first.access(), &second.access(), directions).answer else { return None };
    let element = index_at(first.subscript, &witness.source)?;
    // Outside the array the write itself is the fault, and reported as such.
    inside(shape, &element).then(|| Fault::Collision {
        element,
        first: first.clause.instance(witness.source),
        second: second.clause.instance(witness.sink),
    })
}
