//! Tokens of the text form.

use super::ParseError;

/// A token.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token {
    /// A name, perhaps with dots: `xs.1`, `math.sqrt.f64`.
    Word(String),
    /// A number with or without a type: `3i64`, `-1.5f64`, `12`.
    Number(String),
    /// A text in quotes, its escapes as written.
    Quoted(String),
    /// Anything else: operators and brackets.
    Symbol(String),
    /// The end of the text.
    End,
}

/// Symbols of several characters, longest first.
const LONG: [&str; 14] = [">>>", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "**", "//", "%%", ":=", "->"];

/// All tokens with their lines.
pub(super) fn lex(text: &str) -> Result<Vec<(Token, usize)>, ParseError> {
    let mut tokens = Vec::new();
    let (mut rest, mut line) = (text, 1);
    while let Some(first) = rest.chars().next() {
        if first.is_whitespace() {
            line += (first == '\n') as usize;
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let (token, length) =
            token(rest, first).ok_or_else(|| ParseError { line, what: "a text without end".into() })?;
        tokens.push((token, line));
        rest = &rest[length..];
    }
    tokens.push((Token::End, line));
    Ok(tokens)
}

fn token(rest: &str, first: char) -> Option<(Token, usize)> {
    let digit = |at: usize| rest[at..].starts_with(|c: char| c.is_ascii_digit());
    if first.is_ascii_digit() || first == '-' && digit(1) {
        let length = number_length(rest);
        return Some((Token::Number(rest[..length].to_owned()), length));
    }
    // Not a number: `-f64.inf`.
    if let Some(special) = ["-f16.inf", "-f32.inf", "-f64.inf"].into_iter().find(|s| rest.starts_with(s)) {
        return Some((Token::Number(special.to_owned()), special.len()));
    }
    if first.is_ascii_alphabetic() || first == '_' {
        let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.')).unwrap_or(rest.len());
        return Some((Token::Word(rest[..length].to_owned()), length));
    }
    if first == '"' {
        let length = quoted_length(rest)?;
        return Some((Token::Quoted(rest[1..length - 1].to_owned()), length));
    }
    let symbol = LONG.into_iter().find(|s| rest.starts_with(s)).map_or(first.to_string(), str::to_owned);
    let length = symbol.len();
    Some((Token::Symbol(symbol), length))
}

/// Digits, a point, an exponent, a type.
fn number_length(rest: &str) -> usize {
    let mut before = '-';
    for (at, c) in rest.char_indices() {
        let sign = c == '-' && (at == 0 || before == 'e');
        // `0-9` in a span is two numbers.
        if !(sign || c.is_ascii_alphanumeric() || c == '.') {
            return at;
        }
        before = c;
    }
    rest.len()
}

fn quoted_length(rest: &str) -> Option<usize> {
    let mut escape = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '"' if !escape => return Some(at + 1),
            '\\' => escape = !escape,
            _ => escape = false,
        }
    }
    None
}
