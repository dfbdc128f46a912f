//! Modules.

use super::Parser;
use crate::ast::{DecKind, ModExp, ModExpKind, ModParam};
use crate::codes;
use crate::token::T;
use base::Diagnostic;

impl Parser<'_> {
    /// `module m (p: t) : s = ...`, `module type t = ...`.
    pub(super) fn module_dec(&mut self) -> DecKind {
        self.bump();
        if self.eat(T::Type) {
            let name = self.name("a module type");
            self.defines(&format!("`{}`", name.name));
            return DecKind::ModuleType { name, body: self.mod_type_exp() };
        }
        let name = self.name("a module");
        let mut params = Vec::new();
        while self.at(T::LParen) {
            params.push(self.mod_param());
        }
        let ascription = self.eat(T::Colon).then(|| self.mod_type_exp());
        self.defines(&format!("module `{}`", name.name));
        DecKind::Module { name, params, ascription, body: self.mod_exp() }
    }

    /// `(p: t)`.
    fn mod_param(&mut self) -> ModParam {
        self.bracketed(|p| {
            let name = p.name("a module parameter");
            p.expect(T::Colon, "before the type of a module parameter");
            ModParam { name, ty: p.mod_type_exp() }
        })
        .0
    }

    fn mod_error(&self) -> ModExp {
        ModExp { span: self.here(), kind: ModExpKind::Error }
    }

    /// A module with perhaps a module type: `m : t`.
    pub(super) fn mod_exp(&mut self) -> ModExp {
        self.deeper(Self::mod_error, |p| {
            let start = p.span();
            let mut module = p.mod_apply();
            while p.eat(T::Colon) {
                let ty = p.mod_type_exp();
                p.link();
                module = ModExp { span: p.since(start), kind: ModExpKind::Ascribe(Box::new(module), ty) };
            }
            module
        })
    }

    /// `f m n`, `\(p: t) -> m`, `import "path"`.
    fn mod_apply(&mut self) -> ModExp {
        let start = self.span();
        match self.kind() {
            T::Backslash => return self.mod_lambda(),
            T::Import => {
                self.bump();
                let kind = ModExpKind::Import(self.import_path());
                return ModExp { span: self.since(start), kind };
            }
            _ => {}
        }
        let mut module = self.mod_atom();
        while matches!(self.kind(), T::LParen | T::LBrace | T::Ident(_)) {
            let argument = self.mod_atom();
            self.link();
            let kind = ModExpKind::Apply(Box::new(module), Box::new(argument));
            module = ModExp { span: self.since(start), kind };
        }
        module
    }

    fn mod_atom(&mut self) -> ModExp {
        let start = self.span();
        let kind = match self.kind() {
            T::LParen => ModExpKind::Parens(Box::new(self.bracketed(Self::mod_exp).0)),
            T::LBrace => ModExpKind::Decs(self.deeper(|_| Vec::new(), |p| p.bracketed(|p| p.decs(true)).0)),
            T::Ident(_) => ModExpKind::Var(self.qual_name("a module")),
            _ => {
                let title = format!("expected a module, found {}", self.found());
                let diagnostic = Diagnostic::error(codes::NO_MODULE, title, self.here(), "a module goes here");
                self.error(diagnostic.help("a module is a name, `{ declarations }`, or `import \"path\"`"));
                ModExpKind::Error
            }
        };
        ModExp { span: self.since(start), kind }
    }

    fn mod_lambda(&mut self) -> ModExp {
        let start = self.span();
        self.bump();
        if !self.at(T::LParen) {
            let diagnostic = self.missing("a parameter such as `(p: t)`", "after `\\`");
            self.error(diagnostic);
            return self.mod_error();
        }
        let param = self.mod_param();
        let ascription = self.eat(T::Colon).then(|| self.mod_type_atom());
        self.word(T::Arrow, "before the body of a parametric module");
        let body = self.mod_exp();
        let kind = ModExpKind::Lambda(param, ascription, Box::new(body));
        ModExp { span: self.since(start), kind }
    }
}
