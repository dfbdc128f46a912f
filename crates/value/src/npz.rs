//! NumPy's `.npz` files for one value: a zip archive of `.npy` members.
//!
//! `data` holds the elements. A regular array needs nothing else, and may have any name. Of a jagged array `offsetsD` holds
//! the offsets of dimension `D`, counted from 0 for the outermost: row `i` has the elements from `offsets[i]` to
//! `offsets[i + 1]`. The dimensions behind the last jagged one are those of `data` behind its first. Where a regular
//! dimension lies between, `shape` says its extent; a jagged one stands there as -1.

use crate::types::MOST_EMPTY_ROWS;
use crate::{Array, DimDesc, FormatError, PrimVec, Value, npy, zip};
use std::collections::BTreeMap;

const DATA: &str = "data";
const OFFSETS: &str = "offsets";
const SHAPE: &str = "shape";
/// Stands for a jagged dimension in `shape`.
const JAGGED: i64 = -1;

/// Whether bytes start like an `.npz` file.
pub fn is_npz(bytes: &[u8]) -> bool {
    zip::is_zip(bytes)
}

/// The bytes of an `.npz` file of a scalar or an array, regular or jagged.
pub fn write(value: &Value) -> Result<Vec<u8>, String> {
    let members = match value {
        Value::Scalar(_) => vec![(DATA.to_string(), npy::write(value)?)],
        Value::Array(array) => members(array)?,
        Value::List(_) | Value::Tuple(_) | Value::Record(_) | Value::Sum(..) => {
            return Err(format!("{} has no .npz form; write it as text", value.kind()));
        }
    };
    pack(&members)
}

/// The bytes of an `.npz` file with these members, each the bytes of an `.npy` file under a name.
pub fn pack(members: &[(String, Vec<u8>)]) -> Result<Vec<u8>, String> {
    let named = members.iter().map(|(name, bytes)| (format!("{name}.npy"), bytes.clone()));
    zip::write(&named.collect::<Vec<_>>())
}

/// Offsets of each level, then the elements.
fn members(array: &Array) -> Result<Vec<(String, Vec<u8>)>, String> {
    let dims = array.dims();
    let last = dims.iter().rposition(|dim| matches!(dim, DimDesc::Jagged(_)));
    let (above, below) = dims.split_at(last.map_or(0, |last| last + 1));
    let mut members = Vec::new();
    if above.iter().skip(1).any(|dim| matches!(dim, DimDesc::Regular(_))) {
        let shape: Vec<i64> = dims.iter().map(extent).collect();
        members.push((SHAPE.to_string(), vector(shape)?));
    }
    for (level, dim) in above.iter().enumerate() {
        if let DimDesc::Jagged(offsets) = dim {
            members.push((format!("{OFFSETS}{level}"), vector(offsets.to_vec())?));
        }
    }
    let mut shape: Vec<i64> = last.map(|last| array.rows()[last + 1]).into_iter().collect();
    shape.extend(below.iter().map(extent));
    let data = Array::regular(&shape, array.data().clone()).map_err(|e| e.0)?;
    members.push((DATA.to_string(), npy::write(&Value::Array(data))?));
    Ok(members)
}

fn extent(dim: &DimDesc) -> i64 {
    match dim {
        DimDesc::Regular(n) => *n,
        DimDesc::Jagged(_) => JAGGED,
    }
}

fn vector(numbers: Vec<i64>) -> Result<Vec<u8>, String> {
    let array = Array::regular(&[numbers.len() as i64], numbers).map_err(|e| e.0)?;
    npy::write(&Value::Array(array))
}

/// Reads an `.npz` file.
pub fn read(bytes: &[u8]) -> Result<Value, FormatError> {
    let mut parts = Parts::default();
    let members = zip::read(bytes)?;
    let alone = members.len() == 1;
    for member in &members {
        parts.add(member, alone)?;
    }
    let size: usize = members.iter().map(|member| member.bytes.len()).sum();
    parts.value(size.max(bytes.len()) as i64).map_err(|message| FormatError::byte(0, message))
}

/// The members as far as they were read.
#[derive(Default)]
struct Parts {
    data: Option<Value>,
    shape: Option<Vec<i64>>,
    offsets: BTreeMap<usize, Vec<i64>>,
}

