//! Scalar values.

use crate::{Prim, f16};

/// A value of a primitive type. Equality is that of the language: NaN equals nothing.
/// [`Scalar::bits`] distinguishes what equality does not (`0.0` and `-0.0`).
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
#[allow(missing_docs, reason = "the variants are the names of the types")]
pub enum Scalar {
    Bool(bool),
    I8(i8),
    I16(i16),
    I32(i32),
    I64(i64),
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
    F16(f16),
    F32(f32),
    F64(f64),
}

use Scalar::*;

/// Expands to a match over all variants, with the payload bound to a name in one common arm.
macro_rules! for_any {
    ($scalar:expr, $x:ident => $ints:expr, $b:ident => $bool:expr, $h:ident => $half:expr) => {
        match $scalar {
            Bool($b) => $bool,
            I8($x) => $ints,
            I16($x) => $ints,
            I32($x) => $ints,
            I64($x) => $ints,
            U8($x) => $ints,
            U16($x) => $ints,
            U32($x) => $ints,
            U64($x) => $ints,
            F16($h) => $half,
            F32($x) => $ints,
            F64($x) => $ints,
        }
    };
}

impl Scalar {
    /// The type.
    pub const fn prim(self) -> Prim {
        match self {
            Bool(_) => Prim::Bool,
            I8(_) => Prim::I8,
            I16(_) => Prim::I16,
            I32(_) => Prim::I32,
            I64(_) => Prim::I64,
            U8(_) => Prim::U8,
            U16(_) => Prim::U16,
            U32(_) => Prim::U32,
            U64(_) => Prim::U64,
            F16(_) => Prim::F16,
            F32(_) => Prim::F32,
            F64(_) => Prim::F64,
        }
    }

    /// The truth value, if this is a bool.
    pub const fn as_bool(self) -> Option<bool> {
        match self {
            Bool(b) => Some(b),
            _ => None,
        }
    }

    /// The exact integer, if this is of an integer type.
    pub const fn as_int(self) -> Option<i128> {
        match self {
            I8(x) => Some(x as i128),
            I16(x) => Some(x as i128),
            I32(x) => Some(x as i128),
            I64(x) => Some(x as i128),
            U8(x) => Some(x as i128),
            U16(x) => Some(x as i128),
            U32(x) => Some(x as i128),
            U64(x) => Some(x as i128),
            Bool(_) | F16(_) | F32(_) | F64(_) => None,
        }
    }

    /// The exact number, if this is of a floating-point type.
    pub fn as_float(self) -> Option<f64> {
        match self {
            F16(x) => Some(x.to_f64()),
            F32(x) => Some(x as f64),
            F64(x) => Some(x),
            Bool(_) | I8(_) | I16(_) | I32(_) | I64(_) | U8(_) | U16(_) | U32(_) | U64(_) => None,
        }
    }

    /// The value as `i64`, by [`convert`](crate::convert).
    pub fn to_i64(self) -> i64 {
        match crate::convert(self, Prim::I64) {
            I64(x) => x,
            _ => 0,
        }
    }

    /// The value as `f64`, rounded where it must be.
    pub fn to_f64(self) -> f64 {
        for_any!(self, x => x as f64, b => b as u8 as f64, h => h.to_f64())
    }

    /// The bits, in the low end of the word.
    pub fn bits(self) -> u64 {
        match self {
            Bool(b) => b as u64,
            I8(x) => x as u8 as u64,
            I16(x) => x as u16 as u64,
            I32(x) => x as u32 as u64,
            I64(x) => x as u64,
            U8(x) => x as u64,
            U16(x) => x as u64,
            U32(x) => x as u64,
            U64(x) => x,
            F16(x) => x.to_bits() as u64,
            F32(x) => x.to_bits() as u64,
            F64(x) => x.to_bits(),
        }
    }

    /// The value of a type that has these bits; higher bits are ignored, a bool is true unless zero.
    pub fn from_bits(prim: Prim, bits: u64) -> Scalar {
        match prim {
            Prim::Bool => Bool(bits as u8 != 0),
            Prim::I8 => I8(bits as i8),
            Prim::I16 => I16(bits as i16),
            Prim::I32 => I32(bits as i32),
            Prim::I64 => I64(bits as i64),
            Prim::U8 => U8(bits as u8),
            Prim::U16 => U16(bits as u16),
            Prim::U32 => U32(bits as u32),
            Prim::U64 => U64(bits),
            Prim::F16 => F16(f16::from_bits(bits as u16)),
            Prim::F32 => F32(f32::from_bits(bits as u32)),
            Prim::F64 => F64(f64::from_bits(bits)),
        }
    }

    /// An integer at a type: wraps in integers, rounds in floats, and is true unless zero.
    pub fn from_i128(prim: Prim, value: i128) -> Scalar {
        match prim {
            Prim::Bool => Bool(value != 0),
            Prim::F16 => F16(crate::float::f16_from_f64(value as f64)),
            Prim::F32 => F32(value as f32),
            Prim::F64 => F64(value as f64),
            Prim::I8 | Prim::I16 | Prim::I32 | Prim::I64 | Prim::U8 | Prim::U16 | Prim::U32 | Prim::U64 => {
                Scalar::from_bits(prim, value as u64)
            }
        }
    }

    /// Whether both are of one type and have the same bits, except that all NaNs are the same.
    pub fn same(self, other: Scalar) -> bool {
        let nan = |x: Scalar| x.as_float().is_some_and(f64::is_nan);
        self.prim() == other.prim() && (self.bits() == other.bits() || nan(self) && nan(other))
    }
}

/// Conversions from the Rust types of the same meaning.
macro_rules! from_rust {
    ($($variant:ident $rust:ty),*) => {
        $(impl From<$rust> for Scalar {
            fn from(x: $rust) -> Scalar {
                $variant(x)
            }
        })*
    };
}
from_rust!(Bool bool, I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64, F16 f16, F32 f32, F64 f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_and_back() {
        for x in [I8(-1), U64(u64::MAX), F32(-1.5), F64(f64::NAN), F16(f16::from_f32(0.1)), Bool(true)] {
            assert!(Scalar::from_bits(x.prim(), x.bits()).same(x), "{x:?}");
        }
        assert!(!F64(0.0).same(F64(-0.0)));
        assert!(F64(f64::NAN).same(F64(-f64::NAN)));
        assert!(!F64(1.0).same(F32(1.0)));
    }

    #[test]
    fn integers_at_any_type() {
        assert_eq!(Scalar::from_i128(Prim::U8, 257), U8(1));
        assert_eq!(Scalar::from_i128(Prim::I8, 128), I8(-128));
        assert_eq!(Scalar::from_i128(Prim::F16, 70000), F16(f16::INFINITY));
        assert_eq!(U64(u64::MAX).to_i64(), -1);
        assert_eq!(U64(u64::MAX).as_int(), Some(u64::MAX as i128));
    }
}
