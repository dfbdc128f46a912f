//! Text to tokens.

use super::error::ParseError;
use crate::words::{begins_name, continues_name};

/// A token and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind<'a>,
    /// The whole text of it.
    pub(super) text: &'a str,
    /// Its first byte.
    pub(super) start: usize,
}

/// The kinds of tokens.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Kind<'a> {
    /// A name; what it is without backquotes and number.
    Name(&'a str),
    /// A number with its type, if it says it.
    Number,
    /// What stands between quotation marks.
    Text(&'a str),
    /// Anything else.
    Symbol,
    /// The end of the text.
    End,
}

/// Longer ones first.
const SYMBOLS: &[&str] = &[
    ">>>", "**", "//", "%%", "<<", ">>", "==", "!=", "<=", ">=", "&&", "||", "=>", "->", "..", "+", "-", "*", "/", "%",
    "&", "|", "^", "<", ">", "=", "(", ")", "[", "]", "{", "}", ",", ":", ";", "~", "#", "@", ".",
];

/// All tokens, the end included. Comments run from `--` to the end of the line.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, ParseError> {
    let mut lexer = Lexer { text, at: 0 };
    let mut found = Vec::new();
    loop {
        lexer.skip_blank();
        let start = lexer.at;
        let kind = lexer.token()?;
        found.push(Token { kind, text: &text[start..lexer.at], start });
        if kind == Kind::End {
            return Ok(found);
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_blank(&mut self) {
        loop {
            self.skip_while(char::is_whitespace);
            if !self.rest().starts_with("--") {
                return;
            }
            self.skip_while(|c| c != '\n');
        }
    }

    /// What was skipped.
    fn skip_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn token(&mut self) -> Result<Kind<'a>, ParseError> {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Ok(Kind::End) };
        if begins_name(first) {
            let name = self.skip_while(continues_name);
            self.number_of_name();
            return Ok(Kind::Name(name));
        }
        match first {
            '`' => self.quoted('`').map(|name| {
                self.number_of_name();
                Kind::Name(name)
            }),
            '"' => self.quoted('"').map(Kind::Text),
            '0'..='9' => Ok(self.number()),
            '-' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => {
                self.at += 1;
                Ok(self.number())
            }
            _ => self.symbol(),
        }
    }

    /// The `.1` of `x.1`.
    fn number_of_name(&mut self) {
        let digit = |c: char| c.is_ascii_digit();
        if self.rest().strip_prefix('.').is_some_and(|rest| rest.starts_with(digit)) {
            self.at += 1;
            self.skip_while(digit);
        }
    }

    /// Text up to the same mark on the same line; a backslash keeps the next character from ending it.
    fn quoted(&mut self, mark: char) -> Result<&'a str, ParseError> {
        let inside = &self.rest()[1..];
        let mut escaped = false;
        for (i, c) in inside.char_indices() {
            if c == mark && !escaped {
                self.at += i + 2;
                return Ok(&inside[..i]);
            }
            if c == '\n' {
                break;
            }
            escaped = mark == '"' && c == '\\' && !escaped;
        }
        Err(ParseError::new(self.text, self.at, format!("`{mark}` is not closed on this line")))
    }

    fn number(&mut self) -> Kind<'a> {
        let digit = |c: char| c.is_ascii_digit();
        self.skip_while(digit);
        if self.rest().strip_prefix('.').is_some_and(|rest| rest.starts_with(digit)) {
            self.at += 1;
            self.skip_while(digit);
        }
        if let Some(power) = self.rest().strip_prefix('e') {
            let sign = usize::from(power.starts_with('-'));
            if power[sign..].starts_with(digit) {
                self.at += 1 + sign;
                self.skip_while(digit);
            }
        }
        self.skip_while(continues_name);
        Kind::Number
    }

    fn symbol(&mut self) -> Result<Kind<'a>, ParseError> {
        let rest = self.rest();
        match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            Some(symbol) => {
                self.at += symbol.len();
                Ok(Kind::Symbol)
            }
            None => Err(ParseError::new(self.text, self.at, "this character has no meaning here".into())),
        }
    }
}
