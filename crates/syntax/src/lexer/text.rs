//! Character and string literals, their escapes, and the quotes of type parameters.

use super::Lexer;
use crate::ast::Lit;
use crate::codes;
use crate::token::T;
use base::Diagnostic;

impl Lexer<'_> {
    /// `'a'` is a character; `'a`, `'~a`, `'^a` begin a type parameter.
    pub(super) fn quote(&mut self) {
        let start = self.pos;
        let mut rest = self.text[start + 1..].chars();
        match (rest.next(), rest.next()) {
            (Some('\\'), _) => self.escaped_character(start),
            (Some('\''), _) => {
                self.pos += 2;
                let span = self.span(start, self.pos);
                self.report(
                    Diagnostic::error(codes::BAD_CHARACTER, "an empty character literal", span, "nothing between")
                        .help("write one character, or `\"\"` for an empty string"),
                );
                self.literal(Lit::Char(0), start);
            }
            (Some(c), Some('\'')) if c != '\n' => {
                self.pos += 2 + c.len_utf8();
                self.literal(Lit::Char(c as u32), start);
            }
            (Some('^'), _) => self.take(T::QuoteHat, 2),
            (Some('~'), _) => self.take(T::QuoteTilde, 2),
            _ => self.take(T::Quote, 1),
        }
    }

    fn escaped_character(&mut self, start: usize) {
        self.pos += 1;
        let value = self.escape().map_or(0, |c| c as u32);
        if self.peek(0) == b'\'' {
            self.pos += 1;
        } else {
            let span = self.span(start, self.pos);
            self.report(
                Diagnostic::error(codes::BAD_CHARACTER, "this character literal is not closed", span, "no closing `'`")
                    .help("a character literal holds one character: `'\\n'`; longer text is written `\"...\"`"),
            );
        }
        self.literal(Lit::Char(value), start);
    }

    pub(super) fn string(&mut self) {
        let start = self.pos;
        self.pos += 1;
        let mut bytes = Vec::new();
        loop {
            let Some(c) = self.text[self.pos..].chars().next().filter(|c| *c != '\n') else {
                self.unclosed_string(start);
                break;
            };
            match c {
                '"' => {
                    self.pos += 1;
                    break;
                }
                '\\' => {
                    let escaped = self.escape();
                    bytes.extend(escaped.iter().flat_map(|c| c.to_string().into_bytes()));
                }
                _ => {
                    self.pos += c.len_utf8();
                    bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
            }
        }
        self.literal(Lit::Str(bytes), start);
    }

    fn unclosed_string(&mut self, start: usize) {
        let span = self.span(start, start + 1);
        let end = self.span(self.pos, self.pos);
        self.report(
            Diagnostic::error(codes::UNCLOSED_STRING, "this string is not closed", span, "it begins here")
                .label(end, "and the line ends here")
                .help("close it with `\"`; a line break inside a string is written `\\n`"),
        );
    }

    /// Reads an escape from its backslash on; `None` for the empty `\&` and for what is not an escape.
    fn escape(&mut self) -> Option<char> {
        let start = self.pos;
        self.pos += 1;
        let c = self.text[self.pos..].chars().next()?;
        if c.is_ascii_digit() {
            return self.code_point(start, 10);
        }
        if c == '\n' {
            return self.unknown_escape(start);
        }
        self.pos += c.len_utf8();
        Some(match c {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'a' => '\x07',
            'b' => '\x08',
            'f' => '\x0c',
            'v' => '\x0b',
            '\\' | '\'' | '"' => c,
            '&' => return None,
            'x' | 'X' if self.peek(0).is_ascii_hexdigit() => return self.code_point(start, 16),
            'o' | 'O' if matches!(self.peek(0), b'0'..=b'7') => return self.code_point(start, 8),
            '^' if matches!(self.peek(0), b'@'..=b'_') => {
                self.pos += 1;
                (self.bytes[self.pos - 1] - b'@') as char
            }
            _ => return self.unknown_escape(start),
        })
    }

    /// `\65`, `\x41`, `\o101`: a character by its number.
    fn code_point(&mut self, start: usize, base: u32) -> Option<char> {
        let begin = self.pos;
        while (self.peek(0) as char).is_digit(base) {
            self.pos += 1;
        }
        let value = u32::from_str_radix(&self.text[begin..self.pos], base).ok().and_then(char::from_u32);
        if value.is_none() {
            let span = self.span(start, self.pos);
            self.report(
                Diagnostic::error(codes::BAD_ESCAPE, "no character has this number", span, "not a Unicode character")
                    .note("characters are numbered from 0 to 1114111 (hexadecimal 10ffff)"),
            );
        }
        value
    }

    fn unknown_escape(&mut self, start: usize) -> Option<char> {
        let text = &self.text[start..self.pos];
        let title = format!("`{}` is not an escape", text.escape_debug().to_string().replace("\\\\", "\\"));
        let diagnostic = Diagnostic::error(codes::BAD_ESCAPE, title, self.span(start, self.pos), "unknown escape");
        self.report(
            diagnostic
                .note("the escapes are \\n \\t \\r \\a \\b \\f \\v \\\\ \\\" \\' and numbers such as \\65 or \\x41")
                .help("for a backslash itself, write two: `\\\\`"),
        );
        None
    }
}
