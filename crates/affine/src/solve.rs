//! The exact test: is there an integer point in a bounded polytope?
//!
//! Equations go first, by unimodular column operations: what is left is a lattice of their integer
//! solutions (or a proof that there are none, which generalises the GCD test to several equations).
//! In the lattice's coordinates only inequalities remain. Fourier-Motzkin elimination, tightened to
//! integers, either refutes them or gives bounds for a search that rarely has to step back. Work is
//! limited; past the limit, and on overflow, the outcome is `Unknown`.

use std::collections::BTreeMap;

/// Most inequalities kept between two eliminations.
const MAX_INEQUALITIES: usize = 400;
/// Most steps of work: inequalities made and values tried.
const MAX_STEPS: usize = 50_000;
/// Most coordinates of the lattice.
const MAX_FREE: usize = 32;

/// `coefficients * unknowns + constant`, to be equated or compared with zero.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub coefficients: Vec<i128>,
    pub constant: i128,
}

/// Unknowns within bounds (both ends included), equations `row == 0` and inequalities `row >= 0`.
#[derive(Clone, Debug, Default)]
pub(crate) struct System {
    pub bounds: Vec<(i64, i64)>,
    pub equations: Vec<Row>,
    pub inequalities: Vec<Row>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Solution(Vec<i64>),
    Infeasible,
    Unknown,
}

impl Row {
    fn at(&self, point: &[i128]) -> Option<i128> {
        dot(&self.coefficients, point)?.checked_add(self.constant)
    }

    /// Divides by the greatest common divisor of the coefficients; the constant of an inequality
    /// rounds down, which cuts off no integer point.
    fn tighten(mut self) -> Row {
        let divisor = self.coefficients.iter().fold(0, |g, c| gcd(g, *c));
        if divisor > 1 {
            self.coefficients.iter_mut().for_each(|c| *c /= divisor);
            self.constant = self.constant.div_euclid(divisor);
        }
        self
    }
}

impl System {
    /// Any solution. The work done is taken off `steps`.
    fn solve(&self, steps: &mut usize) -> Outcome {
        self.try_solve(steps).unwrap_or(Outcome::Unknown)
    }

    /// The lexicographically least solution (or some solution, where minimising exceeds the limits).
    pub fn solve_least(&self) -> Outcome {
        let mut steps = MAX_STEPS;
        let mut best = match self.solve(&mut steps) {
            Outcome::Solution(point) => point,
            outcome @ (Outcome::Infeasible | Outcome::Unknown) => return outcome,
        };
        let mut system = self.clone();
        for k in 0..best.len() {
            let mut lo = system.bounds[k].0;
            let mut probe = lo;
            while lo < best[k] {
                system.bounds[k].1 = probe;
                match system.solve(&mut steps) {
                    Outcome::Solution(better) => best = better,
                    Outcome::Infeasible => lo = probe.saturating_add(1),
                    Outcome::Unknown => return Outcome::Solution(best),
                }
                probe = lo.midpoint(best[k]).min(best[k].saturating_sub(1));
            }
            system.bounds[k] = (best[k], best[k]);
        }
        Outcome::Solution(best)
    }

    fn try_solve(&self, steps: &mut usize) -> Option<Outcome> {
        if self.bounds.iter().any(|(lo, hi)| lo > hi) {
            return Some(Outcome::Infeasible);
        }
        let Some(lattice) = self.lattice()? else { return Some(Outcome::Infeasible) };
        let free = lattice.basis.len();
        if free > MAX_FREE {
            return None;
        }
        let rows = self.all_inequalities().iter().map(|row| lattice.pull_back(row)).collect::<Option<Vec<_>>>()?;
        let Some(levels) = eliminate(rows, free, steps)? else { return Some(Outcome::Infeasible) };
        let mut coordinates = vec![0; free];
        if !search(&levels, &mut coordinates, steps)? {
            return Some(Outcome::Infeasible);
        }
        Some(Outcome::Solution(lattice.point(&coordinates)?))
    }

