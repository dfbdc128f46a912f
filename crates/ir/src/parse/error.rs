//! What is wrong with a text.

use std::fmt;

/// Why a text is not Core.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// Counted from one.
    pub line: usize,
    /// In characters, counted from one.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl ParseError {
    pub(super) fn new(text: &str, at: usize, message: String) -> ParseError {
        let before = &text[..at];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        ParseError { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1, message }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}
