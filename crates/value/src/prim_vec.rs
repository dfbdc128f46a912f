//! Unboxed vectors of scalars, of a type known at run time.

use scalar::{Prim, Scalar, f16};
use std::ops::Range;

/// A vector of scalars of one primitive type.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the variants are the names of the types")]
pub enum PrimVec {
    Bool(Vec<bool>),
    I8(Vec<i8>),
    I16(Vec<i16>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
    U64(Vec<u64>),
    F16(Vec<f16>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

/// A Rust type whose values are scalars.
pub trait Element: Copy + Into<Scalar> + 'static {
    /// The primitive type.
    const PRIM: Prim;
    /// A vector of them.
    fn wrap(items: Vec<Self>) -> PrimVec;
    /// The items, if the vector is of this type.
    fn items(vector: &PrimVec) -> Option<&[Self]>;
    /// The items to be changed, if the vector is of this type.
    fn items_mut(vector: &mut PrimVec) -> Option<&mut Vec<Self>>;
    /// One from its bytes, lowest first; `bytes` has as many as the type.
    fn read_le(bytes: &[u8]) -> Self;
}

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

/// A match over all primitive types with the Rust type under one name.
macro_rules! at_type {
    ($prim:expr, $t:ident => $body:expr) => {
        match $prim {
            Prim::Bool => {
                type $t = bool;
                $body
            }
            Prim::I8 => {
                type $t = i8;
                $body
            }
            Prim::I16 => {
                type $t = i16;
                $body
            }
            Prim::I32 => {
                type $t = i32;
                $body
            }
            Prim::I64 => {
                type $t = i64;
                $body
            }
            Prim::U8 => {
                type $t = u8;
                $body
            }
            Prim::U16 => {
                type $t = u16;
                $body
            }
            Prim::U32 => {
                type $t = u32;
                $body
            }
            Prim::U64 => {
                type $t = u64;
                $body
            }
            Prim::F16 => {
                type $t = f16;
                $body
            }
            Prim::F32 => {
                type $t = f32;
                $body
            }
            Prim::F64 => {
                type $t = f64;
                $body
            }
        }
    };
}

macro_rules! elements {
    ($($variant:ident $rust:ty, $bytes:ident => $read:expr;)*) => {
        $(impl Element for $rust {
            const PRIM: Prim = Prim::$variant;
            fn wrap(items: Vec<Self>) -> PrimVec {
                PrimVec::$variant(items)
            }
            fn items(vector: &PrimVec) -> Option<&[Self]> {
                if let PrimVec::$variant(items) = vector { Some(items) } else { None }
            }
            fn items_mut(vector: &mut PrimVec) -> Option<&mut Vec<Self>> {
                if let PrimVec::$variant(items) = vector { Some(items) } else { None }
            }
            fn read_le($bytes: &[u8]) -> Self {
                $read
            }
        }
        impl From<Vec<$rust>> for PrimVec {
            fn from(items: Vec<$rust>) -> PrimVec {
                PrimVec::$variant(items)
            }
        })*
    };
}

/// The first bytes as an array; missing ones are zero.
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut out = [0; N];
    out.iter_mut().zip(bytes).for_each(|(o, b)| *o = *b);
    out
}

elements! {
    Bool bool, b => array::<1>(b)[0] != 0;
    I8 i8, b => i8::from_le_bytes(array(b));
    I16 i16, b => i16::from_le_bytes(array(b));
    I32 i32, b => i32::from_le_bytes(array(b));
    I64 i64, b => i64::from_le_bytes(array(b));
    U8 u8, b => u8::from_le_bytes(array(b));
    U16 u16, b => u16::from_le_bytes(array(b));
    U32 u32, b => u32::from_le_bytes(array(b));
    U64 u64, b => u64::from_le_bytes(array(b));
    F16 f16, b => f16::from_le_bytes(array(b));
    F32 f32, b => f32::from_le_bytes(array(b));
    F64 f64, b => f64::from_le_bytes(array(b));
}

impl PrimVec {
    /// An empty vector.
    pub fn new(prim: Prim) -> PrimVec {
        PrimVec::with_capacity(prim, 0)
    }

    /// An empty vector with room for some.
    pub fn with_capacity(prim: Prim, capacity: usize) -> PrimVec {
        at_type!(prim, T => PrimVec::from(Vec::<T>::with_capacity(capacity)))
    }

    /// As many zeros (or `false`) as asked for.
    pub fn zeros(prim: Prim, len: usize) -> PrimVec {
        at_type!(prim, T => PrimVec::from(vec![T::default(); len]))
    }

