//! What indices and slices select of a value, without a machine.

use crate::column::offsets_of;
use crate::data::{Array, Column, Value};
use crate::error::{Eval, Stop};
use crate::faults;
use base::Span;
use std::rc::Rc;

/// An index whose parts are numbers.
#[derive(Clone, Copy)]
pub(crate) enum Idx {
    At(i64),
    Slice { start: Option<i64>, end: Option<i64>, stride: i64, span: Span },
}

/// What is wrong with an index.
pub(crate) enum Bounds {
    Index(i64, usize),
    Slice { start: i64, end: i64, stride: i64, extent: usize, span: Span },
    Depth,
}

impl std::fmt::Display for Idx {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bound = |n: &Option<i64>| n.map(|n| n.to_string()).unwrap_or_default();
        match self {
            Idx::At(i) => write!(f, "{i}"),
            Idx::Slice { start, end, stride: 1, .. } => write!(f, "{}:{}", bound(start), bound(end)),
            Idx::Slice { start, end, stride, .. } => write!(f, "{}:{}:{stride}", bound(start), bound(end)),
        }
    }
}

impl Bounds {
    /// The message about all `indices`, of which one is wrong.
    #[cold]
    pub fn report(self, shape: &str, indices: &[impl ToString], span: Span) -> Stop {
        let count = indices.len();
        match self {
            Bounds::Index(i, extent) => {
                let written = match indices {
                    [] | [_] => i.to_string(),
                    all => format!("[{}]", all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
                };
                faults::index(&written, i, extent, shape, span)
            }
            Bounds::Slice { start, end, stride, extent, span } => faults::slice(start, end, stride, extent, span),
            Bounds::Depth => faults::count_of_indices(count, shape, span),
        }
    }
}

#[inline]
pub(crate) fn inside(i: i64, len: usize) -> Result<usize, Bounds> {
    if i >= 0 && (i as usize) < len { Ok(i as usize) } else { Err(Bounds::Index(i, len)) }
}

/// The elements that a slice takes of a dimension.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    pub start: i64,
    pub stride: i64,
    pub count: usize,
}

impl Run {
    pub fn new(index: Idx, extent: usize) -> Result<Run, Bounds> {
        let Idx::Slice { start, end, stride, span } = index else {
            return Err(Bounds::Depth);
        };
        let n = extent as i64;
        let start = start.unwrap_or(if stride < 0 { n - 1 } else { 0 });
        let end = end.unwrap_or(if stride < 0 { -1 } else { n });
        let wrong = Err(Bounds::Slice { start, end, stride, extent, span });
        if stride == 0 {
            return wrong;
        }
        if start == end {
            return Ok(Run { start: 0, stride: 1, count: 0 });
        }
        let valid = if stride > 0 { 0 <= start && start < end } else { -1 <= end && end < start };
        if !valid {
            return wrong;
        }
        let (distance, step) = ((end as i128 - start as i128).abs(), (stride as i128).abs());
        let count = (distance + step - 1) / step;
        let last = start as i128 + (count - 1) * stride as i128;
        if start >= n || last < 0 || last >= n as i128 {
            return wrong;
        }
        Ok(Run { start, stride, count: count as usize })
    }

    pub fn places(self) -> impl Iterator<Item = usize> {
        (0..self.count as i64).map(move |t| (self.start + t * self.stride) as usize)
    }
}

/// The element or subarray at some indices.
#[inline]
pub(crate) fn element(array: &Array, indices: &[i64], span: Span) -> Eval<Value> {
    let (mut column, mut start, mut len) = (&array.rows, 0, array.len);
    let report = |bounds: Bounds| {
        let mut shape = format!("[{}]", array.len);
        array.rows.write_type(&mut shape, array.len);
        bounds.report(&shape, indices, span)
    };
    for (level, i) in indices.iter().enumerate() {
        let at = match inside(*i, len) {
            Ok(i) => start + i,
            Err(bounds) => return Err(report(bounds)),
        };
        if level + 1 == indices.len() {
            return Ok(column.get(at));
        }
        (start, len) = column.span_of(at);
        column = match column {
            Column::Regular(_, inner) | Column::Jagged(_, inner) => inner,
            Column::Prim(_) | Column::Record(_) | Column::Boxed(_) => return Err(report(Bounds::Depth)),
        };
    }
    Ok(Value::Array(Rc::new(array.clone())))
}

