//! Compares a result with the expected value.

use crate::{Array, DimDesc, Value};
use scalar::{Prim, Scalar};

/// How far floats may differ: the greatest difference, relative to the largest expected number in
/// the same array, or to 1 if that is smaller (otherwise results near zero would have to be exact).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tolerance {
    /// For `f16`.
    pub f16: f64,
    /// For `f32`.
    pub f32: f64,
    /// For `f64`.
    pub f64: f64,
}

impl Default for Tolerance {
    fn default() -> Tolerance {
        Tolerance { f16: 1e-2, f32: 1e-4, f64: 1e-6 }
    }
}

impl Tolerance {
    /// The same for all types.
    pub fn uniform(tolerance: f64) -> Tolerance {
        Tolerance { f16: tolerance, f32: tolerance, f64: tolerance }
    }

    fn of(self, prim: Prim) -> f64 {
        match prim {
            Prim::F16 => self.f16,
            Prim::F32 => self.f32,
            Prim::F64 => self.f64,
            Prim::Bool
            | Prim::I8
            | Prim::I16
            | Prim::I32
            | Prim::I64
            | Prim::U8
            | Prim::U16
            | Prim::U32
            | Prim::U64 => 0.0,
        }
    }
}

/// Compares a result with the expected one; integers and bools exactly, floats within the tolerance,
/// NaN equal to NaN. Returns a description of the first difference and its place.
pub fn compare(actual: &Value, expected: &Value, tolerance: &Tolerance) -> Result<(), String> {
    difference(actual, expected, tolerance, "")
}

/// `path` is the current place, as a program would write it: `.0`, `.x`, `[3]`.
fn difference(actual: &Value, expected: &Value, tolerance: &Tolerance, path: &str) -> Result<(), String> {
    match (actual, expected) {
        (Value::Scalar(x), Value::Scalar(y)) if x.prim() == y.prim() => {
            let allowed = allowance(*tolerance, [*y].into_iter(), y.prim());
            if agree(*x, *y, allowed) { Ok(()) } else { Err(format!("{}got {x}, expected {y}", place(path))) }
        }
        (Value::Array(x), Value::Array(y)) if x.elem() == y.elem() && x.rank() == y.rank() => {
            arrays(x, y, tolerance, path)
        }
        (Value::List(xs), Value::List(ys)) => {
            same_count(xs.len(), ys.len(), "elements", path)?;
            each(xs.iter().zip(ys).enumerate(), |(i, (x, y))| difference(x, y, tolerance, &format!("{path}[{i}]")))
        }
        (Value::Tuple(xs), Value::Tuple(ys)) => {
            same_count(xs.len(), ys.len(), "components", path)?;
            each(xs.iter().zip(ys).enumerate(), |(i, (x, y))| difference(x, y, tolerance, &format!("{path}.{i}")))
        }
        (Value::Record(xs), Value::Record(ys)) => {
            same_count(xs.len(), ys.len(), "fields", path)?;
            each(ys, |(name, y)| match xs.iter().find(|(n, _)| n == name) {
                Some((_, x)) => difference(x, y, tolerance, &format!("{path}.{name}")),
                None => Err(format!("{}no field {name}", place(path))),
            })
        }
        (Value::Sum(c, xs), Value::Sum(d, ys)) if c == d && xs.len() == ys.len() => {
            each(xs.iter().zip(ys).enumerate(), |(i, (x, y))| difference(x, y, tolerance, &format!("{path}.#{c}.{i}")))
        }
        (Value::Sum(..), Value::Sum(..)) => Err(format!("{}got {actual}, expected {expected}", place(path))),
        _ => Err(format!("{}got a value of type {}, expected {}", place(path), actual.type_of(), expected.type_of())),
    }
}

fn each<T>(items: impl IntoIterator<Item = T>, f: impl FnMut(T) -> Result<(), String>) -> Result<(), String> {
    items.into_iter().try_for_each(f)
}

fn place(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!("at {path}: ") }
}

fn same_count(actual: usize, expected: usize, what: &str, path: &str) -> Result<(), String> {
    if actual == expected {
        return Ok(());
    }
    Err(format!("{}got {actual} {what}, expected {expected}", place(path)))
}

fn arrays(x: &Array, y: &Array, tolerance: &Tolerance, path: &str) -> Result<(), String> {
    let rows = y.rows();
    for (level, (a, b)) in x.dims().iter().zip(y.dims()).enumerate() {
        if let Some(row) = first_other_length(a, b, rows[level]) {
            let of = if level == 0 { String::new() } else { format!("row {row} of dimension {level} has ") };
            let (a, b) = (a.row_length(row), b.row_length(row));
            return Err(format!(
                "{}got shape {}, expected {}: {of}{a} elements, not {b}",
                place(path),
                shape(x),
                shape(y)
            ));
        }
    }
    let allowed = allowance(*tolerance, y.data().iter(), y.elem());
    match x.data().iter().zip(y.data().iter()).position(|(a, b)| !agree(a, b, allowed)) {
        None => Ok(()),
        Some(i) => {
            let index = y.subscripts(i).iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
            let at = |array: &Array| array.data().get(i).map_or(String::new(), |x| x.to_string());
            Err(format!("at {path}[{index}]: got {}, expected {}", at(x), at(y)))
        }
    }
}

/// The first row whose lengths differ. A regular and a jagged dimension may be equal.
fn first_other_length(a: &DimDesc, b: &DimDesc, rows: i64) -> Option<usize> {
    match (a, b) {
        (DimDesc::Regular(m), DimDesc::Regular(n)) => (m != n).then_some(0),
        _ => (0..rows as usize).find(|row| a.row_length(*row) != b.row_length(*row)),
    }
}

fn shape(array: &Array) -> String {
    let dim = |dim: &DimDesc| match dim {
        DimDesc::Regular(n) => format!("[{n}]"),
        DimDesc::Jagged(_) => "[~]".into(),
    };
    array.dims().iter().map(dim).collect()
}

/// The greatest difference allowed for these expected numbers.
fn allowance(tolerance: Tolerance, expected: impl Iterator<Item = Scalar>, prim: Prim) -> f64 {
    if !prim.is_float() {
        return 0.0;
    }
    let largest = expected.map(|x| x.to_f64().abs()).filter(|x| x.is_finite()).fold(1.0, f64::max);
    tolerance.of(prim) * largest
}

fn agree(x: Scalar, y: Scalar, allowed: f64) -> bool {
    match (x.as_float(), y.as_float()) {
        (Some(x), Some(y)) => {
            x == y || x.is_nan() && y.is_nan() || x.is_finite() && y.is_finite() && (x - y).abs() <= allowed
        }
        _ => x == y,
    }
}
