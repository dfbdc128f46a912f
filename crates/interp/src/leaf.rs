//! What the interpreter does to vectors of scalars beyond what [`PrimVec`] offers itself.

use scalar::Scalar;
use value::PrimVec;

/// A match over all variants with the payload under one name.
macro_rules! each {
    ($vector:expr, $items:ident => $body:expr) => {
        match $vector {
            PrimVec::Bool($items) => $body,
            PrimVec::I8($items) => $body,
            PrimVec::I16($items) => $body,
            PrimVec::I32($items) => $body,
            PrimVec::I64($items) => $body,
            PrimVec::U8($items) => $body,
            PrimVec::U16($items) => $body,
            PrimVec::U32($items) => $body,
            PrimVec::U64($items) => $body,
            PrimVec::F16($items) => $body,
            PrimVec::F32($items) => $body,
            PrimVec::F64($items) => $body,
        }
    };
}

/// A match over two vectors of one type, with a body for those that are not.
macro_rules! both {
    ($a:expr, $b:expr, $x:ident, $y:ident => $body:expr, else $other:expr) => {
        match ($a, $b) {
            (PrimVec::Bool($x), PrimVec::Bool($y)) => $body,
            (PrimVec::I8($x), PrimVec::I8($y)) => $body,
            (PrimVec::I16($x), PrimVec::I16($y)) => $body,
            (PrimVec::I32($x), PrimVec::I32($y)) => $body,
            (PrimVec::I64($x), PrimVec::I64($y)) => $body,
            (PrimVec::U8($x), PrimVec::U8($y)) => $body,
            (PrimVec::U16($x), PrimVec::U16($y)) => $body,
            (PrimVec::U32($x), PrimVec::U32($y)) => $body,
            (PrimVec::U64($x), PrimVec::U64($y)) => $body,
            (PrimVec::F16($x), PrimVec::F16($y)) => $body,
            (PrimVec::F32($x), PrimVec::F32($y)) => $body,
            (PrimVec::F64($x), PrimVec::F64($y)) => $body,
            _ => $other,
        }
    };
}

/// The element at a place that the caller has checked.
#[inline]
pub fn get(vector: &PrimVec, index: usize) -> Scalar {
    match vector {
        PrimVec::F64(items) => Scalar::F64(items[index]),
        PrimVec::I64(items) => Scalar::I64(items[index]),
        other => each!(other, items => items[index].into()),
    }
}

/// Replaces an element.
pub fn set(vector: &mut PrimVec, index: usize, x: Scalar) {
    match (vector, x) {
        (PrimVec::Bool(v), Scalar::Bool(x)) => v[index] = x,
        (PrimVec::I8(v), Scalar::I8(x)) => v[index] = x,
        (PrimVec::I16(v), Scalar::I16(x)) => v[index] = x,
        (PrimVec::I32(v), Scalar::I32(x)) => v[index] = x,
        (PrimVec::I64(v), Scalar::I64(x)) => v[index] = x,
        (PrimVec::U8(v), Scalar::U8(x)) => v[index] = x,
        (PrimVec::U16(v), Scalar::U16(x)) => v[index] = x,
        (PrimVec::U32(v), Scalar::U32(x)) => v[index] = x,
        (PrimVec::U64(v), Scalar::U64(x)) => v[index] = x,
        (PrimVec::F16(v), Scalar::F16(x)) => v[index] = x,
        (PrimVec::F32(v), Scalar::F32(x)) => v[index] = x,
        (PrimVec::F64(v), Scalar::F64(x)) => v[index] = x,
        (vector, x) => debug_assert!(false, "{x:?} into a vector of {}", vector.prim()),
    }
}

/// The elements from `start` to `end`, which lie inside.
pub fn slice(vector: &PrimVec, start: usize, end: usize) -> PrimVec {
    each!(vector, items => PrimVec::from(items[start..end].to_vec()))
}

/// The elements at some places, which lie inside.
pub fn gather(vector: &PrimVec, places: &[usize]) -> PrimVec {
    each!(vector, items => PrimVec::from(places.iter().map(|p| items[*p]).collect::<Vec<_>>()))
}

/// Replaces the elements from `start` on; vectors of another type are left alone.
pub fn overwrite(vector: &mut PrimVec, start: usize, source: &PrimVec, from: usize, count: usize) {
    both!(vector, source, into, items => into[start..start + count].copy_from_slice(&items[from..from + count]), else {})
}

/// Appends elements of another vector of the same type.
pub fn append(vector: &mut PrimVec, source: &PrimVec) {
    both!(vector, source, into, items => into.extend_from_slice(items), else {})
}

/// Whether elements are pairwise equal, as `==` has it.
pub fn equal(a: &PrimVec, a_start: usize, b: &PrimVec, b_start: usize, count: usize) -> bool {
    both!(a, b, x, y => x[a_start..a_start + count] == y[b_start..b_start + count], else false)
}

/// A scalar many times.
pub fn repeat(x: Scalar, count: usize) -> PrimVec {
    match x {
        Scalar::Bool(x) => vec![x; count].into(),
        Scalar::I8(x) => vec![x; count].into(),
        Scalar::I16(x) => vec![x; count].into(),
        Scalar::I32(x) => vec![x; count].into(),
        Scalar::I64(x) => vec![x; count].into(),
        Scalar::U8(x) => vec![x; count].into(),
        Scalar::U16(x) => vec![x; count].into(),
        Scalar::U32(x) => vec![x; count].into(),
        Scalar::U64(x) => vec![x; count].into(),
        Scalar::F16(x) => vec![x; count].into(),
        Scalar::F32(x) => vec![x; count].into(),
        Scalar::F64(x) => vec![x; count].into(),
    }
}
