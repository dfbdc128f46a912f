//! Tokens of the text format.

use crate::FormatError;

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Token<'a> {
    /// A number, `true`, `f32.nan`, a field name: a run of letters, digits and `. - + _ '`.
    Word(&'a str),
    /// The inside of a string literal, escapes unresolved.
    Text(&'a str),
    /// `#name`, without the `#`.
    Constructor(&'a str),
    /// One of `[ ] ( ) { } , = ~ :`.
    Mark(u8),
}

#[derive(Clone)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    pub(super) pos: usize,
    pub(super) line: usize,
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'+' | b'_' | b'\'')
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str, line: usize) -> Lexer<'a> {
        Lexer { text, pos: 0, line }
    }

    fn skip_blanks(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.pos) {
            match byte {
                b'\n' => self.line += 1,
                b'-' if bytes.get(self.pos + 1) == Some(&b'-') => {
                    self.pos += bytes[self.pos..].iter().take_while(|b| **b != b'\n').count();
                    continue;
                }
                _ if byte.is_ascii_whitespace() => {}
                _ => break,
            }
            self.pos += 1;
        }
    }

    /// The next token and its line; none at the end.
    pub(super) fn next(&mut self) -> Result<Option<(Token<'a>, usize)>, FormatError> {
        self.skip_blanks();
        let (start, line) = (self.pos, self.line);
        let Some(&first) = self.text.as_bytes().get(start) else { return Ok(None) };
        let token = match first {
            b'[' | b']' | b'(' | b')' | b'{' | b'}' | b',' | b'=' | b'~' | b':' => {
                self.pos += 1;
                Token::Mark(first)
            }
            b'#' => {
                self.pos += 1;
                Token::Constructor(self.word())
            }
            b'"' => Token::Text(self.string()?),
            _ if is_word(first) => Token::Word(self.word()),
            _ => {
                let what = self.text[start..].chars().next().unwrap_or(' ');
                return Err(FormatError::line(line, format!("{what:?} cannot be part of a value")));
            }
        };
        Ok(Some((token, line)))
    }

    fn word(&mut self) -> &'a str {
        let start = self.pos;
        self.pos += self.text.as_bytes()[start..].iter().take_while(|b| is_word(**b)).count();
        &self.text[start..self.pos]
    }

    fn string(&mut self) -> Result<&'a str, FormatError> {
        let line = self.line;
        let start = self.pos + 1;
        let bytes = self.text.as_bytes();
        let mut end = start;
        while let Some(&byte) = bytes.get(end) {
            match byte {
                b'"' => {
                    self.pos = end + 1;
                    return Ok(&self.text[start..end]);
                }
                b'\n' => self.line += 1,
                b'\\' => end += 1,
                _ => {}
            }
            end += 1;
        }
        Err(FormatError::line(line, "this string has no closing quote"))
    }
}
