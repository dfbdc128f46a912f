//! Values as the components that compiled code works with.
//!
//! A [`Layout`] lists the components of a value (see [`Layout::components`]): extents, shape vectors, the offsets of
//! jagged dimensions, and the elements of all arrays, in row-major order. An array of records is one array for each
//! field. [`split`] takes a value apart and [`join`] puts it together again; an array of scalars is moved, not copied.

mod join;
mod split;
#[cfg(test)]
mod tests;

pub use join::join;
pub use split::split;

use crate::PrimVec;
use scalar::{Layout, Prim, Scalar};
use std::fmt;

/// One component of a value.
#[derive(Clone, Debug)]
pub enum Component {
    /// An extent, a rank, or a scalar that is not in an array.
    Scalar(Scalar),
    /// A shape vector, or the offsets of a descriptor: one more than it has rows, the first of them 0.
    Numbers(Vec<i64>),
    /// The elements of an array.
    Data(PrimVec),
}

/// Why a value does not have a layout, or components do not form a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ComponentError(pub String);

impl fmt::Display for ComponentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ComponentError {}

impl ComponentError {
    /// Adds the number of the argument; the first is 0.
    pub fn in_argument(self, number: usize) -> ComponentError {
        ComponentError(format!("argument {} does not fit: {}", number + 1, self.0))
    }
}

impl Component {
    /// The primitive type: `i64` for vectors of numbers.
    pub fn prim(&self) -> Prim {
        match self {
            Component::Scalar(x) => x.prim(),
            Component::Numbers(_) => Prim::I64,
            Component::Data(data) => data.prim(),
        }
    }
}

/// The components of all arguments of an entry point, one after another.
pub fn split_all<'a>(
    values: impl IntoIterator<Item = (crate::Value, &'a Layout)>,
) -> Result<Vec<Component>, ComponentError> {
    let mut out = Vec::new();
    for (i, (value, layout)) in values.into_iter().enumerate() {
        out.extend(split(value, layout).map_err(|error| error.in_argument(i))?);
    }
    Ok(out)
}

/// Makes several values from consecutive components.
pub fn join_all<'a>(
    components: Vec<Component>,
    layouts: impl IntoIterator<Item = &'a Layout>,
) -> Result<Vec<crate::Value>, ComponentError> {
    let mut rest = components.into_iter();
    let values = layouts.into_iter().map(|layout| join::join_from(&mut rest, layout)).collect::<Result<_, _>>()?;
    match rest.next() {
        None => Ok(values),
        Some(_) => error("more components than the values have"),
    }
}

/// Whether a record with these fields, in order, is a tuple.
pub(crate) fn is_tuple<T>(fields: &[(base::Name, T)]) -> bool {
    fields.len() != 1 && fields.iter().enumerate().all(|(i, (name, _))| name.as_str() == i.to_string())
}

fn error<T>(why: impl Into<String>) -> Result<T, ComponentError> {
    Err(ComponentError(why.into()))
}
