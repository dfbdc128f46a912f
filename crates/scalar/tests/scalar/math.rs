//! The numeric functions: values at their edges, and agreement between the float types.

use scalar::Scalar::*;
use scalar::*;

fn math(name: &str, args: &[Scalar]) -> Scalar {
    eval_math(MathOp::from_name(name).expect("a function"), args).expect("a value")
}

#[test]
fn rounding() {
    for (x, round, floor, ceil, trunc) in [
        (0.5, 0.0, 0.0, 1.0, 0.0),
        (1.5, 2.0, 1.0, 2.0, 1.0),
        (2.5, 2.0, 2.0, 3.0, 2.0),
        (-1.7, -2.0, -2.0, -1.0, -1.0),
    ] {
        for (name, expected) in [("round", round), ("floor", floor), ("ceil", ceil), ("trunc", trunc)] {
            assert_eq!(math(name, &[F64(x)]), F64(expected));
            assert_eq!(math(name, &[F32(x as f32)]), F32(expected as f32));
            assert_eq!(math(name, &[F16(f16::from_f64(x))]), F16(f16::from_f64(expected)));
        }
    }
}

#[test]
fn minimum_and_maximum_pass_over_nan() {
    let nan = F64(f64::NAN);
    assert_eq!(math("min", &[nan, F64(-1.0)]), F64(-1.0));
    assert_eq!(math("max", &[F64(-1.0), nan]), F64(-1.0));
    assert!(math("max", &[nan, nan]).to_f64().is_nan());
    assert_eq!(math("max", &[F64(-1.0), F64(f64::NEG_INFINITY)]), F64(-1.0));
    assert_eq!(math("min", &[I8(-3), I8(2)]), I8(-3));
    assert_eq!(math("max", &[U8(253), U8(2)]), U8(253));
}

#[test]
fn signs() {
    assert_eq!(math("sgn", &[I32(-7)]), I32(-1));
    assert_eq!(math("sgn", &[U32(7)]), U32(1));
    assert_eq!(math("sgn", &[F32(-0.0)]), F32(0.0));
    assert!(math("sgn", &[F64(f64::NAN)]).to_f64().is_nan());
    assert_eq!(math("abs", &[I8(-128)]), I8(-128));
    assert_eq!(math("abs", &[F64(-2.5)]), F64(2.5));
    assert_eq!(math("copysign", &[F64(3.0), F64(-0.0)]), F64(-3.0));
}

#[test]
fn bit_counting() {
    assert_eq!(math("popc", &[I8(-1)]), I32(8));
    assert_eq!(math("clz", &[I8(1)]), I32(7));
    assert_eq!(math("clz", &[U16(0)]), I32(16));
    assert_eq!(math("ctz", &[I64(0)]), I32(64));
    assert_eq!(math("ctz", &[U32(8)]), I32(3));
    assert_eq!(math("clz", &[I64(-1)]), I32(0));
}

#[test]
fn high_halves() {
    assert_eq!(math("mul_hi", &[U8(255), U8(255)]), U8(254));
    assert_eq!(math("mul_hi", &[I8(-1), I8(1)]), I8(-1));
    assert_eq!(math("mul_hi", &[U64(u64::MAX), U64(u64::MAX)]), U64(u64::MAX - 1));
    assert_eq!(math("mul_hi", &[I64(i64::MIN), I64(i64::MIN)]), I64(1 << 62));
    assert_eq!(math("mad_hi", &[U8(255), U8(255), U8(3)]), U8(1));
}

#[test]
fn bits_of_floats() {
    assert_eq!(math("to_bits", &[F32(1.0)]), U32(0x3f80_0000));
    assert_eq!(math("from_bits", &[U16(15360)]), F16(f16::ONE));
    assert_eq!(math("from_bits", &[U64(0x7ff0_0000_0000_0000)]), F64(f64::INFINITY));
    assert_eq!(math("isnan", &[F16(f16::NAN)]), Bool(true));
    assert_eq!(math("isinf", &[F32(f32::NEG_INFINITY)]), Bool(true));
    assert_eq!(math("nextafter", &[F32(1.0), F32(2.0)]), F32(1.0 + f32::EPSILON));
    assert_eq!(math("nextafter", &[F16(f16::ONE), F16(f16::ZERO)]), F16(f16::from_bits(0x3bff)));
    assert_eq!(math("nextafter", &[F16(f16::ZERO), F16(f16::NEG_ONE)]), F16(f16::from_bits(0x8001)));
    assert_eq!(math("ldexp", &[F64(3.0), I32(-1)]), F64(1.5));
    assert_eq!(math("ldexp", &[F16(f16::ONE), I32(15)]), F16(f16::from_f32(32768.0)));
}

#[test]
fn special_functions() {
    let close = |x: Scalar, y: f64| assert!((x.to_f64() - y).abs() <= 1e-6 * y.abs().max(1.0), "{x} is not {y}");
    close(math("gamma", &[F64(4.0)]), 6.0);
    close(math("lgamma", &[F64(5.0)]), 24f64.ln());
    close(math("erf", &[F32(0.5)]), 0.5204998778);
    close(math("erfc", &[F64(0.5)]), 0.4795001222);
    close(math("hypot", &[F64(3e200), F64(4e200)]), 5e200);
    close(math("sinpi", &[F64(0.5)]), 1.0);
    close(math("atan2pi", &[F64(1.0), F64(0.0)]), 0.5);
    close(math("rsqrt", &[F64(4.0)]), 0.5);
    close(math("lerp", &[F32(1.0), F32(3.0), F32(0.25)]), 1.5);
    close(math("log1p", &[F64(1e-10)]), 1e-10);
}

#[test]
fn fused_rounds_once() {
    let x = 1.0 + f64::EPSILON;
    assert_eq!(math("mad", &[F64(x), F64(x), F64(-(x * x))]), F64(0.0));
    assert_eq!(math("fma", &[F64(x), F64(x), F64(-(x * x))]), F64(f64::EPSILON * f64::EPSILON));
}

#[test]
fn wrong_types_are_an_error() {
    let wrong = |op, args: &[Scalar]| assert_eq!(eval_math(op, args), Err(ScalarError::WrongTypes));
    wrong(MathOp::Sqrt, &[I32(4)]);
    wrong(MathOp::Min, &[I32(4), I64(4)]);
    wrong(MathOp::Popc, &[F64(4.0)]);
    wrong(MathOp::Abs, &[Bool(true)]);
    wrong(MathOp::Fma, &[F64(1.0)]);
    wrong(MathOp::FromBits, &[I32(1)]);
    wrong(MathOp::Sqrt, &[]);
}
