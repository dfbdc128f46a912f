//! Patterns.

use super::Parser;
use crate::ast::{Ident, Lit, Pat, PatKind, TypeExp};
use crate::codes;
use crate::token::T;
use base::Diagnostic;

impl Parser<'_> {
    /// Any pattern, with a type perhaps.
    pub(super) fn pat(&mut self) -> Pat {
        self.deeper(Self::pat_error, |p| p.pat_with(Self::type_exp))
    }

    /// The pattern of a `case`, whose type must leave the arrow alone.
    pub(super) fn case_pat(&mut self) -> Pat {
        self.deeper(Self::pat_error, |p| p.pat_with(Self::type_term))
    }

    fn pat_error(&self) -> Pat {
        Pat { span: self.here(), kind: PatKind::Error }
    }

    fn pat_with(&mut self, ascribed: fn(&mut Self) -> TypeExp) -> Pat {
        let start = self.span();
        if self.at(T::HashBracket) {
            let attr = self.attribute();
            let inner = self.deeper(Self::pat_error, |p| p.pat_with(ascribed));
            return Pat { span: self.since(start), kind: PatKind::Attr(attr, Box::new(inner)) };
        }
        let mut pat = self.constructor_pat();
        while self.eat(T::Colon) {
            let ty = ascribed(self);
            self.link();
            pat = Pat { span: self.since(start), kind: PatKind::Ascribe(Box::new(pat), ty) };
        }
        pat
    }

    /// `#c p q`, or a simple pattern.
    fn constructor_pat(&mut self) -> Pat {
        let start = self.span();
        let T::Constr(name) = self.kind() else { return self.simple_pat() };
        self.bump();
        let mut args = Vec::new();
        while self.starts_simple_pat() || self.at_negative_literal() {
            args.push(self.simple_pat());
        }
        Pat { span: self.since(start), kind: PatKind::Constr(Ident { name, span: start }, args) }
    }

    /// Whether a parameter may begin here.
    pub(super) fn starts_simple_pat(&self) -> bool {
        match self.kind() {
            T::Ident(_) | T::Underscore | T::LParen | T::Lit(_) | T::Nat(_) | T::True | T::False | T::Constr(_) => true,
            T::LBrace => !self.opens_clauses(),
            // An error, which `simple_pat` reports.
            kind => kind.is_ravel_word(),
        }
    }

    /// A pattern that can be a parameter: constructors have no arguments here.
    pub(super) fn simple_pat(&mut self) -> Pat {
        let start = self.span();
        let kind = match self.kind() {
            T::Ident(name) => self.bumped(PatKind::Name(name)),
            T::Underscore => self.bumped(PatKind::Wildcard),
            T::Constr(name) => self.bumped(PatKind::Constr(Ident { name, span: start }, Vec::new())),
            T::LParen => self.pat_parens(),
            T::LBrace => PatKind::Record(self.bracketed(|p| p.list(Self::field_pat)).0),
            kind if kind.is_ravel_word() => PatKind::Name(self.reserved("a variable").name),
            _ => self.literal_pat(),
        };
        Pat { span: self.since(start), kind }
    }

    fn bumped<R>(&mut self, result: R) -> R {
        self.bump();
        result
    }

    fn at_negative_literal(&self) -> bool {
        self.at(T::Minus) && matches!(self.nth(1), T::Lit(_) | T::Nat(_))
    }

    fn literal_pat(&mut self) -> PatKind {
        let negative = self.at_negative_literal() && self.eat(T::Minus);
        let lit = match self.kind() {
            T::Lit(index) | T::Nat(index) => self.lit(index),
            T::True => Lit::Bool(true),
            T::False => Lit::Bool(false),
            _ => {
                self.no_pattern();
                return PatKind::Error;
            }
        };
        self.bump();
        PatKind::Literal { lit, negative }
    }

    fn pat_parens(&mut self) -> PatKind {
        if self.at_parenthesised_operator() {
            return PatKind::Name(self.bracketed(Self::binding_operator).0.name);
        }
        let mut pats = self.tuple(Self::pat);
        if pats.len() == 1
            && let Some(only) = pats.pop()
        {
            return PatKind::Parens(Box::new(only));
        }
        PatKind::Tuple(pats)
    }

    /// `f = p`, `f : t`, `f`.
    fn field_pat(&mut self) -> (Ident, Option<Pat>) {
        let field = self.field();
        if self.eat(T::Equals) {
            return (field, Some(self.pat()));
        }
        if self.eat(T::Colon) {
            let ty = self.type_exp();
            let name = Pat { span: field.span, kind: PatKind::Name(field.name) };
            let kind = PatKind::Ascribe(Box::new(name), ty);
            return (field, Some(Pat { span: self.since(field.span), kind }));
        }
        (field, None)
    }

    #[cold]
    fn no_pattern(&mut self) {
        let title = format!("expected a pattern, found {}", self.found());
        let diagnostic = Diagnostic::error(codes::NO_PATTERN, title, self.here(), "a name or pattern goes here");
        let diagnostic = match self.kind() {
            T::LBracket | T::Index => {
                diagnostic.note("arrays cannot be taken apart by patterns").help("use `xs[0]`, `head xs`, `tail xs`")
            }
            _ => diagnostic,
        };
        self.error(diagnostic);
        if self.at(T::Error) {
            self.bump();
        }
    }
}
