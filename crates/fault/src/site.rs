//! A message at a place in the source.

use crate::calls::{CALL_BITS, KEPT_CALLS, shown_calls};
use crate::{Argument, Message};
use base::{Diagnostic, Name, Span};

/// What a check says and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    /// What it says.
    pub message: Message,
    /// The place.
    pub span: Span,
    /// Calls that were under way and are known beforehand: the function called and where, innermost first.
    pub calls: Vec<Call>,
    /// The calls that may have led to those. If there are any, the last argument says which of them did, see
    /// [`crate::calls`].
    pub callers: Vec<Caller>,
    /// Whether the place is in code that is shown where it was called: the innermost call is where to look.
    pub inside: bool,
}

/// A function that was called, and where.
pub type Call = (Name, Span);

/// A call that the run knows by a number.
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
        Site { message, span, calls: Vec::new(), callers: Vec::new(), inside: false }
    }

    /// How many arguments the message needs.
    pub fn arity(&self) -> usize {
        self.message.arity()
    }

    /// The site as it is shown if it is inside of this call.
    pub fn at_call(&self, (name, span): Call) -> Site {
        Site { message: self.message.clone().in_call(name), span, inside: false, ..self.clone() }
    }

    /// The site at the place where it is shown.
    pub fn placed(&self, arguments: &[Argument]) -> Site {
        let innermost = if self.inside { self.calls_under_way(arguments).into_iter().next() } else { None };
        innermost.map_or_else(|| self.clone(), |call| self.at_call(call))
    }

    /// The calls under way that are shown.
    pub fn shown_calls(&self, arguments: &[Argument]) -> Vec<Call> {
        shown_calls(self.calls_under_way(arguments), self.span)
    }

    /// The calls under way, innermost first: those known beforehand, then those that the last argument lists.
    fn calls_under_way(&self, arguments: &[Argument]) -> Vec<Call> {
        let word = match arguments.last() {
            Some(Argument::Number(word)) => *word as u64,
            _ => 0,
        };
        let numbers = (0..KEPT_CALLS as u32).map(|i| (word >> (i * CALL_BITS)) as u16);
        let called = numbers.filter_map(|n| self.callers.iter().find(|c| c.number == n)).map(|c| c.call);
        self.calls.iter().copied().chain(called).collect()
    }

    /// The same words at a part of the place; unchanged if the span is no part of it.
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
