//! Sets of array indices: rectangular boxes with a stride in every dimension.
//!
//! Boxes describe what a clause such as `[2*i + 1, j] => ...` defines. Overlap and coverage are
//! decided by arithmetic on the sides, so extents may be as large as they like.

use crate::progression::Progression;

/// The set of all points whose coordinates lie in the given progressions, one for each dimension.
/// A box is never empty; a box without dimensions holds the one empty point.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StridedBox {
    sides: Vec<Progression>,
}

impl StridedBox {
    /// The box with these sides.
    pub fn new(sides: Vec<Progression>) -> Self {
        StridedBox { sides }
    }

    /// All indices of an array of this shape; `None` if the array has no elements.
    pub fn of_shape(shape: &[i64]) -> Option<Self> {
        Some(StridedBox { sides: shape.iter().map(|n| Progression::interval(0, *n)).collect::<Option<_>>()? })
    }

    /// The progression in each dimension.
    pub fn sides(&self) -> &[Progression] {
        &self.sides
    }

    /// The lexicographically least point.
    pub fn first(&self) -> Vec<i64> {
        self.sides.iter().map(Progression::lo).collect()
    }

    /// The number of points, if it fits.
    pub fn volume(&self) -> Option<u128> {
        self.sides.iter().try_fold(1u128, |total, side| total.checked_mul(u128::from(side.count().unsigned_abs())))
    }

    /// Whether `point` lies in the box.
    pub fn contains(&self, point: &[i64]) -> bool {
        self.sides.len() == point.len() && self.sides.iter().zip(point).all(|(side, x)| side.contains(*x))
    }

    /// The common points, which again form a box; `None` if there is none (or the ranks differ).
    pub fn intersect(&self, other: &StridedBox) -> Option<StridedBox> {
        if self.sides.len() != other.sides.len() {
            return None;
        }
        let sides = self.sides.iter().zip(&other.sides).map(|(a, b)| a.intersect(b)).collect::<Option<_>>()?;
        Some(StridedBox { sides })
    }

    /// The points of `self` outside `other`, as disjoint boxes. `None` if that takes more than
    /// `limit` boxes.
    pub fn difference(&self, other: &StridedBox, limit: usize) -> Option<Vec<StridedBox>> {
        let Some(common) = self.intersect(other) else { return Some(vec![self.clone()]) };
        let mut pieces = Vec::new();
        let mut rest = self.clone();
        // Cut one dimension after the other: what sticks out in dimension d, then shrink d.
        for (d, side) in common.sides.iter().enumerate() {
            for outside in rest.sides[d].without(side, limit)? {
                let mut piece = rest.clone();
                piece.sides[d] = outside;
                pieces.push(piece);
            }
            if pieces.len() > limit {
                return None;
            }
            rest.sides[d] = *side;
        }
        Some(pieces)
    }

    /// The two halves along the first dimension with more than one index, the lower half first.
    fn halves(&self) -> Option<(StridedBox, StridedBox)> {
        let (d, side) = self.sides.iter().enumerate().find(|(_, side)| side.count() > 1)?;
        let half = side.count() / 2;
        let upper_lo = side.lo() + side.step() * half;
        let with = |lo: i64, count: i64| {
            let mut sides = self.sides.clone();
            sides[d] = Progression::new(lo, side.step(), count)?;
            Some(StridedBox { sides })
        };
        Some((with(side.lo(), half)?, with(upper_lo, side.count() - half)?))
    }
}

/// Whether a set of boxes covers a whole shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// Every index lies in some box.
    Full,
    /// No box contains this index, and it is the lexicographically first of that kind.
    Gap(Vec<i64>),
    /// The boxes overlap in too intricate a way to decide within the work limit.
    Unknown,
}

/// At most so many boxes may come of dividing one region.
const MAX_PIECES: usize = 1024;
/// Limit on the subtractions done for one question.
const MAX_SUBTRACTIONS: usize = 1 << 18;

