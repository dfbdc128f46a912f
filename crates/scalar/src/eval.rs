//! Evaluation of the overloaded operators.

use crate::{BinOp, Scalar, ScalarError, UnOp, f16};
use Scalar::*;

/// One arm's worth of integer arithmetic; everything wraps.
macro_rules! int_bin {
    ($op:expr, $x:expr, $y:expr, $variant:ident, $rust:ident) => {{
        let (x, y): ($rust, $rust) = ($x, $y);
        let nonzero = || if y == 0 { Err(ScalarError::DivisionByZero($op, $variant(x))) } else { Ok(()) };
        Ok(match $op {
            BinOp::Add => $variant(x.wrapping_add(y)),
            BinOp::Sub => $variant(x.wrapping_sub(y)),
            BinOp::Mul => $variant(x.wrapping_mul(y)),
            BinOp::Pow => {
                #[allow(unused_comparisons, reason = "the macro serves unsigned types too")]
                if y < 0 {
                    return Err(ScalarError::NegativeExponent($variant(y)));
                }
                $variant(int_pow(x as u64, y as u64) as $rust)
            }
            BinOp::Div => {
                nonzero()?;
                let (quot, rem) = (x.wrapping_div(y), x.wrapping_rem(y));
                #[allow(unused_comparisons, reason = "the macro serves unsigned types too")]
                let below = rem != 0 && (rem < 0) != (y < 0);
                $variant(if below { quot.wrapping_sub(1) } else { quot })
            }
            BinOp::Mod => {
                nonzero()?;
                let rem = x.wrapping_rem(y);
                #[allow(unused_comparisons, reason = "the macro serves unsigned types too")]
                let below = rem != 0 && (rem < 0) != (y < 0);
                $variant(if below { rem.wrapping_add(y) } else { rem })
            }
            BinOp::Quot => {
                nonzero()?;
                $variant(x.wrapping_div(y))
            }
            BinOp::Rem => {
                nonzero()?;
                $variant(x.wrapping_rem(y))
            }
            BinOp::Shl => $variant(shift_count(y as u64, $rust::BITS).map_or(0, |n| x << n)),
            BinOp::Shr => $variant(
                x >> shift_count(y as u64, $rust::BITS).unwrap_or($rust::BITS - 1) >> over(y as u64, $rust::BITS),
            ),
            BinOp::ShrZero => $variant(logical_shr(x as u64, y as u64, $rust::BITS) as $rust),
            BinOp::And => $variant(x & y),
            BinOp::Or => $variant(x | y),
            BinOp::Xor => $variant(x ^ y),
            BinOp::Eq => Bool(x == y),
            BinOp::Ne => Bool(x != y),
            BinOp::Lt => Bool(x < y),
            BinOp::Le => Bool(x <= y),
            BinOp::Gt => Bool(x > y),
            BinOp::Ge => Bool(x >= y),
            BinOp::LogAnd | BinOp::LogOr => return Err(ScalarError::WrongTypes),
        })
    }};
}

/// One arm's worth of floating-point arithmetic; `$wrap` rounds the result to its type.
macro_rules! float_bin {
    ($op:expr, $x:expr, $y:expr, $wrap:expr) => {{
        let (x, y) = ($x, $y);
        Ok(match $op {
            BinOp::Add => $wrap(x + y),
            BinOp::Sub => $wrap(x - y),
            BinOp::Mul => $wrap(x * y),
            BinOp::Div => $wrap(x / y),
            BinOp::Mod => $wrap(x % y),
            BinOp::Pow => $wrap(x.powf(y)),
            BinOp::Eq => Bool(x == y),
            BinOp::Ne => Bool(x != y),
            BinOp::Lt => Bool(x < y),
            BinOp::Le => Bool(x <= y),
            BinOp::Gt => Bool(x > y),
            BinOp::Ge => Bool(x >= y),
            BinOp::Quot
            | BinOp::Rem
            | BinOp::Shl
            | BinOp::Shr
            | BinOp::ShrZero
            | BinOp::And
            | BinOp::Or
            | BinOp::Xor
            | BinOp::LogAnd
            | BinOp::LogOr => return Err(ScalarError::WrongTypes),
        })
    }};
}

