//! The primitive types.

use crate::{Scalar, f16};
use std::fmt;

/// A primitive type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs, reason = "the variants are the names of the types")]
pub enum Prim {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    F32,
    F64,
}

use Prim::*;

impl Prim {
    /// Every primitive type.
    pub const ALL: [Prim; 12] = [Bool, I8, I16, I32, I64, U8, U16, U32, U64, F16, F32, F64];

    /// The name in programs, such as `i32`.
    pub const fn name(self) -> &'static str {
        match self {
            Bool => "bool",
            I8 => "i8",
            I16 => "i16",
            I32 => "i32",
            I64 => "i64",
            U8 => "u8",
            U16 => "u16",
            U32 => "u32",
            U64 => "u64",
            F16 => "f16",
            F32 => "f32",
            F64 => "f64",
        }
    }

    /// The type with this name.
    pub fn from_name(name: &str) -> Option<Prim> {
        Prim::ALL.into_iter().find(|p| p.name() == name)
    }

    /// Bits of a value; a bool counts as one byte, as it is stored.
    pub const fn bits(self) -> u32 {
        match self {
            Bool | I8 | U8 => 8,
            I16 | U16 | F16 => 16,
            I32 | U32 | F32 => 32,
            I64 | U64 | F64 => 64,
        }
    }

    /// Bytes of a stored value.
    pub const fn bytes(self) -> usize {
        self.bits() as usize / 8
    }

    /// A signed integer type.
    pub const fn is_signed(self) -> bool {
        matches!(self, I8 | I16 | I32 | I64)
    }

    /// An unsigned integer type.
    pub const fn is_unsigned(self) -> bool {
        matches!(self, U8 | U16 | U32 | U64)
    }

    /// An integer type, signed or not.
    pub const fn is_int(self) -> bool {
        self.is_signed() || self.is_unsigned()
    }

    /// A floating-point type.
    pub const fn is_float(self) -> bool {
        matches!(self, F16 | F32 | F64)
    }

    /// An integer or floating-point type.
    pub const fn is_numeric(self) -> bool {
        self.is_int() || self.is_float()
    }

    /// The unsigned type with the same number of bits; bool has none.
    pub const fn unsigned(self) -> Option<Prim> {
        match self {
            Bool => None,
            I8 | U8 => Some(U8),
            I16 | U16 | F16 => Some(U16),
            I32 | U32 | F32 => Some(U32),
            I64 | U64 | F64 => Some(U64),
        }
    }

    /// The least and the greatest integer of this type; none for other types.
    pub const fn int_range(self) -> Option<(i128, i128)> {
        let bits = self.bits();
        if self.is_signed() {
            Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1))
        } else if self.is_unsigned() {
            Some((0, (1 << bits) - 1))
        } else {
            None
        }
    }

    /// Whether this is an integer type that has the value.
    pub fn holds_int(self, value: i128) -> bool {
        self.int_range().is_some_and(|(least, greatest)| least <= value && value <= greatest)
    }

    /// Zero, or false.
    pub fn zero(self) -> Scalar {
        Scalar::from_bits(self, 0)
    }

    /// One, or true.
    pub fn one(self) -> Scalar {
        Scalar::from_i128(self, 1)
    }

    /// How far the next number after 1 is from 1.
    pub fn epsilon(self) -> Scalar {
        match self {
            F16 => Scalar::F16(f16::EPSILON),
            F32 => Scalar::F32(f32::EPSILON),
            F64 => Scalar::F64(f64::EPSILON),
            Bool | I8 | I16 | I32 | I64 | U8 | U16 | U32 | U64 => self.one(),
        }
    }

    /// The greatest value: positive infinity for floats.
    pub fn highest(self) -> Scalar {
        match self {
            Bool => Scalar::Bool(true),
            F16 => Scalar::F16(f16::INFINITY),
            F32 => Scalar::F32(f32::INFINITY),
            F64 => Scalar::F64(f64::INFINITY),
            I8 | I16 | I32 | I64 | U8 | U16 | U32 | U64 => Scalar::from_i128(self, self.int_range().map_or(0, |r| r.1)),
        }
    }

    /// The least value: negative infinity for floats.
    pub fn lowest(self) -> Scalar {
        match self {
            Bool => Scalar::Bool(false),
            F16 => Scalar::F16(f16::NEG_INFINITY),
            F32 => Scalar::F32(f32::NEG_INFINITY),
            F64 => Scalar::F64(f64::NEG_INFINITY),
            I8 | I16 | I32 | I64 | U8 | U16 | U32 | U64 => Scalar::from_i128(self, self.int_range().map_or(0, |r| r.0)),
        }
    }
}

impl fmt::Display for Prim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for p in Prim::ALL {
            assert_eq!(Prim::from_name(p.name()), Some(p));
            assert_eq!(p.is_numeric(), p != Bool);
            assert_eq!(p.zero().prim(), p);
            assert_eq!(p.highest().prim(), p);
        }
        assert_eq!(Prim::from_name("int"), None);
    }

    #[test]
    fn ranges() {
        assert_eq!(I8.int_range(), Some((-128, 127)));
        assert_eq!(U64.int_range(), Some((0, u64::MAX as i128)));
        assert!(!U8.holds_int(256) && U8.holds_int(255) && !F32.holds_int(0));
        assert_eq!(I64.lowest(), Scalar::I64(i64::MIN));
        assert_eq!(U16.highest(), Scalar::U16(u16::MAX));
    }
}
