//! Diagnostics as data: what, where, why, and how to fix it.

use crate::Span;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Severity {
    /// The program is rejected.
    Error,
    /// The program is accepted, but the user should look.
    Warning,
}

/// A place in the source and what there is to say about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// A few words shown at the place.
    pub text: String,
}

/// A message to the user. `code` is stable and has a page `docs/errors/CODE.md`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// Stable code such as `E0101`.
    pub code: &'static str,
    /// One line that says what is wrong.
    pub title: String,
    /// The places involved; the first is the main one.
    pub labels: Vec<Label>,
    /// Why it is wrong, one paragraph each.
    pub notes: Vec<String>,
    /// How to fix it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at a place; `at` is the text shown there.
    pub fn error(code: &'static str, title: impl Into<String>, span: Span, at: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code,
            title: title.into(),
            labels: vec![Label { span, text: at.into() }],
            notes: Vec::new(),
            help: None,
        }
    }

    /// A warning at a place.
    pub fn warning(code: &'static str, title: impl Into<String>, span: Span, at: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, title, span, at) }
    }

    /// Adds a further place.
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Adds a reason.
    pub fn note(mut self, text: impl Into<String>) -> Diagnostic {
        self.notes.push(text.into());
        self
    }

    /// Says how to fix it.
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help = Some(text.into());
        self
    }

    /// The main place.
    pub fn span(&self) -> Span {
        self.labels[0].span
    }
}