/// Applies a binary operator to two values of one type.
#[inline]
pub fn eval_bin(op: BinOp, left: Scalar, right: Scalar) -> Result<Scalar, ScalarError> {
    match (left, right) {
        (I64(x), I64(y)) => int_bin!(op, x, y, I64, i64),
        (F64(x), F64(y)) => float_bin!(op, x, y, F64),
        (I32(x), I32(y)) => int_bin!(op, x, y, I32, i32),
        (F32(x), F32(y)) => float_bin!(op, x, y, F32),
        (Bool(x), Bool(y)) => bool_bin(op, x, y),
        (I8(x), I8(y)) => int_bin!(op, x, y, I8, i8),
        (I16(x), I16(y)) => int_bin!(op, x, y, I16, i16),
        (U8(x), U8(y)) => int_bin!(op, x, y, U8, u8),
        (U16(x), U16(y)) => int_bin!(op, x, y, U16, u16),
        (U32(x), U32(y)) => int_bin!(op, x, y, U32, u32),
        (U64(x), U64(y)) => int_bin!(op, x, y, U64, u64),
        // Rounding the f32 result once more is exact enough: f32 has more than twice the digits of f16.
        (F16(x), F16(y)) => float_bin!(op, x.to_f32(), y.to_f32(), |z| F16(f16::from_f32(z))),
        _ => Err(ScalarError::WrongTypes),
    }
}

fn bool_bin(op: BinOp, x: bool, y: bool) -> Result<Scalar, ScalarError> {
    Ok(Bool(match op {
        BinOp::LogAnd => x && y,
        BinOp::LogOr => x || y,
        BinOp::Eq => x == y,
        BinOp::Ne => x != y,
        BinOp::Lt => !x & y,
        BinOp::Le => x <= y,
        BinOp::Gt => x & !y,
        BinOp::Ge => x >= y,
        BinOp::Add
        | BinOp::Sub
        | BinOp::Mul
        | BinOp::Pow
        | BinOp::Div
        | BinOp::Mod
        | BinOp::Quot
        | BinOp::Rem
        | BinOp::Shl
        | BinOp::Shr
        | BinOp::ShrZero
        | BinOp::And
        | BinOp::Or
        | BinOp::Xor => return Err(ScalarError::WrongTypes),
    }))
}

/// Power by squaring; the low bits of a product need only the low bits of its factors, so one
/// width serves all types.
fn int_pow(mut base: u64, mut exponent: u64) -> u64 {
    let mut result = 1u64;
    while exponent != 0 {
        if exponent & 1 == 1 {
            result = result.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    result
}

/// The count if it is below the width. Negative counts arrive here as huge ones.
#[inline]
fn shift_count(count: u64, width: u32) -> Option<u32> {
    (count < width as u64).then_some(count as u32)
}

/// One more bit to shift if the count is at or beyond the width, so that no bit is left.
#[inline]
fn over(count: u64, width: u32) -> u32 {
    (count >= width as u64) as u32
}

/// Shifts right within a width, inserting zeros; `x` may carry copies of its sign above the width.
#[inline]
fn logical_shr(x: u64, count: u64, width: u32) -> u64 {
    let low = x & (u64::MAX >> (64 - width));
    shift_count(count, width).map_or(0, |n| low >> n)
}

/// Applies a prefix operator.
#[inline]
pub fn eval_un(op: UnOp, x: Scalar) -> Result<Scalar, ScalarError> {
    Ok(match (op, x) {
        (UnOp::Neg | UnOp::Not, Bool(x)) => Bool(!x),
        (UnOp::Neg, I8(x)) => I8(x.wrapping_neg()),
        (UnOp::Neg, I16(x)) => I16(x.wrapping_neg()),
        (UnOp::Neg, I32(x)) => I32(x.wrapping_neg()),
        (UnOp::Neg, I64(x)) => I64(x.wrapping_neg()),
        (UnOp::Neg, U8(x)) => U8(x.wrapping_neg()),
        (UnOp::Neg, U16(x)) => U16(x.wrapping_neg()),
        (UnOp::Neg, U32(x)) => U32(x.wrapping_neg()),
        (UnOp::Neg, U64(x)) => U64(x.wrapping_neg()),
        (UnOp::Neg, F16(x)) => F16(-x),
        (UnOp::Neg, F32(x)) => F32(-x),
        (UnOp::Neg, F64(x)) => F64(-x),
        (UnOp::Not, I8(x)) => I8(!x),
        (UnOp::Not, I16(x)) => I16(!x),
        (UnOp::Not, I32(x)) => I32(!x),
        (UnOp::Not, I64(x)) => I64(!x),
        (UnOp::Not, U8(x)) => U8(!x),
        (UnOp::Not, U16(x)) => U16(!x),
        (UnOp::Not, U32(x)) => U32(!x),
        (UnOp::Not, U64(x)) => U64(!x),
        (UnOp::Not, F16(_) | F32(_) | F64(_)) => return Err(ScalarError::WrongTypes),
    })
}
