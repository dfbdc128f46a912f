//! Scalars as text, the way programs print and read them.

use crate::{Scalar, f16};
use Scalar::*;
use std::fmt::{self, Display, Formatter};

/// Shows a scalar without its type suffix: `3`, `1.5`. NaN and infinities keep their full name.
pub struct Plain(pub Scalar);

impl Display for Plain {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Bool(x) => x.fmt(f),
            I8(x) => x.fmt(f),
            I16(x) => x.fmt(f),
            I32(x) => x.fmt(f),
            I64(x) => x.fmt(f),
            U8(x) => x.fmt(f),
            U16(x) => x.fmt(f),
            U32(x) => x.fmt(f),
            U64(x) => x.fmt(f),
            F16(x) if x.is_finite() => fmt::Debug::fmt(&shortest_f16(x), f),
            F32(x) if x.is_finite() => fmt::Debug::fmt(&x, f),
            F64(x) if x.is_finite() => fmt::Debug::fmt(&x, f),
            F16(_) | F32(_) | F64(_) => special(self.0, f),
        }
    }
}

/// With the type as suffix: `3i32`, `1.5f64`, `-f32.inf`, `true`.
impl Display for Scalar {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Plain(*self).fmt(f)?;
        match self {
            Bool(_) => Ok(()),
            _ if self.as_float().is_some_and(|x| !x.is_finite()) => Ok(()),
            _ => f.write_str(self.prim().name()),
        }
    }
}

/// `f64.nan`, `f64.inf`, `-f64.inf`.
fn special(x: Scalar, f: &mut Formatter<'_>) -> fmt::Result {
    let value = x.to_f64();
    let sign = if value < 0.0 { "-" } else { "" };
    let what = if value.is_nan() { "nan" } else { "inf" };
    write!(f, "{sign}{}.{what}", x.prim())
}

/// The number with the fewest decimal digits that still rounds to `x`.
fn shortest_f16(x: f16) -> f64 {
    let exact = x.to_f64();
    (0..5)
        .filter_map(|digits| format!("{exact:.digits$e}").parse().ok())
        .find(|&short: &f64| crate::float::f16_from_f64(short).to_bits() == x.to_bits())
        .unwrap_or(exact)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_programs_print_them() {
        let cases: [(Scalar, &str); 14] = [
            (I32(3), "3i32"),
            (I8(-128), "-128i8"),
            (U64(u64::MAX), "18446744073709551615u64"),
            (F64(1.5), "1.5f64"),
            (F64(1.0), "1.0f64"),
            (F64(-0.0), "-0.0f64"),
            (F64(1e-7), "1e-7f64"),
            (F32(0.1), "0.1f32"),
            (F16(f16::from_f32(0.1)), "0.1f16"),
            (F16(f16::MAX), "65500.0f16"),
            (F32(f32::NAN), "f32.nan"),
            (F64(f64::INFINITY), "f64.inf"),
            (F16(f16::NEG_INFINITY), "-f16.inf"),
            (Bool(true), "true"),
        ];
        for (value, text) in cases {
            assert_eq!(value.to_string(), text);
        }
        assert_eq!(Plain(I32(-3)).to_string(), "-3");
        assert_eq!(Plain(F64(2.0)).to_string(), "2.0");
        assert_eq!(Plain(F64(f64::NAN)).to_string(), "f64.nan");
    }

    #[test]
    fn every_f16_comes_back() {
        for bits in 0..=u16::MAX {
            let x = f16::from_bits(bits);
            if x.is_finite() {
                let text = Plain(F16(x)).to_string();
                let back = crate::float::f16_from_f64(text.parse().unwrap());
                assert_eq!(back.to_bits(), bits, "{text}");
            }
        }
    }
}
