//! Reads a table as a value of a type.

use super::cells::{Cell, Row, rows};
use crate::{Array, Dim, DimDesc, FormatError, PrimVec, Value, ValueType, columns, text};
use base::Name;
use scalar::{Prim, Scalar};

type Read<T> = Result<T, FormatError>;

/// Reads a table as a value of the expected type; without one the cells are numbers of type `f64`.
pub fn read(bytes: &[u8], separator: Option<u8>, expected: Option<&ValueType>) -> Read<Value> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| FormatError::byte(error.valid_up_to(), "a table is UTF-8 text, and this byte is not"))?;
    let mut rows = rows(text, separator)?;
    // Only a jagged array can have empty rows.
    if !matches!(expected, Some(ValueType::Array(dims, _)) if dims.len() == 2 && dims[1] != Dim::Regular) {
        rows.retain(|row| !row.cells.is_empty());
    }
    match expected {
        None => numbers(&rows, &ValueType::regular(2, Prim::F64), 2, Prim::F64),
        Some(ty @ ValueType::Array(dims, prim)) => numbers(&rows, ty, dims.len(), *prim),
        Some(ty @ ValueType::AnyRank(prim)) => numbers(&rows, ty, 2, *prim),
        Some(ValueType::List(elem)) => records(&rows, elem),
        Some(ty @ (ValueType::Tuple(_) | ValueType::Record(_))) => by_columns(&rows, ty),
        Some(ty @ (ValueType::Scalar(_) | ValueType::Sum(_))) => match &rows[..] {
            [Row { line, cells }] if cells.len() == 1 => value(&cells[0], *line, 1, ty),
            _ => Err(FormatError::line(1, format!("a single cell is expected for a value of type {ty}"))),
        },
    }
}

/// All cells are scalars of one type.
fn numbers(rows: &[Row], ty: &ValueType, rank: usize, prim: Prim) -> Read<Value> {
    let rows = behind_header(rows, is_header);
    let mut data = PrimVec::new(prim);
    let mut lengths = Vec::new();
    for row in rows {
        lengths.push(row.cells.len() as i64);
        for (i, found) in row.cells.iter().enumerate() {
            data.push(scalar(found, row.line, i + 1, prim)?);
        }
    }
    let line = rows.first().map_or(1, |row| row.line);
    let is_vector = lengths.len() == 1 || lengths.iter().all(|n| *n == 1);
    let dims = match rank {
        1 if is_vector => vec![DimDesc::Regular(data.len() as i64)],
        1 => {
            let columns = lengths[0];
            let message = format!("a single column or row is expected for {ty}, but there are {columns} columns");
            return Err(FormatError::line(line, message));
        }
        2 => {
            require_equal(rows, ty)?;
            vec![DimDesc::Regular(lengths.len() as i64), DimDesc::from_lengths(&lengths)]
        }
        _ => {
            return Err(FormatError::line(
                1,
                format!("a table has two dimensions, but a value of type {ty} is expected"),
            ));
        }
    };
    let array = Array::new(dims, data).map_err(|error| FormatError::line(line, error.0))?;
    Value::Array(array).fit(ty).map_err(|message| FormatError::line(line, message))
}

/// Unless the type is jagged, rows are as long as the first.
fn require_equal(rows: &[Row], ty: &ValueType) -> Read<()> {
    if matches!(ty, ValueType::Array(dims, _) if dims[1] != Dim::Regular) {
        return Ok(());
    }
    match rows.iter().find(|row| row.cells.len() != rows[0].cells.len()) {
        Some(row) => Err(wrong_count(row, rows[0].cells.len())),
        None => Ok(()),
    }
}

fn wrong_count(row: &Row, wanted: usize) -> FormatError {
    let cells = if row.cells.len() == 1 { "cell" } else { "cells" };
    FormatError::line(row.line, format!("this row has {} {cells}, but {wanted} are expected", row.cells.len()))
}

/// Whether a row has column names: at least one, and otherwise only empty cells.
fn is_header(row: &Row) -> bool {
    row.cells.iter().all(|cell| cell.text.is_empty() || is_name(cell)) && row.cells.iter().any(is_name)
}

/// Whether a cell is not a number of any type.
fn is_name(cell: &Cell) -> bool {
    let values = ["nan", "inf", "infinity", "true", "false"];
    let is_value = |text: &str| text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.'));
    let text = cell.text.trim();
    !text.is_empty() && !is_value(text) && !values.iter().any(|value| text.eq_ignore_ascii_case(value))
}

/// The rows without names of columns in the first of them.
fn behind_header(rows: &[Row], is_header: impl Fn(&Row) -> bool) -> &[Row] {
    match rows {
        [first, rest @ ..] if is_header(first) => rest,
        _ => rows,
    }
}

/// Each row is a tuple or a record.
fn records(rows: &[Row], elem: &ValueType) -> Read<Value> {
    let (rows, picks) = match elem {
        ValueType::Tuple(types) => (behind_header(rows, |row| names_columns(row, types)), positions(types.len())),
        ValueType::Record(fields) => columns_of(rows, fields)?,
        _ => return Err(FormatError::line(1, format!("a table has no rows of type {elem}"))),
    };
    let types: Vec<&ValueType> = match elem {
        ValueType::Tuple(types) => types.iter().collect(),
        ValueType::Record(fields) => fields.iter().map(|field| &field.1).collect(),
        _ => Vec::new(),
    };
    let record = |row: &Row| {
        let parts = picks.iter().zip(&types).map(|(column, ty)| match row.cells.get(*column) {
            Some(cell) => value(cell, row.line, column + 1, ty),
            None => Err(wrong_count(row, picks.iter().max().map_or(0, |most| most + 1))),
        });
        let parts = parts.collect::<Read<Vec<Value>>>()?;
        match elem {
            ValueType::Record(fields) => Ok(Value::Record(fields.iter().map(|field| field.0).zip(parts).collect())),
            _ if row.cells.len() > parts.len() => Err(wrong_count(row, parts.len())),
            _ => Ok(Value::Tuple(parts)),
        }
    };
    rows.iter().map(record).collect::<Read<_>>().map(Value::List)
}

