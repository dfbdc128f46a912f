//! Number words: radix, underscores, exponent, suffix.

use super::Number;
use scalar::Prim;

/// Reads a number word such as `-0x1f`, `1_000i64`, `2.5e-3`, `0x1.8p3`, `nan`, `f32.inf`; none if it is not one.
pub(super) fn number(word: &str) -> Option<Number> {
    let (negative, rest) = match word.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, word),
    };
    special(rest, negative)
        .or_else(|| hexadecimal_float(rest, negative))
        .or_else(|| radix(rest, negative))
        .or_else(|| decimal(rest, negative))
}

/// `nan`, `inf`; `f32.nan`, `f32.inf`.
fn special(word: &str, negative: bool) -> Option<Number> {
    let (suffix, what) = match word.split_once('.') {
        Some((prim, what)) => (Some(Prim::from_name(prim).filter(|p| p.is_float())?), what),
        None => (None, word),
    };
    let magnitude = match what {
        "nan" => f64::NAN,
        "inf" => f64::INFINITY,
        _ => return None,
    };
    let double = if negative { -magnitude } else { magnitude };
    Some(Number::Float { double, single: double as f32, suffix })
}

/// `0x1f`, `0b101`. Hexadecimal letters win over suffixes: `0x1f32` has none.
fn radix(word: &str, negative: bool) -> Option<Number> {
    let (radix, body) = match word.get(..2)? {
        "0x" | "0X" => (16, &word[2..]),
        "0b" | "0B" => (2, &word[2..]),
        _ => return None,
    };
    let split = body.find(|c: char| !c.is_digit(radix) && c != '_').unwrap_or(body.len());
    let magnitude = u64::from_str_radix(&digits(&body[..split])?, radix).ok()?;
    let suffix = suffix(&body[split..])?;
    Some(Number::Int { negative, magnitude, hex: true, suffix })
}

/// Digits of a hexadecimal mantissa that are looked at: far more than any float can tell apart.
const MOST_DIGITS: usize = 30;
/// Beyond this every exponent gives zero or infinity.
const MOST_EXPONENT: i64 = 100_000;

/// `0x1.8p3f32`: a mantissa in base 16, and behind `p` a power of two as a decimal number.
fn hexadecimal_float(word: &str, negative: bool) -> Option<Number> {
    let body = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"))?;
    let (mantissa, scale) = body.split_once(['p', 'P'])?;
    let split = scale.find('f').unwrap_or(scale.len());
    let suffix = suffix(&scale[split..])?.map_or(Some(None), |p| p.is_float().then_some(Some(p)))?;
    let exponent = exponent(&scale[..split])?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let (whole, fraction) = (digits(whole)?, digits(fraction).unwrap_or_default());
    let all: Vec<u32> = whole.chars().chain(fraction.chars()).map(|c| c.to_digit(16)).collect::<Option<_>>()?;
    let leading = all.iter().take_while(|d| **d == 0).count();
    let used = (leading + MOST_DIGITS).min(all.len());
    let number = all[leading..used].iter().fold(0u128, |n, d| n << 4 | *d as u128);
    let power = exponent + 4 * (whole.len() as i64 - used as i64);
    let sign = if negative { -1.0 } else { 1.0 };
    let double = sign * scaled(number as f64, power);
    let single = sign * scaled(number as f32 as f64, power);
    Some(Number::Float { double, single: single as f32, suffix })
}

/// A whole number with an optional sign; one with more digits than matter is cut to the greatest that does.
fn exponent(text: &str) -> Option<i64> {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let plain = !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| sign * rest.parse().unwrap_or(MOST_EXPONENT).min(MOST_EXPONENT))
}

/// `x * 2^power`, in steps that stay in range as long as the result does.
fn scaled(mut x: f64, power: i64) -> f64 {
    const STEP: i64 = 900;
    let mut left = power.clamp(-MOST_EXPONENT, MOST_EXPONENT);
    while left != 0 && x != 0.0 && x.is_finite() {
        let step = left.clamp(-STEP, STEP);
        x *= 2f64.powi(step as i32);
        left -= step;
    }
    x
}

fn decimal(word: &str, negative: bool) -> Option<Number> {
    let split = word.find(['i', 'u', 'f']).unwrap_or(word.len());
    let body = digits(&word[..split])?;
    let suffix = suffix(&word[split..])?;
    if body.bytes().all(|b| b.is_ascii_digit())
        && let Ok(magnitude) = body.parse()
    {
        return Some(Number::Int { negative, magnitude, hex: false, suffix });
    }
    // Rust also takes `inf`, `+1` and `.`; we want digits first.
    if !body.starts_with(|c: char| c.is_ascii_digit() || c == '.') || suffix.is_some_and(|p| !p.is_float()) {
        return None;
    }
    let sign = if negative { -1.0 } else { 1.0 };
    let double: f64 = body.parse().ok()?;
    let single: f32 = body.parse().ok()?;
    Some(Number::Float { double: sign * double, single: sign as f32 * single, suffix })
}

/// Without underscores; none if nothing is left.
fn digits(text: &str) -> Option<String> {
    let out: String = text.chars().filter(|c| *c != '_').collect();
    (!out.is_empty()).then_some(out)
}

/// Outer none: not a suffix. Inner none: no suffix.
fn suffix(text: &str) -> Option<Option<Prim>> {
    if text.is_empty() {
        return Some(None);
    }
    Prim::from_name(text).filter(|p| p.is_numeric()).map(Some)
}
