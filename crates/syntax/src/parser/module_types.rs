//! Module types and their specifications.

use super::Parser;
use crate::ast::{Ident, ModTypeExp, ModTypeExpKind, Spec, SpecKind};
use crate::codes;
use crate::token::T;
use base::Diagnostic;

impl Parser<'_> {
    fn mod_type_error(&self) -> ModTypeExp {
        ModTypeExp { span: self.here(), kind: ModTypeExpKind::Error }
    }

    /// `(p: a) -> b`, `a -> b`, or anything less.
    pub(super) fn mod_type_exp(&mut self) -> ModTypeExp {
        self.deeper(Self::mod_type_error, |p| {
            let start = p.span();
            let named = p.at(T::LParen) && matches!(p.nth(1), T::Ident(_)) && p.nth(2) == T::Colon;
            let (name, from) = if named { p.mod_type_param() } else { (None, p.mod_type_with()) };
            if name.is_none() && !p.at(T::Arrow) {
                return from;
            }
            p.word(T::Arrow, "after the parameter of a module type");
            let to = p.mod_type_exp();
            let kind = ModTypeExpKind::Arrow(name, Box::new(from), Box::new(to));
            ModTypeExp { span: p.since(start), kind }
        })
    }

    fn mod_type_param(&mut self) -> (Option<Ident>, ModTypeExp) {
        self.bracketed(|p| {
            let name = p.name("a module parameter");
            p.bump();
            (Some(name), p.mod_type_exp())
        })
        .0
    }

    /// `s with t 'a = u`.
    fn mod_type_with(&mut self) -> ModTypeExp {
        let start = self.span();
        let mut base = self.mod_type_atom();
        while self.eat(T::With) {
            let name = self.qual_name("a type");
            let params = self.type_params();
            self.defines(&format!("`{}`", name.name.name));
            let ty = self.type_exp();
            self.link();
            let kind = ModTypeExpKind::With { base: Box::new(base), name, params, ty };
            base = ModTypeExp { span: self.since(start), kind };
        }
        base
    }

    pub(super) fn mod_type_atom(&mut self) -> ModTypeExp {
        let start = self.span();
        let kind = match self.kind() {
            T::LParen => ModTypeExpKind::Parens(Box::new(self.bracketed(Self::mod_type_exp).0)),
            T::LBrace => ModTypeExpKind::Specs(self.deeper(|_| Vec::new(), |p| p.bracketed(Self::specs).0)),
            T::Ident(_) => ModTypeExpKind::Var(self.qual_name("a module type")),
            _ => {
                let title = format!("expected a module type, found {}", self.found());
                let diagnostic = Diagnostic::error(codes::NO_MODULE, title, self.here(), "a module type goes here");
                self.error(diagnostic.help("a module type is a name or `{ specifications }`"));
                ModTypeExpKind::Error
            }
        };
        ModTypeExp { span: self.since(start), kind }
    }

    fn specs(&mut self) -> Vec<Spec> {
        let mut specs = Vec::new();
        while !matches!(self.kind(), T::End | T::RBrace) {
            let before = self.pos;
            specs.push(self.spec());
            if !self.starts_spec() && !matches!(self.kind(), T::End | T::RBrace) {
                let diagnostic = self.unexpected_after("specification");
                self.error(diagnostic);
            }
            if self.panicking {
                self.recover(&[T::Val, T::Type, T::Module, T::Include]);
            }
            if self.panicking || self.pos == before {
                break;
            }
        }
        specs
    }

    fn starts_spec(&self) -> bool {
        matches!(self.kind(), T::Val | T::Type | T::Module | T::Include | T::HashBracket)
    }

    fn spec(&mut self) -> Spec {
        let start = self.span();
        let mut doc = self.take_doc();
        while self.at(T::HashBracket) {
            self.attribute();
            doc = doc.or_else(|| self.take_doc());
        }
        let kind = match self.kind() {
            T::Val => self.value_spec(),
            T::Type => SpecKind::Type(self.type_dec(false)),
            T::Module => {
                self.bump();
                let name = self.name("a module");
                self.expect(T::Colon, "before the type of a module");
                SpecKind::Module(name, self.mod_type_exp())
            }
            T::Include => {
                self.bump();
                SpecKind::Include(self.mod_type_exp())
            }
            _ => {
                self.no_spec();
                SpecKind::Error
            }
        };
        Spec { span: self.since(start), doc, kind }
    }

    #[cold]
    fn no_spec(&mut self) {
        let title = format!("expected a specification, found {}", self.found());
        let diagnostic = Diagnostic::error(codes::NO_DECLARATION, title, self.here(), "a specification goes here");
        let diagnostic = match self.kind() {
            T::Def | T::Let | T::Entry => diagnostic.help("a module type only states types: `val name : type`"),
            _ => diagnostic.note("a specification begins with `val`, `type`, `module` or `include`"),
        };
        self.error(diagnostic);
    }

    /// `val f [n] 'a : t`, `val (+) : t`, `val + : t`.
    fn value_spec(&mut self) -> SpecKind {
        self.bump();
        let bare_operator = self.op_level(self.kind()).is_some();
        let name = if bare_operator { self.binding_operator() } else { self.binding_name() };
        let type_params = self.type_params();
        self.expect(T::Colon, "before the type of a value");
        SpecKind::Value { name, type_params, ty: self.type_exp() }
    }
}
