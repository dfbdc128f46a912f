//! Dimensions at run time.
//!
//! Level k has as many rows as level k-1 has elements; the outermost has one row. The innermost elements are stored one
//! after the other, so a run of rows of some level is a run of elements.

use std::ops::Range;
use std::rc::Rc;

/// One dimension.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Level {
    /// Every row has this many elements.
    Regular(usize),
    /// Row `i` has the elements from `offsets[i]` to `offsets[i + 1]`; the first offset is 0.
    Jagged(Rc<[usize]>),
}

impl Level {
    /// The elements of some rows; none if there are no such rows. Counts that are too large saturate.
    pub fn below(&self, rows: &Range<usize>) -> Option<Range<usize>> {
        match self {
            Level::Regular(n) => Some(rows.start.saturating_mul(*n)..rows.end.saturating_mul(*n)),
            Level::Jagged(offsets) => Some(*offsets.get(rows.start)?..*offsets.get(rows.end)?),
        }
    }
}

/// The elements below some rows of the first of these levels.
pub(super) fn span(levels: &[Level], rows: Range<usize>) -> Option<Range<usize>> {
    levels.iter().try_fold(rows, |rows, level| level.below(&rows))
}

/// How many elements there are; too many saturate.
pub(super) fn total(levels: &[Level]) -> usize {
    span(levels, 0..1).map_or(0, |range| range.len())
}

/// The place of the element (or row) at these subscripts; none if they lie outside.
pub(super) fn place(levels: &[Level], at: &[i64]) -> Option<usize> {
    let mut row = 0;
    for (i, index) in at.iter().enumerate() {
        let inside = levels.get(i)?.below(&(row..row + 1))?;
        let index = usize::try_from(*index).ok()?;
        row = inside.start.checked_add(index).filter(|place| *place < inside.end)?;
    }
    Some(row)
}

/// The subscripts that lead to a place.
pub(super) fn subscripts(levels: &[Level], place: usize) -> Vec<i64> {
    let mut at = place;
    let mut out: Vec<i64> = Vec::with_capacity(levels.len());
    for level in levels.iter().rev() {
        let (row, start) = match level {
            Level::Regular(n) => (at / (*n).max(1), at / (*n).max(1) * n),
            Level::Jagged(offsets) => {
                let row = offsets.partition_point(|offset| *offset <= at).max(1) - 1;
                (row, offsets[row])
            }
        };
        out.push((at - start) as i64);
        at = row;
    }
    out.reverse();
    out
}

/// Whether two lists of dimensions say the same about every row, be they written as regular or jagged.
pub(super) fn agree(a: &[Level], b: &[Level]) -> bool {
    let mut rows = 0..1;
    a.len() == b.len()
        && a.iter().zip(b).all(|(x, y)| {
            let same = match (x, y) {
                (Level::Regular(m), Level::Regular(n)) => m == n || rows.is_empty(),
                (Level::Jagged(m), Level::Jagged(n)) => Rc::ptr_eq(m, n) || m == n,
                (Level::Regular(n), Level::Jagged(offsets)) | (Level::Jagged(offsets), Level::Regular(n)) => {
                    offsets.len() == rows.end + 1 && offsets.windows(2).all(|w| w[1] - w[0] == *n)
                }
            };
            rows = x.below(&rows).unwrap_or(0..0);
            same
        })
}

/// Offsets of rows with these lengths; none if there are too many elements.
pub(super) fn offsets(lengths: impl IntoIterator<Item = usize>) -> Option<Rc<[usize]>> {
    let mut out = vec![0usize];
    let mut end = 0usize;
    for length in lengths {
        end = end.checked_add(length)?;
        out.push(end);
    }
    Some(out.into())
}

/// The lengths of rows with these offsets.
pub(super) fn lengths(offsets: &[usize]) -> impl Iterator<Item = usize> + '_ {
    offsets.windows(2).map(|w| w[1] - w[0])
}

/// What some runs of rows of the first level have below them: their dimensions, and the runs of elements. None if there
/// are no such rows.
pub(super) fn pick(levels: &[Level], mut runs: Vec<Range<usize>>) -> Option<(Vec<Level>, Vec<Range<usize>>)> {
    let mut picked = Vec::with_capacity(levels.len());
    for level in levels {
        picked.push(match level {
            Level::Regular(n) => Level::Regular(*n),
            Level::Jagged(all) => {
                let mut own = Vec::new();
                for run in &runs {
                    own.extend(lengths(all.get(run.start..run.end + 1)?));
                }
                Level::Jagged(offsets(own)?)
            }
        });
        for run in &mut runs {
            *run = level.below(run)?;
        }
    }
    Some((picked, runs))
}

/// As [`pick`] for one row alone: where its length is one of many, it is simply a length now.
pub(super) fn pick_row(levels: &[Level], row: usize) -> Option<(Vec<Level>, Range<usize>)> {
    let (mut picked, runs) = pick(levels, std::iter::once(row..row + 1).collect())?;
    if let Some(first) = picked.first_mut()
        && let Level::Jagged(offsets) = first
    {
        *first = Level::Regular(*offsets.get(1)?);
    }
    Some((picked, runs.into_iter().next()?))
}
