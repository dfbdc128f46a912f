//! Evaluation of the numeric functions.

use crate::float::f16_from_f64;
use crate::{MathOp, Prim, Scalar, ScalarError, f16};
use Scalar::*;

type Outcome = Result<Scalar, ScalarError>;

/// Applies a numeric function. The argument types must be those of [`MathOp::type_at`] for some type.
pub fn eval_math(op: MathOp, args: &[Scalar]) -> Outcome {
    match *args {
        [x] => eval1(op, x),
        [x, y] => eval2(op, x, y),
        [x, y, z] => eval3(op, x, y, z),
        _ => Err(ScalarError::WrongTypes),
    }
}

/// Functions from a float to a float: the same text at two types, which differ in the names that
/// `libm` gives its functions.
macro_rules! float1 {
    ($name:ident, $t:ident, $asinh:ident, $acosh:ident, $atanh:ident, $tgamma:ident, $lgamma:ident, $erf:ident, $erfc:ident) => {
        fn $name(op: MathOp, x: $t) -> Option<$t> {
            use std::$t::consts::PI;
            Some(match op {
                MathOp::Sqrt => x.sqrt(),
                MathOp::Rsqrt => 1.0 / x.sqrt(),
                MathOp::Cbrt => x.cbrt(),
                MathOp::Exp => x.exp(),
                MathOp::Exp2 => x.exp2(),
                MathOp::Expm1 => x.exp_m1(),
                MathOp::Log => x.ln(),
                MathOp::Log2 => x.log2(),
                MathOp::Log10 => x.log10(),
                MathOp::Log1p => x.ln_1p(),
                MathOp::Sin => x.sin(),
                MathOp::Cos => x.cos(),
                MathOp::Tan => x.tan(),
                MathOp::Asin => x.asin(),
                MathOp::Acos => x.acos(),
                MathOp::Atan => x.atan(),
                MathOp::Sinh => x.sinh(),
                MathOp::Cosh => x.cosh(),
                MathOp::Tanh => x.tanh(),
                MathOp::Asinh => libm::$asinh(x),
                MathOp::Acosh => libm::$acosh(x),
                MathOp::Atanh => libm::$atanh(x),
                MathOp::Sinpi => (PI * x).sin(),
                MathOp::Cospi => (PI * x).cos(),
                MathOp::Tanpi => (PI * x).tan(),
                MathOp::Asinpi => x.asin() / PI,
                MathOp::Acospi => x.acos() / PI,
                MathOp::Atanpi => x.atan() / PI,
                MathOp::Gamma => libm::$tgamma(x),
                MathOp::Lgamma => libm::$lgamma(x),
                MathOp::Erf => libm::$erf(x),
                MathOp::Erfc => libm::$erfc(x),
                MathOp::Ceil => x.ceil(),
                MathOp::Floor => x.floor(),
                MathOp::Trunc => x.trunc(),
                MathOp::Round => x.round_ties_even(),
                MathOp::Abs => x.abs(),
                MathOp::Sgn if x == 0.0 => 0.0,
                MathOp::Sgn if x.is_nan() => x,
                MathOp::Sgn => x.signum(),
                _ => return None,
            })
        }
    };
}
float1!(float1_f64, f64, asinh, acosh, atanh, tgamma, lgamma, erf, erfc);
float1!(float1_f32, f32, asinhf, acoshf, atanhf, tgammaf, lgammaf, erff, erfcf);

fn eval1(op: MathOp, x: Scalar) -> Outcome {
    let found = match (op, x) {
        (MathOp::Isnan, _) => x.as_float().map(|x| Bool(x.is_nan())),
        (MathOp::Isinf, _) => x.as_float().map(|x| Bool(x.is_infinite())),
        (MathOp::ToBits, F16(_) | F32(_) | F64(_)) => x.prim().unsigned().map(|p| Scalar::from_bits(p, x.bits())),
        (MathOp::FromBits, U16(bits)) => Some(F16(f16::from_bits(bits))),
        (MathOp::FromBits, U32(bits)) => Some(F32(f32::from_bits(bits))),
        (MathOp::FromBits, U64(bits)) => Some(F64(f64::from_bits(bits))),
        (_, F64(x)) => float1_f64(op, x).map(F64),
        (_, F32(x)) => float1_f32(op, x).map(F32),
        (_, F16(x)) => float1_f32(op, x.to_f32()).map(|y| F16(f16::from_f32(y))),
        (_, Bool(_)) => None,
        (_, I8(_) | I16(_) | I32(_) | I64(_) | U8(_) | U16(_) | U32(_) | U64(_)) => int1(op, x),
    };
    found.ok_or(ScalarError::WrongTypes)
}

fn int1(op: MathOp, x: Scalar) -> Option<Scalar> {
    let (prim, value) = (x.prim(), x.as_int()?);
    let width = prim.bits();
    Some(match op {
        MathOp::Popc => I32(x.bits().count_ones() as i32),
        MathOp::Clz => I32((x.bits().leading_zeros() + width) as i32 - 64),
        MathOp::Ctz => I32(x.bits().trailing_zeros().min(width) as i32),
        MathOp::Abs => Scalar::from_i128(prim, value.abs()),
        MathOp::Sgn => Scalar::from_i128(prim, value.signum()),
        _ => return None,
    })
}

