//! Building columns row by row, and writing into them.

use crate::column::{Mismatch, offsets_of};
use crate::data::{Column, Value};
use crate::leaf;
use value::PrimVec;

/// An array under construction. The first row decides the layout.
#[derive(Default)]
pub(crate) struct Builder {
    pub len: usize,
    pub rows: Option<Column>,
    /// Whether rows of different lengths were met, so that somewhere the array is jagged.
    pub irregular: bool,
    /// The shapes of two rows, or of parts of them in one place, that differ in rank.
    pub unlike: Option<(Vec<i64>, Vec<i64>)>,
    pub capacity: usize,
}

impl Builder {
    /// Ready for about so many rows.
    pub fn new(capacity: usize) -> Builder {
        // Only a hint: a huge count must not allocate before the rows are computed.
        Builder { capacity: capacity.min(1 << 16), ..Builder::default() }
    }

    /// Adds a row.
    #[inline]
    pub fn push(&mut self, row: Value) {
        match (&mut self.rows, &row) {
            (Some(Column::Prim(PrimVec::F64(items))), Value::Scalar(scalar::Scalar::F64(x))) => items.push(*x),
            (Some(Column::Prim(PrimVec::I64(items))), Value::Scalar(scalar::Scalar::I64(x))) => items.push(*x),
            (Some(column), _) => match column.unlike(self.len, &row) {
                Some(shapes) => self.unlike = self.unlike.take().or(Some(shapes)),
                None => self.irregular |= column.push(self.len, row),
            },
            (None, Value::Scalar(x)) => {
                let mut items = PrimVec::with_capacity(x.prim(), self.capacity);
                items.push(*x);
                self.rows = Some(Column::Prim(items));
            }
            (None, _) => {
                let mut column = Column::like(&row);
                self.irregular |= column.push(0, row);
                self.rows = Some(column);
            }
        }
        self.len += 1;
    }
}

impl Value {
    /// How many dimensions there are.
    fn depth(&self) -> usize {
        match self {
            Value::Array(array) => 1 + array.rows.depth(),
            _ => 0,
        }
    }

    /// The extents of a regular array; none of what is no array.
    pub(crate) fn extents(&self) -> Vec<i64> {
        match self {
            Value::Array(array) => array.rows.clone().tidy(array.len).extents(array.len),
            _ => Vec::new(),
        }
    }
}

impl Column {
    /// The shapes of the first row and of another value that differ in rank, if there are such.
    fn unlike(&self, rows: usize, row: &Value) -> Option<(Vec<i64>, Vec<i64>)> {
        match (self, row) {
            (Column::Record(columns), Value::Record(fields)) => {
                columns.iter().zip(fields.iter()).find_map(|(column, field)| column.unlike(rows, field))
            }
            (Column::Boxed(_), _) => None,
            // What is empty need not show how many dimensions it has.
            (_, Value::Array(array)) if array.len == 0 => None,
            (_, _) if rows == 0 || self.total(rows) == 0 || self.depth() == row.depth() => None,
            (_, _) => Some((self.get(0).extents(), row.extents())),
        }
    }

    /// How many dimensions rows have.
    fn depth(&self) -> usize {
        match self {
            Column::Regular(_, inner) | Column::Jagged(_, inner) => 1 + inner.depth(),
            Column::Prim(_) | Column::Record(_) | Column::Boxed(_) => 0,
        }
    }

    /// Adds a row to so many; says whether the column is irregular now.
    pub fn push(&mut self, rows: usize, row: Value) -> bool {
        match (&mut *self, row) {
            (Column::Prim(items), Value::Scalar(x)) => {
                items.push(x);
                false
            }
            (Column::Record(columns), Value::Record(fields)) => {
                columns.iter_mut().zip(fields.iter()).fold(false, |odd, (c, f)| c.push(rows, f.clone()) | odd)
            }
            (Column::Regular(m, inner), Value::Array(array)) if *m == array.len => {
                inner.append(rows * *m, &array.rows, array.len)
            }
            (Column::Regular(..) | Column::Jagged(..), Value::Array(array)) => {
                self.make_jagged(rows);
                if let Column::Jagged(offsets, inner) = self {
                    inner.append(offsets[rows], &array.rows, array.len);
                    offsets.push(offsets[rows] + array.len);
                }
                true
            }
            (Column::Boxed(items), row) => {
                items.push(row);
                false
            }
            (_, row) if rows == 0 => {
                // An empty array of unknown type took the place of the right one.
                *self = Column::like(&row);
                self.push(0, row)
            }
            (_, row) => {
                debug_assert!(false, "a row {} of another kind than its array", row.describe());
                false
            }
        }
    }

