//! NumPy's `.npz` files: a zip archive of named `.npy` members.
//!
//! The fields of a record are members under their names, the parts of a tuple under their numbers, and an array of records is
//! a record of arrays. Names of nested fields are joined by points:
//!
//! ```text
//! {x = [1.0, 2.0], p = (3, 4)}                  x, p.0, p.1
//! [{x = 1.0, y = 2.0}, {x = 3.0, y = 4.0}]      x, y
//! [1, 2, 3]                                     data
//! [[1.0, 2.0], [], [3.0]]                       offsets1, data
//! {rows = [[1.0, 2.0], [], [3.0]]}              rows.offsets1, rows.data
//! ```
//!
//! A regular array is one member. Of a jagged array `offsetsD` holds the offsets of dimension `D`, counted from 0 for the
//! outermost: row `i` has the elements from `offsets[i]` to `offsets[i + 1]`. The dimensions after the last jagged one are
//! those of `data` after its first. If a regular dimension lies between, `shape` has its extent, and -1 for jagged ones. The
//! only value of a file has the name `data`; any name is accepted when it is read.

use crate::types::MOST_EMPTY_ROWS;
use crate::{Array, DimDesc, FormatError, PrimVec, Value, ValueType, columns, complex, npy, zip};
use std::collections::BTreeMap;

const DATA: &str = "data";
const OFFSETS: &str = "offsets";
const SHAPE: &str = "shape";
/// A jagged dimension in `shape`.
const JAGGED: i64 = -1;

/// Members before they are packed: a name and the bytes of an `.npy` file.
type Members = Vec<(String, Vec<u8>)>;

/// Whether bytes start like an `.npz` file.
pub fn is_npz(bytes: &[u8]) -> bool {
    zip::is_zip(bytes)
}

/// The bytes of an `.npz` file. The type gives the element type of empty arrays.
pub fn write(value: &Value, ty: Option<&ValueType>) -> Result<Vec<u8>, String> {
    let found = value.type_of();
    let mut out = Vec::new();
    add(&mut out, "", value, ty.unwrap_or(&found))?;
    pack(&out)
}

/// The bytes of an `.npz` file with these members.
pub fn pack(members: &[(String, Vec<u8>)]) -> Result<Vec<u8>, String> {
    let named = members.iter().map(|(name, bytes)| (format!("{name}.npy"), bytes.clone()));
    zip::write(&named.collect::<Vec<_>>())
}

/// Adds the members of a value under a name; none for the whole file.
fn add(out: &mut Members, name: &str, value: &Value, ty: &ValueType) -> Result<(), String> {
    match (value, ty) {
        (Value::Scalar(_), _) => out.push((or_data(name), npy::write(value, Some(ty))?)),
        (Value::Array(array), _) => add_array(out, name, array)?,
        (Value::List(_) | Value::Tuple(_) | Value::Record(_), _) if complex::parts_of(ty).is_some() => {
            out.push((or_data(name), npy::write(value, Some(ty))?));
        }
        (Value::Tuple(parts), ValueType::Tuple(types)) => {
            for (i, (part, ty)) in parts.iter().zip(types).enumerate() {
                add(out, &below(name, &i.to_string()), part, ty)?;
            }
        }
        (Value::Record(fields), ValueType::Record(types)) => {
            for ((field, part), (_, ty)) in fields.iter().zip(types) {
                add(out, &below(name, field.as_str()), part, ty)?;
            }
        }
        (Value::List(_), _) => add(out, name, &columns::split(value, ty)?, &columns::type_of(ty))?,
        (Value::Tuple(_) | Value::Record(_) | Value::Sum(..), _) => {
            return Err(format!("{} has no .npz form; write it as text or .json", value.kind()));
        }
    }
    Ok(())
}

fn or_data(name: &str) -> String {
    if name.is_empty() { DATA.into() } else { name.into() }
}

/// The name of a part of a named value.
fn below(name: &str, part: &str) -> String {
    if name.is_empty() { part.into() } else { format!("{name}.{part}") }
}

/// Offsets of each level, then the elements.
fn add_array(out: &mut Members, name: &str, array: &Array) -> Result<(), String> {
    let dims = array.dims();
    let Some(last) = dims.iter().rposition(|dim| matches!(dim, DimDesc::Jagged(_))) else {
        out.push((or_data(name), npy::write(&Value::Array(array.clone()), None)?));
        return Ok(());
    };
    let (above, rest) = dims.split_at(last + 1);
    if above.iter().skip(1).any(|dim| matches!(dim, DimDesc::Regular(_))) {
        out.push((below(name, SHAPE), vector(dims.iter().map(extent).collect())?));
    }
    for (level, dim) in above.iter().enumerate() {
        if let DimDesc::Jagged(offsets) = dim {
            out.push((below(name, &format!("{OFFSETS}{level}")), vector(offsets.to_vec())?));
        }
    }
    let shape: Vec<i64> = std::iter::once(array.rows()[last + 1]).chain(rest.iter().map(extent)).collect();
    let data = Array::regular(&shape, array.data().clone()).map_err(|e| e.0)?;
    out.push((below(name, DATA), npy::write(&Value::Array(data), None)?));
    Ok(())
}

fn extent(dim: &DimDesc) -> i64 {
    match dim {
        DimDesc::Regular(n) => *n,
        DimDesc::Jagged(_) => JAGGED,
    }
}

fn vector(numbers: Vec<i64>) -> Result<Vec<u8>, String> {
    let array = Array::regular(&[numbers.len() as i64], numbers).map_err(|e| e.0)?;
    npy::write(&Value::Array(array), None)
}

