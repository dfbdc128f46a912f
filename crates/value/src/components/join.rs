//! Makes a value from its components.

use super::{Component, ComponentError, error, is_tuple};
use crate::{Array, DimDesc, PrimVec, Value};
use base::Name;
use scalar::{DimKind, Layout, Prim, Scalar};
use std::vec::IntoIter;

/// The value of this layout with these components.
pub fn join(components: Vec<Component>, layout: &Layout) -> Result<Value, ComponentError> {
    let mut rest = components.into_iter();
    let value = join_from(&mut rest, layout)?;
    if rest.next().is_some() { error("more components than the value has") } else { Ok(value) }
}

/// The value with the next components.
pub(super) fn join_from(rest: &mut IntoIter<Component>, layout: &Layout) -> Result<Value, ComponentError> {
    Joiner { rest }.column(layout, 1, false)?.pop().map_or_else(|| error("no value"), Ok)
}

/// Works on columns: all values at one place of the layout, in row-major order of the arrays around it.
struct Joiner<'a> {
    rest: &'a mut IntoIter<Component>,
}

impl Joiner<'_> {
    /// The next `count` values of this layout; `inside` says whether they are in an array.
    fn column(&mut self, layout: &Layout, count: usize, inside: bool) -> Result<Vec<Value>, ComponentError> {
        match layout {
            Layout::Scalar(prim) if inside => {
                let data = self.data(*prim)?;
                expect_count(data.len(), count)?;
                Ok(data.iter().map(Value::Scalar).collect())
            }
            Layout::Scalar(prim) => Ok(vec![Value::Scalar(self.scalar(*prim)?)]),
            Layout::Array(kinds, elem) => self.arrays(kinds, elem, count),
            Layout::Record(fields) => self.records(fields, count, inside),
            Layout::Sum(constructors) => self.sums(constructors, count, inside),
        }
    }

    fn records(&mut self, fields: &[(Name, Layout)], count: usize, inside: bool) -> Result<Vec<Value>, ComponentError> {
        let mut columns: Vec<_> = Vec::with_capacity(fields.len());
        for (_, field) in fields {
            columns.push(self.column(field, count, inside)?.into_iter());
        }
        let tuple = is_tuple(fields);
        let one = |_| {
            let parts = columns.iter_mut().filter_map(Iterator::next);
            if tuple {
                Value::Tuple(parts.collect())
            } else {
                Value::Record(fields.iter().map(|f| f.0).zip(parts).collect())
            }
        };
        Ok((0..count).map(one).collect())
    }

    fn sums(
        &mut self,
        constructors: &[(Name, Vec<Layout>)],
        count: usize,
        inside: bool,
    ) -> Result<Vec<Value>, ComponentError> {
        let tags = self.column(&Layout::Scalar(Layout::tag_prim(constructors.len())), count, inside)?;
        let mut columns: Vec<Vec<_>> = Vec::with_capacity(constructors.len());
        for (_, parts) in constructors {
            let parts = parts.iter().map(|part| Ok(self.column(part, count, inside)?.into_iter()));
            columns.push(parts.collect::<Result<_, _>>()?);
        }
        let mut values = Vec::with_capacity(count);
        for tag in tags {
            let tag = tag.as_scalar().and_then(Scalar::as_int).map_or(usize::MAX, |tag| tag as usize);
            let Some((name, _)) = constructors.get(tag) else { return error("no constructor has this number") };
            let mut own = Vec::new();
            for (number, parts) in columns.iter_mut().enumerate() {
                // Advance every column, also those of the other constructors.
                let next: Vec<Value> = parts.iter_mut().filter_map(Iterator::next).collect();
                if number == tag {
                    own = next;
                }
            }
            values.push(Value::Sum(*name, own));
        }
        Ok(values)
    }

    fn arrays(&mut self, kinds: &[DimKind], elem: &Layout, count: usize) -> Result<Vec<Value>, ComponentError> {
        let mut dims = Vec::with_capacity(kinds.len());
        for kind in kinds {
            match kind {
                DimKind::Size => dims.push(DimDesc::Regular(self.extent()?)),
                DimKind::Jagged => dims.push(DimDesc::Jagged(self.numbers()?.into())),
                DimKind::Shape => {
                    let rank = self.extent()?;
                    let shape = self.numbers()?;
                    expect_count(shape.len(), rank as usize)?;
                    dims.extend(shape.into_iter().map(DimDesc::Regular));
                }
            }
        }
        let mut rows = vec![count as i64];
        for dim in &dims {
            let below = dim.total(rows[rows.len() - 1]).map_err(|e| ComponentError(e.0))?;
            rows.push(below);
        }
        let total = rows[rows.len() - 1] as usize;
        match elem {
            Layout::Scalar(prim) => {
                let data = self.data(*prim)?;
                expect_count(data.len(), total)?;
                if dims.is_empty() {
                    // An array of rank 0 is its only element.
                    return Ok(data.iter().map(Value::Scalar).collect());
                }
                cut(&dims, data, count)
            }
            Layout::Array(..) | Layout::Record(_) | Layout::Sum(_) => {
                let mut values = self.column(elem, total, true)?;
                for (dim, rows) in dims.iter().zip(&rows).rev() {
                    values = group(values, dim, *rows as usize);
                }
                Ok(values)
            }
        }
    }

    fn next(&mut self) -> Result<Component, ComponentError> {
        self.rest.next().ok_or_else(|| ComponentError("fewer components than the value has".into()))
    }

    fn scalar(&mut self, prim: Prim) -> Result<Scalar, ComponentError> {
        match self.next()? {
            Component::Scalar(x) if x.prim() == prim => Ok(x),
            _ => error(format!("expected a scalar of type {prim}")),
        }
    }

    fn extent(&mut self) -> Result<i64, ComponentError> {
        match self.scalar(Prim::I64)?.to_i64() {
            n if n < 0 => error(format!("negative extent {n}")),
            n => Ok(n),
        }
    }

    fn numbers(&mut self) -> Result<Vec<i64>, ComponentError> {
        match self.next()? {
            Component::Numbers(numbers) | Component::Data(PrimVec::I64(numbers)) => Ok(numbers),
            Component::Scalar(_) | Component::Data(_) => error("expected a vector of numbers"),
        }
    }

    fn data(&mut self, prim: Prim) -> Result<PrimVec, ComponentError> {
        match self.next()? {
            Component::Data(data) if data.prim() == prim => Ok(data),
            Component::Numbers(numbers) if prim == Prim::I64 => Ok(PrimVec::I64(numbers)),
            _ => error(format!("expected elements of type {prim}")),
        }
    }
}

