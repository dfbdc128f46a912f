//! Reading and writing the rows of columns.

use crate::data::{Array, Column, Value};
use crate::leaf;
use crate::rtype::{RtDim, RtType};
use std::fmt::Write;
use std::rc::Rc;
use value::PrimVec;

/// Two shapes that should have been the same.
#[derive(Debug)]
pub(crate) struct Mismatch {
    pub expected: String,
    pub found: String,
}

impl Array {
    /// Element `i`, which lies inside.
    pub fn get(&self, i: usize) -> Value {
        self.rows.get(i)
    }

    /// The array itself, copied only if there are other references.
    pub fn owned(array: Rc<Array>) -> Array {
        Rc::try_unwrap(array).unwrap_or_else(|shared| (*shared).clone())
    }

    /// The elements at some places.
    pub fn rows_at(&self, places: &[usize]) -> Value {
        Array { len: places.len(), rows: self.rows.gather(places) }.into()
    }

    /// All elements.
    pub fn iter(&self) -> impl Iterator<Item = Value> + '_ {
        (0..self.len).map(|i| self.get(i))
    }
}

impl Column {
    /// How many dimensions a row has.
    pub fn rank(&self) -> usize {
        match self {
            Column::Regular(_, inner) | Column::Jagged(_, inner) => 1 + inner.rank(),
            Column::Prim(_) | Column::Record(_) | Column::Boxed(_) => 0,
        }
    }

    /// Whether rows at any depth may differ in length.
    pub fn has_jagged(&self) -> bool {
        match self {
            Column::Jagged(..) => true,
            Column::Regular(_, inner) => inner.has_jagged(),
            Column::Record(fields) => fields.iter().any(Column::has_jagged),
            Column::Prim(_) | Column::Boxed(_) => false,
        }
    }

    /// No rows of a type.
    pub fn empty(ty: &RtType) -> Column {
        match ty {
            RtType::Prim(prim) => Column::Prim(PrimVec::new(*prim)),
            RtType::Record(fields) => Column::Record(fields.iter().map(|t| Column::empty(t)).collect()),
            RtType::Array(dim, elem) => {
                let extent = match dim {
                    RtDim::Known(n) => usize::try_from(*n).unwrap_or(0),
                    RtDim::Unknown | RtDim::Jagged => 0,
                };
                Column::Regular(extent, Box::new(Column::empty(elem)))
            }
            RtType::Sum(..) | RtType::Boxed => Column::Boxed(Vec::new()),
        }
    }

    /// No rows, ready to take rows such as this one.
    pub fn like(row: &Value) -> Column {
        match row {
            Value::Scalar(x) => Column::Prim(PrimVec::new(x.prim())),
            Value::Record(fields) => Column::Record(fields.iter().map(Column::like).collect()),
            Value::Array(array) => Column::Regular(array.len, Box::new(array.rows.slice(0, 0))),
            Value::Unset | Value::Constr(_) | Value::Fun(_) | Value::Type(_) | Value::Rec(_) => {
                Column::Boxed(Vec::new())
            }
        }
    }

    /// Row `i`, which lies inside.
    pub fn get(&self, i: usize) -> Value {
        match self {
            Column::Prim(items) => Value::Scalar(leaf::get(items, i)),
            Column::Record(fields) => Value::Record(fields.iter().map(|c| c.get(i)).collect()),
            Column::Regular(..) | Column::Jagged(..) => {
                let (start, len) = self.span_of(i);
                Array { len, rows: self.inner().slice(start, start + len) }.into()
            }
            Column::Boxed(items) => items[i].clone(),
        }
    }

    /// Where the elements of row `i` begin and how many there are; a row that is no array has none.
    pub fn span_of(&self, i: usize) -> (usize, usize) {
        match self {
            Column::Regular(m, _) => (i * m, *m),
            Column::Jagged(offsets, _) => (offsets[i], offsets[i + 1] - offsets[i]),
            Column::Prim(_) | Column::Record(_) | Column::Boxed(_) => (0, 0),
        }
    }

    /// The elements of rows that are arrays; other columns are their own.
    pub fn inner(&self) -> &Column {
        match self {
            Column::Regular(_, inner) | Column::Jagged(_, inner) => inner,
            Column::Prim(_) | Column::Record(_) | Column::Boxed(_) => self,
        }
    }

    /// How many elements lie one level down, below so many rows.
    pub fn total(&self, rows: usize) -> usize {
        match self {
            Column::Regular(m, _) => m * rows,
            Column::Jagged(offsets, _) => offsets[rows],
            Column::Prim(_) | Column::Record(_) | Column::Boxed(_) => rows,
        }
    }