/// Reads the value of an `.npz` file.
pub fn read(bytes: &[u8], expected: Option<&ValueType>) -> Result<Value, FormatError> {
    read_member(bytes, "", expected)
}

/// Reads the member of a name, or all members below it, as one value.
pub fn read_member(bytes: &[u8], name: &str, expected: Option<&ValueType>) -> Result<Value, FormatError> {
    let members = zip::read(bytes)?;
    let size: usize = members.iter().map(|member| member.bytes.len()).sum();
    Archive { members, most: size.max(bytes.len()) as i64 }.value(name, expected)
}

/// The members of a file.
struct Archive {
    members: Vec<zip::Member>,
    /// The most rows without elements that they may have.
    most: i64,
}

/// The name of a member without the ending that NumPy gives it.
fn name_of(member: &zip::Member) -> &str {
    member.name.strip_suffix(".npy").unwrap_or(&member.name)
}

impl Archive {
    fn value(&self, name: &str, expected: Option<&ValueType>) -> Result<Value, FormatError> {
        let wrong = |message: String| {
            let named = if name.is_empty() { message.clone() } else { format!("member `{name}`: {message}") };
            FormatError::byte(0, named)
        };
        match expected {
            Some(ty) if complex::parts_of(ty).is_some() && self.member(name).is_some() => {
                let member = self.member(name).ok_or_else(|| self.missing(name))?;
                npy::read(&member.bytes, expected).map_err(|e| inside(member, &e))
            }
            Some(ValueType::Tuple(types)) => {
                let part = |(i, ty): (usize, &ValueType)| self.value(&below(name, &i.to_string()), Some(ty));
                types.iter().enumerate().map(part).collect::<Result<_, _>>().map(Value::Tuple)
            }
            Some(ValueType::Record(fields)) => {
                let field = |(field, ty): &(base::Name, ValueType)| {
                    Ok((*field, self.value(&below(name, field.as_str()), Some(ty))?))
                };
                fields.iter().map(field).collect::<Result<_, FormatError>>().map(Value::Record)
            }
            Some(ty @ ValueType::List(_)) if ty.any_rank_below().is_none() => {
                let columns = self.value(name, Some(&columns::type_of(ty)))?;
                columns::join(&columns, ty).map_err(wrong)
            }
            Some(ty) => self.array(name)?.fit(ty).map_err(wrong),
            None => self.array(name),
        }
    }

    /// The only member for the value of a name.
    fn member(&self, name: &str) -> Option<&zip::Member> {
        match (&self.members[..], name) {
            ([only], "") => Some(only),
            (members, _) => members.iter().find(|member| name_of(member) == or_data(name)),
        }
    }

    fn missing(&self, name: &str) -> FormatError {
        let known: Vec<String> = self.members.iter().map(|member| format!("`{}`", name_of(member))).collect();
        FormatError::byte(0, format!("there is no member `{name}`; the members are {}", known.join(", ")))
    }

    /// The scalar or array of a name.
    fn array(&self, name: &str) -> Result<Value, FormatError> {
        let whole = self.member(name).filter(|_| !name.is_empty() || self.members.len() == 1);
        if let Some(member) = whole.filter(|member| !name.is_empty() || level(name_of(member)).is_none()) {
            return npy::read(&member.bytes, None).map_err(|e| inside(member, &e));
        }
        let mut parts = Parts::default();
        for member in &self.members {
            let member_name = name_of(member);
            let below = || member_name.strip_prefix(name).and_then(|rest| rest.strip_prefix('.'));
            if let Some(part) = if name.is_empty() { Some(member_name) } else { below() } {
                parts.add(member, part)?;
            }
        }
        match parts.is_empty() && !name.is_empty() {
            true => Err(self.missing(name)),
            false => parts.value(self.most).map_err(|message| FormatError::byte(0, message)),
        }
    }
}

/// The dimension whose offsets a part of an array holds.
fn level(part: &str) -> Option<usize> {
    part.strip_prefix(OFFSETS).and_then(|level| level.parse().ok())
}

fn inside(member: &zip::Member, error: &FormatError) -> FormatError {
    FormatError::byte(member.start, format!("member `{}`: {error}", name_of(member)))
}

/// The parts of an array that were read so far.
#[derive(Default)]
struct Parts {
    data: Option<Value>,
    shape: Option<Vec<i64>>,
    offsets: BTreeMap<usize, Vec<i64>>,
}

impl Parts {
    fn is_empty(&self) -> bool {
        self.data.is_none() && self.offsets.is_empty()
    }

    /// Takes a member by the name of the part that it is.
    fn add(&mut self, member: &zip::Member, part: &str) -> Result<(), FormatError> {
        let wrong =
            |message: String| FormatError::byte(member.start, format!("member `{}`: {message}", name_of(member)));
        let read = || npy::read(&member.bytes, None).map_err(|e| inside(member, &e));
        match (part, level(part)) {
            (DATA, _) => self.data = Some(read()?),
            (SHAPE, _) => self.shape = Some(integers(&read()?).map_err(wrong)?),
            (_, Some(0)) => return Err(wrong("the outermost dimension, number 0, is never jagged".into())),
            (_, Some(level)) => {
                let offsets = integers(&read()?).map_err(wrong)?;
                self.offsets.insert(level, offsets);
            }
            (_, None) => {
                let known =
                    "an array is `data` alone, or `data`, `offsets1`, `offsets2` and so on, and perhaps `shape`";
                let advice = format!("to read this member alone write @FILE.npz:{}", name_of(member));
                return Err(wrong(format!("this name means nothing here; {known}; {advice}")));
            }
        }
        Ok(())
    }

    /// The value that the members make; `most` limits the number of rows without elements.
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
