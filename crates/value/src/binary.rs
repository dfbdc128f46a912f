//! Futhark's binary format, and its extension by jagged dimensions.
//!
//! A value is `b`, a version byte, the number of dimensions (one byte, 0 for a scalar), a type (four
//! characters, padded with spaces on the left), the dimensions, and the elements in row-major order; all
//! numbers are little-endian.
//!
//! Version 2 is Futhark's: each dimension is a `u64` extent. Version `J` is ours, for arrays with
//! jagged dimensions: each dimension starts with a byte, which is 0 before a `u64` extent, and 1
//! before the `u64` offsets of the rows (0 first, the total last: one more than there are rows,
//! which is the total of the dimension before).

use crate::types::MOST_EMPTY_ROWS;
use crate::{Array, DimDesc, FormatError, PrimVec, Value};
use scalar::{Prim, Scalar};

const VERSION: u8 = 2;
const VERSION_JAGGED: u8 = b'J';

/// Whether bytes start like a value in this format, of any version: no text has `b` before a control character.
pub fn is_binary(bytes: &[u8]) -> bool {
    let version = |byte: u8| byte == VERSION_JAGGED || byte.is_ascii_control() && !byte.is_ascii_whitespace();
    matches!(bytes, [b'b', byte, ..] if version(*byte))
}

/// Appends a value. Only scalars and arrays of scalars have a binary form.
pub fn write(value: &Value, out: &mut Vec<u8>) -> Result<(), String> {
    match value {
        Value::Scalar(x) => {
            header(out, VERSION, 0, x.prim());
            out.extend_from_slice(&x.bits().to_le_bytes()[..x.prim().bytes()]);
            Ok(())
        }
        Value::Array(array) => write_array(array, out),
        Value::List(_) | Value::Tuple(_) | Value::Record(_) | Value::Sum(..) => {
            Err(format!("{} has no binary form; write it as text", value.kind()))
        }
    }
}

fn header(out: &mut Vec<u8>, version: u8, rank: u8, prim: Prim) {
    out.extend_from_slice(&[b'b', version, rank]);
    out.extend_from_slice(format!("{:>4}", prim.name()).as_bytes());
}

fn write_array(array: &Array, out: &mut Vec<u8>) -> Result<(), String> {
    let rank = u8::try_from(array.rank()).map_err(|_| "the binary format has at most 255 dimensions".to_string())?;
    let jagged = array.shape().is_none();
    header(out, if jagged { VERSION_JAGGED } else { VERSION }, rank, array.elem());
    for dim in array.dims() {
        match dim {
            DimDesc::Regular(n) => {
                out.extend(jagged.then_some(0));
                out.extend_from_slice(&n.to_le_bytes());
            }
            DimDesc::Jagged(offsets) => {
                out.push(1);
                offsets.iter().for_each(|o| out.extend_from_slice(&o.to_le_bytes()));
            }
        }
    }
    array.data().to_le(out);
    Ok(())
}

/// Reads one value from the start of some bytes; also returns how many bytes it took.
pub fn read(bytes: &[u8]) -> Result<(Value, usize), FormatError> {
    let mut input = Input { bytes, pos: 0 };
    if input.take(1, "the mark 'b'")? != b"b" {
        return Err(FormatError::byte(0, "a binary value starts with 'b'"));
    }
    let version = input.byte("the version")?;
    if version != VERSION && version != VERSION_JAGGED {
        return Err(FormatError::byte(
            1,
            format!("version {version} of the binary format is unknown; version 2 is known"),
        ));
    }
    let rank = input.byte("the number of dimensions")?;
    let prim = input.prim()?;
    if rank == 0 {
        let start = input.pos;
        let data = input.elements(prim, 1)?;
        let scalar: Scalar = data.get(0).ok_or_else(|| FormatError::byte(start, "the scalar is missing"))?;
        return Ok((Value::Scalar(scalar), input.pos));
    }
    let start = input.pos;
    let (dims, total) = input.dims(rank, version == VERSION_JAGGED)?;
    let data = input.elements(prim, total)?;
    let array = Array::new(dims, data).map_err(|e| FormatError::byte(start, e.0))?;
    Ok((Value::Array(array), input.pos))
}

