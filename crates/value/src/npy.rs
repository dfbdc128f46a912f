//! NumPy's `.npy` files: versions 1 to 3, either byte order, C and Fortran order. Complex numbers are pairs or records.

use crate::npy_header::{self, Header};
use crate::{Array, FormatError, PrimVec, Value, ValueType, complex};
use scalar::Prim;

const MAGIC: &[u8] = b"\x93NUMPY";
/// NumPy aligns the data to this.
const ALIGNMENT: usize = 64;

/// Whether bytes start like an `.npy` file.
pub fn is_npy(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// The bytes of an `.npy` file of a scalar or a regular array, of numbers or complex numbers. The type gives the element type of an
/// empty array.
pub fn write(value: &Value, ty: Option<&ValueType>) -> Result<Vec<u8>, String> {
    match value {
        Value::Scalar(x) => {
            let mut data = PrimVec::new(x.prim());
            data.push(*x);
            Ok(render(&[], &data, false))
        }
        Value::Array(array) => match array.shape() {
            Some(shape) => Ok(render(&shape, array.data(), false)),
            None => {
                Err(format!("a jagged array ({}) has no .npy form; write it as .npz, text or binary", value.type_of()))
            }
        },
        Value::List(_) | Value::Tuple(_) | Value::Record(_) | Value::Sum(..) => match complex::interleaved(value, ty) {
            Some((shape, data)) => Ok(render(&shape, &data, true)),
            None => Err(format!("{} has no .npy form; write it as .npz or text", value.kind())),
        },
    }
}

fn render(shape: &[i64], data: &PrimVec, is_complex: bool) -> Vec<u8> {
    let mut header = npy_header::render(data.prim(), is_complex, shape);
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

/// Reads an `.npy` file; nothing may follow it.
pub fn read(bytes: &[u8], expected: Option<&ValueType>) -> Result<Value, FormatError> {
    let layout = Layout::of(bytes)?;
    let Layout { header, start, size, .. } = &layout;
    let left = bytes.len() - start;
    if left > *size {
        let message = format!("a shape of {:?} takes {size} bytes, but {left} follow", header.shape);
        return Err(FormatError::byte(*start, message));
    }
    let value = layout.value(bytes, expected)?;
    match expected {
        Some(expected) => value.fit(expected).map_err(|message| FormatError::byte(0, message)),
        None => Ok(value),
    }
}

/// Reads an `.npy` file from the start of some bytes; also returns its length. The expected type matters only for complex
/// numbers.
pub fn read_first(bytes: &[u8], expected: Option<&ValueType>) -> Result<(Value, usize), FormatError> {
    let layout = Layout::of(bytes)?;
    Ok((layout.value(bytes, expected)?, layout.start + layout.size))
}

/// The parts of a file.
struct Layout {
    header: Header,
    /// Where the text of the header starts.
    text: usize,
    /// Where the elements start.
    start: usize,
    /// How many bytes they take.
    size: usize,
}

impl Layout {
    fn of(bytes: &[u8]) -> Result<Layout, FormatError> {
        let (header, start) = header_text(bytes)?;
        let text = start - header.len();
        let header = npy_header::parse(header).map_err(|(at, message)| FormatError::byte(text + at, message))?;
        let size = header.size().map_err(|message| FormatError::byte(start, message))?;
        Ok(Layout { header, text, start, size })
    }

    fn value(&self, bytes: &[u8], expected: Option<&ValueType>) -> Result<Value, FormatError> {
        let data = elements(&self.header, &bytes[self.start..], self.size);
        let data = data.map_err(|message| FormatError::byte(self.start, message))?;
        assemble(&self.header, data, expected).map_err(|message| FormatError::byte(self.text, message))
    }
}

fn assemble(header: &Header, data: PrimVec, expected: Option<&ValueType>) -> Result<Value, String> {
    if header.is_complex {
        let turned: Vec<i64> = [2].into_iter().chain(header.shape.iter().copied()).collect();
        // In Fortran order the two parts of a number are still adjacent, as the fastest-varying dimension.
        let data = if header.fortran_order { parts_last(&to_c_order(&turned, &data)) } else { data };
        return complex::value(&header.shape, &data, expected);
    }
    if header.shape.is_empty() {
        return data.get(0).map(Value::Scalar).ok_or_else(|| "the scalar is missing".into());
    }
    let data = if header.fortran_order { to_c_order(&header.shape, &data) } else { data };
    Array::regular(&header.shape, data).map(Value::Array).map_err(|e| e.0)
}

/// Interleaves the real and the imaginary parts.
fn parts_last(planes: &PrimVec) -> PrimVec {
    let count = planes.len() / 2;
    let mut out = PrimVec::with_capacity(planes.prim(), planes.len());
    (0..count).flat_map(|i| [i, count + i]).filter_map(|i| planes.get(i)).for_each(|x| out.push(x));
    out
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
fn elements(header: &Header, bytes: &[u8], size: usize) -> Result<PrimVec, String> {
    match bytes.get(..size) {
        Some(bytes) => Ok(from_bytes(header.prim, bytes, header.big_endian)),
        None => Err(format!("a shape of {:?} takes {size} bytes, but only {} are left", header.shape, bytes.len())),
    }
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
