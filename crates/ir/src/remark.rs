//! What passes say about their work, for `ravel explain`.
//!
//! A pass leaves a remark where it did something, or did not do what a reader of the program would expect:
//!
//! ```text
//! function.remark(Remark::done(Topic::Fused, stm.span, "this loop also does the work of {}").about(producer.span));
//! function.remark(Remark::not_done(Topic::Fused, stm.span, "the array of {} is built, because it is read twice").about(..));
//! ```
//!
//! Remarks belong to functions: `inline` copies them with the body, and they disappear with functions that nothing calls.
//! A remark about the library has the span [`Span::OF_CALLER`], as its statements do, so it is shown at the user's call.
//! The text is a clause for a newcomer: plain words, no capital at the start, no full stop at the end. Remarks may be
//! repeated; each is shown once. Nothing that a program computes depends on them, and they are not part of Core's text.
//!
//! A remark is done if what its topic names happened: `not_done` with [`Topic::Checked`] says why no check is needed.
//!
//! What is left at the end (loops, checks, copies, allocations) is found by `analysis::loops` and needs no remarks.

use crate::Function;
use base::Span;

/// What a pass did, or why it did not.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Remark {
    /// What it is about.
    pub topic: Topic,
    /// Whether it was done.
    pub done: bool,
    /// The place in the source.
    pub span: Span,
    /// What to say; `{}` stands for the line of one of `others`, in order.
    pub text: String,
    /// Other places that the text mentions.
    pub others: Vec<Span>,
}

/// What a remark is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Topic {
    /// Loops on several threads.
    Parallel,
    /// Loops that became one, and arrays that are not built.
    Fused,
    /// Work that moved out of a loop.
    Hoisted,
    /// Loops that compute several elements at a time.
    Tiled,
    /// Checks that the program makes, or that were removed, merged or moved.
    Checked,
    /// Memory that is copied before it is overwritten.
    Copied,
    /// Memory for arrays.
    Allocated,
}

impl Topic {
    /// Its name in the output of `ravel explain --json`, which never changes.
    pub fn name(self) -> &'static str {
        match self {
            Topic::Parallel => "parallel",
            Topic::Fused => "fused",
            Topic::Hoisted => "hoisted",
            Topic::Tiled => "tiled",
            Topic::Checked => "checked",
            Topic::Copied => "copied",
            Topic::Allocated => "allocated",
        }
    }
}

impl Remark {
    /// Says that something was done.
    pub fn done(topic: Topic, span: Span, text: impl Into<String>) -> Remark {
        Remark { topic, done: true, span, text: text.into(), others: Vec::new() }
    }

    /// Says that something was not done, and why.
    pub fn not_done(topic: Topic, span: Span, text: impl Into<String>) -> Remark {
        Remark { done: false, ..Remark::done(topic, span, text) }
    }

    /// The next `{}` in the text is the line of this place.
    pub fn about(mut self, other: Span) -> Remark {
        self.others.push(other);
        self
    }

    /// The remark in a copy of the function's body: what is shown at the caller is shown at this call.
    pub fn at_call(&self, call: Span) -> Remark {
        let shown = |span: Span| if span == Span::OF_CALLER { call } else { span };
        Remark { span: shown(self.span), others: self.others.iter().copied().map(shown).collect(), ..self.clone() }
    }
}

impl Function {
    /// Adds a remark. One that is repeated at once is added once; comparing with all others would take too long.
    pub fn remark(&mut self, remark: Remark) {
        if self.remarks.last() != Some(&remark) {
            self.remarks.push(remark);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::FileId;

    #[test]
    fn remarks_about_the_library_are_shown_at_the_call() {
        let (call, other) = (Span::new(FileId(1), 5, 9), Span::new(FileId(1), 2, 3));
        let remark = Remark::done(Topic::Fused, Span::OF_CALLER, "with {} and {}").about(other).about(Span::OF_CALLER);
        let shown = remark.at_call(call);
        assert_eq!((shown.span, shown.others), (call, vec![other, call]));
    }
}
