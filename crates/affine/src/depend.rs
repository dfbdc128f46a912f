//! Dependence tests: do two array references meet in a common element?
//!
//! The references are inside loop nests with constant bounds and have affine subscripts. Tests run
//! from cheap to dear: greatest common divisors (is there any integer solution?), Banerjee's bounds
//! (is there a rational solution within the loops?), then the exact integer solver. The answer says
//! which of them decided.

use crate::access::{Access, Direction};
use crate::instances::Instances;
use crate::quick::{Equation, banerjee_excludes, gcd_excludes};

/// Whether two references meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// They do, in these iterations.
    Yes(Witness),
    /// They never do.
    No,
    /// Not decided within the work limit.
    Unknown,
}

/// The values of the loop variables when two references meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// At the source, outermost loop first.
    pub source: Vec<i64>,
    /// At the sink, outermost loop first.
    pub sink: Vec<i64>,
}

/// The test that settled a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// A loop around one of the references never runs.
    EmptyLoop,
    /// The greatest common divisor of the coefficients does not divide the constant.
    Gcd,
    /// The difference of the subscripts stays on one side of zero.
    Banerjee,
    /// The exact integer solver.
    Exact,
    /// None: the exact solver gave up.
    Limit,
}

/// An answer and the test it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether the references meet.
    pub answer: Answer,
    /// What decided it.
    pub by: Test,
}

impl Verdict {
    /// Whether the references may meet for all that is known.
    pub fn possible(&self) -> bool {
        self.answer != Answer::No
    }

    fn no(by: Test) -> Self {
        Verdict { answer: Answer::No, by }
    }

    fn unknown() -> Self {
        Verdict { answer: Answer::Unknown, by: Test::Limit }
    }
}

/// Whether the two references ever meet in iterations ordered by the given directions. The first
/// `directions.len()` loops are common to both; give [`Direction::Any`] where nothing is demanded.
///
/// ```
/// use affine::{Access, Answer, Direction, Linear, Loop, LoopVar, depends};
/// let loops = [Loop::new(1, 100, 1).unwrap()];
/// let (write, read) = ([Linear::symbol(LoopVar(0))], [Linear::symbol(LoopVar(0)).add_constant(-1).unwrap()]);
/// let write = Access::new(&loops, &write);
/// let read = Access::new(&loops, &read);
/// let Answer::Yes(meeting) = depends(&write, &read, &[Direction::Less]).answer else { panic!() };
/// assert_eq!((meeting.source, meeting.sink), (vec![1], vec![2]));
/// assert_eq!(depends(&write, &read, &[Direction::Greater]).answer, Answer::No);
/// ```
pub fn depends(source: &Access, sink: &Access, directions: &[Direction]) -> Verdict {
    match excluded(source, sink, directions) {
        None => Verdict::unknown(),
        Some(Some(test)) => Verdict::no(test),
        Some(None) => exact(source, sink, directions).unwrap_or_else(Verdict::unknown),
    }
}

/// The quick test that excludes a meeting, if one does; `None` for malformed or overflowing input.
fn excluded(source: &Access, sink: &Access, directions: &[Direction]) -> Option<Option<Test>> {
    if source.loops.iter().chain(sink.loops).any(|l| l.trip() == 0) {
        return Some(Some(Test::EmptyLoop));
    }
    let equations = Equation::of(source, sink)?;
    if equations.iter().any(|e| gcd_excludes(e, directions)) {
        return Some(Some(Test::Gcd));
    }
    let bounded = |e: &Equation| banerjee_excludes(e, source.loops, sink.loops, directions);
    Some(equations.iter().any(bounded).then_some(Test::Banerjee))
}

fn exact(source: &Access, sink: &Access, directions: &[Direction]) -> Option<Verdict> {
    let mut instances = Instances::default();
    let at_source = instances.add(source.loops);
    let at_sink = instances.add(sink.loops);
    instances.guard(at_source, source.guards)?;
    instances.guard(at_sink, sink.guards)?;
    instances.equate(at_source, source.subscript, at_sink, sink.subscript)?;
    for (depth, direction) in directions.iter().enumerate() {
        instances.order(at_source, at_sink, depth, *direction)?;
    }
    let answer = match instances.solve()? {
        None => Answer::No,
        Some(mut values) => {
            let sink = values.pop()?;
            Answer::Yes(Witness { source: values.pop()?, sink })
        }
    };
    Some(Verdict { answer, by: Test::Exact })
}

/// Limit on the work of [`direction_vectors`]: enough for all vectors of six common loops.
const MAX_REFINEMENT_WORK: usize = 2200;

/// All direction vectors over the first `common` loops (which both nests share) in which the
/// references may meet, each with its verdict: certain if the answer is `Yes`.
///
/// Starting from `(*, ..., *)`, each vector that the quick tests do not exclude is refined in its
/// first `*`; full vectors face the exact test. Past a work limit vectors stay unrefined.
pub fn direction_vectors(source: &Access, sink: &Access, common: usize) -> Vec<(Vec<Direction>, Verdict)> {
    let mut found = Vec::new();
    let mut pending = vec![(vec![Direction::Any; common], 0)];
    // The exact test costs more in deeper nests.
    let cost = (common * common / 18).max(1);
    let mut work = 0;
    while let Some((directions, refined)) = pending.pop() {
        work += cost;
        if refined == common || work > MAX_REFINEMENT_WORK {
            let full = refined == common;
            let verdict = if full { depends(source, sink, &directions) } else { Verdict::unknown() };
            found.extend(verdict.possible().then_some((directions, verdict)));
            continue;
        }
        if excluded(source, sink, &directions).flatten().is_some() {
            continue;
        }
        // Pushed in reverse, so that the results come out in the order of `Direction`.
        for direction in [Direction::Greater, Direction::Equal, Direction::Less] {
            let mut finer = directions.clone();
            finer[refined] = direction;
            pending.push((finer, refined + 1));
        }
    }
    found
}