impl Parts {
    fn add(&mut self, member: &zip::Member, alone: bool) -> Result<(), FormatError> {
        let name = member.name.strip_suffix(".npy").unwrap_or(&member.name);
        let wrong = |message: String| FormatError::byte(member.start, format!("member `{name}`: {message}"));
        let value = npy::read(&member.bytes).map_err(|e| wrong(e.to_string()))?;
        let level = name.strip_prefix(OFFSETS).and_then(|level| level.parse::<usize>().ok());
        match (name, level) {
            (DATA, _) => self.data = Some(value),
            (SHAPE, _) if !alone => self.shape = Some(integers(&value).map_err(wrong)?),
            (_, Some(0)) => return Err(wrong("the outermost dimension, number 0, is never jagged".into())),
            (_, Some(level)) => {
                let offsets = integers(&value).map_err(wrong)?;
                self.offsets.insert(level, offsets);
            }
            _ if alone => self.data = Some(value),
            _ => {
                let known =
                    "an array is `data` alone, or `data`, `offsets1`, `offsets2` and so on, and perhaps `shape`";
                return Err(wrong(format!("this name means nothing here; {known}")));
            }
        }
        Ok(())
    }

    /// The value that the members make; `most` limits how many rows without elements they may claim.
    fn value(self, most: i64) -> Result<Value, String> {
        let Parts { data, shape, mut offsets } = self;
        let data = data.ok_or("member `data` is missing")?;
        let Some(last) = offsets.keys().next_back().copied() else {
            return Ok(data);
        };
        let Value::Array(data) = data else {
            return Err("member `data` is a scalar, but there are offsets".into());
        };
        let outermost = offsets.get(&1).map(|offsets| offsets.len() as i64 - 1);
        let below = data.dims()[1..].to_vec();
        if shape.as_ref().is_some_and(|shape| shape.len() != last.saturating_add(1).saturating_add(below.len())) {
            return Err("member `shape` has another number of dimensions than `offsets` and `data` make".into());
        }
        let mut dims = Vec::new();
        let mut rows = 1i64;
        for level in 0..=last {
            let given = shape.as_ref().map(|shape| shape[level]);
            let dim = match (offsets.remove(&level), given) {
                (Some(offsets), None | Some(JAGGED)) => DimDesc::Jagged(offsets.into()),
                (Some(_), Some(n)) => {
                    return Err(format!("dimension {level} has offsets, but `shape` says {n}, not -1"));
                }
                (None, Some(n)) => DimDesc::Regular(n),
                (None, None) if level == 0 && outermost.is_some() => DimDesc::Regular(outermost.unwrap_or(0)),
                (None, None) => return Err(format!("dimension {level} has neither offsets nor an extent in `shape`")),
            };
            let from = if matches!(dim, DimDesc::Jagged(_)) { format!("{OFFSETS}{level}") } else { SHAPE.into() };
            rows = dim.total(rows).map_err(|e| format!("member `{from}`: {e}"))?;
            if rows > MOST_EMPTY_ROWS.max(most) {
                return Err(format!("member `{from}`: {rows} rows are more than this file can hold"));
            }
            dims.push(dim);
        }
        if shape.is_some_and(|shape| !below.iter().map(extent).eq(shape[last + 1..].iter().copied())) {
            return Err("member `shape` has other extents than `data`".into());
        }
        let count = extent(&data.dims()[0]);
        if count != rows {
            return Err(format!("member `data` has {count} rows, but the offsets make {rows}"));
        }
        dims.extend(below);
        Array::new(dims, data.into_parts().1).map(Value::Array).map_err(|e| e.0)
    }
}

/// A vector of integers of any type.
fn integers(value: &Value) -> Result<Vec<i64>, String> {
    let wrong = || format!("a vector of integers is expected, but this is of type {}", value.type_of());
    let Value::Array(array) = value else { return Err(wrong()) };
    if array.rank() != 1 || !array.elem().is_int() {
        return Err(wrong());
    }
    if let PrimVec::I64(numbers) = array.data() {
        return Ok(numbers.to_vec());
    }
    let number = |i: usize| array.data().get(i).and_then(|x| x.as_int()).and_then(|x| i64::try_from(x).ok());
    (0..array.data().len()).map(|i| number(i).ok_or_else(|| format!("number {i} is too large"))).collect()
}
