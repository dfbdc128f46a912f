//! Conversions between primitive types.

use crate::float::f16_from_f64;
use crate::{Prim, Scalar};
use Scalar::*;

/// One integer at every type: Rust's `as` wraps, extends and rounds as we want it.
macro_rules! from_int {
    ($i:expr, $to:expr) => {
        match $to {
            Prim::Bool => Bool($i != 0),
            Prim::I8 => I8($i as i8),
            Prim::I16 => I16($i as i16),
            Prim::I32 => I32($i as i32),
            Prim::I64 => I64($i as i64),
            Prim::U8 => U8($i as u8),
            Prim::U16 => U16($i as u16),
            Prim::U32 => U32($i as u32),
            Prim::U64 => U64($i as u64),
            // Integers that f64 cannot represent exactly are far outside the range of f16.
            Prim::F16 => F16(f16_from_f64($i as f64)),
            Prim::F32 => F32($i as f32),
            Prim::F64 => F64($i as f64),
        }
    };
}

/// Converts a value to a type.
///
/// Integers wrap when they narrow. When they widen, the sign bit is copied if both types are signed,
/// and the new bits are zero otherwise, as in Futhark. Floats are rounded toward zero; out of range
/// they saturate, and NaN and the infinities become 0. Numbers are true unless zero.
pub fn convert(x: Scalar, to: Prim) -> Scalar {
    match if matches!(to, Prim::U8 | Prim::U16 | Prim::U32 | Prim::U64) { unsigned(x) } else { x } {
        Bool(b) => from_int!(b as u8, to),
        I8(i) => from_int!(i, to),
        I16(i) => from_int!(i, to),
        I32(i) => from_int!(i, to),
        I64(i) => from_int!(i, to),
        U8(i) => from_int!(i, to),
        U16(i) => from_int!(i, to),
        U32(i) => from_int!(i, to),
        U64(i) => from_int!(i, to),
        F16(f) => from_float(f.to_f64(), to),
        F32(f) => from_float(f as f64, to),
        F64(f) => from_float(f, to),
    }
}

/// The bits of a signed integer as an unsigned one of the same size.
fn unsigned(x: Scalar) -> Scalar {
    match x {
        I8(i) => U8(i as u8),
        I16(i) => U16(i as u16),
        I32(i) => U32(i as u32),
        I64(i) => U64(i as u64),
        U8(_) | U16(_) | U32(_) | U64(_) | F16(_) | F32(_) | F64(_) | Bool(_) => x,
    }
}

fn from_float(x: f64, to: Prim) -> Scalar {
    // Rust's `as` saturates and sends NaN to 0; only the infinities need care.
    let finite = if x.is_infinite() { 0.0 } else { x };
    match to {
        Prim::Bool => Bool(x != 0.0),
        Prim::I8 => I8(finite as i8),
        Prim::I16 => I16(finite as i16),
        Prim::I32 => I32(finite as i32),
        Prim::I64 => I64(finite as i64),
        Prim::U8 => U8(finite as u8),
        Prim::U16 => U16(finite as u16),
        Prim::U32 => U32(finite as u32),
        Prim::U64 => U64(finite as u64),
        Prim::F16 => F16(f16_from_f64(x)),
        Prim::F32 => F32(x as f32),
        Prim::F64 => F64(x),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::f16;

    #[test]
    fn integers() {
        assert_eq!(convert(I32(-1), Prim::U64), U64(0xffff_ffff));
        assert_eq!(convert(I32(-1), Prim::U16), U16(0xffff));
        assert_eq!(convert(I8(-1), Prim::I64), I64(-1));
        assert_eq!(convert(U8(255), Prim::I32), I32(255));
        assert_eq!(convert(U8(255), Prim::I8), I8(-1));
        assert_eq!(convert(I64(1 << 40), Prim::I32), I32(0));
        assert_eq!(convert(I64(i64::MIN), Prim::F64), F64(-(2f64.powi(63))));
        assert_eq!(convert(U64(u64::MAX), Prim::F32), F32(18446744073709551616.0));
        assert_eq!(convert(I32(2), Prim::Bool), Bool(true));
        assert_eq!(convert(Bool(true), Prim::F16), F16(f16::ONE));
    }

    #[test]
    fn floats() {
        assert_eq!(convert(F64(-2.9), Prim::I32), I32(-2));
        assert_eq!(convert(F64(1e10), Prim::I32), I32(i32::MAX));
        assert_eq!(convert(F64(-1.0), Prim::U8), U8(0));
        assert_eq!(convert(F32(300.0), Prim::U8), U8(255));
        for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(convert(F64(x), Prim::I64), I64(0));
            assert_eq!(convert(F64(x), Prim::Bool), Bool(true));
        }
        assert_eq!(convert(F64(3.6e38), Prim::F32), F32(f32::INFINITY));
        assert_eq!(convert(F32(100000.0), Prim::F16), F16(f16::INFINITY));
        assert_eq!(convert(F64(-0.0), Prim::Bool), Bool(false));
    }
}