    /// The integer solutions of the equations alone; `Some(None)` if there are none.
    fn lattice(&self) -> Option<Option<Lattice>> {
        let mut lattice = Lattice::whole(self.bounds.len());
        let fixed = self.bounds.iter().enumerate().filter(|(_, (lo, hi))| lo == hi);
        let fixed = fixed.map(|(k, (lo, _))| self.unit(k, 1, -i128::from(*lo)));
        for row in fixed.chain(self.equations.iter().cloned()) {
            if !lattice.restrict(&row)? {
                return Some(None);
            }
        }
        Some(Some(lattice))
    }

    fn all_inequalities(&self) -> Vec<Row> {
        let mut rows = self.inequalities.clone();
        for (k, (lo, hi)) in self.bounds.iter().enumerate() {
            rows.push(self.unit(k, 1, -i128::from(*lo)));
            rows.push(self.unit(k, -1, i128::from(*hi)));
        }
        rows
    }

    fn unit(&self, unknown: usize, coefficient: i128, constant: i128) -> Row {
        let mut coefficients = vec![0; self.bounds.len()];
        coefficients[unknown] = coefficient;
        Row { coefficients, constant }
    }
}

/// The points `origin + sum of coordinate * basis vector`.
struct Lattice {
    origin: Vec<i128>,
    basis: Vec<Vec<i128>>,
}

impl Lattice {
    fn whole(unknowns: usize) -> Lattice {
        let unit = |k| (0..unknowns).map(|j| i128::from(j == k)).collect();
        Lattice { origin: vec![0; unknowns], basis: (0..unknowns).map(unit).collect() }
    }

    /// Keeps only the points with `row == 0`; `Some(false)` if no point is left.
    fn restrict(&mut self, row: &Row) -> Option<bool> {
        let mut along = self.basis.iter().map(|v| dot(&row.coefficients, v)).collect::<Option<Vec<_>>>()?;
        let target = row.at(&self.origin)?.checked_neg()?;
        // Euclid's algorithm on all directions at once leaves one that changes the row.
        while let Some(pivot) = smallest_nonzero(&along) {
            if along.iter().filter(|a| **a != 0).count() == 1 {
                if target.checked_rem(along[pivot])? != 0 {
                    return Some(false);
                }
                let direction = self.basis.remove(pivot);
                add_scaled(&mut self.origin, &direction, target / along[pivot])?;
                return Some(true);
            }
            let direction = self.basis[pivot].clone();
            for j in (0..along.len()).filter(|j| *j != pivot) {
                let quotient = along[j].checked_div_euclid(along[pivot])?;
                along[j] -= quotient * along[pivot];
                add_scaled(&mut self.basis[j], &direction, quotient.checked_neg()?)?;
            }
        }
        Some(target == 0)
    }

    /// A row over the unknowns as a row over the lattice's coordinates.
    fn pull_back(&self, row: &Row) -> Option<Row> {
        let coefficients = self.basis.iter().map(|v| dot(&row.coefficients, v)).collect::<Option<_>>()?;
        Some(Row { coefficients, constant: row.at(&self.origin)? }.tighten())
    }

    fn point(&self, coordinates: &[i128]) -> Option<Vec<i64>> {
        let mut point = self.origin.clone();
        for (direction, coordinate) in self.basis.iter().zip(coordinates) {
            add_scaled(&mut point, direction, *coordinate)?;
        }
        point.into_iter().map(|x| i64::try_from(x).ok()).collect()
    }
}

/// One eliminated coordinate and the inequalities that bound it by coordinates eliminated later.
struct Level {
    coordinate: usize,
    rows: Vec<Row>,
}

/// Fourier-Motzkin elimination of all coordinates. `Some(None)` if the inequalities contradict one
/// another even over the rationals (or after rounding); otherwise the levels, innermost first.
fn eliminate(rows: Vec<Row>, free: usize, steps: &mut usize) -> Option<Option<Vec<Level>>> {
    let Some(mut rows) = simplify(rows) else { return Some(None) };
    let mut levels = Vec::with_capacity(free);
    let mut remaining: Vec<usize> = (0..free).collect();
    while !remaining.is_empty() {
        let at = (0..remaining.len()).min_by_key(|at| cost(&rows, remaining[*at]))?;
        let coordinate = remaining.remove(at);
        let (bounding, mut rest): (Vec<Row>, Vec<Row>) =
            rows.into_iter().partition(|row| row.coefficients[coordinate] != 0);
        for lower in bounding.iter().filter(|row| row.coefficients[coordinate] > 0) {
            for upper in bounding.iter().filter(|row| row.coefficients[coordinate] < 0) {
                rest.push(combine(lower, upper, coordinate)?);
            }
        }
        let Some(next) = simplify(rest) else { return Some(None) };
        if next.len() > MAX_INEQUALITIES {
            return None;
        }
        *steps = steps.checked_sub(next.len())?;
        rows = next;
        levels.push(Level { coordinate, rows: bounding });
    }
    Some(Some(levels))
}

