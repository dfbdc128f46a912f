//! The two classical quick tests on one dimension's dependence equation.
//!
//! With loop variables written as `lo + step * counter`, the subscripts `f` and `g` are equal when
//! `a1*x1 + ... - b1*y1 - ... + constant == 0`, where the counters run from zero to `trip - 1`.
//! Both tests only ever exclude a solution; what they let pass may still have none.

use crate::access::{Access, Direction};
use crate::linear::Linear;
use crate::solve::gcd;
use crate::space::{Loop, LoopVar};

/// `source * x - sink * y + constant == 0` over the counters of the two nests.
pub(crate) struct Equation {
    source: Vec<i128>,
    sink: Vec<i128>,
    constant: i128,
    /// How many outer loops are the very same on both sides: directions speak of their counters.
    common: usize,
}

impl Equation {
    /// One equation for each dimension that both subscripts have.
    pub fn of(source: &Access, sink: &Access) -> Option<Vec<Equation>> {
        let common = source.loops.iter().zip(sink.loops).take_while(|(a, b)| a == b).count();
        let pairs = source.subscript.iter().zip(sink.subscript);
        pairs
            .map(|(f, g)| {
                let (source, f0) = counters(f, source.loops)?;
                let (sink, g0) = counters(g, sink.loops)?;
                Some(Equation { source, sink, constant: f0.checked_sub(g0)?, common })
            })
            .collect()
    }

    /// The direction demanded of loop `depth`, where the loops agree.
    fn direction(&self, directions: &[Direction], depth: usize) -> Direction {
        if depth < self.common { directions.get(depth).copied().unwrap_or(Direction::Any) } else { Direction::Any }
    }

    /// The coefficients of loop `depth` at the source and at the sink, zero where there is no such loop.
    fn at(&self, depth: usize) -> (i128, i128) {
        (self.source.get(depth).copied().unwrap_or(0), self.sink.get(depth).copied().unwrap_or(0))
    }

    fn depth(&self) -> usize {
        self.source.len().max(self.sink.len())
    }
}

/// A form over loop variables as coefficients of their counters, and a constant.
fn counters(form: &Linear<LoopVar>, loops: &[Loop]) -> Option<(Vec<i128>, i128)> {
    let mut coefficients = vec![0; loops.len()];
    let mut constant = i128::from(form.constant_part());
    for (variable, coefficient) in form.terms() {
        let l = loops.get(variable.0)?;
        coefficients[variable.0] = i128::from(*coefficient) * i128::from(l.step());
        constant = constant.checked_add(i128::from(*coefficient) * i128::from(l.lo()))?;
    }
    Some((coefficients, constant))
}

/// Whether there is no integer solution at all, inside or outside the loops.
pub(crate) fn gcd_excludes(equation: &Equation, directions: &[Direction]) -> bool {
    let mut divisor = 0;
    for depth in 0..equation.depth() {
        let (a, b) = equation.at(depth);
        divisor = match equation.direction(directions, depth) {
            Direction::Equal => gcd(divisor, a - b),
            Direction::Less | Direction::Greater | Direction::Any => gcd(gcd(divisor, a), b),
        };
    }
    if divisor == 0 { equation.constant != 0 } else { equation.constant % divisor != 0 }
}

/// Whether the two sides differ by more than zero, or by less, throughout the loops.
pub(crate) fn banerjee_excludes(e: &Equation, source: &[Loop], sink: &[Loop], directions: &[Direction]) -> bool {
    let (mut lo, mut hi) = (Some(e.constant), Some(e.constant));
    for depth in 0..e.depth() {
        let trips = (source.get(depth).map_or(1, Loop::trip), sink.get(depth).map_or(1, Loop::trip));
        match term_bounds(e.at(depth), trips, e.direction(directions, depth)) {
            Term::Impossible => return true,
            Term::Within(least, most) => {
                lo = lo.zip(least).and_then(|(total, t)| total.checked_add(t));
                hi = hi.zip(most).and_then(|(total, t)| total.checked_add(t));
            }
        }
    }
    lo.is_some_and(|lo| lo > 0) || hi.is_some_and(|hi| hi < 0)
}

enum Term {
    /// No iterations are ordered that way.
    Impossible,
    /// Least and greatest value; `None` where it does not fit.
    Within(Option<i128>, Option<i128>),
}

/// Bounds of `a*x - b*y` with `0 <= x < m`, `0 <= y < n` and the direction (then `m == n`).
///
/// A linear function on a polygon is extreme in its corners. For `x < y` write `y = x + 1 + z`: the
/// term is `-b + (a-b)*x - b*z` on the triangle `x, z >= 0`, `x + z <= m - 2`, whose corners give
/// `-b + (m-2) * {0, a-b, -b}`. For `x > y` write `x = y + 1 + z`: `a + (m-2) * {0, a-b, a}`.
fn term_bounds((a, b): (i128, i128), (m, n): (i64, i64), direction: Direction) -> Term {
    let (m, n) = (i128::from(m), i128::from(n));
    match direction {
        Direction::Any => {
            let (x, y) = (a.checked_mul(m - 1), b.checked_mul(n - 1));
            let add = |f: fn(i128, i128) -> i128, g: fn(i128, i128) -> i128| {
                x.zip(y).and_then(|(x, y)| f(0, x).checked_sub(g(0, y)))
            };
            Term::Within(add(i128::min, i128::max), add(i128::max, i128::min))
        }
        Direction::Equal => corners(0, m - 1, [0, a - b, 0]),
        Direction::Less | Direction::Greater if m < 2 => Term::Impossible,
        Direction::Less => corners(-b, m - 2, [0, a - b, -b]),
        Direction::Greater => corners(a, m - 2, [0, a - b, a]),
    }
}

fn corners(base: i128, size: i128, slopes: [i128; 3]) -> Term {
    let at = |slope: Option<i128>| slope.and_then(|s| s.checked_mul(size)?.checked_add(base));
    Term::Within(at(slopes.into_iter().min()), at(slopes.into_iter().max()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bounds are attained: compare with all pairs of counters.
    #[test]
    fn term_bounds_are_exact() {
        for (a, b, m) in (-3..4).flat_map(|a| (-3..4).flat_map(move |b| (1..6).map(move |m| (a, b, m)))) {
            for direction in [Direction::Less, Direction::Equal, Direction::Greater, Direction::Any] {
                let admits = |x: i64, y: i64| match direction {
                    Direction::Less => x < y,
                    Direction::Equal => x == y,
                    Direction::Greater => x > y,
                    Direction::Any => true,
                };
                let pairs = (0..m).flat_map(|x| (0..m).map(move |y| (x, y))).filter(|(x, y)| admits(*x, *y));
                let terms: Vec<i128> = pairs.map(|(x, y)| a * i128::from(x) - b * i128::from(y)).collect();
                match term_bounds((a, b), (m, m), direction) {
                    Term::Impossible => assert!(terms.is_empty()),
                    Term::Within(lo, hi) => {
                        assert_eq!((lo, hi), (terms.iter().min().copied(), terms.iter().max().copied()));
                    }
                }
            }
        }
    }
}
