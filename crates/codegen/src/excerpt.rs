//! Places of the source, as messages show them.

use base::Span;

/// How to show a place of the source.
pub type Locate<'a> = dyn Fn(Span) -> Excerpt + 'a;

/// A place of the source, as text.
#[derive(Clone, Debug)]
pub struct Excerpt {
    /// File, line and column.
    pub place: String,
    /// The line itself, if there is one: its number, its text, and the columns to mark in it, from 0.
    pub line: Option<(usize, String, std::ops::Range<usize>)>,
}
