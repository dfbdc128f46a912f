//! Arrays of scalars: a description of each dimension, and all elements in one vector.

use crate::PrimVec;
use scalar::Prim;
use std::fmt;
use std::sync::Arc;

/// One dimension. Level k has as many rows as level k-1 has elements; the outermost has one row.
#[derive(Clone, Debug)]
pub enum DimDesc {
    /// Every row has this many elements.
    Regular(i64),
    /// Row `i` has the elements from `offsets[i]` to `offsets[i + 1]`; the first offset is 0.
    Jagged(Arc<[i64]>),
}

/// Why dimensions and elements do not make an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShapeError(pub String);

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ShapeError {}

/// An array with at least one dimension; dimensions and elements always fit each other.
#[derive(Clone, Debug)]
pub struct Array {
    dims: Vec<DimDesc>,
    data: PrimVec,
}

impl DimDesc {
    /// The number of elements of this dimension over this many rows, or an error if it does not fit them.
    pub(crate) fn total(&self, rows: i64) -> Result<i64, ShapeError> {
        let wrong = |why: String| Err(ShapeError(why));
        match self {
            DimDesc::Regular(n) if *n < 0 => wrong(format!("negative extent {n}")),
            DimDesc::Regular(n) => rows.checked_mul(*n).ok_or(ShapeError(format!("{rows} rows of {n} are too many"))),
            DimDesc::Jagged(offsets) if rows.checked_add(1) != Some(offsets.len() as i64) => {
                wrong(format!("{} offsets for {rows} rows, which need one more than there are rows", offsets.len()))
            }
            DimDesc::Jagged(offsets) if offsets[0] != 0 => wrong(format!("the first offset is {}, not 0", offsets[0])),
            DimDesc::Jagged(offsets) => match offsets.windows(2).find(|w| w[0] > w[1]) {
                Some(w) => wrong(format!("offset {} follows offset {}", w[1], w[0])),
                None => Ok(offsets[offsets.len() - 1]),
            },
        }
    }

    /// The dimension of rows with these lengths: regular if all are the same.
    pub fn from_lengths(lengths: &[i64]) -> DimDesc {
        match lengths {
            [] => DimDesc::Regular(0),
            [first, rest @ ..] if rest.iter().all(|n| n == first) => DimDesc::Regular(*first),
            _ => DimDesc::jagged(lengths.iter().copied()),
        }
    }

    /// The jagged dimension of rows with these lengths.
    pub fn jagged(lengths: impl IntoIterator<Item = i64>) -> DimDesc {
        let mut end = 0i64;
        let ends = lengths.into_iter().map(|n| {
            end = end.saturating_add(n);
            end
        });
        DimDesc::Jagged(std::iter::once(0).chain(ends).collect())
    }

    /// The length of one row.
    pub fn row_length(&self, row: usize) -> i64 {
        match self {
            DimDesc::Regular(n) => *n,
            DimDesc::Jagged(offsets) => offsets.get(row..row + 2).map_or(0, |w| w[1] - w[0]),
        }
    }
}

impl Array {
    /// An array, if dimensions and elements fit each other.
    pub fn new(dims: Vec<DimDesc>, data: impl Into<PrimVec>) -> Result<Array, ShapeError> {
        let data = data.into();
        if !matches!(dims.first(), Some(DimDesc::Regular(_))) {
            return Err(ShapeError("the outermost dimension of an array must be regular".into()));
        }
        let total = dims.iter().try_fold(1, |rows, dim| dim.total(rows))?;
        if total != data.len() as i64 {
            return Err(ShapeError(format!("{} elements for a shape of {total}", data.len())));
        }
        Ok(Array { dims, data })
    }

    /// A regular array, if the number of elements is that of the shape.
    pub fn regular(shape: &[i64], data: impl Into<PrimVec>) -> Result<Array, ShapeError> {
        Array::new(shape.iter().map(|n| DimDesc::Regular(*n)).collect(), data)
    }

    /// The dimensions, outermost first.
    pub fn dims(&self) -> &[DimDesc] {
        &self.dims
    }

    /// How many dimensions there are.
    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    /// The extents, if all dimensions are regular.
    pub fn shape(&self) -> Option<Vec<i64>> {
        let extent = |dim: &DimDesc| match dim {
            DimDesc::Regular(n) => Some(*n),
            DimDesc::Jagged(_) => None,
        };
        self.dims.iter().map(extent).collect()
    }

