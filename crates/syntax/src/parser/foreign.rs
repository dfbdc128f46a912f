//! `if` and assignments as other languages write them. Each is reported once, and the parser goes on with what was
//! meant.

use super::Parser;
use super::node::node;
use crate::ast::{Expr, ExprKind};
use crate::codes;
use crate::token::T;
use base::{Diagnostic, Span};

/// How another language goes on after the condition of `if`.
pub(super) enum ForeignIf {
    /// `if c: a else: b`.
    Colon,
    /// `if (c) { a } else { b }`: where the first brace opens.
    Braces(usize),
}

impl Parser<'_> {
    /// Whether this `if` is written as in Python or C: a `:` or a block in braces before any `then`.
    pub(super) fn foreign_if(&mut self) -> Option<ForeignIf> {
        let mut colon = None;
        let mut at = self.pos + 1;
        while self.search_budget > 0 {
            self.search_budget -= 1;
            let kind = self.lexed.tokens[at].kind;
            let partner = self.partners.of(at).filter(|p| *p > at);
            match kind {
                T::Then => return None,
                T::LBrace if partner.is_some_and(|p| self.lexed.tokens[p + 1].kind == T::Else) => {
                    return Some(ForeignIf::Braces(at));
                }
                T::Colon => colon = Some(ForeignIf::Colon),
                T::Else | T::End | T::If | T::Let | T::In | T::Semicolon => return colon,
                kind if kind.is_closer() || kind.only_declares() || self.is_elif(at) => return colon,
                _ => {}
            }
            at = partner.unwrap_or(at) + 1;
        }
        None
    }

    /// `if c` up to where `then` belongs, with `:` in its place.
    pub(super) fn condition_and_colon(&mut self, report: bool) -> Expr {
        let cond = self.exp_without_type();
        if self.at(T::Equals) {
            let diagnostic = self.unexpected_after("expression");
            self.error(diagnostic);
            self.bump();
            self.exp_without_type();
        } else if report {
            let shown = self.short_text(cond.span).unwrap_or("c");
            let title = "the value of an `if` follows `then`, not `:`";
            let help = format!("write `if {shown} then a else b`");
            self.error(Diagnostic::error(codes::FOREIGN_IF, title, self.here(), "expected `then`").help(help));
        }
        self.panicking = false;
        self.eat(T::Colon);
        cond
    }

    /// `if (c) { a } else { b }`: reported and skipped.
    #[cold]
    pub(super) fn if_with_braces(&mut self, brace: usize) -> Expr {
        let start = self.span();
        let cond = Span { end: self.span_of(brace - 1).end, ..self.span_of(self.pos + 1) };
        let shown = self.short_text(cond).unwrap_or("c");
        let title = "the values of an `if` follow `then` and `else`, without braces";
        let help = format!("write `if {shown} then a else b`");
        self.error(Diagnostic::error(codes::FOREIGN_IF, title, self.span_of(brace), "expected `then`").help(help));
        self.pos = brace;
        while let Some(closer) = self.partners.of(self.pos) {
            self.pos = closer;
            self.bump();
            if !self.eat(T::Else) {
                break;
            }
            if self.at(T::If) {
                match self.foreign_if() {
                    Some(ForeignIf::Braces(next)) => self.pos = next,
                    _ => drop(self.exp()),
                }
            }
            if !self.at(T::LBrace) {
                break;
            }
        }
        self.panicking = false;
        node(self.since(start), ExprKind::Error)
    }

    /// `match x with | a -> b`, `match x { a => b }`: where it goes wrong, if there is no `case`.
    pub(super) fn foreign_match(&mut self) -> Option<usize> {
        let mut wrong = None;
        let mut at = self.pos;
        while self.search_budget > 0 {
            self.search_budget -= 1;
            let kind = self.lexed.tokens[at].kind;
            match kind {
                T::Case => return None,
                T::With | T::LBrace if wrong.is_none() => wrong = Some(at),
                T::Let | T::In | T::Then | T::Else | T::Match => return None,
                kind if kind == T::End || kind.is_closer() || kind.only_declares() => return wrong,
                _ => {}
            }
            at = self.partners.of(at).map_or(at, |p| p.max(at)) + 1;
        }
        None
    }

    /// Reports such a `match` and skips it.
    #[cold]
    pub(super) fn match_of_another_language(&mut self, start: Span, wrong: usize) -> Expr {
        let title = "the cases of a `match` begin with `case`";
        let diagnostic = Diagnostic::error(codes::NO_CASE, title, self.span_of(wrong), "expected `case`")
            .label(start, "this `match` has no cases")
            .help("write `match e case pattern -> value case pattern -> value`");
        self.error(diagnostic);
        self.pos = wrong;
        // To the end of what surrounds the match.
        self.recover(&[]);
        node(self.since(start), ExprKind::Error)
    }

    /// `then:`, `else:`.
    pub(super) fn skip_colon(&mut self, reported: &mut bool) {
        if !self.at(T::Colon) || self.panicking {
            return;
        }
        if !*reported {
            let title = format!("there is no `:` after `{}`", self.text_of(self.pos - 1));
            let diagnostic = Diagnostic::error(codes::FOREIGN_IF, title, self.span(), "unexpected");
            self.error(diagnostic.help("leave it out: `if c then a else b`"));
            self.panicking = false;
            *reported = true;
        }
        self.bump();
    }

    /// Whether the token at an index is `elif` or one of its variants.
    pub(super) fn is_elif(&self, at: usize) -> bool {
        matches!(self.lexed.tokens[at].kind, T::Ident(name) if matches!(name.as_str(), "elif" | "elsif" | "elseif"))
    }

    /// `then x = a else x = b`: an assignment in a branch.
    pub(super) fn branch_assignment(&mut self, reported: &mut bool) {
        if !self.at(T::Equals) || self.panicking {
            return;
        }
        if !*reported {
            let name = self.text_of(self.pos - 1);
            let diagnostic =
                Diagnostic::error(codes::EQUALS, "`=` does not assign", self.span(), "a branch is a value");
            self.error(diagnostic.help(format!("write `let {name} = if c then a else b in ...`")));
            self.panicking = false;
            *reported = true;
        }
        self.bump();
        self.exp();
    }

    /// `x = n + 1` on a separate line: an assignment as in other languages.
    pub(super) fn binding_without_let(&self) -> Option<Diagnostic> {
        let last = self.pos.checked_sub(1)?;
        let first = self.partners.of(last).unwrap_or(last);
        let token = self.lexed.tokens[first];
        if !token.first_on_line || !matches!(token.kind, T::Ident(_) | T::LParen) {
            return None;
        }
        let left = self.span_of(first).to(self.span_of(last));
        let name = self.short_text(left)?;
        let rest = &self.text[self.span().end as usize..];
        let line = rest.lines().next().unwrap_or_default().split("--").next().unwrap_or_default().trim();
        let value = if line.is_empty() { "..." } else { line };
        let title = format!("`{name}` is defined without `let`");
        let diagnostic = Diagnostic::error(codes::EQUALS, title, left.to(self.span()), "expected `let` before this");
        Some(diagnostic.help(format!("write `let {name} = {value}`, and `in` before the result")))
    }

    /// The text of a span.
    pub(super) fn text_of_span(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// The text of a span, if it is short enough to be repeated.
    pub(super) fn short_text(&self, span: Span) -> Option<&str> {
        let text = self.text_of_span(span);
        (!text.is_empty() && text.len() <= 40 && !text.contains('\n')).then_some(text)
    }
}
