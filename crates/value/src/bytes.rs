//! Any file as a `[]u8`, and `[]u8` as a file or as text.

use crate::{Array, FormatError, PrimVec, Value, ValueType};

/// The bytes as a vector.
pub fn read(bytes: &[u8], expected: Option<&ValueType>) -> Result<Value, FormatError> {
    let array = Array::regular(&[bytes.len() as i64], bytes.to_vec());
    let value = Value::Array(array.map_err(|error| FormatError::byte(0, error.0))?);
    match expected {
        Some(expected) => value.fit(expected).map_err(|message| FormatError::byte(0, message)),
        None => Ok(value),
    }
}

/// The bytes of a `[]u8`.
pub fn write(value: &Value) -> Result<&[u8], String> {
    match value {
        Value::Array(array) if array.rank() == 1 => as_bytes(array),
        _ => None,
    }
    .ok_or_else(|| format!("only []u8 can be written as bytes, but this is of type {}", value.type_of()))
}

/// The text that `--text` prints for a value: a `[]u8` as it is, the rows of a `[][]u8` as lines; none for others.
pub fn as_text(value: &Value) -> Option<Vec<u8>> {
    let Value::Array(array) = value else { return None };
    let bytes = as_bytes(array)?;
    match array.rank() {
        1 => Some(bytes.to_vec()),
        2 => {
            let mut rest = bytes;
            let mut out = Vec::new();
            for row in 0..array.rows()[1] as usize {
                let (line, more) = rest.split_at(array.dims()[1].row_length(row) as usize);
                out.extend_from_slice(line);
                out.push(b'\n');
                rest = more;
            }
            // The caller adds the last line break.
            out.pop();
            Some(out)
        }
        _ => None,
    }
}

fn as_bytes(array: &Array) -> Option<&[u8]> {
    if let PrimVec::U8(bytes) = array.data() { Some(bytes) } else { None }
}
