//! Values as text. What is printed reads back as the same value.

use crate::types::separated;
use crate::{Array, DimDesc, Value};
use std::fmt::{self, Display, Formatter};

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Value::Scalar(x) => x.fmt(f),
            Value::Array(a) => a.fmt(f),
            Value::List(items) => enclosed(f, "[", items, "]"),
            Value::Tuple(items) => enclosed(f, "(", items, ")"),
            Value::Record(fields) => {
                f.write_str("{")?;
                separated(f, fields, ", ", |f, (name, v)| write!(f, "{name} = {v}"))?;
                f.write_str("}")
            }
            Value::Sum(name, args) => {
                write!(f, "#{name}")?;
                args.iter().try_for_each(|v| match v {
                    Value::Sum(_, inner) if !inner.is_empty() => write!(f, " ({v})"),
                    _ => write!(f, " {v}"),
                })
            }
        }
    }
}

fn enclosed(f: &mut Formatter<'_>, open: &str, items: &[Value], close: &str) -> fmt::Result {
    f.write_str(open)?;
    separated(f, items, ", ", |f, v| v.fmt(f))?;
    f.write_str(close)
}

/// `[1i32, 2i32]`, nested; `empty([0][3]i32)` where brackets would not tell the shape.
impl Display for Array {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let rows = self.rows();
        if self.data().is_empty() && !has_rows_only_brackets_show(self, &rows) {
            return write_empty(self, f);
        }
        // Where a level's next row starts; rows come in order, so one cursor a level is enough.
        let mut next_row = vec![0usize; self.rank() + 1];
        write_level(self, 0, &mut next_row, f)
    }
}

/// Whether some jagged level has elements (all of them empty in the end): `[~]` could not say how many.
fn has_rows_only_brackets_show(array: &Array, rows: &[i64]) -> bool {
    array.dims().iter().zip(&rows[1..]).any(|(dim, total)| matches!(dim, DimDesc::Jagged(_)) && *total > 0)
}

fn write_empty(array: &Array, f: &mut Formatter<'_>) -> fmt::Result {
    f.write_str("empty(")?;
    for dim in array.dims() {
        match dim {
            DimDesc::Regular(n) => write!(f, "[{n}]")?,
            DimDesc::Jagged(_) => f.write_str("[~]")?,
        }
    }
    write!(f, "{})", array.elem())
}

/// Writes the next row of a level. Recursion is as deep as the array has dimensions.
fn write_level(array: &Array, level: usize, next_row: &mut [usize], f: &mut Formatter<'_>) -> fmt::Result {
    let row = next_row[level];
    next_row[level] += 1;
    if level == array.rank() {
        return array.data().get(row).map_or(Ok(()), |x| x.fmt(f));
    }
    f.write_str("[")?;
    separated(f, 0..array.dims()[level].row_length(row), ", ", |f, _| write_level(array, level + 1, next_row, f))?;
    f.write_str("]")
}
