//! Splits a value into its components.

use super::{Component, ComponentError, error, is_tuple};
use crate::{Array, DimDesc, PrimVec, Value};
use base::Name;
use scalar::{DimKind, Layout, Prim, Scalar};

type Done = Result<(), ComponentError>;

/// The components of a value of this layout.
pub fn split(value: Value, layout: &Layout) -> Result<Vec<Component>, ComponentError> {
    let mut splitter = Splitter { out: Vec::new() };
    splitter.add(layout, vec![value], false)?;
    Ok(splitter.out)
}

/// Works on columns: all values at one place of the layout, in row-major order of the arrays around it.
struct Splitter {
    out: Vec<Component>,
}

impl Splitter {
    /// Adds the components of a column; `inside` says whether it is in an array, so that there may be any number of values.
    fn add(&mut self, layout: &Layout, items: Vec<Value>, inside: bool) -> Done {
        match layout {
            Layout::Scalar(prim) => self.scalars(*prim, items, inside),
            Layout::Array(kinds, elem) => match **elem {
                Layout::Scalar(prim) => self.arrays(kinds, prim, items),
                Layout::Array(..) | Layout::Record(_) | Layout::Sum(_) => self.lists(kinds, elem, items),
            },
            Layout::Record(fields) => self.records(fields, items, inside),
            Layout::Sum(constructors) => self.sums(constructors, items, inside),
        }
    }

    fn scalars(&mut self, prim: Prim, items: Vec<Value>, inside: bool) -> Done {
        let mut data = PrimVec::with_capacity(prim, items.len());
        for item in items {
            match item.as_scalar() {
                Some(x) if x.prim() == prim => data.push(x),
                Some(_) | None => return error(format!("expected a value of type {prim}")),
            }
        }
        self.out.push(match data.get(0) {
            Some(only) if !inside => Component::Scalar(only),
            Some(_) | None => Component::Data(data),
        });
        Ok(())
    }

    fn records(&mut self, fields: &[(Name, Layout)], items: Vec<Value>, inside: bool) -> Done {
        let mut columns: Vec<Vec<Value>> = fields.iter().map(|_| Vec::with_capacity(items.len())).collect();
        for item in items {
            let parts = parts_of(item, fields)?;
            columns.iter_mut().zip(parts).for_each(|(column, part)| column.push(part));
        }
        fields.iter().zip(columns).try_for_each(|((_, field), column)| self.add(field, column, inside))
    }

    fn sums(&mut self, constructors: &[(Name, Vec<Layout>)], items: Vec<Value>, inside: bool) -> Done {
        let mut tags = Vec::with_capacity(items.len());
        let mut columns: Vec<Vec<Vec<Value>>> =
            constructors.iter().map(|(_, parts)| vec![Vec::with_capacity(items.len()); parts.len()]).collect();
        for item in items {
            let Value::Sum(name, mut parts) = item else { return error("expected a value of a sum type") };
            let Some(tag) = constructors.iter().position(|(known, _)| *known == name) else {
                return error(format!("there is no constructor #{name} here"));
            };
            if parts.len() != constructors[tag].1.len() {
                return error(format!("#{name} has {} parts here", constructors[tag].1.len()));
            }
            tags.push(tag as i128);
            for (number, (columns, (_, layouts))) in columns.iter_mut().zip(constructors).enumerate() {
                let mut own =
                    if number == tag { std::mem::take(&mut parts).into_iter() } else { Vec::new().into_iter() };
                for (column, layout) in columns.iter_mut().zip(layouts) {
                    column.push(own.next().unwrap_or_else(|| nothing(layout)));
                }
            }
        }
        let prim = Layout::tag_prim(constructors.len());
        let tags = tags.into_iter().map(|tag| Value::Scalar(Scalar::from_i128(prim, tag))).collect();
        self.scalars(prim, tags, inside)?;
        let layouts = constructors.iter().flat_map(|(_, parts)| parts);
        layouts.zip(columns.into_iter().flatten()).try_for_each(|(layout, column)| self.add(layout, column, inside))
    }

