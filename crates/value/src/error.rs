//! Errors in an input, with their place.

use std::fmt;

/// A place in an input; lines count from one, bytes from zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// A line of text.
    Line(usize),
    /// A line and a column of a table; both count from one.
    Cell(usize, usize),
    /// A byte of a binary file.
    Byte(usize),
}

/// Why an input is not a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormatError {
    /// The message.
    pub message: String,
    /// The place.
    pub at: Place,
}

impl FormatError {
    pub(crate) fn line(line: usize, message: impl Into<String>) -> FormatError {
        FormatError { message: message.into(), at: Place::Line(line) }
    }

    pub(crate) fn cell(line: usize, column: usize, message: impl Into<String>) -> FormatError {
        FormatError { message: message.into(), at: Place::Cell(line, column) }
    }

    pub(crate) fn byte(byte: usize, message: impl Into<String>) -> FormatError {
        FormatError { message: message.into(), at: Place::Byte(byte) }
    }
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            Place::Line(n) => write!(f, "line {n}: {}", self.message),
            Place::Cell(line, column) => write!(f, "line {line}, column {column}: {}", self.message),
            Place::Byte(n) => write!(f, "byte {n}: {}", self.message),
        }
    }
}

impl std::error::Error for FormatError {}
