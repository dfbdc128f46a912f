//! The operators at their edges: signs, wraparound, shift counts, NaN, rounding.

use proptest::prelude::*;
use scalar::Scalar::*;
use scalar::*;

fn bin(x: impl Into<Scalar>, symbol: &str, y: impl Into<Scalar>) -> Scalar {
    eval_bin(BinOp::from_symbol(symbol).expect("an operator"), x.into(), y.into()).expect("a value")
}

fn fails(x: impl Into<Scalar>, symbol: &str, y: impl Into<Scalar>) -> ScalarError {
    eval_bin(BinOp::from_symbol(symbol).expect("an operator"), x.into(), y.into()).expect_err("an error")
}

#[test]
fn division_rounds_down_and_quotient_toward_zero() {
    for (x, y, div, md, quot, rem) in [
        (7, 2, 3, 1, 3, 1),
        (-7, 2, -4, 1, -3, -1),
        (7, -2, -4, -1, -3, 1),
        (-7, -2, 3, -1, 3, -1),
        (6, -3, -2, 0, -2, 0),
    ] {
        assert_eq!(bin(x, "/", y), I32(div));
        assert_eq!(bin(x, "%", y), I32(md));
        assert_eq!(bin(x, "//", y), I32(quot));
        assert_eq!(bin(x, "%%", y), I32(rem));
    }
    assert_eq!(bin(200u8, "/", 7u8), U8(28));
    assert_eq!(bin(200u8, "%", 7u8), U8(4));
}

#[test]
fn arithmetic_wraps() {
    assert_eq!(bin(i8::MAX, "+", 1i8), I8(i8::MIN));
    assert_eq!(bin(0u16, "-", 1u16), U16(u16::MAX));
    assert_eq!(bin(i64::MAX, "*", 2i64), I64(-2));
    for op in ["/", "//"] {
        assert_eq!(bin(i32::MIN, op, -1), I32(i32::MIN));
    }
    for op in ["%", "%%"] {
        assert_eq!(bin(i32::MIN, op, -1), I32(0));
    }
    assert_eq!(eval_un(UnOp::Neg, I8(-128)), Ok(I8(-128)));
    assert_eq!(eval_un(UnOp::Neg, U8(1)), Ok(U8(255)));
}

#[test]
fn powers() {
    assert_eq!(bin(2i8, "**", 7i8), I8(-128));
    assert_eq!(bin(-2, "**", 3), I32(-8));
    assert_eq!(bin(3u64, "**", u64::MAX), U64(12297829382473034411));
    assert_eq!(bin(0, "**", 0), I32(1));
    assert_eq!(bin(2.0, "**", 0.5), F64(2f64.sqrt()));
    assert_eq!(fails(2, "**", -1), ScalarError::NegativeExponent(I32(-1)));
}

#[test]
fn division_by_zero_is_an_error_on_integers_only() {
    for op in ["/", "%", "//", "%%"] {
        assert_eq!(
            fails(5u32, op, 0u32),
            ScalarError::DivisionByZero(BinOp::from_symbol(op).expect("an operator"), U32(5))
        );
        assert_eq!(
            fails(-5i64, op, 0i64),
            ScalarError::DivisionByZero(BinOp::from_symbol(op).expect("an operator"), I64(-5))
        );
    }
    assert_eq!(bin(1.0, "/", 0.0), F64(f64::INFINITY));
    assert!(bin(1.0, "%", 0.0).to_f64().is_nan());
    assert_eq!(fails(5u32, "/", 0u32).to_string(), "division by zero of 5u32");
}

