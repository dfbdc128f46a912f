//! Number literals: decimal, hexadecimal, binary and Roman, floats in both bases, suffixes and underscores.

use super::{Lexer, is_name_byte};
use crate::ast::Lit;
use crate::codes;
use crate::token::T;
use base::Diagnostic;
use scalar::Prim;

const SUFFIXES: &[(&str, Prim)] = &[
    ("i8", Prim::I8),
    ("i16", Prim::I16),
    ("i32", Prim::I32),
    ("i64", Prim::I64),
    ("u8", Prim::U8),
    ("u16", Prim::U16),
    ("u32", Prim::U32),
    ("u64", Prim::U64),
    ("f16", Prim::F16),
    ("f32", Prim::F32),
    ("f64", Prim::F64),
];

impl Lexer<'_> {
    pub(super) fn number(&mut self) {
        let start = self.pos;
        match (self.peek(0), self.peek(1), self.peek(2)) {
            (b'0', b'x' | b'X', d) if d.is_ascii_hexdigit() => self.hexadecimal(start),
            (b'0', b'b' | b'B', b'0' | b'1') => {
                self.pos += 2;
                let value = self.digits(2, |b| matches!(b, b'0' | b'1'));
                self.whole(start, value);
            }
            (b'0', b'r' | b'R', d) if roman(d) > 0 => {
                self.pos += 2;
                let digits = self.run(|b| roman(b) > 0);
                self.whole(start, Some(roman_value(&digits)));
            }
            _ => self.decimal(start),
        }
    }

    /// Consumes digits and underscores; the digits.
    fn run(&mut self, digit: impl Fn(u8) -> bool) -> String {
        let start = self.pos;
        while digit(self.peek(0)) || self.peek(0) == b'_' {
            self.pos += 1;
        }
        self.text[start..self.pos].chars().filter(|c| *c != '_').collect()
    }

    /// Consumes digits; their value, or `None` when it is beyond 128 bits.
    fn digits(&mut self, base: u32, digit: impl Fn(u8) -> bool) -> Option<u128> {
        u128::from_str_radix(&self.run(digit), base).ok()
    }

    fn hexadecimal(&mut self, start: usize) {
        self.pos += 2;
        let begin = self.pos;
        let value = self.digits(16, |b| b.is_ascii_hexdigit());
        if !self.hexadecimal_float(start, begin) {
            self.whole(start, value);
        }
    }

    /// `0x1.8p3`, `0x1p-24`: takes the fraction and the exponent if there is an exponent.
    fn hexadecimal_float(&mut self, start: usize, begin: usize) -> bool {
        let dot = self.pos;
        if self.peek(0) == b'.' && self.peek(1).is_ascii_hexdigit() {
            self.pos += 1;
            self.run(|b| b.is_ascii_hexdigit());
        }
        let end = self.pos;
        let sign = usize::from(matches!(self.peek(1), b'+' | b'-'));
        if !matches!(self.peek(0), b'p' | b'P') || !self.peek(1 + sign).is_ascii_digit() {
            self.pos = dot;
            return false;
        }
        self.pos += 1 + sign;
        let exponent = self.run(|b| b.is_ascii_digit()).parse::<i32>().unwrap_or(i32::MAX / 2).min(100_000);
        let exponent = if self.bytes[end + 1] == b'-' { -exponent } else { exponent };
        let value = hexadecimal_value(&self.bytes[begin..dot], &self.bytes[end.min(dot + 1)..end], exponent);
        self.fraction(start, value);
        true
    }

    fn decimal(&mut self, start: usize) {
        let after_dot = self.out.tokens.last().is_some_and(|t| t.kind == T::Dot && t.end as usize == start);
        let value = self.digits(10, |b| b.is_ascii_digit());
        if after_dot {
            // The digits are a field name, and so may be those after a further dot: `p.0.1`.
            return self.natural(start, value);
        }
        let mut float = false;
        if self.peek(0) == b'.' && self.peek(1).is_ascii_digit() {
            self.pos += 1;
            self.run(|b| b.is_ascii_digit());
            float = true;
        }
        let sign = usize::from(matches!(self.peek(1), b'+' | b'-'));
        if matches!(self.peek(0), b'e' | b'E') && self.peek(1 + sign).is_ascii_digit() {
            self.pos += 1 + sign;
            self.run(|b| b.is_ascii_digit());
            float = true;
        }
        let digits = || self.text[start..self.pos].replace('_', "").parse().unwrap_or(0.0);
        if float || self.peek(0) == b'f' {
            let value = digits();
            return self.fraction(start, value);
        }
        if is_name_byte(self.peek(0)) { self.whole(start, value) } else { self.natural(start, value) }
    }

    /// A decimal number without suffix, which may be a field name.
    fn natural(&mut self, start: usize, value: Option<u128>) {
        let value = self.checked(start, value);
        self.out.lits.push(Lit::Int { value, suffix: None });
        self.push(T::Nat(self.out.lits.len() as u32 - 1), start);
    }

    /// A whole number and its suffix.
    fn whole(&mut self, start: usize, value: Option<u128>) {
        let value = self.checked(start, value);
        let suffix = self.suffix(start, |p| !matches!(p, Prim::F16 | Prim::F32 | Prim::F64));
        self.literal(Lit::Int { value, suffix }, start);
    }

    /// A number with a fraction or exponent, and its suffix.
    fn fraction(&mut self, start: usize, value: f64) {
        let suffix = self.suffix(start, |p| matches!(p, Prim::F16 | Prim::F32 | Prim::F64));
        self.literal(Lit::Float { value, suffix }, start);
    }

    fn checked(&mut self, start: usize, value: Option<u128>) -> u128 {
        value.unwrap_or_else(|| {
            let span = self.span(start, self.pos);
            self.report(
                Diagnostic::error(codes::NUMBER_TOO_BIG, "this number is too big", span, "beyond 128 bits")
                    .note("the widest whole numbers are `i64` and `u64`")
                    .help("for a larger but approximate number, write a float: `1e40`"),
            );
            0
        })
    }

    /// Consumes what touches the number: a type's name, or an error.
    fn suffix(&mut self, start: usize, fits: impl Fn(&Prim) -> bool) -> Option<Prim> {
        let begin = self.pos;
        while is_name_byte(self.peek(0)) {
            self.pos += 1;
        }
        let text = &self.text[begin..self.pos];
        if text.is_empty() {
            return None;
        }
        let known = SUFFIXES.iter().find(|(s, _)| *s == text).map(|(_, p)| *p);
        if let Some(prim) = known.filter(|p| fits(p)) {
            return Some(prim);
        }
        let title = match known {
            Some(_) => format!("a number with a fraction or exponent cannot have the type `{text}`"),
            None => format!("`{text}` does not belong to the number before it"),
        };
        let help = match known {
            Some(prim) => format!("leave out the suffix, or convert: `{prim:?}.f64 ...`").to_lowercase(),
            None => "a suffix is one of i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64; put a space before a name".into(),
        };
        let diagnostic = Diagnostic::error(codes::BAD_NUMBER, title, self.span(begin, self.pos), "not a suffix here");
        self.report(diagnostic.label(self.span(start, begin), "the number").help(help));
        None
    }
}

