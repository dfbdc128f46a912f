//! NumPy's `.npy` files: versions 1 to 3, either byte order, C and Fortran order.

use crate::npy_header::{self, Header};
use crate::{Array, FormatError, PrimVec, Value};
use scalar::Prim;

const MAGIC: &[u8] = b"\x93NUMPY";
/// NumPy aligns the data to this.
const ALIGNMENT: usize = 64;

/// Whether bytes start like an `.npy` file.
pub fn is_npy(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// The bytes of an `.npy` file of a scalar or a regular array.
pub fn write(value: &Value) -> Result<Vec<u8>, String> {
    match value {
        Value::Scalar(x) => {
            let mut data = PrimVec::new(x.prim());
            data.push(*x);
            Ok(render(&[], &data))
        }
        Value::Array(array) => match array.shape() {
            Some(shape) => Ok(render(&shape, array.data())),
            None => {
                Err(format!("a jagged array ({}) has no .npy form; write it as .npz, text or binary", value.type_of()))
            }
        },
        Value::List(_) | Value::Tuple(_) | Value::Record(_) | Value::Sum(..) => {
            Err(format!("{} has no .npy form; write it as text", value.kind()))
        }
    }
}

fn render(shape: &[i64], data: &PrimVec) -> Vec<u8> {
    let mut header = npy_header::render(data.prim(), shape);
    // Version 1 has two bytes for the header's length, version 2 four.
    let long = header.len() + 2 * ALIGNMENT > u16::MAX as usize;
    let fixed = MAGIC.len() + 2 + if long { 4 } else { 2 };
    let padding = (ALIGNMENT - (fixed + header.len() + 1) % ALIGNMENT) % ALIGNMENT;
    header.extend(std::iter::repeat_n(' ', padding));
    header.push('\n');
    let mut out = MAGIC.to_vec();
    if long {
        out.extend_from_slice(&[2, 0]);
        out.extend_from_slice(&(header.len() as u32).to_le_bytes());
    } else {
        out.extend_from_slice(&[1, 0]);
        out.extend_from_slice(&(header.len() as u16).to_le_bytes());
    }
    out.extend_from_slice(header.as_bytes());
    data.to_le(&mut out);
    out
}

/// Reads an `.npy` file.
pub fn read(bytes: &[u8]) -> Result<Value, FormatError> {
    let (text, start) = header_text(bytes)?;
    let text_start = start - text.len();
    let header = npy_header::parse(text).map_err(|(at, message)| FormatError::byte(text_start + at, message))?;
    let data = elements(&header, &bytes[start..]).map_err(|message| FormatError::byte(start, message))?;
    if header.shape.is_empty() {
        let scalar = data.get(0).ok_or_else(|| FormatError::byte(start, "the scalar is missing"))?;
        return Ok(Value::Scalar(scalar));
    }
    let data = if header.fortran_order { to_c_order(&header.shape, &data) } else { data };
    Array::regular(&header.shape, data).map(Value::Array).map_err(|e| FormatError::byte(text_start, e.0))
}

/// The text of the header and where the elements start.
fn header_text(bytes: &[u8]) -> Result<(&str, usize), FormatError> {
    if !is_npy(bytes) {
        return Err(FormatError::byte(0, "this is not an .npy file: it does not start with \\x93NUMPY"));
    }
    let short = || FormatError::byte(bytes.len(), "the file ends in its header");
    let field = |from: usize, to: usize| bytes.get(from..to).ok_or_else(short);
    let (length, start) = match field(6, 8)? {
        [1, _] => (u16::from_le_bytes(field(8, 10)?.try_into().unwrap_or_default()) as usize, 10),
        [2 | 3, _] => (u32::from_le_bytes(field(8, 12)?.try_into().unwrap_or_default()) as usize, 12),
        version => return Err(FormatError::byte(6, format!("version {} of .npy files is unknown", version[0]))),
    };
    let end = start + length;
    let text = std::str::from_utf8(field(start, end)?)
        .map_err(|e| FormatError::byte(start + e.valid_up_to(), "the header is not text"))?;
    Ok((text, end))
}

/// As many elements as the shape says, in the order of the file.
fn elements(header: &Header, bytes: &[u8]) -> Result<PrimVec, String> {
    let count = header.shape.iter().try_fold(1i64, |n, extent| n.checked_mul(*extent));
    let size = count.and_then(|n| usize::try_from(n).ok()?.checked_mul(header.prim.bytes()));
    let size = size.ok_or_else(|| format!("a shape of {:?} is too large", header.shape))?;
    if bytes.len() < size {
        return Err(format!("a shape of {:?} takes {size} bytes, but only {} are left", header.shape, bytes.len()));
    }
    if bytes.len() > size {
        return Err(format!("a shape of {:?} takes {size} bytes, but {} follow", header.shape, bytes.len()));
    }
    Ok(from_bytes(header.prim, bytes, header.big_endian))
}

fn from_bytes(prim: Prim, bytes: &[u8], big_endian: bool) -> PrimVec {
    if !big_endian || prim.bytes() == 1 {
        return PrimVec::from_le(prim, bytes);
    }
    let mut swapped = bytes.to_vec();
    swapped.chunks_exact_mut(prim.bytes()).for_each(<[u8]>::reverse);
    PrimVec::from_le(prim, &swapped)
}

/// Reorders elements whose first subscript varies fastest.
fn to_c_order(shape: &[i64], data: &PrimVec) -> PrimVec {
    let mut out = PrimVec::with_capacity(data.prim(), data.len());
    let mut subscripts = vec![0i64; shape.len()];
    for _ in 0..data.len() {
        let position = shape.iter().zip(&subscripts).rev().fold(0, |at, (extent, i)| at * extent + i);
        if let Some(x) = data.get(position as usize) {
            out.push(x);
        }
        for (i, extent) in subscripts.iter_mut().zip(shape).rev() {
            *i += 1;
            if *i < *extent {
                break;
            }
            *i = 0;
        }
    }
    out
}