    /// Rows `start` to `end`, which lie inside.
    pub fn slice(&self, start: usize, end: usize) -> Column {
        match self {
            Column::Prim(items) => Column::Prim(leaf::slice(items, start, end)),
            Column::Record(fields) => Column::Record(fields.iter().map(|c| c.slice(start, end)).collect()),
            Column::Regular(m, inner) => Column::Regular(*m, Box::new(inner.slice(start * m, end * m))),
            Column::Jagged(_, inner) if start == end => Column::Regular(0, Box::new(inner.slice(0, 0))),
            Column::Jagged(offsets, inner) => {
                let first = offsets[start];
                let cut = offsets[start..=end].iter().map(|o| o - first).collect();
                Column::Jagged(cut, Box::new(inner.slice(first, offsets[end])))
            }
            Column::Boxed(items) => Column::Boxed(items[start..end].to_vec()),
        }
    }

    /// The rows at some places, which lie inside.
    pub fn gather(&self, places: &[usize]) -> Column {
        match self {
            Column::Prim(items) => Column::Prim(leaf::gather(items, places)),
            Column::Record(fields) => Column::Record(fields.iter().map(|c| c.gather(places)).collect()),
            Column::Regular(m, inner) => {
                let below: Vec<usize> = places.iter().flat_map(|p| p * m..p * m + m).collect();
                Column::Regular(*m, Box::new(inner.gather(&below)))
            }
            Column::Jagged(_, inner) if places.is_empty() => Column::Regular(0, Box::new(inner.slice(0, 0))),
            Column::Jagged(offsets, inner) => {
                let below: Vec<usize> = places.iter().flat_map(|p| offsets[*p]..offsets[p + 1]).collect();
                let lengths = places.iter().map(|p| offsets[p + 1] - offsets[*p]);
                Column::Jagged(offsets_of(lengths), Box::new(inner.gather(&below)))
            }
            Column::Boxed(items) => Column::Boxed(places.iter().map(|p| items[*p].clone()).collect()),
        }
    }

    /// A row many times.
    pub fn repeat(row: &Value, count: usize) -> Column {
        match row {
            Value::Scalar(x) => Column::Prim(leaf::repeat(*x, count)),
            Value::Record(fields) => Column::Record(fields.iter().map(|f| Column::repeat(f, count)).collect()),
            Value::Array(array) => {
                let places: Vec<usize> = (0..count).flat_map(|_| 0..array.len).collect();
                Column::Regular(array.len, Box::new(array.rows.gather(&places)))
            }
            other => Column::Boxed(vec![other.clone(); count]),
        }
    }

    /// The lengths of so many rows.
    pub fn lengths(&self, rows: usize) -> Vec<i64> {
        (0..rows).map(|i| self.span_of(i).1 as i64).collect()
    }

    /// The extents of a regular array with so many rows, until its rows are no regular arrays any more.
    pub fn extents(&self, rows: usize) -> Vec<i64> {
        let mut extents = vec![rows as i64];
        let mut column = self;
        while let Column::Regular(m, inner) = column {
            extents.push(*m as i64);
            column = inner;
        }
        extents
    }

    /// Whether rows `a..` here and `b..` there are pairwise equal.
    pub fn equal(&self, a: usize, other: &Column, b: usize, count: usize) -> bool {
        match (self, other) {
            (Column::Prim(x), Column::Prim(y)) => leaf::equal(x, a, y, b, count),
            (Column::Record(x), Column::Record(y)) => x.iter().zip(y).all(|(x, y)| x.equal(a, y, b, count)),
            (Column::Regular(m, x), Column::Regular(k, y)) => {
                count == 0 || m == k && x.equal(a * m, y, b * k, count * m)
            }
            (Column::Regular(..) | Column::Jagged(..), Column::Regular(..) | Column::Jagged(..)) => {
                (0..count).all(|i| {
                    let ((i, n), (j, m)) = (self.span_of(a + i), other.span_of(b + i));
                    n == m && self.inner().equal(i, other.inner(), j, n)
                })
            }
            (x, y) => (0..count).all(|i| x.get(a + i).equal(&y.get(b + i))),
        }
    }

    /// The type of the rows as messages write it.
    pub fn write_type(&self, out: &mut String, rows: usize) {
        match self {
            Column::Prim(items) => out.push_str(items.prim().name()),
            Column::Record(fields) => {
                out.push('(');
                for (i, field) in fields.iter().enumerate() {
                    out.push_str(if i > 0 { ", " } else { "" });
                    field.write_type(out, rows);
                }
                out.push(')');
            }
            Column::Regular(m, inner) => {
                let _ = write!(out, "[{m}]");
                inner.write_type(out, m * rows);
            }
            Column::Jagged(offsets, inner) => {
                out.push_str(&fault::text::rows(&self.lengths(rows)));
                inner.write_type(out, *offsets.last().unwrap_or(&0));
            }
            Column::Boxed(_) => out.push('…'),
        }
    }
}

