//! Indexing and slicing.

use crate::code::*;
use crate::column::offsets_of;
use crate::data::{Array, Column, Value};
use crate::error::Eval;
use crate::faults;
use crate::machine::Machine;
use base::Span;
use fault::message::Place;
use scalar::Scalar;
use std::rc::Rc;

/// An index whose parts are numbers.
#[derive(Clone, Copy)]
pub(crate) enum Idx {
    At(i64),
    Slice { start: Option<i64>, end: Option<i64>, stride: i64, span: Span },
}

/// Most indices of the fast path.
const FEW: usize = 4;

impl Machine<'_> {
    #[inline(never)]
    pub fn eval_index(&mut self, code: &IndexCode) -> Eval<Value> {
        let plain = code.indices.len() <= FEW && code.indices.iter().all(|i| matches!(i, IndexArg::At(_)));
        let whole = if code.base.is_place() { None } else { Some(self.eval(&code.base)?) };
        if plain {
            let mut numbers = [0; FEW];
            for (number, index) in numbers.iter_mut().zip(&code.indices) {
                if let IndexArg::At(node) = index {
                    *number = self.position(node, Place::Index, code.span)?;
                }
            }
            let numbers = &numbers[..code.indices.len()];
            let base = whole.as_ref().or_else(|| self.place(&code.base));
            let at = |n: &i64| Idx::At(*n);
            let value = match base {
                Some(Value::Array(array)) => element(array, numbers, code.span)?,
                Some(base @ Value::Rec(array)) => match array.ready(numbers) {
                    Some(value) => value,
                    None => select_value(base, &numbers.iter().map(at).collect::<Vec<_>>(), code.span)?,
                },
                Some(base) => select_value(base, &numbers.iter().map(at).collect::<Vec<_>>(), code.span)?,
                None => return Err(faults::internal("a variable without a value", code.span)),
            };
            self.release(&code.base);
            return Ok(value);
        }
        let indices = self.indices(&code.indices, code.span)?;
        let base = whole.as_ref().or_else(|| self.place(&code.base));
        let Some(base) = base else {
            return Err(faults::internal("a variable without a value", code.span));
        };
        let value = select_value(base, &indices, code.span)?;
        self.release(&code.base);
        Ok(value)
    }

    /// An integer of any type that says where something is. What lies beyond `i64` is nowhere, whatever the shape.
    fn position(&mut self, node: &Node, place: Place, span: Span) -> Eval<i64> {
        let value = self.eval(node)?;
        match value {
            Value::Scalar(Scalar::U64(n)) => i64::try_from(n).map_err(|_| faults::beyond(place, n, span)),
            value => value.as_i64().ok_or_else(|| faults::internal("an index that is no integer", span)),
        }
    }

    /// An integer of a slice.
    fn number(&mut self, node: &Node, span: Span) -> Eval<i64> {
        let value = self.eval(node)?;
        value.as_i64().ok_or_else(|| faults::internal("an index that is no integer", span))
    }

    fn numbers(&mut self, node: &Node, span: Span) -> Eval<Vec<i64>> {
        let value = self.eval(node)?;
        value.as_i64s().map(<[i64]>::to_vec).ok_or_else(|| faults::internal("an index vector of no integers", span))
    }

    fn maybe_number(&mut self, node: &Option<Node>, span: Span) -> Eval<Option<i64>> {
        node.as_ref().map(|n| self.number(n, span)).transpose()
    }

    /// Indices as numbers; vectors become as many indices as they are long.
    pub fn indices(&mut self, args: &[IndexArg], span: Span) -> Eval<Vec<Idx>> {
        let mut out = Vec::with_capacity(args.len());
        for arg in args {
            match arg {
                IndexArg::At(node) => out.push(Idx::At(self.position(node, Place::Index, span)?)),
                IndexArg::Vector(node) => out.extend(self.numbers(node, span)?.into_iter().map(Idx::At)),
                IndexArg::Slice { start, end, stride, span } => {
                    let start = self.maybe_number(start, *span)?;
                    let end = self.maybe_number(end, *span)?;
                    let stride = self.maybe_number(stride, *span)?.unwrap_or(1);
                    out.push(Idx::Slice { start, end, stride, span: *span });
                }
            }
        }
        Ok(out)
    }

    /// Subscripts of a clause as numbers, into a buffer.
    pub fn subscripts(&mut self, args: &[IndexArg], out: &mut Vec<i64>, span: Span) -> Eval<()> {
        out.clear();
        for arg in args {
            match arg {
                IndexArg::At(node) => out.push(self.position(node, Place::Subscript, span)?),
                IndexArg::Vector(node) => out.extend(self.numbers(node, span)?),
                IndexArg::Slice { span, .. } => return Err(faults::internal("a slice as a subscript", *span)),
            }
        }
        Ok(())
    }
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
    pub fn report(self, shape: &str, indices: &[impl ToString], span: Span) -> crate::error::Stop {
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
            Bounds::Depth => faults::too_many_indices(count, shape, span),
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
        other => Err(faults::too_many_indices(indices.len(), &other.describe(), span)),
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
            empty_rows(inner, column, rest)
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

/// The column of what indices would select of rows that are not there.
fn empty_rows(inner: &Column, outer: &Column, indices: &[Idx]) -> Column {
    let extent = if let Column::Regular(m, _) = outer { *m } else { 0 };
    let below = match indices {
        [_] => inner.slice(0, 0),
        [_, rest @ ..] => empty_rows(inner.inner(), inner, rest),
        [] => return outer.slice(0, 0),
    };
    match indices[0] {
        Idx::At(_) => below,
        Idx::Slice { .. } => {
            let count = Run::new(indices[0], extent).map_or(0, |run| run.count);
            Column::Regular(count, Box::new(below))
        }
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
