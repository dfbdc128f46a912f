//! A run-time error as data, and what else can stop an evaluation.

use crate::data::RecArray;
use base::{Diagnostic, FileId, Name, Span, bug};
use fault::{Argument, Fault, Message};
use std::rc::Rc;

/// How many calls an error remembers. Many of them may lie in the library, or repeat others, and are not shown.
const MOST_FRAMES: usize = 4096;

/// One call that was under way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// The function called.
    pub name: Name,
    /// Where it was called.
    pub call: Span,
}

/// Why a program could not go on. The program or its input is to blame, except for [`Fault::Internal`].
#[derive(Clone, PartialEq, Debug)]
pub struct RuntimeError {
    /// Which fault it is.
    pub fault: Fault,
    /// One line with the values and shapes involved.
    pub title: String,
    /// The place.
    pub span: Span,
    /// A few words shown at the place.
    pub at: String,
    /// More about it, one paragraph each.
    pub notes: Vec<String>,
    /// What to do about it.
    pub help: Option<String>,
    /// The calls under way, innermost first; long traces are cut.
    pub trace: Vec<Frame>,
    /// Whether calls further out have nothing to do with it.
    pub closed: bool,
    /// The message and its arguments if it has other words for calls of library functions.
    pub elements: Option<Box<(Message, Vec<Argument>)>>,
}

impl RuntimeError {
    /// A message at a place, with the values for its gaps.
    pub fn new(message: &Message, args: &[Argument], span: Span) -> RuntimeError {
        let Diagnostic { title, notes, help, .. } = message.diagnostic(span, args);
        let (fault, at) = (message.fault, message.at.fill(args));
        let elements = message.speaks_of_indices().then(|| Box::new((message.clone(), args.to_vec())));
        RuntimeError { fault, title, span, at, notes, help, trace: Vec::new(), closed: false, elements }
    }

    /// Adds the limit on memory, and how to change it.
    pub(crate) fn about_memory(mut self) -> RuntimeError {
        if let Some(note) = base::memory::note(base::memory::limit()) {
            self.notes.push(note);
            self.help = Some(base::memory::HELP.to_owned());
        }
        self
    }

    /// As a message. Its main place is the innermost one in a file of the user's: an index that goes wrong inside the
    /// library is shown where the library was called.
    pub fn to_diagnostic(&self, of_user: impl Fn(FileId) -> bool) -> Diagnostic {
        let call = self.trace.iter().find(|f| of_user(f.call.file)).filter(|_| !of_user(self.span.file));
        let span = call.map_or(self.span, |frame| frame.call);
        let mut diagnostic = Diagnostic::error(self.fault.code(), self.title.clone(), span, self.at.clone());
        diagnostic.notes = self.notes.clone();
        if let Some(frame) = call {
            self.in_library(frame.name, &mut diagnostic);
        }
        let calls = self.trace.iter().filter(|f| of_user(f.call.file)).map(|f| (f.name, f.call));
        for (name, call) in fault::calls::shown_calls(calls, span) {
            diagnostic = diagnostic.label(call, format!("in the call of `{name}`"));
        }
        diagnostic.help = self.help.clone();
        diagnostic
    }
}

impl RuntimeError {
    /// What [`Message::in_call`] says in compiled code.
    fn in_library(&self, function: Name, diagnostic: &mut Diagnostic) {
        let innermost = self.trace.first().map_or(function, |frame| frame.name);
        match self.elements.as_deref() {
            Some((message, args)) => {
                let Diagnostic { title, labels, notes, .. } =
                    message.clone().inside(innermost).in_call(function).diagnostic(diagnostic.labels[0].span, args);
                (diagnostic.title, diagnostic.labels, diagnostic.notes) = (title, labels, notes);
            }
            None => diagnostic.labels[0].text.push_str(&self.fault.in_function(function)),
        }
    }
}

impl std::fmt::Display for RuntimeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.title)?;
        self.notes.iter().try_for_each(|note| write!(f, "\n{note}"))
    }
}

impl std::error::Error for RuntimeError {}

/// Why an evaluation came back without a value.
pub(crate) enum Stop {
    /// The program failed.
    Error(Box<RuntimeError>),
    /// An element of a recursive array must be computed first; the evaluation of that array then tries again.
    Need(Box<Need>),
}

/// An element that was asked for before it was there.
pub(crate) struct Need {
    /// Of which array.
    pub array: Rc<RecArray>,
    /// The instance of a clause that defines it.
    pub instance: u32,
}

/// The result of evaluating something.
pub(crate) type Eval<T> = Result<T, Stop>;

impl Stop {
    /// It happened while the constant was computed that is defined here. That is done once: who used it first does not
    /// matter.
    #[cold]
    pub fn in_constant(mut self, definition: Span) -> Stop {
        if let Stop::Error(error) = &mut self {
            error.trace.pop_if(|frame| frame.call == definition);
            error.closed = true;
        }
        self
    }

    /// Remembers a call that was under way.
    #[cold]
    pub fn in_call(mut self, name: Name, call: Span) -> Stop {
        if let Stop::Error(error) = &mut self
            && !error.closed
            && error.trace.len() < MOST_FRAMES
            && error.trace.last().is_none_or(|frame| frame.name != name || frame.call != call)
        {
            error.trace.push(Frame { name, call });
        }
        self
    }
}

impl From<RuntimeError> for Stop {
    fn from(error: RuntimeError) -> Stop {
        Stop::Error(Box::new(error))
    }
}

impl From<Stop> for Box<RuntimeError> {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Error(error) => error,
            // The evaluation of a recursive array computes every element it needs, and encloses all uses of it.
            Stop::Need(need) => bug!("an element of `{}` is needed outside of its definition", need.array.name),
        }
    }
}
