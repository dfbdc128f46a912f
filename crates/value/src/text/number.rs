//! Number words: radix, underscores, exponent, suffix.

use super::Number;
use scalar::Prim;

/// Reads a number word such as `-0x1f`, `1_000i64`, `2.5e-3`, `f32.nan`; none if it is not one.
pub(super) fn number(word: &str) -> Option<Number> {
    let (negative, rest) = match word.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, word),
    };
    special(rest, negative).or_else(|| radix(rest, negative)).or_else(|| decimal(rest, negative))
}

/// `f32.nan`, `f32.inf`.
fn special(word: &str, negative: bool) -> Option<Number> {
    let (prim, what) = word.split_once('.')?;
    let prim = Prim::from_name(prim).filter(|p| p.is_float())?;
    let magnitude = match what {
        "nan" => f64::NAN,
        "inf" => f64::INFINITY,
        _ => return None,
    };
    let double = if negative { -magnitude } else { magnitude };
    Some(Number::Float { double, single: double as f32, suffix: Some(prim) })
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
