//! What ends an evaluation.

use crate::error::{Frame, RuntimeError};
use base::{FileId, Name, Span};
use fault::{Argument, Message, Site, Text, message};

/// Why an evaluation came back without a value.
pub(super) enum Stop {
    /// The program failed.
    Error(Box<RuntimeError>),
    /// Elements of a recursive array must be computed first; the evaluation of that array then tries again.
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
    let site = site.placed(args);
    let trace = site.shown_calls(args).into_iter().map(|(name, call)| Frame { name, call }).collect();
    RuntimeError { trace, closed: true, ..RuntimeError::new(&site.message, args, site.span) }
}

/// More than fits into memory.
pub(super) fn memory(count: usize, span: Span) -> RuntimeError {
    // Counts are `i64`; one that is larger is shown as the largest.
    let count = count.min(i64::MAX as usize) as i64;
    RuntimeError::new(&message::memory(), &[Argument::Number(count)], span).about_memory()
}

pub(super) fn too_deep(name: Name, span: Span) -> RuntimeError {
    RuntimeError::new(&message::too_deep(name), &[], span)
}

/// An element of an updated array that depends on itself; other arrays have sites for that.
pub(super) fn cycle(array: Name, element: &[i64], note: String, span: Span) -> RuntimeError {
    let message = message::cycle(Text::words(format!("{array}{element:?}"))).note(Text::words(note));
    RuntimeError::new(&message, &[], span)
}

pub(super) fn no_entry(name: &str) -> RuntimeError {
    let message =
        Message { at: Text::words("this program"), ..message::argument(&format!("there is no entry point `{name}`")) };
    RuntimeError::new(&message, &[], nowhere())
}

pub(super) fn argument(why: &str, span: Span) -> RuntimeError {
    RuntimeError::new(&message::argument(&format!("the arguments do not fit: {why}")), &[], span)
}

pub(super) fn argument_count(name: &str, wanted: usize, given: usize, span: Span) -> RuntimeError {
    let title = format!("entry point `{name}` takes {wanted} arguments, not {given}");
    RuntimeError::new(&message::argument(&title), &[], span)
}

/// What cannot happen in Core that is right.
pub(super) fn internal(what: &str, span: Span) -> RuntimeError {
    RuntimeError::new(&message::internal(&format!("Core is wrong: {what}")), &[], span)
}
