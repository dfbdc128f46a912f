//! The messages that several productions share, and guesses at what a newcomer meant.

use super::Parser;
use crate::codes;
use crate::token::{self, T};
use base::{Diagnostic, Span};

impl Parser<'_> {
    /// The current token as messages call it.
    pub(super) fn found(&self) -> String {
        match self.kind() {
            T::End => "the end of the file".into(),
            kind => {
                let text = self.text_of(self.pos);
                let word = if token::is_word(kind) { "the word " } else { "" };
                match text.char_indices().nth(30) {
                    Some((end, _)) => format!("{word}`{}...`", &text[..end]),
                    None => format!("{word}`{text}`"),
                }
            }
        }
    }

    /// Where to point for something missing: the current token, or after the last one at the end of the file.
    pub(super) fn here(&self) -> Span {
        if self.at(T::End) { self.prev_span().after() } else { self.span() }
    }

    /// "expected X after Y, found Z".
    #[cold]
    pub(super) fn missing(&self, wanted: &str, place: &str) -> Diagnostic {
        let place = if place.is_empty() { String::new() } else { format!(" {place}") };
        let title = format!("expected {wanted}{place}, found {}", self.found());
        Diagnostic::error(codes::UNEXPECTED, title, self.here(), format!("expected {wanted}"))
    }

    /// For an unexpected token after an expression: what may have been meant.
    #[cold]
    pub(super) fn unexpected_after(&self, what: &str) -> Diagnostic {
        let found = self.found();
        let span = self.here();
        match self.kind() {
            T::Equals if what == "declaration" => {
                self.binding_without_let().or_else(|| self.assignment()).unwrap_or_else(|| self.equals())
            }
            T::Equals => self.equals(),
            T::Arrow | T::FatArrow => {
                Diagnostic::error(codes::LAMBDA, format!("{found} without a function's parameters"), span, "unexpected")
                    .help("a function is written `\\x y -> result`")
            }
            kind if kind.is_closer() => {
                let title = format!("{found} closes nothing");
                Diagnostic::error(codes::STRAY_CLOSER, title, span, "no bracket is open here")
                    .help("remove it, or open the bracket it belongs to")
            }
            T::Comma if what == "declaration" => {
                self.after(what, &found, span).help("a tuple is written in parentheses: `(a, b)`")
            }
            T::Semicolon => {
                self.after(what, &found, span).help("leave it out; bindings are `let x = a let y = b in ...`")
            }
            T::If => self.after(what, &found, span).help("a choice is written `if c then a else b`"),
            T::Question => self.after(what, &found, span).help("in place of `c ? a : b` write `if c then a else b`"),
            T::Op(..) if found.starts_with("`->") => {
                self.after(what, &found, span).help("this is one operator: put a space after `->`")
            }
            _ => self.with_lambda_hint(self.after(what, &found, span)),
        }
    }

    fn equals(&self) -> Diagnostic {
        let at = "a definition is not possible here";
        Diagnostic::error(codes::EQUALS, "`=` does not compare", self.here(), at)
            .help("to compare two values, write `==`")
    }

    /// `a[i] = e`, or `do x = e` in a loop: how a new value is given here.
    fn assignment(&self) -> Option<Diagnostic> {
        let last = self.pos.checked_sub(1)?;
        let first = match self.partners.of(last) {
            Some(opener) if self.lexed.tokens[opener].kind == T::Index => opener.checked_sub(1)?,
            Some(opener) => opener,
            None => last,
        };
        let text =
            |from: usize, to: usize| &self.text[self.span_of(from).start as usize..self.span_of(to).end as usize];
        if !self.same_line(self.span_of(first)) {
            return None;
        }
        let named = matches!(self.lexed.tokens[first].kind, T::Ident(_));
        let help = match self.partners.of(last) {
            Some(opener) if opener > first && named => format!(
                "an array with another element is `{name} with {at} = value`; to go on with it under the same name, \
                 write `let {name}{at} = value in ...`",
                name = self.text_of(first),
                at = text(opener, last),
            ),
            _ if self.lexed.tokens[first.checked_sub(1)?].kind == T::Do => {
                let vars = text(first, last);
                format!("the body of a loop is the next value of `{vars}`: leave out `{vars} =`")
            }
            _ => return None,
        };
        let at = "a definition is not possible here";
        Some(Diagnostic::error(codes::EQUALS, "`=` does not assign", self.here(), at).help(help))
    }

    fn after(&self, what: &str, found: &str, span: Span) -> Diagnostic {
        let title = format!("{found} cannot follow this {what}");
        Diagnostic::error(codes::UNEXPECTED, title, span, "unexpected")
    }

    /// Adds what to write instead of another language's lambda, if one seems to be around.
    pub(super) fn with_lambda_hint(&self, diagnostic: Diagnostic) -> Diagnostic {
        match self.lambda_word {
            Some(span) if diagnostic.help.is_none() && self.same_line(span) => {
                diagnostic.label(span, "this is an ordinary name").help("a function is written `\\x y -> result`")
            }
            _ => diagnostic,
        }
    }

    fn same_line(&self, from: Span) -> bool {
        let between = from.start as usize..(self.span().start as usize).max(from.start as usize);
        between.len() < 200 && !self.text[between].contains('\n')
    }

    #[cold]
    pub(super) fn no_expression(&mut self) {
        let found = self.found();
        let error =
            |title: String| Diagnostic::error(codes::NO_EXPRESSION, title, self.here(), "an expression goes here");
        let plain = format!("expected an expression, found {found}");
        let diagnostic = match self.kind() {
            T::Quote => error(plain).help("text is written in double quotes: `\"abc\"`; a character as `'a'`"),
            T::Def | T::Entry | T::Type | T::Module | T::Open | T::Local => {
                error(format!("expected an expression, but {found} begins a declaration"))
                    .help("inside an expression, use `let ... in ...`")
            }
            T::For if self.ravel() => {
                error(plain).help("a loop is written `loop x = start for i < n do ...`, an array `[e for i < n]`")
            }
            T::For => error(plain).help("a loop is written `loop x = start for i < n do ...`"),
            T::While => error(plain).help("a loop is written `loop x = start while condition do ...`"),
            T::Case => error(plain).help("a choice by patterns is written `match e case pattern -> value case ...`"),
            T::Tilde => error(plain).help("`!` negates: `!x`"),
            T::Underscore => error(plain)
                .note("`_` is a pattern: it takes a value and forgets it")
                .help("for a part still to be written, use the hole `???`"),
            T::Op(..) | T::Star | T::Less | T::LessEq | T::Hat | T::Bar => {
                error(format!("{found} lacks its left operand"))
                    .help(format!("as a function, write it in parentheses: `({})`", self.text_of(self.pos)))
            }
            _ => error(plain),
        };
        let diagnostic = self.with_lambda_hint(diagnostic);
        self.error(diagnostic);
    }
}