    /// The type of the elements.
    pub fn elem(&self) -> Prim {
        self.data.prim()
    }

    /// All elements, in row-major order.
    pub fn data(&self) -> &PrimVec {
        &self.data
    }

    /// Takes the array apart.
    pub fn into_parts(self) -> (Vec<DimDesc>, PrimVec) {
        (self.dims, self.data)
    }

    /// The number of rows of each level, then the number of elements.
    pub(crate) fn rows(&self) -> Vec<i64> {
        let mut rows = vec![1];
        for dim in &self.dims {
            let above = rows[rows.len() - 1];
            rows.push(dim.total(above).unwrap_or(0));
        }
        rows
    }

    /// The same array with one dimension replaced. The caller ensures that it fits.
    pub(crate) fn replace_dim(&mut self, level: usize, dim: DimDesc) {
        self.dims[level] = dim;
    }

    /// One element of the outermost dimension, which must have it.
    pub(crate) fn row(&self, index: usize) -> crate::Value {
        let (mut from, mut to) = (index, index + 1);
        let mut dims = Vec::with_capacity(self.rank() - 1);
        for dim in &self.dims[1..] {
            let (first, last) = (from, to);
            (from, to) = match dim {
                DimDesc::Regular(n) => (from * *n as usize, to * *n as usize),
                DimDesc::Jagged(offsets) => (offsets[from] as usize, offsets[to] as usize),
            };
            dims.push(match dim {
                // The outermost dimension of the row is regular: there is only one.
                _ if dims.is_empty() => DimDesc::Regular((to - from) as i64),
                DimDesc::Regular(n) => DimDesc::Regular(*n),
                DimDesc::Jagged(offsets) => {
                    DimDesc::Jagged(offsets[first..=last].iter().map(|offset| offset - from as i64).collect())
                }
            });
        }
        let data = self.data.slice(from..to).unwrap_or_else(|| PrimVec::new(self.elem()));
        match data.get(0) {
            Some(scalar) if dims.is_empty() => crate::Value::Scalar(scalar),
            _ => crate::Value::Array(Array { dims, data }),
        }
    }

    /// The subscripts of an element given by its position in `data`.
    pub(crate) fn subscripts(&self, position: usize) -> Vec<i64> {
        let mut at = position as i64;
        let mut out = Vec::with_capacity(self.dims.len());
        for dim in self.dims.iter().rev() {
            let (row, subscript) = match dim {
                DimDesc::Regular(n) => (at / (*n).max(1), at % (*n).max(1)),
                DimDesc::Jagged(offsets) => {
                    let row = offsets.partition_point(|o| *o <= at).max(1) - 1;
                    (row as i64, at - offsets[row])
                }
            };
            out.push(subscript);
            at = row;
        }
        out.reverse();
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_checked() {
        let jagged = |o: &[i64]| DimDesc::Jagged(o.into());
        let make = |dims, n: usize| Array::new(dims, vec![0i32; n]).map_err(|e| e.0);
        assert!(make(vec![DimDesc::Regular(2), jagged(&[0, 1, 3])], 3).is_ok());
        assert!(make(vec![DimDesc::Regular(2), jagged(&[0, 1, 3])], 4).is_err());
        assert!(make(vec![DimDesc::Regular(2), jagged(&[0, 3])], 3).is_err());
        assert!(make(vec![DimDesc::Regular(2), jagged(&[0, 3, 1])], 1).is_err());
        assert!(make(vec![DimDesc::Regular(2), jagged(&[1, 2, 3])], 3).is_err());
        assert!(make(vec![jagged(&[0, 3])], 3).is_err());
        assert!(make(vec![DimDesc::Regular(i64::MAX), DimDesc::Regular(2)], 0).is_err());
        assert!(make(vec![DimDesc::Regular(-1)], 0).is_err());
        assert!(make(vec![], 1).is_err());
    }

    #[test]
    fn subscripts_skip_empty_rows() {
        let dims = vec![DimDesc::Regular(4), DimDesc::jagged([0, 2, 0, 1]), DimDesc::Regular(2)];
        let array = Array::new(dims, vec![0u8; 6]).unwrap();
        assert_eq!(array.subscripts(0), [1, 0, 0]);
        assert_eq!(array.subscripts(3), [1, 1, 1]);
        assert_eq!(array.subscripts(4), [3, 0, 0]);
        assert_eq!(array.rows(), [1, 4, 3, 6]);
    }
}