/// What indices and slices select of a value.
pub(crate) fn select_value(base: &Value, indices: &[Idx], span: Span) -> Eval<Value> {
    match base {
        // Even without indices: what is read of a recursive array must have been computed.
        Value::Rec(array) => array.select(array, indices, span),
        _ if indices.is_empty() => Ok(base.clone()),
        Value::Array(array) => {
            let (start, count) = (0, array.len);
            match select_rows(&array.rows, &[(start, count)], indices) {
                Ok(column) => Ok(column.get(0)),
                Err(bounds) => Err(bounds.report(&base.describe(), indices, span)),
            }
        }
        other => Err(faults::count_of_indices(indices.len(), &other.describe(), span)),
    }
}

/// For each of some ranges of rows, what the indices select of it: a column with one row per range.
fn select_rows(column: &Column, ranges: &[(usize, usize)], indices: &[Idx]) -> Result<Column, Bounds> {
    let (first, rest) = (indices[0], &indices[1..]);
    let mut places = Vec::with_capacity(ranges.len());
    let mut counts = Vec::new();
    match first {
        Idx::At(i) => {
            for (start, len) in ranges {
                places.push(start + inside(i, *len)?);
            }
        }
        Idx::Slice { .. } => {
            for (start, len) in ranges {
                let run = Run::new(first, *len)?;
                if let ([_], [], 1) = (ranges, rest, run.stride) {
                    let from = start + run.start as usize;
                    return Ok(Column::Regular(run.count, Box::new(column.slice(from, from + run.count))));
                }
                places.extend(run.places().map(|p| start + p));
                counts.push(run.count);
            }
        }
    }
    let selected = if rest.is_empty() {
        column.gather(&places)
    } else {
        let inner = match column {
            Column::Regular(_, inner) | Column::Jagged(_, inner) => inner,
            Column::Prim(_) | Column::Record(_) | Column::Boxed(_) => return Err(Bounds::Depth),
        };
        if places.is_empty() {
            // Nothing is selected, but what is selected of each row has a shape.
            empty_rows(inner, column, rest)?
        } else {
            let below: Vec<(usize, usize)> = places.iter().map(|p| column.span_of(*p)).collect();
            select_rows(inner, &below, rest)?
        }
    };
    Ok(match first {
        Idx::At(_) => selected,
        Idx::Slice { .. } => {
            let regular = counts.windows(2).all(|w| w[0] == w[1]);
            match regular {
                true => Column::Regular(counts.first().copied().unwrap_or(0), Box::new(selected)),
                false => Column::Jagged(offsets_of(counts), Box::new(selected)),
            }
        }
    })
}

/// The column of what indices would select of rows that are not there. Where all rows have one length, indices are wrong that
/// would be wrong in each of them.
fn empty_rows(inner: &Column, outer: &Column, indices: &[Idx]) -> Result<Column, Bounds> {
    let below = match indices {
        [_] => inner.slice(0, 0),
        [_, rest @ ..] => empty_rows(inner.inner(), inner, rest)?,
        [] => return Ok(outer.slice(0, 0)),
    };
    let extent = if let Column::Regular(m, _) = outer { Some(*m) } else { None };
    match (indices[0], extent) {
        (Idx::At(i), Some(extent)) => inside(i, extent).map(|_| below),
        (Idx::At(_), None) => Ok(below),
        (index @ Idx::Slice { .. }, Some(extent)) => {
            Run::new(index, extent).map(|run| Column::Regular(run.count, Box::new(below)))
        }
        (Idx::Slice { .. }, None) => Ok(Column::Regular(0, Box::new(below))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::FileId;

    fn run(start: Option<i64>, end: Option<i64>, stride: i64, extent: usize) -> Option<Vec<usize>> {
        let span = Span::new(FileId(0), 0, 0);
        Run::new(Idx::Slice { start, end, stride, span }, extent).ok().map(|run| run.places().collect())
    }

    #[test]
    fn slices_forward_and_backward() {
        assert_eq!(run(None, None, 1, 3), Some(vec![0, 1, 2]));
        assert_eq!(run(Some(1), None, 2, 6), Some(vec![1, 3, 5]));
        assert_eq!(run(None, None, -1, 3), Some(vec![2, 1, 0]));
        assert_eq!(run(Some(2), Some(0), -1, 3), Some(vec![2, 1]));
        assert_eq!(run(Some(3), Some(3), 1, 3), Some(vec![]));
        assert_eq!(run(None, None, 1, 0), Some(vec![]));
    }

    #[test]
    fn slices_outside_are_wrong() {
        for (start, end, stride) in [(0, 4, 1), (-1, 2, 1), (2, 1, 1), (0, 1, 0), (3, 0, -1), (i64::MIN, i64::MAX, 1)] {
            assert_eq!(run(Some(start), Some(end), stride, 3), None, "{start}:{end}:{stride}");
        }
    }
}