#[test]
fn shifts_beyond_the_width() {
    assert_eq!(bin(1u8, "<<", 7u8), U8(128));
    for n in [8i8, 100, -1] {
        assert_eq!(bin(1i8, "<<", n), I8(0));
        assert_eq!(bin(-3i8, ">>", n), I8(-1));
        assert_eq!(bin(3i8, ">>", n), I8(0));
        assert_eq!(bin(-3i8, ">>>", n), I8(0));
        assert_eq!(bin(200u8, ">>", n as u8), U8(0));
    }
    assert_eq!(bin(-4, ">>", 1), I32(-2));
    assert_eq!(bin(-4, ">>>", 1), I32(0x7fff_fffe));
    assert_eq!(bin(u64::MAX, ">>", 64u64), U64(0));
    assert_eq!(bin(i64::MIN, ">>", 64i64), I64(-1));
    assert_eq!(bin(i64::MIN, ">>>", 63i64), I64(1));
}

#[test]
fn floats() {
    assert_eq!(bin(-7.5, "%", 2.0), F64(-1.5));
    assert_eq!(bin(7.5f32, "%", -2.0f32), F32(1.5));
    assert_eq!(bin(f64::NAN, "==", f64::NAN), Bool(false));
    assert_eq!(bin(f64::NAN, "!=", f64::NAN), Bool(true));
    assert_eq!(bin(f64::NAN, "<=", 0.0), Bool(false));
    assert_eq!(bin(0.0, "==", -0.0), Bool(true));
}

#[test]
fn halves_round_after_every_operation() {
    let h = f16::from_f32;
    assert_eq!(bin(h(2048.0), "+", h(1.0)), F16(h(2048.0)));
    assert_eq!(bin(h(2048.0), "+", h(3.0)), F16(h(2052.0)));
    assert_eq!(bin(h(60000.0), "*", h(2.0)), F16(f16::INFINITY));
    assert_eq!(bin(h(1.0), "/", h(3.0)), F16(h(1.0 / 3.0)));
}

#[test]
fn bools() {
    assert_eq!(bin(false, "<", true), Bool(true));
    assert_eq!(bin(true, "<", true), Bool(false));
    assert_eq!(bin(true, "&&", false), Bool(false));
    assert_eq!(eval_un(UnOp::Not, Bool(true)), Ok(Bool(false)));
    assert_eq!(eval_un(UnOp::Not, U8(1)), Ok(U8(254)));
}

fn any_scalar() -> impl Strategy<Value = Scalar> {
    (0..Prim::ALL.len(), any::<u64>()).prop_map(|(i, bits)| Scalar::from_bits(Prim::ALL[i], bits))
}

proptest! {
    #[test]
    fn evaluation_agrees_with_the_type_rule(op in 0..BinOp::ALL.len(), x in any_scalar(), bits in any::<u64>()) {
        let op = BinOp::ALL[op];
        let y = Scalar::from_bits(x.prim(), bits);
        match (eval_bin(op, x, y), op.result(x.prim())) {
            (Ok(z), result) => prop_assert_eq!(Some(z.prim()), result),
            (Err(ScalarError::WrongTypes), result) => prop_assert_eq!(result, None),
            (Err(_), result) => prop_assert!(result.is_some()),
        }
    }

    #[test]
    fn division_laws(x in any::<i16>(), y in any::<i16>()) {
        prop_assume!(y != 0);
        for (div, md) in [("/", "%"), ("//", "%%")] {
            let back = bin(bin(bin(x, div, y), "*", y), "+", bin(x, md, y));
            prop_assert_eq!(back, I16(x));
        }
    }

    #[test]
    fn math_agrees_with_its_type_rule(x in any_scalar(), more in any::<[u64; 2]>(), op in 0..MathOp::ALL.len()) {
        let op = MathOp::ALL[op];
        if let Some(ty) = op.type_at(x.prim()) {
            let bits = [x.bits(), more[0], more[1]];
            let args: Vec<_> = ty.params().iter().zip(bits).map(|(p, b)| Scalar::from_bits(*p, b)).collect();
            prop_assert_eq!(eval_math(op, &args).map(Scalar::prim), Ok(ty.result));
        }
    }
}
