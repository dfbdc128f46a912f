//! What ends an evaluation.

use crate::error::{Frame, RuntimeError};
use base::site::{Argument, Site};
use base::{FileId, Name, Span};

/// Why an evaluation came back without a value.
pub(super) enum Stop {
    /// The program failed.
    Error(Box<RuntimeError>),
    /// Elements of a recursive array must be computed first; whoever computes that array tries again then.
    Need(Box<Need>),
}

/// Elements that were asked for before they were there.
pub(super) struct Need {
    /// Of which group of arrays: its place among those under way.
    pub serial: usize,
    /// The instances that define them.
    pub instances: Vec<usize>,
}

/// The result of evaluating something.
pub(super) type Run<T> = Result<T, Stop>;

impl From<RuntimeError> for Stop {
    fn from(error: RuntimeError) -> Stop {
        Stop::Error(Box::new(error))
    }
}

/// The place of what has none.
pub(super) fn nowhere() -> Span {
    Span::new(FileId(0), 0, 0)
}

/// A check that failed.
pub(super) fn at_site(site: &Site, args: &[Argument]) -> RuntimeError {
    let diagnostic = site.diagnostic(args);
    let site = site.placed(args);
    RuntimeError {
        code: site.code,
        title: diagnostic.title,
        span: site.span,
        at: site.at.fill(args),
        notes: diagnostic.notes,
        help: diagnostic.help,
        trace: site.shown_calls(args).into_iter().map(|(name, call)| Frame { name, call }).collect(),
        closed: true,
    }
}

/// More than fits into memory.
pub(super) fn memory(count: usize, span: Span) -> RuntimeError {
    // Counts are `i64`; one that is larger is shown as the largest.
    let count = count.min(i64::MAX as usize);
    RuntimeError::new("R024", format!("not enough memory for an array of {count} elements"), span, "made here")
        .about_memory()
}

pub(super) fn too_deep(name: Name, span: Span) -> RuntimeError {
    let title = format!("recursion too deep: the stack is full in a call of `{name}`");
    RuntimeError::new("R018", title, span, "called here").help("check that the recursion ends; a `loop` needs no stack")
}

/// An element of an updated array that depends on itself; other arrays have sites for that.
pub(super) fn cycle(array: &str, element: &[i64], note: String, span: Span) -> RuntimeError {
    let title = format!("element {array}{element:?} depends on itself");
    let error = RuntimeError::new("R016", title, span, "its value is computed here")
        .help("read only elements that come earlier in some order, or define this one by a clause of its own");
    if note.is_empty() { error } else { error.note(note) }
}

pub(super) fn no_entry(name: &str) -> RuntimeError {
    RuntimeError::new("R022", format!("there is no entry point `{name}`"), nowhere(), "this program")
}

pub(super) fn argument(why: &str, span: Span) -> RuntimeError {
    RuntimeError::new("R022", format!("the arguments do not fit: {why}"), span, "this entry point")
}

pub(super) fn argument_count(name: &str, wanted: usize, given: usize, span: Span) -> RuntimeError {
    let title = format!("entry point `{name}` takes {wanted} arguments, not {given}");
    RuntimeError::new("R022", title, span, "this entry point")
}

/// What cannot happen in Core that is right.
pub(super) fn internal(what: &str, span: Span) -> RuntimeError {
    RuntimeError::new("R099", format!("Core is wrong: {what}"), span, "while evaluating this")
        .help("this is a mistake in Ravel, not in the program; please report it")
}