    /// The type of the elements.
    pub fn prim(&self) -> Prim {
        fn of<T: Element>(_: &[T]) -> Prim {
            T::PRIM
        }
        each!(self, items => of(items))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        each!(self, items => items.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The address of the elements, for code that knows their type and number.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        each!(self, items => items.as_mut_ptr().cast())
    }

    /// A copy of elements somewhere in memory.
    ///
    /// # Safety
    /// There must be `len` elements of the type at the address, properly aligned; bools are 0 or 1.
    pub unsafe fn copy_from_raw(prim: Prim, from: *const u8, len: usize) -> PrimVec {
        if len == 0 {
            return PrimVec::new(prim);
        }
        // SAFETY: the caller says so.
        at_type!(prim, T => PrimVec::from(unsafe { std::slice::from_raw_parts(from.cast::<T>(), len) }.to_vec()))
    }

    /// The element at an index.
    #[inline]
    pub fn get(&self, index: usize) -> Option<Scalar> {
        each!(self, items => items.get(index).map(|&x| x.into()))
    }

    /// All elements in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Scalar> + '_ {
        (0..self.len()).map(|i| self.get(i).unwrap_or(Scalar::Bool(false)))
    }

    /// Adds an element; one of another type is converted.
    #[inline]
    pub fn push(&mut self, x: Scalar) {
        debug_assert_eq!(x.prim(), self.prim());
        let x = if x.prim() == self.prim() { x } else { scalar::convert(x, self.prim()) };
        match (self, x) {
            (PrimVec::Bool(v), Scalar::Bool(x)) => v.push(x),
            (PrimVec::I8(v), Scalar::I8(x)) => v.push(x),
            (PrimVec::I16(v), Scalar::I16(x)) => v.push(x),
            (PrimVec::I32(v), Scalar::I32(x)) => v.push(x),
            (PrimVec::I64(v), Scalar::I64(x)) => v.push(x),
            (PrimVec::U8(v), Scalar::U8(x)) => v.push(x),
            (PrimVec::U16(v), Scalar::U16(x)) => v.push(x),
            (PrimVec::U32(v), Scalar::U32(x)) => v.push(x),
            (PrimVec::U64(v), Scalar::U64(x)) => v.push(x),
            (PrimVec::F16(v), Scalar::F16(x)) => v.push(x),
            (PrimVec::F32(v), Scalar::F32(x)) => v.push(x),
            (PrimVec::F64(v), Scalar::F64(x)) => v.push(x),
            _ => {}
        }
    }

    /// A copy of some elements; none if the range is outside.
    pub fn slice(&self, range: Range<usize>) -> Option<PrimVec> {
        each!(self, items => items.get(range).map(|s| PrimVec::from(s.to_vec())))
    }

    /// Appends the elements of another vector, converted where its type differs.
    pub fn extend_from(&mut self, other: &PrimVec) {
        fn same<T: Element>(into: &mut PrimVec, items: &[T]) -> bool {
            T::items_mut(into).map(|v| v.extend_from_slice(items)).is_some()
        }
        if !each!(other, items => same(self, items)) {
            other.iter().for_each(|x| self.push(scalar::convert(x, self.prim())));
        }
    }

    /// Reads elements from their bytes, lowest first; the bytes left over are ignored.
    pub(crate) fn from_le(prim: Prim, bytes: &[u8]) -> PrimVec {
        at_type!(prim, T => PrimVec::from(bytes.chunks_exact(prim.bytes()).map(T::read_le).collect::<Vec<T>>()))
    }

    /// Appends the bytes of all elements, lowest first.
    pub(crate) fn to_le(&self, out: &mut Vec<u8>) {
        let width = self.prim().bytes();
        out.reserve(self.len() * width);
        self.iter().for_each(|x| out.extend_from_slice(&x.bits().to_le_bytes()[..width]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uniform_access() {
        for prim in Prim::ALL {
            let mut v = PrimVec::new(prim);
            v.push(prim.zero());
            v.push(prim.one());
            v.extend_from(&v.clone());
            assert_eq!((v.prim(), v.len()), (prim, 4));
            assert_eq!(v.get(3), Some(prim.one()));
            assert_eq!(v.get(4), None);
            assert_eq!(v.slice(1..3).unwrap().iter().collect::<Vec<_>>(), [prim.one(), prim.zero()]);
            assert!(v.slice(3..5).is_none());
            let mut bytes = Vec::new();
            v.to_le(&mut bytes);
            assert!(PrimVec::from_le(prim, &bytes).iter().eq(v.iter()));
        }
        assert_eq!(f64::items(&PrimVec::from(vec![1.0, 2.0])), Some(&[1.0, 2.0][..]));
        assert_eq!(f32::items(&PrimVec::from(vec![1.0f64])), None);
    }
}
