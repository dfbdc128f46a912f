//! Loops directly inside of each other: one index space whose points can be counted.
//!
//! ```text
//! for i < n {
//!   let row = a[i]
//!   for j < m {        // point i * m + j of n * m
//!     ...
//! ```

use crate::{Atom, Mark, Step, Stm, Var};
use base::Set;

/// One loop of a nest.
#[derive(Clone, Copy, Debug)]
pub struct Level<'b> {
    /// The index.
    pub var: Var,
    /// How many turns; the same in all turns of the loops around.
    pub count: Atom,
    /// How turns run.
    pub mark: Mark,
    /// Its body: simple bindings, then the next loop; anything in the innermost.
    pub body: &'b [Step],
}

impl<'b> Level<'b> {
    /// The bindings before the next loop.
    pub fn bindings(&self) -> impl Iterator<Item = &'b Stm> + use<'b> {
        self.body.iter().filter_map(|step| match step {
            Step::Let(stm) => Some(stm),
            Step::For { .. } | Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => None,
        })
    }
}

/// The loops of the nest that begins with a step, the outermost first; none if the step is no loop.
pub fn levels(step: &Step) -> Vec<Level<'_>> {
    let mut levels: Vec<Level<'_>> = Vec::new();
    let mut bound: Set<Var> = Set::default();
    let mut next = Some(step);
    while let Some(Step::For { var, count, mark, body }) = next {
        if count.var().is_some_and(|count| bound.contains(&count)) {
            break;
        }
        let level = Level { var: *var, count: *count, mark: *mark, body };
        bound.insert(*var);
        bound.extend(level.bindings().flat_map(|stm| stm.vars.iter().copied()));
        levels.push(level);
        next = match body.split_last() {
            Some((last, before)) if before.iter().all(is_simple) => Some(last),
            Some(_) | None => None,
        };
    }
    levels
}

/// How many loops run on threads as one: a loop that does and those directly inside of it that do, too.
pub fn threaded(step: &Step) -> usize {
    match step {
        Step::For { mark: Mark::Threads(_), body, .. } => 1 + body.last().map_or(0, threaded),
        Step::For { .. } | Step::Let(_) | Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => 0,
    }
}

/// Where a row of points is cut, what stands before it is computed for each part; without points it is not computed.
fn is_simple(step: &Step) -> bool {
    matches!(step, Step::Let(stm) if stm.exp.is_simple())
}

/// The number of a point: indices and counts of the loops around it, the outermost first.
pub fn point(turns: &[(usize, usize)]) -> usize {
    turns.iter().fold(0, |before, (turn, count)| before * count + turn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Exp, Kind, parse};

    /// How many loops each bulk form of a function of `n` and `xs` has in its nest.
    fn depth(steps: &str) -> usize {
        let text = format!(
            "fn f(n: i64, xs: [n]i64) -> (result: i64) {{\n  let r: i64 = bulk {{\n    out reduce of (x: i64) from (0) by (a: i64, b: i64) {{\n      let t: i64 = a + b\n      => t\n    }}\n    {steps}\n  }}\n  => r\n}}\n"
        );
        let program = parse(&text).expect("Core");
        let (_, function) = program.functions.iter().next().expect("a function");
        let Exp::Bulk(bulk) = &function.body.stms[0].exp else { panic!("no bulk form") };
        assert!(matches!(bulk.outputs[0].kind, Kind::Reduce { .. }));
        levels(&bulk.steps[0]).len()
    }

    #[test]
    fn bindings_may_stand_between_loops() {
        assert_eq!(depth("for i < n { let k: i64 = i + 1 for j < n { emit { => k } } }"), 2);
    }

    #[test]
    fn a_triangle_is_no_nest() {
        assert_eq!(depth("for i < n { for j < i { emit { => j } } }"), 1);
        assert_eq!(depth("for i < n { let k: i64 = i + 1 for j < k { emit { => j } } }"), 1);
    }

    #[test]
    fn values_between_loops_end_a_nest() {
        assert_eq!(depth("for i < n { emit { => i } for j < n { emit { => j } } }"), 1);
    }

    #[test]
    fn points_are_counted_in_order() {
        assert_eq!(point(&[(2, 5), (3, 7)]), 17);
        assert_eq!(point(&[]), 0);
    }
}