    /// Arrays of scalars: their dimensions are joined level by level.
    fn arrays(&mut self, kinds: &[DimKind], prim: Prim, items: Vec<Value>) -> Done {
        if kinds == [DimKind::Shape] && matches!(items.first(), Some(Value::Scalar(_))) {
            // An array of unknown rank whose rank is 0.
            self.shape(Vec::new());
            return self.scalars(prim, items, true);
        }
        if let [outer @ (DimKind::Size | DimKind::Jagged), inner @ ..] = kinds
            && kinds.contains(&DimKind::Shape)
            && items.iter().any(|item| matches!(item, Value::List(_)))
        {
            // The dimensions around an unknown rank are lists.
            let (lengths, rows) = open(items)?;
            match outer {
                DimKind::Jagged => self.offsets(&lengths),
                DimKind::Size | DimKind::Shape => self.extent(common(&lengths)?),
            }
            return self.arrays(inner, prim, rows);
        }
        let arrays: Vec<Array> = items.into_iter().map(|item| as_array(item, kinds, prim)).collect::<Result<_, _>>()?;
        let mut level = 0;
        for kind in kinds {
            match kind {
                DimKind::Size => self.extent(extent(&arrays, level)?),
                DimKind::Jagged => self.offsets(&lengths(&arrays, level)?),
                DimKind::Shape => {
                    let rank = arrays.first().map_or(0, Array::rank).saturating_sub(kinds.len() - 1);
                    let levels = level..level + rank;
                    self.shape(levels.map(|level| extent(&arrays, level)).collect::<Result<_, _>>()?);
                    level += rank;
                    continue;
                }
            }
            level += 1;
        }
        if arrays.iter().any(|array| array.rank() != level) {
            return error("the arrays differ in rank");
        }
        let data = arrays.into_iter().map(|array| array.into_parts().1).reduce(|mut all, more| {
            all.extend_from(&more);
            all
        });
        self.out.push(Component::Data(data.unwrap_or(PrimVec::new(prim))));
        Ok(())
    }

    /// Arrays of anything else: opened dimension by dimension.
    fn lists(&mut self, kinds: &[DimKind], elem: &Layout, mut items: Vec<Value>) -> Done {
        for (behind, kind) in (0..kinds.len()).rev().zip(kinds) {
            match kind {
                DimKind::Size => {
                    let (lengths, rows) = open(items)?;
                    self.extent(common(&lengths)?);
                    items = rows;
                }
                DimKind::Jagged => {
                    let (lengths, rows) = open(items)?;
                    self.offsets(&lengths);
                    items = rows;
                }
                DimKind::Shape => {
                    let rank = items.first().map_or(0, depth).saturating_sub(behind);
                    let mut shape = Vec::with_capacity(rank);
                    for _ in 0..rank {
                        let (lengths, rows) = open(items)?;
                        shape.push(common(&lengths)?);
                        items = rows;
                    }
                    self.shape(shape);
                }
            }
        }
        self.add(elem, items, true)
    }

    fn extent(&mut self, extent: i64) {
        self.out.push(Component::Scalar(Scalar::I64(extent)));
    }

    fn offsets(&mut self, lengths: &[i64]) {
        let mut offsets = Vec::with_capacity(lengths.len() + 1);
        offsets.push(0);
        lengths.iter().for_each(|n| offsets.push(offsets[offsets.len() - 1] + n));
        self.out.push(Component::Numbers(offsets));
    }

    fn shape(&mut self, shape: Vec<i64>) {
        self.out.extend([Component::Scalar(Scalar::I64(shape.len() as i64)), Component::Numbers(shape)]);
    }
}

/// The fields of a tuple or record in the order of the layout.
fn parts_of(item: Value, fields: &[(Name, Layout)]) -> Result<Vec<Value>, ComponentError> {
    match item {
        Value::Tuple(parts) if is_tuple(fields) && parts.len() == fields.len() => Ok(parts),
        Value::Record(mut parts) if parts.len() == fields.len() => {
            let part = |(name, _): &(Name, Layout)| {
                let at = parts.iter().position(|(known, _)| known == name);
                at.map(|at| parts.swap_remove(at).1).ok_or_else(|| ComponentError(format!("there is no field {name}")))
            };
            fields.iter().map(part).collect()
        }
        _ => error(format!("expected a tuple or record of {} fields", fields.len())),
    }
}

