//! Type parameters and parameters of definitions.

use super::Parser;
use crate::ast::{Ident, Lifted, Pat, TypeExp, TypeParam, TypeParamKind};
use crate::codes;
use crate::token::T;
use base::Diagnostic;

impl Parser<'_> {
    /// `[n] 'a [~k] [..s]`.
    pub(super) fn type_params(&mut self) -> Vec<TypeParam> {
        let mut params = Vec::new();
        while let Some(param) = self.type_param() {
            params.push(param);
        }
        params
    }

    fn type_param(&mut self) -> Option<TypeParam> {
        let start = self.span();
        let (name, kind) = match self.kind() {
            T::LBracket | T::Index => self.bracketed(Self::size_param).0,
            T::Quote => self.quoted_param(Lifted::No),
            T::QuoteTilde => self.quoted_param(Lifted::Sizes),
            T::QuoteHat => self.quoted_param(Lifted::Functions),
            _ => return None,
        };
        Some(TypeParam { name, kind, span: self.since(start) })
    }

    fn quoted_param(&mut self, lifted: Lifted) -> (Ident, TypeParamKind) {
        self.bump();
        (self.name("a type parameter"), TypeParamKind::Type(lifted))
    }

    /// Between the brackets of a size, size function or shape parameter.
    fn size_param(&mut self) -> (Ident, TypeParamKind) {
        let (what, kind) = match self.kind() {
            T::Tilde => ("a jagged dimension", TypeParamKind::Jagged),
            T::TwoDots => ("a shape", TypeParamKind::Shape),
            _ => return (self.name("a size parameter"), TypeParamKind::Size),
        };
        let name = match self.ravel_dim(what) {
            Some(name) => name,
            None => self.name(what),
        };
        (name, kind)
    }

    /// Parameter patterns, as many as there are.
    pub(super) fn params(&mut self) -> Vec<Pat> {
        let mut params = Vec::new();
        loop {
            if self.starts_simple_pat() {
                params.push(self.simple_pat());
            } else if self.at_late_type_param() {
                self.late_type_param();
            } else {
                break;
            }
        }
        self.side_by_side(params.len());
        params
    }

    /// Whether the next token can only begin a type parameter.
    fn at_late_type_param(&self) -> bool {
        match self.kind() {
            T::Quote | T::QuoteHat | T::QuoteTilde => true,
            T::LBracket | T::Index => match self.nth(1) {
                T::Tilde | T::TwoDots => true,
                T::Ident(_) => self.nth(2) == T::RBracket,
                _ => false,
            },
            _ => false,
        }
    }

    #[cold]
    fn late_type_param(&mut self) {
        let bracket = self.at_bracket();
        let start = self.span();
        if self.type_param().is_none() {
            return;
        }
        let span = self.since(start);
        let title = "sizes and types must come before the other parameters";
        let help = if bracket {
            "move it to the front; a parameter that is an array is written `(xs: [n]t)`"
        } else {
            "move it to the front"
        };
        let diagnostic = Diagnostic::error(codes::PARAMETER_ORDER, title, span, "too late");
        self.error(diagnostic.help(help));
        self.panicking = false;
    }

    /// `: t`, if there is one.
    pub(super) fn result_type(&mut self) -> Option<TypeExp> {
        if self.at(T::Colon) && self.nth_is_name(1, "return") {
            self.returning();
            return None;
        }
        if self.at(T::Arrow) && self.on_this_line(T::Equals) {
            self.arrow_before_result();
            return Some(self.type_exp());
        }
        if self.at(T::Arrow) && self.on_this_line(T::Colon) {
            return Some(self.python_result());
        }
        self.eat(T::Colon).then(|| self.type_exp())
    }

    fn nth_is_name(&self, ahead: usize, word: &str) -> bool {
        matches!(self.nth(ahead), T::Ident(name) if name.as_str() == word)
    }

    /// Whether a token of this kind follows before the line ends.
    fn on_this_line(&self, kind: T) -> bool {
        let rest = self.lexed.tokens.get(self.pos + 1..).unwrap_or_default();
        rest.iter().take_while(|t| !t.first_on_line && t.kind != T::End).take(100).any(|t| t.kind == kind)
    }

    /// `def f(x: t) -> u: return e`. The parser goes on with `e` as the body.
    #[cold]
    fn python_result(&mut self) -> TypeExp {
        let title = "the type of a result follows `:`, and the result follows `=`";
        let diagnostic = Diagnostic::error(codes::UNEXPECTED, title, self.span(), "expected `:`");
        self.error(diagnostic.help("write `def f (x: t): u = result`"));
        self.panicking = false;
        self.bump();
        let ty = self.type_term();
        self.eat(T::Colon);
        if self.nth_is_name(0, "return") {
            self.bump();
        }
        self.no_equals = true;
        ty
    }

    /// `def f(x): return e`. The parser goes on with `e` as the body.
    #[cold]
    fn returning(&mut self) {
        let colon = self.span();
        self.bump();
        let word = self.span();
        let diagnostic = Diagnostic::error(codes::UNEXPECTED, "a function's result follows `=`", colon, "expected `=`")
            .label(word, "there is no `return`")
            .help("write `=` in place of `:` and leave out `return`: `def f (x: i64) = x + 1`");
        self.error(diagnostic);
        self.panicking = false;
    }

    /// `def f (x: t) -> u = e`.
    #[cold]
    fn arrow_before_result(&mut self) {
        let title = "the type of a result follows `:`";
        let diagnostic = Diagnostic::error(codes::UNEXPECTED, title, self.span(), "expected `:`");
        self.error(diagnostic.help("write `:` in place of `->`"));
        self.panicking = false;
        self.bump();
    }

    /// The `=` of a definition.
    pub(super) fn defines(&mut self, what: &str) {
        if std::mem::take(&mut self.no_equals) || self.eat(T::Equals) {
            return;
        }
        if self.pos > 0 && self.lexed.tokens[self.pos - 1].kind == T::Colon && self.nth_is_name(0, "return") {
            // The error has been reported already.
            return self.bump();
        }
        let found = self.found();
        let diagnostic = self.missing("`=`", &format!("in the definition of {what}"));
        let diagnostic = match self.kind() {
            T::Arrow | T::FatArrow => diagnostic.help(format!("write `=` in place of {found}")),
            T::Op(..) if self.text_of(self.pos).starts_with('=') => {
                diagnostic.help(format!("{found} is one operator: put a space after the `=`"))
            }
            T::LBrace => diagnostic.help("the result is the expression after `=`, without braces and `return`"),
            _ => diagnostic,
        };
        let bump = matches!(self.kind(), T::Arrow | T::FatArrow);
        self.error(diagnostic);
        if bump || self.recover(&[T::Equals]) {
            self.bump();
            self.panicking = false;
        }
    }
}