    /// Adds the rows of another column; says whether the column is irregular now.
    pub fn append(&mut self, rows: usize, other: &Column, count: usize) -> bool {
        if count == 0 {
            return false;
        }
        if rows == 0 {
            *self = other.clone();
            return false;
        }
        match (&mut *self, other) {
            (Column::Prim(items), Column::Prim(more)) => {
                leaf::append(items, more);
                false
            }
            (Column::Record(columns), Column::Record(more)) => {
                columns.iter_mut().zip(more).fold(false, |odd, (c, m)| c.append(rows, m, count) | odd)
            }
            (Column::Regular(m, inner), Column::Regular(k, more)) if m == k => {
                inner.append(rows * *m, more, count * *k)
            }
            (Column::Regular(..) | Column::Jagged(..), Column::Regular(..) | Column::Jagged(..)) => {
                self.make_jagged(rows);
                if let Column::Jagged(offsets, inner) = self {
                    let end = offsets[rows];
                    inner.append(end, other.inner(), other.total(count));
                    offsets.extend((1..=count).map(|i| end + other.total(i)));
                }
                true
            }
            (Column::Boxed(items), Column::Boxed(more)) => {
                items.extend_from_slice(more);
                false
            }
            (_, _) => {
                debug_assert!(false, "columns of different kinds");
                false
            }
        }
    }

    /// Turns so many regular rows into jagged ones.
    fn make_jagged(&mut self, rows: usize) {
        if let Column::Regular(m, inner) = self {
            let inner = std::mem::replace(&mut **inner, Column::Record(Vec::new()));
            *self = Column::Jagged(offsets_of(std::iter::repeat_n(*m, rows)), Box::new(inner));
        }
    }

    /// The same column with jagged dimensions made regular where their rows agree.
    pub fn tidy(self, rows: usize) -> Column {
        match self {
            Column::Prim(_) | Column::Boxed(_) => self,
            Column::Record(fields) => Column::Record(fields.into_iter().map(|c| c.tidy(rows)).collect()),
            Column::Regular(m, inner) => Column::Regular(m, Box::new(inner.tidy(m * rows))),
            Column::Jagged(offsets, inner) => {
                let inner = Box::new(inner.tidy(offsets[rows]));
                let first = offsets.get(1).copied().unwrap_or(0);
                match offsets.windows(2).all(|w| w[1] - w[0] == first) {
                    true => Column::Regular(first, inner),
                    false => Column::Jagged(offsets, inner),
                }
            }
        }
    }

    /// Replaces row `i`; rows that are arrays keep their shape.
    pub fn set(&mut self, i: usize, row: &Value) -> Result<(), Mismatch> {
        match (&mut *self, row) {
            (Column::Prim(items), Value::Scalar(x)) => leaf::set(items, i, *x),
            (Column::Record(columns), Value::Record(fields)) => {
                for (column, field) in columns.iter_mut().zip(fields.iter()) {
                    column.set(i, field)?;
                }
            }
            (Column::Boxed(items), row) => items[i] = row.clone(),
            (Column::Regular(..) | Column::Jagged(..), Value::Array(array)) => {
                let (start, len) = self.span_of(i);
                if len != array.len {
                    return Err(Mismatch { expected: self.get(i).describe(), found: row.describe() });
                }
                if let Column::Regular(_, inner) | Column::Jagged(_, inner) = self {
                    inner.overwrite(start, &array.rows, 0, len)?;
                }
            }
            (_, row) => return Err(Mismatch { expected: self.get(i).describe(), found: row.describe() }),
        }
        Ok(())
    }

    /// Replaces `count` rows from `start` on by rows of another column from `from` on.
    pub fn overwrite(&mut self, start: usize, other: &Column, from: usize, count: usize) -> Result<(), Mismatch> {
        match (&mut *self, other) {
            (Column::Prim(into), Column::Prim(items)) => leaf::overwrite(into, start, items, from, count),
            (Column::Record(into), Column::Record(fields)) => {
                for (into, field) in into.iter_mut().zip(fields) {
                    into.overwrite(start, field, from, count)?;
                }
            }
            (Column::Regular(m, into), Column::Regular(k, inner)) if m == k => {
                into.overwrite(start * *m, inner, from * k, count * k)?;
            }
            (_, _) => {
                for i in 0..count {
                    self.set(start + i, &other.get(from + i))?;
                }
            }
        }
        Ok(())
    }
}