/// Looks for the first index of an array of shape `shape` that lies in none of the `regions`.
/// Regions may overlap and may stick out of the shape.
///
/// ```
/// use affine::{Coverage, Progression, StridedBox, first_gap};
/// let every_other = |lo| StridedBox::new(vec![Progression::new(lo, 2, 500_000_000).unwrap()]);
/// assert_eq!(first_gap(&[1_000_000_000], &[every_other(0), every_other(1)]), Coverage::Full);
/// assert_eq!(first_gap(&[1_000_000_001], &[every_other(0), every_other(1)]), Coverage::Gap(vec![1_000_000_000]));
/// ```
pub fn first_gap(shape: &[i64], regions: &[StridedBox]) -> Coverage {
    let Some(whole) = StridedBox::of_shape(shape) else { return Coverage::Full };
    let inside = regions.iter().filter_map(|region| region.intersect(&whole)).collect();
    let Some(disjoint) = make_disjoint(inside) else { return Coverage::Unknown };
    gap_in(whole, disjoint).unwrap_or(Coverage::Unknown)
}

/// Boxes are disjoint, so an area is covered exactly when its volume is the sum of their volumes in
/// it. Halving towards the first area that is not full finds the gap without visiting the points.
fn gap_in(mut area: StridedBox, mut disjoint: Vec<StridedBox>) -> Option<Coverage> {
    if is_full(&area, &disjoint)? {
        return Some(Coverage::Full);
    }
    while let Some((lower, upper)) = area.halves() {
        let within = |half: &StridedBox| disjoint.iter().filter_map(|b| b.intersect(half)).collect::<Vec<_>>();
        let in_lower = within(&lower);
        (area, disjoint) = if is_full(&lower, &in_lower)? {
            let in_upper = within(&upper);
            (upper, in_upper)
        } else {
            (lower, in_lower)
        };
    }
    Some(Coverage::Gap(area.first()))
}

/// Whether disjoint boxes inside `area` fill it; `None` if the volumes do not fit.
fn is_full(area: &StridedBox, disjoint: &[StridedBox]) -> Option<bool> {
    let covered = disjoint.iter().try_fold(0u128, |total, b| total.checked_add(b.volume()?))?;
    Some(covered == area.volume()?)
}

/// Boxes with the same union but without common points; `None` if that takes too much work.
fn make_disjoint(mut boxes: Vec<StridedBox>) -> Option<Vec<StridedBox>> {
    // Large boxes first: whatever lies inside one of them vanishes without being cut up.
    boxes.sort_by_cached_key(|b| std::cmp::Reverse(b.volume()));
    let mut disjoint: Vec<StridedBox> = Vec::new();
    let mut work = 0;
    for new in boxes {
        let mut pieces = vec![new];
        for old in &disjoint {
            work += pieces.len();
            if work > MAX_SUBTRACTIONS {
                return None;
            }
            pieces = subtract(pieces, old)?;
        }
        disjoint.extend(pieces);
    }
    Some(disjoint)
}

/// The points of all `pieces` outside `hole`.
fn subtract(pieces: Vec<StridedBox>, hole: &StridedBox) -> Option<Vec<StridedBox>> {
    let mut rest = Vec::with_capacity(pieces.len());
    for piece in pieces {
        rest.extend(piece.difference(hole, MAX_PIECES)?);
        if rest.len() > MAX_PIECES {
            return None;
        }
    }
    Some(rest)
}

/// Looks for two regions with a common point: their positions (the earlier first) and the
/// lexicographically first point they share. The first pair in order is reported.
pub fn first_overlap(regions: &[StridedBox]) -> Option<(usize, usize, Vec<i64>)> {
    regions.iter().enumerate().find_map(|(second, b)| {
        let hit = |(first, a): (usize, &StridedBox)| Some((first, second, a.intersect(b)?.first()));
        regions[..second].iter().enumerate().find_map(hit)
    })
}
