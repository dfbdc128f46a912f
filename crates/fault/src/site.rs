//! A message at a place in the source.

use crate::calls::{CALL_BITS, KEPT_CALLS, kept_calls, shown_calls};
use crate::{Argument, Message};
use base::{Diagnostic, Name, Span};

/// The message of a check, and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    /// The message.
    pub message: Message,
    /// The place.
    pub span: Span,
    /// Active calls that are known at compile time, innermost first: the function called, and the place of the call.
    pub calls: Vec<Call>,
    /// The calls that may have led to those. If there are any, the last argument of the check says which of them are
    /// active, see [`crate::calls`].
    pub callers: Vec<Caller>,
    /// Whether the place is in the library, so that the message is shown at the innermost call instead.
    pub inside: bool,
    /// Whether the check stays even if nothing uses the values that rely on it: that the lengths of sequences agree which
    /// a comprehension walks through together must be checked even if one of them is not read. By default
    /// [`Fault::must_stay`](crate::Fault::must_stay).
    pub stays: bool,
}

/// A function that was called, and where.
pub type Call = (Name, Span);

/// A call that compiled code knows by a number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Caller {
    /// The number, at least 1.
    pub number: u16,
    /// The call.
    pub call: Call,
}

impl Site {
    /// A message at a place, without calls.
    pub fn new(message: Message, span: Span) -> Site {
        let stays = message.fault.must_stay();
        Site { message, span, calls: Vec::new(), callers: Vec::new(), inside: false, stays }
    }

    /// How many arguments the message needs.
    pub fn arity(&self) -> usize {
        self.message.arity()
    }

    /// The site as it is shown for a check inside of this call.
    pub fn at_call(&self, (name, span): Call) -> Site {
        Site { message: self.message.clone().in_call(name), span, inside: false, ..self.clone() }
    }

    /// The site of a check whose callers are known: those in this word, see [`crate::calls`].
    pub fn called_by(&self, word: i64) -> Site {
        let calls = kept_calls(self.calls_under_way(&[Argument::Number(word)]));
        Site { calls, callers: Vec::new(), ..self.clone() }.placed(&[])
    }

    /// The site at the place where it is shown.
    pub fn placed(&self, arguments: &[Argument]) -> Site {
        let innermost = if self.inside { self.calls_under_way(arguments).into_iter().next() } else { None };
        innermost.map_or_else(|| self.clone(), |call| self.at_call(call))
    }

    /// The active calls that are shown.
    pub fn shown_calls(&self, arguments: &[Argument]) -> Vec<Call> {
        shown_calls(self.calls_under_way(arguments), self.span)
    }

    /// The active calls, innermost first: those known at compile time, then those that the last argument lists.
    fn calls_under_way(&self, arguments: &[Argument]) -> Vec<Call> {
        let word = match arguments.last() {
            Some(Argument::Number(word)) => *word as u64,
            _ => 0,
        };
        let numbers = (0..KEPT_CALLS as u32).map(|i| (word >> (i * CALL_BITS)) as u16);
        let called = numbers.filter_map(|n| self.callers.iter().find(|c| c.number == n)).map(|c| c.call);
        self.calls.iter().copied().chain(called).collect()
    }

    /// The same message at a part of the place; unchanged if the span is not a part of it.
    pub fn narrowed(&self, span: Span) -> Site {
        let inside = self.span.file == span.file && self.span.start <= span.start && span.end <= self.span.end;
        Site { span: if inside { span } else { self.span }, ..self.clone() }
    }

    /// The message with its gaps filled.
    pub fn diagnostic(&self, arguments: &[Argument]) -> Diagnostic {
        let placed = self.placed(arguments);
        let mut diagnostic = placed.message.diagnostic(placed.span, arguments);
        for (name, call) in placed.shown_calls(arguments) {
            diagnostic = diagnostic.label(call, format!("in the call of `{name}`"));
        }
        diagnostic
    }
}