fn expect_count(got: usize, expected: usize) -> Result<(), ComponentError> {
    if got == expected { Ok(()) } else { error(format!("expected {expected} elements, got {got}")) }
}

/// Cuts data into `count` arrays, each with its part of the dimensions.
fn cut(dims: &[DimDesc], data: PrimVec, count: usize) -> Result<Vec<Value>, ComponentError> {
    let wrong = |e: crate::ShapeError| ComponentError(e.0);
    if count == 1 {
        // The outermost dimension of an array must be regular; a single jagged row is regular.
        let mut own = dims.to_vec();
        own[0] = DimDesc::Regular(dims[0].row_length(0));
        return Ok(vec![Value::Array(Array::new(own, data).map_err(wrong)?)]);
    }
    let mut values = Vec::with_capacity(count);
    for number in 0..count {
        let mut rows = number..number + 1;
        let mut own = Vec::with_capacity(dims.len());
        for dim in dims {
            let (part, below) = part_of(dim, rows);
            own.push(part);
            rows = below;
        }
        own[0] = DimDesc::Regular(dims[0].row_length(number));
        let part = data.slice(rows).ok_or_else(|| ComponentError("elements are missing".into()))?;
        values.push(Value::Array(Array::new(own, part).map_err(wrong)?));
    }
    Ok(values)
}

/// The dimension restricted to some rows, and the rows of the next level that belong to them.
fn part_of(dim: &DimDesc, rows: std::ops::Range<usize>) -> (DimDesc, std::ops::Range<usize>) {
    match dim {
        DimDesc::Regular(n) => (DimDesc::Regular(*n), rows.start * *n as usize..rows.end * *n as usize),
        DimDesc::Jagged(offsets) => {
            let own = &offsets[rows.start..=rows.end];
            let part = own.iter().map(|offset| offset - own[0]).collect();
            (DimDesc::Jagged(part), own[0] as usize..own[own.len() - 1] as usize)
        }
    }
}

/// Puts values into lists, one for each row.
fn group(values: Vec<Value>, dim: &DimDesc, rows: usize) -> Vec<Value> {
    let mut values = values.into_iter();
    (0..rows).map(|row| Value::List(values.by_ref().take(dim.row_length(row) as usize).collect())).collect()
}