fn positions(count: usize) -> Vec<usize> {
    (0..count).collect()
}

/// Whether a row has names where numbers are expected. Cells of other types prove nothing.
fn names_columns(row: &Row, types: &[ValueType]) -> bool {
    let numbers = row.cells.iter().zip(types).filter(|(_, ty)| matches!(ty, ValueType::Scalar(_)));
    let numbers: Vec<bool> = numbers.map(|(cell, _)| is_name(cell)).collect();
    !numbers.is_empty() && numbers.iter().all(|is_name| *is_name)
}

/// The rows, and in which column each field is: by the names in the first row, else by position.
fn columns_of<'a>(rows: &'a [Row], fields: &[(Name, ValueType)]) -> Read<(&'a [Row], Vec<usize>)> {
    let Some((first, rest)) = rows.split_first() else { return Ok((rows, positions(fields.len()))) };
    let place = |name: Name| first.cells.iter().position(|cell| cell.text.trim() == name.as_str());
    let found: Vec<Option<usize>> = fields.iter().map(|field| place(field.0)).collect();
    if let Some(all) = found.iter().copied().collect::<Option<Vec<usize>>>() {
        return Ok((rest, all));
    }
    let types: Vec<ValueType> = fields.iter().map(|field| field.1.clone()).collect();
    if found.iter().all(Option::is_none) && !names_columns(first, &types) && first.cells.len() == fields.len() {
        return Ok((rows, positions(fields.len())));
    }
    let missing = fields.iter().zip(&found).find(|(_, place)| place.is_none());
    let missing = missing.map_or_else(String::new, |((name, _), _)| name.to_string());
    let names: Vec<&str> = first.cells.iter().map(|cell| cell.text.trim()).collect();
    let message = format!("there is no column `{missing}`; the first row has {}", names.join(", "));
    Err(FormatError::line(first.line, message))
}

/// Each field is a column.
fn by_columns(rows: &[Row], ty: &ValueType) -> Read<Value> {
    let element = |ty: &ValueType| match ty {
        ValueType::Array(dims, prim) if dims.len() == 1 => Some(ValueType::Scalar(*prim)),
        ValueType::Array(dims, prim) => Some(ValueType::Array(dims[1..].to_vec(), *prim)),
        ValueType::List(elem) => Some((**elem).clone()),
        ValueType::Scalar(_) | ValueType::AnyRank(_) => None,
        ValueType::Tuple(_) | ValueType::Record(_) | ValueType::Sum(_) => None,
    };
    let row = match ty {
        ValueType::Tuple(types) => types.iter().map(element).collect::<Option<_>>().map(ValueType::Tuple),
        ValueType::Record(fields) => {
            let field = |(name, ty): &(Name, ValueType)| Some((*name, element(ty)?));
            fields.iter().map(field).collect::<Option<_>>().map(ValueType::Record)
        }
        _ => None,
    };
    let wrong = |message: String| FormatError::line(1, message);
    let row = row.ok_or_else(|| wrong(format!("a table is no value of type {ty}: each field must be an array")))?;
    let table = ValueType::List(Box::new(row.clone()));
    let split = columns::split(&records(rows, &row)?, &table).map_err(wrong)?;
    split.fit(ty).map_err(wrong)
}

fn is_text(ty: &ValueType) -> bool {
    matches!(ty, ValueType::Array(dims, Prim::U8) if dims.len() == 1)
}

/// The value in a cell: text for `[]u8`, otherwise as in programs.
fn value(cell: &Cell, line: usize, column: usize, ty: &ValueType) -> Read<Value> {
    match ty {
        ValueType::Scalar(prim) => scalar(cell, line, column, *prim).map(Value::Scalar),
        _ if is_text(ty) => crate::bytes::read(cell.text.as_bytes(), Some(ty)),
        _ => text::parse_one(&cell.text, Some(ty)),
    }
    .map_err(|error| FormatError::cell(line, column, error.message))
}

fn scalar(cell: &Cell, line: usize, column: usize, prim: Prim) -> Read<Scalar> {
    let wrong = |message: String| FormatError::cell(line, column, message);
    let word = cell.text.trim();
    if word.is_empty() {
        let help = if prim.is_float() { "; write nan for a number that is missing" } else { "" };
        return Err(wrong(format!("this cell is empty{help}")));
    }
    let lower = word.to_ascii_lowercase();
    let word = match lower.as_str() {
        "nan" | "inf" | "-inf" | "true" | "false" => lower.as_str(),
        "+inf" | "infinity" | "+infinity" => "inf",
        "-infinity" => "-inf",
        _ => word.strip_prefix('+').unwrap_or(word),
    };
    // Other programs write whole numbers with a point, and truth values as 1 and 0.
    let word = match prim {
        Prim::Bool if word == "1" => "true",
        Prim::Bool if word == "0" => "false",
        _ => word,
    };
    let value = text::parse_one(word, Some(&ValueType::Scalar(prim))).map_err(|error| wrong(error.message))?;
    value.as_scalar().ok_or_else(|| wrong(format!("a value of type {prim} is expected")))
}
