//! Messages with gaps, from their text.

use base::site::{Piece, Text};
use std::iter::Peekable;
use std::str::Chars;

/// A text without gaps: escapes are resolved.
pub(super) fn plain(text: &str) -> String {
    let mut chars = text.chars().peekable();
    let mut out = String::new();
    while let Some(c) = chars.next() {
        out.push(if c == '\\' { escape(&mut chars) } else { c });
    }
    out
}

/// The character behind a backslash.
fn escape(chars: &mut Peekable<Chars>) -> char {
    match chars.next() {
        Some('n') => '\n',
        Some(c) => c,
        None => '\\',
    }
}

/// A text with gaps; none if a gap is not well formed.
pub(super) fn template(text: &str) -> Option<Text> {
    let mut chars = text.chars().peekable();
    let found = pieces(&mut chars, 0)?;
    chars.next().is_none().then_some(found)
}

/// Pieces up to the end, or up to what ends a choice.
fn pieces(chars: &mut Peekable<Chars>, depth: usize) -> Option<Text> {
    if depth > 50 {
        return None;
    }
    let mut out = Vec::new();
    let mut words = String::new();
    loop {
        match chars.peek().copied() {
            None => break,
            Some('|' | '}') if depth > 0 => break,
            Some('{') => {
                chars.next();
                if !words.is_empty() {
                    out.push(Piece::Words(std::mem::take(&mut words)));
                }
                out.push(gap(chars, depth)?);
            }
            Some('\\') => {
                chars.next();
                words.push(escape(chars));
            }
            Some(c) => {
                chars.next();
                words.push(c);
            }
        }
    }
    if !words.is_empty() {
        out.push(Piece::Words(words));
    }
    Some(Text(out))
}

/// What stands behind an opening brace.
fn gap(chars: &mut Peekable<Chars>, depth: usize) -> Option<Piece> {
    if chars.next_if_eq(&'[').is_some() {
        let index = digits(chars).parse().ok()?;
        return (chars.next() == Some(']') && chars.next() == Some('}')).then_some(Piece::Shape(index));
    }
    if chars.next_if_eq(&'@').is_some() {
        let index = digits(chars).parse().ok()?;
        return (chars.next() == Some('}')).then_some(Piece::Index(index));
    }
    if chars.next_if_eq(&'~').is_some() {
        let index = digits(chars).parse().ok()?;
        return (chars.next() == Some('}')).then_some(Piece::Rows(index));
    }
    if chars.next_if_eq(&'-').is_some() {
        let index = digits(chars).parse().ok()?;
        return (chars.next() == Some('}')).then_some(Piece::Negative(index));
    }
    if chars.next_if_eq(&'#').is_some() {
        let index = digits(chars).parse().ok()?;
        return (chars.next() == Some('}')).then_some(Piece::NegativeAt(index));
    }
    let index = digits(chars).parse().ok()?;
    match chars.next()? {
        '}' => Some(Piece::Value(index)),
        '!' => {
            let extents = digits(chars).parse().ok()?;
            (chars.next() == Some('}')).then_some(Piece::Outside { indices: index, extents })
        }
        '=' => {
            let sign = if chars.next_if_eq(&'-').is_some() { "-" } else { "" };
            let equals = format!("{sign}{}", digits(chars)).parse().ok()?;
            (chars.next() == Some('?')).then_some(())?;
            let then = pieces(chars, depth + 1)?;
            (chars.next() == Some('|')).then_some(())?;
            let otherwise = pieces(chars, depth + 1)?;
            (chars.next() == Some('}')).then_some(())?;
            Some(Piece::Choose { argument: index, equals, then, otherwise })
        }
        _ => None,
    }
}

fn digits(chars: &mut Peekable<Chars>) -> String {
    let mut out = String::new();
    while let Some(c) = chars.next_if(char::is_ascii_digit) {
        out.push(c);
    }
    out
}