struct Input<'a> {
    bytes: &'a [u8],
    pos: usize,
}

impl<'a> Input<'a> {
    fn error<T>(&self, message: impl Into<String>) -> Result<T, FormatError> {
        Err(FormatError::byte(self.pos, message))
    }

    fn take(&mut self, count: usize, what: &str) -> Result<&'a [u8], FormatError> {
        let left = self.bytes.len() - self.pos;
        if count > left {
            return self.error(format!("{what} should take {count} bytes, but only {left} are left"));
        }
        self.pos += count;
        Ok(&self.bytes[self.pos - count..self.pos])
    }

    fn byte(&mut self, what: &str) -> Result<u8, FormatError> {
        Ok(self.take(1, what)?[0])
    }

    fn prim(&mut self) -> Result<Prim, FormatError> {
        let name = self.take(4, "the type")?;
        let known = std::str::from_utf8(name).ok().and_then(|n| Prim::from_name(n.trim_start_matches(' ')));
        known.ok_or_else(|| {
            let text = String::from_utf8_lossy(name);
            FormatError::byte(self.pos - 4, format!("{text:?} is not a type of the binary format"))
        })
    }

    fn number(&mut self, what: &str) -> Result<i64, FormatError> {
        let number = i64::from_le_bytes(self.take(8, what)?.try_into().unwrap_or_default());
        if number < 0 {
            self.pos -= 8;
            return self.error(format!("{what} is {}, which is too large", number as u64));
        }
        Ok(number)
    }

    /// The dimensions and the number of elements.
    fn dims(&mut self, rank: u8, jagged: bool) -> Result<(Vec<DimDesc>, i64), FormatError> {
        let mut rows = 1i64;
        let mut dims = Vec::new();
        for _ in 0..rank {
            let start = self.pos;
            let kind = if jagged { self.byte("the kind of a dimension")? } else { 0 };
            let dim = match kind {
                0 => DimDesc::Regular(self.number("an extent")?),
                1 => self.offsets(rows)?,
                _ => {
                    return Err(FormatError::byte(
                        start,
                        format!("{kind} is not a kind of dimension, which is 0 or 1"),
                    ));
                }
            };
            rows = dim.total(rows).map_err(|e| FormatError::byte(start, e.0))?;
            if kind == 1 && rows > MOST_EMPTY_ROWS.max(self.bytes.len() as i64) {
                return Err(FormatError::byte(start, format!("{rows} rows are more than this file can hold")));
            }
            dims.push(dim);
        }
        Ok((dims, rows))
    }

    fn offsets(&mut self, rows: i64) -> Result<DimDesc, FormatError> {
        let size = usize::try_from(rows).ok().and_then(|n| n.checked_add(1)?.checked_mul(8));
        let Some(size) = size else { return self.error(format!("offsets for {rows} rows are too many")) };
        let bytes = self.take(size, "the offsets of a jagged dimension")?;
        match PrimVec::from_le(Prim::I64, bytes) {
            PrimVec::I64(offsets) => Ok(DimDesc::Jagged(offsets.into())),
            _ => self.error("no offsets"),
        }
    }

    fn elements(&mut self, prim: Prim, count: i64) -> Result<PrimVec, FormatError> {
        let size = usize::try_from(count).ok().and_then(|n| n.checked_mul(prim.bytes()));
        let Some(size) = size else { return self.error(format!("{count} elements are too many")) };
        let bytes = self.take(size, &format!("{count} elements of type {prim}"))?;
        Ok(PrimVec::from_le(prim, bytes))
    }
}