macro_rules! float2 {
    ($name:ident, $t:ident, $nextafter:ident) => {
        fn $name(op: MathOp, x: $t, y: $t) -> Option<$t> {
            Some(match op {
                MathOp::Atan2 => x.atan2(y),
                MathOp::Atan2pi => x.atan2(y) / std::$t::consts::PI,
                MathOp::Hypot => x.hypot(y),
                MathOp::Nextafter => libm::$nextafter(x, y),
                MathOp::Copysign => x.copysign(y),
                MathOp::Min if y < x || x.is_nan() => y,
                MathOp::Max if y > x || x.is_nan() => y,
                MathOp::Min | MathOp::Max => x,
                _ => return None,
            })
        }
    };
}
float2!(float2_f64, f64, nextafter);
float2!(float2_f32, f32, nextafterf);

fn eval2(op: MathOp, x: Scalar, y: Scalar) -> Outcome {
    let found = match (op, x, y) {
        (MathOp::Ldexp, F64(x), I32(n)) => Some(F64(libm::ldexp(x, n))),
        (MathOp::Ldexp, F32(x), I32(n)) => Some(F32(libm::ldexpf(x, n))),
        (MathOp::Ldexp, F16(x), I32(n)) => Some(F16(f16_from_f64(libm::ldexp(x.to_f64(), n)))),
        (MathOp::Nextafter, F16(x), F16(y)) => Some(F16(next_f16(x, y))),
        (_, F64(x), F64(y)) => float2_f64(op, x, y).map(F64),
        (_, F32(x), F32(y)) => float2_f32(op, x, y).map(F32),
        (_, F16(x), F16(y)) => float2_f32(op, x.to_f32(), y.to_f32()).map(|z| F16(f16::from_f32(z))),
        _ if x.prim() == y.prim() && x.prim().is_int() => int2(op, x, y),
        _ => None,
    };
    found.ok_or(ScalarError::WrongTypes)
}

/// Steps by one in the order of the bits, which is that of the magnitudes.
fn next_f16(x: f16, y: f16) -> f16 {
    if x.is_nan() || y.is_nan() {
        return f16::NAN;
    }
    if x == y {
        return y;
    }
    if x == f16::ZERO {
        return f16::from_bits(1).copysign(y);
    }
    let away = (y > x) == (x > f16::ZERO);
    f16::from_bits(if away { x.to_bits() + 1 } else { x.to_bits() - 1 })
}

fn int2(op: MathOp, x: Scalar, y: Scalar) -> Option<Scalar> {
    Some(match op {
        MathOp::Min => {
            if y < x {
                y
            } else {
                x
            }
        }
        MathOp::Max => {
            if y > x {
                y
            } else {
                x
            }
        }
        MathOp::MulHi => Scalar::from_bits(x.prim(), mul_hi(x.prim(), x.as_int()?, y.as_int()?)),
        _ => return None,
    })
}

/// The product of two 64-bit numbers fits 128 bits only if read with the right signedness.
fn mul_hi(prim: Prim, x: i128, y: i128) -> u64 {
    let product = x.wrapping_mul(y);
    if prim.is_signed() { (product >> prim.bits()) as u64 } else { (product as u128 >> prim.bits()) as u64 }
}

fn eval3(op: MathOp, x: Scalar, y: Scalar, z: Scalar) -> Outcome {
    let found = match (op, x, y, z) {
        (MathOp::Mad, F64(x), F64(y), F64(z)) => Some(F64(x * y + z)),
        (MathOp::Mad, F32(x), F32(y), F32(z)) => Some(F32(x * y + z)),
        (MathOp::Mad, F16(x), F16(y), F16(z)) => Some(F16(x * y + z)),
        (MathOp::Fma, F64(x), F64(y), F64(z)) => Some(F64(x.mul_add(y, z))),
        (MathOp::Fma, F32(x), F32(y), F32(z)) => Some(F32(x.mul_add(y, z))),
        // The f64 product is exact.
        (MathOp::Fma, F16(x), F16(y), F16(z)) => Some(F16(f16_from_f64(x.to_f64() * y.to_f64() + z.to_f64()))),
        (MathOp::Lerp, F64(x), F64(y), F64(t)) => Some(F64(x + (y - x) * t)),
        (MathOp::Lerp, F32(x), F32(y), F32(t)) => Some(F32(x + (y - x) * t)),
        (MathOp::Lerp, F16(x), F16(y), F16(t)) => Some(F16(x + (y - x) * t)),
        (MathOp::MadHi, _, _, _) if x.prim() == y.prim() && y.prim() == z.prim() && z.prim().is_int() => {
            return eval2(MathOp::MulHi, x, y).and_then(|high| crate::eval_bin(crate::BinOp::Add, high, z));
        }
        _ => None,
    };
    found.ok_or(ScalarError::WrongTypes)
}