/// The dummy for a part of a constructor that a value does not have.
fn nothing(layout: &Layout) -> Value {
    match layout {
        Layout::Scalar(prim) => Value::Scalar(prim.zero()),
        Layout::Array(..) => Value::List(Vec::new()),
        Layout::Record(fields) => Value::Record(fields.iter().map(|(name, field)| (*name, nothing(field))).collect()),
        Layout::Sum(constructors) => match constructors.first() {
            Some((name, parts)) => Value::Sum(*name, parts.iter().map(nothing).collect()),
            None => Value::Tuple(Vec::new()),
        },
    }
}

/// An array of scalars; a list without elements has one for each rank.
fn as_array(item: Value, kinds: &[DimKind], prim: Prim) -> Result<Array, ComponentError> {
    match item {
        Value::Array(array) if array.elem() == prim => Ok(array),
        Value::List(rows) if rows.is_empty() => {
            Array::regular(&vec![0; kinds.len()], PrimVec::new(prim)).map_err(|e| ComponentError(e.0))
        }
        _ => error(format!("expected an array of {prim}")),
    }
}

/// The lengths of all rows of one level of several arrays.
fn lengths(arrays: &[Array], level: usize) -> Result<Vec<i64>, ComponentError> {
    let mut all = Vec::new();
    for array in arrays {
        let dim = dimension(array, level)?;
        let rows = array.rows()[level] as usize;
        if all.try_reserve(rows).is_err() {
            return error("too many empty rows");
        }
        all.extend((0..rows).map(|row| dim.row_length(row)));
    }
    Ok(all)
}

/// The extent of a regular level of several arrays. An array without rows counts only if there is no other.
fn extent(arrays: &[Array], level: usize) -> Result<i64, ComponentError> {
    let (mut found, mut unused) = (Vec::with_capacity(arrays.len()), 0);
    for array in arrays {
        match dimension(array, level)? {
            DimDesc::Regular(n) if array.rows()[level] == 0 => unused = *n,
            DimDesc::Regular(n) => found.push(*n),
            DimDesc::Jagged(offsets) => found.extend(offsets.windows(2).map(|w| w[1] - w[0])),
        }
    }
    if found.is_empty() { Ok(unused) } else { common(&found) }
}

fn dimension(array: &Array, level: usize) -> Result<&DimDesc, ComponentError> {
    array.dims().get(level).ok_or_else(|| ComponentError("the array has too few dimensions".into()))
}

/// The length that all rows have; 0 if there are none.
fn common(lengths: &[i64]) -> Result<i64, ComponentError> {
    match lengths {
        [] => Ok(0),
        [first, rest @ ..] if rest.iter().all(|n| n == first) => Ok(*first),
        _ => error("rows of different lengths in a dimension that must be regular"),
    }
}

/// The lengths of arrays and all their rows.
fn open(items: Vec<Value>) -> Result<(Vec<i64>, Vec<Value>), ComponentError> {
    let mut lengths = Vec::with_capacity(items.len());
    let mut all = Vec::new();
    for item in items {
        match item {
            Value::List(rows) => {
                lengths.push(rows.len() as i64);
                all.extend(rows);
            }
            // An empty array of anything may have been read as one of numbers.
            Value::Array(array) if array.data().is_empty() => {
                let rows = array.dims().first().map_or(0, |dim| dim.row_length(0));
                lengths.push(rows);
                all.extend((0..rows).map(|_| Value::List(Vec::new())));
            }
            _ => return error("expected an array"),
        }
    }
    Ok((lengths, all))
}

/// The number of dimensions of an array, as far as its elements show it.
fn depth(value: &Value) -> usize {
    match value {
        Value::List(rows) => 1 + rows.first().map_or(0, depth),
        Value::Array(array) => array.rank(),
        Value::Scalar(_) | Value::Tuple(_) | Value::Record(_) | Value::Sum(..) => 0,
    }
}