/// Offsets from lengths.
pub(crate) fn offsets_of(lengths: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let mut end = 0;
    std::iter::once(0)
        .chain(lengths.into_iter().map(|n| {
            end += n;
            end
        }))
        .collect()
}

/// Whether the limit and the system have memory for so many elements.
pub(crate) fn affordable(count: usize, bytes_each: usize) -> bool {
    let fits = |bytes: usize| {
        bytes <= 1 << 40 && base::memory::allows(bytes) && Vec::<u8>::new().try_reserve_exact(bytes).is_ok()
    };
    count.checked_mul(bytes_each.max(1)).is_some_and(fits)
}

impl Value {
    /// Equality of whole values; arrays of different shapes differ.
    pub fn equal(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Scalar(x), Value::Scalar(y)) => x == y,
            (Value::Record(x), Value::Record(y)) => x.iter().zip(y.iter()).all(|(x, y)| x.equal(y)),
            (Value::Constr(x), Value::Constr(y)) => {
                x.name == y.name && x.args.iter().zip(&y.args).all(|(x, y)| x.equal(y))
            }
            (Value::Array(x), Value::Array(y)) => x.len == y.len && x.rows.equal(0, &y.rows, 0, x.len),
            (Value::Fun(x), Value::Fun(y)) => Rc::ptr_eq(x, y),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Builder;

    fn numbers(items: &[i64]) -> Value {
        Value::i64s(items.iter().copied())
    }

    fn build(rows: &[Value]) -> (Array, bool) {
        let mut builder = Builder::new(rows.len());
        rows.iter().for_each(|row| builder.push(row.clone()));
        let rows = builder.rows.unwrap_or(Column::Boxed(Vec::new())).tidy(builder.len);
        (Array { len: builder.len, rows }, builder.irregular)
    }

    #[test]
    fn rows_of_one_length_are_regular() {
        let (array, irregular) = build(&[numbers(&[1, 2]), numbers(&[3, 4])]);
        assert!(!irregular && matches!(array.rows, Column::Regular(2, _)));
        assert_eq!(Value::from(array.clone()).describe(), "[2][2]i64");
        assert!(array.get(1).equal(&numbers(&[3, 4])));
    }

    #[test]
    fn rows_of_different_lengths_are_jagged() {
        let (array, irregular) = build(&[numbers(&[1]), numbers(&[]), numbers(&[2, 3])]);
        assert!(irregular);
        assert_eq!(array.rows.lengths(3), [1, 0, 2]);
        assert!(array.get(2).equal(&numbers(&[2, 3])));
        let (again, _) = build(&[array.get(2), array.get(0)]);
        assert!(array.rows.gather(&[2, 0]).equal(0, &again.rows, 0, 2));
        assert!(Value::from(array.clone()).equal(&Value::from(array)));
    }

    #[test]
    fn jagged_columns_of_equal_rows_become_regular() {
        let (outer, irregular) = build(&[
            build(&[numbers(&[1]), numbers(&[2, 3])]).0.into(),
            build(&[numbers(&[4]), numbers(&[5, 6])]).0.into(),
        ]);
        assert!(irregular);
        assert_eq!(Value::from(outer.clone()).describe(), "[2][2][~[1, 2, 1, 2]]i64");
        let first = outer.rows.inner().gather(&[0, 2]).tidy(2);
        assert!(matches!(first, Column::Regular(1, _)));
    }

    #[test]
    fn replaced_rows_keep_their_length() {
        let (mut array, _) = build(&[numbers(&[1]), numbers(&[2, 3])]);
        assert!(array.rows.set(1, &numbers(&[7, 8])).is_ok());
        assert!(array.rows.set(0, &numbers(&[7, 8])).is_err());
        assert!(array.get(1).equal(&numbers(&[7, 8])));
    }

    #[test]
    fn records_lie_in_columns() {
        let pair = |x: i64, b: bool| Value::Record(Rc::new([Value::i64(x), Value::bool(b)]));
        let (array, _) = build(&[pair(1, true), pair(2, false)]);
        assert!(matches!(&array.rows, Column::Record(columns) if columns.len() == 2));
        assert!(array.get(1).equal(&pair(2, false)));
    }
}
