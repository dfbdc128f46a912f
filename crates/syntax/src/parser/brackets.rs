//! Brackets and comma-separated lists, with what to do when they do not close.

use super::Parser;
use crate::codes;
use crate::token::T;
use base::{Diagnostic, Span};

impl Parser<'_> {
    /// Parses the contents of the bracket that opens here. The span includes the brackets.
    pub(super) fn bracketed<R>(&mut self, parse: impl FnOnce(&mut Self) -> R) -> (R, Span) {
        let opener = self.pos;
        let context = std::mem::take(&mut self.context);
        let outer = self.innermost.replace(opener);
        self.bump();
        let result = parse(self);
        self.close(opener);
        self.innermost = outer;
        self.context = context;
        (result, self.since(self.span_of(opener)))
    }

    /// Items separated by commas, up to a closing bracket; a trailing comma is fine.
    pub(super) fn list<R>(&mut self, mut item: impl FnMut(&mut Self) -> R) -> Vec<R> {
        let mut items = Vec::new();
        while !self.kind().is_closer() && !self.at(T::End) {
            let before = self.pos;
            items.push(item(self));
            if !self.at(T::Comma) && self.panicking {
                self.recover(&[T::Comma]);
            }
            if !self.eat(T::Comma) || self.pos == before {
                break;
            }
        }
        items
    }

    /// The items of a tuple in the parentheses that open here; a single item is no tuple, and has no comma.
    pub(super) fn tuple<R>(&mut self, item: impl FnMut(&mut Self) -> R) -> Vec<R> {
        let parse = |p: &mut Self| {
            let items = p.list(item);
            if items.len() == 1 && p.lexed.tokens[p.pos - 1].kind == T::Comma {
                p.tuple_of_one();
            }
            items
        };
        self.bracketed(parse).0
    }

    #[cold]
    pub(super) fn tuple_of_one(&mut self) {
        let title = "a tuple has two elements or more, or none";
        let diagnostic = Diagnostic::error(codes::UNEXPECTED, title, self.prev_span(), "nothing follows this comma");
        self.error(diagnostic.help("leave out the comma"));
        self.panicking = false;
    }

    fn close(&mut self, opener: usize) {
        let Some(closer) = self.lexed.tokens[opener].kind.closer() else { return };
        if let Some(op) = self.section.take() {
            self.no_right_operand(op.span());
        }
        if self.at(closer) && self.partners.of(self.pos) == Some(opener) {
            // An error inside the brackets does not affect the text after them.
            self.panicking = false;
            return self.bump();
        }
        match self.partners.of(opener) {
            Some(partner) if partner >= self.pos => {
                let diagnostic = self.not_closed_here(closer);
                self.error(diagnostic);
                self.pos = partner;
                self.bump();
                self.panicking = false;
            }
            _ => self.never_closed(opener, closer),
        }
    }

    #[cold]
    fn not_closed_here(&self, closer: T) -> Diagnostic {
        match self.kind() {
            T::Equals | T::Arrow | T::FatArrow => self.unexpected_after("expression"),
            T::Comma => self.missing(&format!("`{}`", closer.spelling()), ""),
            T::For if closer == T::RBracket && !self.ravel() => {
                self.missing("`]`", "").help("comprehensions are Ravel: they need a file that ends in `.rv`")
            }
            _ => self.with_lambda_hint(self.missing(&format!("`,` or `{}`", closer.spelling()), "")),
        }
    }

    #[cold]
    fn never_closed(&mut self, opener: usize, closer: T) {
        let text = self.text_of(opener);
        let title = format!("this `{text}` is never closed");
        let noticed = match self.kind() {
            T::End => "the file ends here".into(),
            _ if self.at_stray_closer() => format!("{} does not close it", self.found()),
            _ => format!("`{}` is missing here at the latest", closer.spelling()),
        };
        let diagnostic = Diagnostic::error(codes::UNCLOSED, title, self.span_of(opener), "opened here")
            .label(self.here(), noticed)
            .help(format!("add the closing `{}`", closer.spelling()));
        self.error(diagnostic);
        if self.at_stray_closer() {
            self.bump();
        }
    }

    #[cold]
    pub(super) fn no_right_operand(&mut self, op: Span) {
        let text = &self.text[op.start as usize..op.end as usize];
        let title = format!("`{text}` lacks its right operand");
        let diagnostic = Diagnostic::error(codes::SECTION, title, op, "nothing to combine with")
            .note(format!("only directly in parentheses may an operand be left out: `(x {text})`"));
        self.error(diagnostic);
    }
}