fn hexadecimal_value(whole: &[u8], fraction: &[u8], exponent: i32) -> f64 {
    let mut mantissa = 0f64;
    let mut scale = exponent;
    for (digits, shift) in [(whole, 0), (fraction, 4)] {
        for digit in digits.iter().filter_map(|b| (*b as char).to_digit(16)) {
            mantissa = mantissa * 16.0 + f64::from(digit);
            scale = scale.saturating_sub(shift);
        }
    }
    // In two steps, because 2 to the power of `scale` alone may be out of range.
    let half = scale / 2;
    mantissa * 2f64.powi(half) * 2f64.powi(scale - half)
}

fn roman(byte: u8) -> u128 {
    match byte {
        b'I' => 1,
        b'V' => 5,
        b'X' => 10,
        b'L' => 50,
        b'C' => 100,
        b'D' => 500,
        b'M' => 1000,
        _ => 0,
    }
}

fn roman_value(digits: &str) -> u128 {
    let values: Vec<u128> = digits.bytes().map(roman).collect();
    let mut sum = 0;
    let mut i = 0;
    while i < values.len() {
        let pair = values.get(i + 1).filter(|next| **next > values[i]);
        sum += pair.map_or(values[i], |next| next - values[i]);
        i += 1 + usize::from(pair.is_some());
    }
    sum
}