/// How much an elimination costs: first whether it loses integrality, then how many rows it makes.
fn cost(rows: &[Row], coordinate: usize) -> (bool, usize) {
    let lower: Vec<i128> = rows.iter().map(|row| row.coefficients[coordinate]).filter(|c| *c > 0).collect();
    let upper: Vec<i128> = rows.iter().map(|row| row.coefficients[coordinate]).filter(|c| *c < 0).collect();
    let exact = lower.iter().all(|c| *c == 1) || upper.iter().all(|c| *c == -1);
    (!exact, lower.len() * upper.len())
}

fn combine(lower: &Row, upper: &Row, coordinate: usize) -> Option<Row> {
    let (a, b) = (lower.coefficients[coordinate], upper.coefficients[coordinate].checked_neg()?);
    let mix = |l: i128, u: i128| l.checked_mul(b)?.checked_add(u.checked_mul(a)?);
    let pairs = lower.coefficients.iter().zip(&upper.coefficients);
    let coefficients = pairs.map(|(l, u)| mix(*l, *u)).collect::<Option<_>>()?;
    Some(Row { coefficients, constant: mix(lower.constant, upper.constant)? }.tighten())
}

/// Drops what is implied by a parallel inequality; `None` if a row without unknowns is violated.
fn simplify(rows: Vec<Row>) -> Option<Vec<Row>> {
    let mut tightest: BTreeMap<Vec<i128>, i128> = BTreeMap::new();
    for row in rows {
        if row.coefficients.iter().all(|c| *c == 0) {
            if row.constant < 0 {
                return None;
            }
            continue;
        }
        tightest.entry(row.coefficients).and_modify(|c| *c = (*c).min(row.constant)).or_insert(row.constant);
    }
    Some(tightest.into_iter().map(|(coefficients, constant)| Row { coefficients, constant }).collect())
}

/// Gives the coordinates values from the last eliminated to the first; `None` past the work limit.
fn search(levels: &[Level], coordinates: &mut [i128], steps: &mut usize) -> Option<bool> {
    let Some((level, inner)) = levels.split_last() else { return Some(true) };
    coordinates[level.coordinate] = 0;
    let (mut lo, mut hi) = (None, None);
    for row in &level.rows {
        let coefficient = row.coefficients[level.coordinate];
        let rest = row.at(coordinates)?;
        if coefficient > 0 {
            let bound = rest.div_euclid(coefficient).checked_neg()?;
            lo = Some(lo.map_or(bound, |lo: i128| lo.max(bound)));
        } else {
            let bound = rest.div_euclid(coefficient.checked_neg()?);
            hi = Some(hi.map_or(bound, |hi: i128| hi.min(bound)));
        }
    }
    let (mut value, hi) = (lo?, hi?);
    while value <= hi {
        *steps = steps.checked_sub(1)?;
        coordinates[level.coordinate] = value;
        if search(inner, coordinates, steps)? {
            return Some(true);
        }
        value += 1;
    }
    Some(false)
}

fn smallest_nonzero(values: &[i128]) -> Option<usize> {
    (0..values.len()).filter(|j| values[*j] != 0).min_by_key(|j| values[*j].unsigned_abs())
}

fn add_scaled(target: &mut [i128], direction: &[i128], factor: i128) -> Option<()> {
    for (t, d) in target.iter_mut().zip(direction) {
        *t = t.checked_add(d.checked_mul(factor)?)?;
    }
    Some(())
}

fn dot(a: &[i128], b: &[i128]) -> Option<i128> {
    a.iter().zip(b).try_fold(0i128, |total, (x, y)| total.checked_add(x.checked_mul(*y)?))
}

/// The greatest common divisor, never negative.
pub(crate) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    // Only gcd(i128::MIN, 0) and the like do not fit; 1 divides everything and is a safe answer.
    i128::try_from(a).unwrap_or(1)
}
