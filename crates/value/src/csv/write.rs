//! Values as tables.

use crate::json::plain;
use crate::{Array, PrimVec, Value, ValueType, bytes, columns};

/// A table of a value, with this separator: an array by rows, an array of records or a record of arrays with the names of the
/// columns in the first line.
pub fn write(value: &Value, separator: char, ty: Option<&ValueType>) -> Result<Vec<u8>, String> {
    let found = value.type_of();
    let wrong = || format!("a value of type {} is no table; write it as text or .json", ty.unwrap_or(&found));
    let mut table = Table { separator, out: String::new() };
    match value {
        Value::Scalar(x) => table.row([plain(*x)]),
        Value::Array(array) => array_rows(&mut table, array).ok_or_else(wrong)?,
        Value::List(items) => {
            let elem = match ty {
                Some(ValueType::List(elem)) => elem,
                _ => return Err(wrong()),
            };
            if let ValueType::Record(fields) = &**elem {
                table.row(fields.iter().map(|field| field.0.to_string()));
            }
            for item in items {
                table.row(cells_of(item).ok_or_else(wrong)?);
            }
        }
        Value::Tuple(parts) => column_rows(&mut table, parts).ok_or_else(wrong)?,
        Value::Record(fields) => {
            table.row(fields.iter().map(|field| field.0.to_string()));
            let parts: Vec<Value> = fields.iter().map(|field| field.1.clone()).collect();
            column_rows(&mut table, &parts).ok_or_else(wrong)?;
        }
        Value::Sum(..) => return Err(wrong()),
    }
    Ok(table.out.into_bytes())
}

struct Table {
    separator: char,
    out: String,
}

impl Table {
    fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        for (i, cell) in cells.into_iter().enumerate() {
            if i > 0 {
                self.out.push(self.separator);
            }
            self.cell(&cell);
        }
        self.out.push('\n');
    }

    /// A cell, in quotes if it would otherwise be misread.
    fn cell(&mut self, cell: &str) {
        let special = |c: char| c == self.separator || matches!(c, '"' | '\n' | '\r' | ',' | ';' | '\t');
        if cell.contains(special) || cell.trim() != cell || cell.is_empty() {
            self.out.push('"');
            self.out.push_str(&cell.replace('"', "\"\""));
            self.out.push('"');
        } else {
            self.out.push_str(cell);
        }
    }
}

/// A vector is a column, a matrix a table.
fn array_rows(table: &mut Table, array: &Array) -> Option<()> {
    let cell = |i: usize| array.data().get(i).map_or_else(String::new, plain);
    match array.rank() {
        1 => (0..array.data().len()).for_each(|i| table.row([cell(i)])),
        2 => {
            let mut start = 0;
            for row in 0..array.rows()[1] as usize {
                let end = start + array.dims()[1].row_length(row) as usize;
                table.row((start..end).map(cell));
                start = end;
            }
        }
        _ => return None,
    }
    Some(())
}

/// The cells of a tuple or record: scalars, and text.
fn cells_of(item: &Value) -> Option<Vec<String>> {
    match item {
        Value::Tuple(parts) => parts.iter().map(cell_of).collect(),
        Value::Record(fields) => fields.iter().map(|field| cell_of(&field.1)).collect(),
        Value::Scalar(_) | Value::Array(_) | Value::List(_) | Value::Sum(..) => None,
    }
}

fn cell_of(part: &Value) -> Option<String> {
    match part {
        Value::Scalar(x) => Some(plain(*x)),
        Value::Array(array) if matches!(array.data(), PrimVec::U8(_)) => {
            bytes::write(part).ok().map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        }
        Value::Sum(_, args) if args.is_empty() => Some(part.to_string()),
        Value::Array(_) | Value::List(_) | Value::Tuple(_) | Value::Record(_) | Value::Sum(..) => None,
    }
}

/// Vectors of one length side by side.
fn column_rows(table: &mut Table, parts: &[Value]) -> Option<()> {
    let types = parts.iter().map(Value::type_of).map(|ty| match ty {
        ValueType::Array(dims, prim) if dims.len() == 1 => Some(ValueType::Scalar(prim)),
        ValueType::Array(dims, prim) if dims.len() == 2 && prim == scalar::Prim::U8 => {
            Some(ValueType::Array(vec![crate::Dim::Regular], prim))
        }
        _ => None,
    });
    let types = types.collect::<Option<Vec<_>>>().filter(|types| !types.is_empty())?;
    let rows =
        columns::join(&Value::Tuple(parts.to_vec()), &ValueType::List(Box::new(ValueType::Tuple(types)))).ok()?;
    let Value::List(rows) = rows else { return None };
    rows.iter().try_for_each(|row| cells_of(row).map(|cells| table.row(cells)))
}
