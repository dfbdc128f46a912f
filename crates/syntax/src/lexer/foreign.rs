//! Characters that no token begins with: typographic quotes, Unicode operators, letters of other alphabets and
//! the punctuation of other languages. Each is reported and, where its meaning is plain, understood.

use super::{Lexer, is_name_byte};
use crate::ast::Lit;
use crate::codes;
use crate::token::{self, T};
use base::{Diagnostic, Name};

/// Characters that people write for a token, and the token.
const MEANT: &[(char, &str, T)] = &[
    ('\u{2212}', "-", T::Minus),
    ('\u{2013}', "-", T::Minus),
    ('\u{2014}', "-", T::Minus),
    ('\u{00d7}', "*", T::Star),
    ('\u{2264}', "<=", T::LessEq),
    ('\u{2192}', "->", T::Arrow),
    ('\u{21d2}', "=>", T::FatArrow),
    ('\u{03bb}', "\\", T::Backslash),
    ('\u{2026}', "...", T::ThreeDots),
    ('\u{00ac}', "!", T::Bang),
];

/// Unicode operators that are not tokens.
const MEANT_OPERATORS: &[(char, &str)] = &[('\u{2265}', ">="), ('\u{2260}', "!="), ('\u{00f7}', "/")];

impl Lexer<'_> {
    /// Consumes at least one character.
    pub(super) fn foreign(&mut self) {
        let start = self.pos;
        let Some(c) = self.text[start..].chars().next() else { return };
        self.pos += c.len_utf8();
        if c.is_whitespace() {
            let help = "replace it with an ordinary space";
            self.unknown(start, format!("an unusual space, U+{:04X}", c as u32), help);
        } else if matches!(c, '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{00ab}') {
            self.typographic_string(start);
        } else if let Some((_, text, kind)) = MEANT.iter().find(|(m, ..)| *m == c) {
            self.unknown(start, format!("`{c}` is not an operator"), &format!("write `{text}`"));
            self.push(*kind, start);
        } else if let Some((_, text)) = MEANT_OPERATORS.iter().find(|(m, _)| *m == c) {
            self.unknown(start, format!("`{c}` is not an operator"), &format!("write `{text}`"));
            self.push(T::Op(Name::new(text), token::level_of(text)), start);
        } else if c.is_alphabetic() {
            self.foreign_name(start);
        } else {
            self.junk(start, c);
        }
    }

    fn unknown(&mut self, start: usize, title: String, help: &str) {
        let span = self.span(start, self.pos);
        self.report(Diagnostic::error(codes::UNKNOWN_CHARACTER, title, span, "not understood").help(help));
    }

    /// A string between typographic quotes, up to the closing one or the end of the line.
    fn typographic_string(&mut self, start: usize) {
        let begin = self.pos;
        let closes = |c: char| matches!(c, '\u{201d}' | '\u{201c}' | '\u{00bb}' | '\n' | '"');
        let rest = &self.text[begin..];
        let length = rest.find(closes).unwrap_or(rest.len());
        let closer = rest[length..].chars().next().filter(|c| *c != '\n').map_or(0, char::len_utf8);
        self.pos = begin + length + closer;
        self.unknown(start, "strings are not written with typographic quotes".into(), "write `\"` on both sides");
        self.literal(Lit::Str(rest.as_bytes()[..length].to_vec()), start);
    }

    /// A name with letters of another alphabet: an error, but a name.
    fn foreign_name(&mut self, start: usize) {
        let continues = |c: char| c.is_alphanumeric() || (c.is_ascii() && is_name_byte(c as u8));
        let rest = &self.text[self.pos..];
        self.pos += rest.find(|c| !continues(c)).unwrap_or(rest.len());
        let text = self.text[start..self.pos].to_string();
        self.unknown(
            start,
            format!("`{text}` cannot be a name"),
            "names are made of the letters a to z and A to Z, digits, `_` and `'`",
        );
        self.push(T::Ident(Name::new(&text)), start);
    }

    fn junk(&mut self, start: usize, first: char) {
        // One message for a run of them.
        let rest = &self.text[self.pos..];
        let junk = |c: char| c == first || (!c.is_ascii() && !c.is_alphanumeric() && !c.is_whitespace());
        self.pos += rest.find(|c| !junk(c)).unwrap_or(rest.len());
        let shown = if first.is_control() { format!("U+{:04X}", first as u32) } else { format!("`{first}`") };
        let help = match first {
            ';' => "declarations and bindings need no `;` between them: leave it out",
            '#' => "comments begin with `--`; a constructor is written `#name`, an attribute `#[name]`",
            '@' | '$' => "there is no such operator; a function is applied by writing its argument after it: `f x`",
            '\0' => "is this a program? a text file holds no zero bytes",
            _ => "leave it out",
        };
        self.unknown(start, format!("{shown} means nothing here"), help);
        if first != ';' {
            self.push(T::Error, start);
        }
    }
}
