//! One value after another, as text, binary or `.npy`, as programs find them on standard input.

use crate::text::Reader;
use crate::{FormatError, Place, Value, ValueType, binary, npy};

/// Reads values from bytes; text, binary values and `.npy` files may follow one another.
pub struct Values<'a> {
    bytes: &'a [u8],
    pos: usize,
    line: usize,
    /// The text found last and where it starts; kept so that each byte is checked once.
    text: &'a str,
    text_start: usize,
}

impl<'a> Values<'a> {
    /// A reader from the start of some bytes.
    pub fn new(bytes: &'a [u8]) -> Values<'a> {
        Values { bytes, pos: 0, line: 1, text: "", text_start: 0 }
    }

    /// The byte behind the last value read.
    pub fn position(&self) -> usize {
        self.pos
    }

    /// The line of the next value, as far as blanks were skipped; counted from one.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Whether nothing but blanks and comments is left.
    pub fn is_at_end(&mut self) -> bool {
        self.skip_blanks();
        self.pos == self.bytes.len()
    }

    /// The next value, of the expected type if one is given; none at the end. After an error
    /// there are no more values.
    pub fn next_value(&mut self, expected: Option<&ValueType>) -> Option<Result<Value, FormatError>> {
        if self.is_at_end() {
            return None;
        }
        let rest = &self.bytes[self.pos..];
        let value = if npy::is_npy(rest) {
            self.packed(expected, |bytes| npy::read_first(bytes, expected))
        } else if binary::is_binary(rest) {
            self.packed(expected, binary::read)
        } else {
            self.text(expected)
        };
        if value.is_err() {
            self.pos = self.bytes.len();
        }
        Some(value)
    }

    /// A value in a format that says itself how long it is.
    fn packed(
        &mut self,
        expected: Option<&ValueType>,
        read: impl Fn(&[u8]) -> Result<(Value, usize), FormatError>,
    ) -> Result<Value, FormatError> {
        let start = self.pos;
        let (value, taken) = read(&self.bytes[start..]).map_err(|e| match e.at {
            Place::Byte(n) => FormatError { at: Place::Byte(start + n), ..e },
            Place::Line(_) | Place::Cell(..) => e,
        })?;
        self.pos += taken;
        match expected {
            Some(expected) => value.fit(expected).map_err(|message| FormatError::byte(start, message)),
            None => Ok(value),
        }
    }

    fn text(&mut self, expected: Option<&ValueType>) -> Result<Value, FormatError> {
        if self.text_start + self.text.len() <= self.pos {
            let rest = &self.bytes[self.pos..];
            let length = std::str::from_utf8(rest).map_or_else(|e| e.valid_up_to(), str::len);
            self.text = std::str::from_utf8(&rest[..length]).unwrap_or("");
            self.text_start = self.pos;
        }
        let text = self.text.get(self.pos - self.text_start..).unwrap_or("");
        let mut reader = Reader::at_line(text, self.line);
        match reader.next() {
            Some(parsed) => {
                let value = parsed?.to_value(expected)?;
                self.pos += reader.position();
                self.line = reader.line();
                Ok(value)
            }
            None => {
                Err(FormatError::byte(self.text_start + self.text.len(), "this is neither text nor a binary value"))
            }
        }
    }

    fn skip_blanks(&mut self) {
        while let Some(&byte) = self.bytes.get(self.pos) {
            if byte == b'\n' {
                self.line += 1;
            } else if self.bytes[self.pos..].starts_with(b"--") {
                self.pos += self.bytes[self.pos..].iter().take_while(|b| **b != b'\n').count();
                continue;
            } else if !byte.is_ascii_whitespace() {
                break;
            }
            self.pos += 1;
        }
    }
}
