//! Declarations.

use super::Parser;
use crate::ast::{Attr, Dec, DecKind, Ident, Lifted, Pat, TypeDec, TypeParam, ValueDec};
use crate::codes;
use crate::token::{self, T};
use base::{Diagnostic, Span};

impl Parser<'_> {
    /// All declarations of a file.
    pub fn whole_file(&mut self) -> Vec<Dec> {
        let mut decs = self.decs(false);
        while !self.at(T::End) {
            // A stray `}`: `decs` stops there, as it would at the end of a module.
            let diagnostic = self.unexpected_after("declaration");
            self.error(diagnostic);
            self.bump();
            decs.extend(self.decs(false));
        }
        decs
    }

    /// Declarations up to a closing brace or the end.
    pub(super) fn decs(&mut self, in_module: bool) -> Vec<Dec> {
        let mut decs = Vec::new();
        while !matches!(self.kind(), T::End | T::RBrace) {
            self.panicking = false;
            self.section = None;
            let before = self.pos;
            decs.push(self.dec());
            if !matches!(self.kind(), T::End | T::RBrace) && !self.kind().starts_dec() {
                let diagnostic = self.unexpected_after("declaration");
                self.error(diagnostic);
            }
            if self.panicking || self.pos == before {
                self.skip_to_dec(in_module, self.pos == before);
            }
        }
        decs
    }

    /// After an error: skips to the next token that can only begin a declaration.
    fn skip_to_dec(&mut self, in_module: bool, mut stuck: bool) {
        loop {
            let kind = self.kind();
            let first = self.token().first_on_line;
            let at_dec = kind.only_declares() && !matches!(kind, T::Val | T::Include)
                || (first && matches!(kind, T::Import | T::HashBracket))
                || (kind == T::Let && self.at_line_start(self.pos));
            if kind == T::End || (at_dec && !stuck) {
                return;
            }
            if kind == T::RBrace && (in_module || self.partners.of(self.pos).is_some()) {
                return;
            }
            stuck = false;
            // Skip brackets, but not declarations inside unbalanced ones.
            let next = self.partners.of(self.pos).filter(|p| *p > self.pos).map_or(self.pos, |p| p);
            self.pos = next;
            self.bump();
        }
    }

    fn dec(&mut self) -> Dec {
        let first = self.token();
        let start = self.span();
        let mut doc = self.take_doc();
        let mut attrs: Vec<Attr> = Vec::new();
        let mut local = false;
        loop {
            if self.at(T::HashBracket) {
                attrs.push(self.attribute());
            } else if self.eat(T::Local) {
                local = true;
            } else {
                break;
            }
            doc = doc.or_else(|| self.take_doc());
        }
        let inside = !attrs.is_empty() && !first.first_on_line && !self.kind().starts_dec();
        if inside {
            self.attribute_on_argument(start);
        }
        let kind = self.dec_kind();
        Dec { span: self.since(start), doc, attrs, local, kind }
    }

    /// `f #[attr] x`: an expression ended before the attribute, which was not meant.
    #[cold]
    fn attribute_on_argument(&mut self, start: Span) {
        let title = "an argument with an attribute needs parentheses";
        let diagnostic = Diagnostic::error(codes::ATTRIBUTE, title, self.since(start), "ends the expression before it");
        self.error(diagnostic.help("use parentheses: `f (#[attr] x)`"));
    }

    /// The doc comment in front of the current token.
    pub(super) fn take_doc(&mut self) -> Option<String> {
        let docs = &mut self.lexed.docs;
        let found = docs.binary_search_by_key(&self.pos, |(at, _)| *at).ok()?;
        Some(std::mem::take(&mut docs[found].1)).filter(|d| !d.is_empty())
    }

    fn dec_kind(&mut self) -> DecKind {
        match self.kind() {
            T::Def | T::Let | T::Entry => self.value_dec(),
            T::Type => DecKind::Type(self.type_dec(true)),
            T::Module => self.module_dec(),
            T::Open => {
                self.bump();
                DecKind::Open(self.mod_exp())
            }
            T::Import => {
                self.bump();
                let span = self.span();
                DecKind::Import { path: self.import_path(), span }
            }
            _ => {
                self.no_declaration();
                DecKind::Error
            }
        }
    }

    #[cold]
    fn no_declaration(&mut self) {
        let title = format!("expected a declaration, found {}", self.found());
        let diagnostic = Diagnostic::error(codes::NO_DECLARATION, title, self.here(), "a declaration goes here");
        let name = self.text_of(self.pos);
        let diagnostic = match self.kind() {
            T::Ident(_) if matches!(name, "fun" | "fn" | "function" | "func") => {
                diagnostic.help("functions are defined with `def name parameter ... = result`")
            }
            T::Ident(_) if name == "class" || name == "struct" || name == "data" => {
                diagnostic.help("types are defined with `type name = ...`; a record type is `{x: t, y: u}`")
            }
            T::Ident(_) if matches!(name, "const" | "var" | "val" | "auto" | "int" | "float") => {
                diagnostic.help("a value is defined with `def name = ...`")
            }
            T::Ident(_) => diagnostic.help(format!("to define `{name}`, write `def {name} ... = ...`")),
            T::Val => diagnostic.help("`val` belongs in a module type; a value is defined with `def`"),
            T::Op(..) if name.starts_with('/') => diagnostic.help("comments begin with `--`"),
            T::End => diagnostic.note("an attribute or `local` needs a declaration after it"),
            _ => diagnostic
                .note("a declaration begins with `def`, `entry`, `type`, `module`, `open`, `import` or `local`"),
        };
        self.error(diagnostic);
    }

    /// The string after `import`.
    pub(super) fn import_path(&mut self) -> String {
        if let T::Lit(index) = self.kind()
            && let crate::ast::Lit::Str(bytes) = self.lit(index)
        {
            self.bump();
            return String::from_utf8_lossy(&bytes).into_owned();
        }
        let diagnostic = self.missing("a path in quotes", "after `import`");
        let name = self.text_of(self.pos);
        let help = matches!(self.kind(), T::Ident(_)).then(|| format!("write `import \"{name}\"`"));
        self.error(match help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        });
        String::new()
    }

    // ------------------------------------------------------------ values

    /// `def f [n] 'a (x: t): r = e`, `def x + y = e`.
    fn value_dec(&mut self) -> DecKind {
        let entry = self.at(T::Entry);
        self.bump();
        let rec = self.rec_follows() && self.eat(T::Rec);
        if self.at_infix_definition() {
            return self.infix_dec(entry, rec);
        }
        let name = self.binding_name();
        let type_params = self.type_params();
        let params = self.params();
        self.finish_value(entry, rec, name, type_params, params)
    }

    /// Whether `rec` here marks recursive definitions; otherwise it is used as a name.
    fn rec_follows(&self) -> bool {
        match self.nth(1) {
            T::Ident(_) | T::Underscore | T::Lit(_) | T::Nat(_) | T::LBrace => true,
            T::LParen => {
                let behind = self.partners.of(self.pos + 1).and_then(|p| self.lexed.tokens.get(p + 1));
                self.op_level(self.nth(2)).is_some() || behind.is_some_and(|t| self.op_level(t.kind).is_some())
            }
            kind => token::is_word(kind),
        }
    }

    /// Whether a parameter and an operator follow, as in `def x + y`.
    fn at_infix_definition(&self) -> bool {
        let behind = match self.kind() {
            T::Ident(_) | T::Underscore | T::Lit(_) | T::Nat(_) => self.nth(1),
            T::LParen | T::LBrace if !self.at_parenthesised_operator() => {
                let Some(partner) = self.partners.of(self.pos) else { return false };
                self.lexed.tokens.get(partner + 1).map_or(T::End, |t| t.kind)
            }
            _ => return false,
        };
        self.op_level(behind).is_some()
    }

    fn infix_dec(&mut self, entry: bool, rec: bool) -> DecKind {
        let left = self.simple_pat();
        let name = self.binding_operator();
        let right = self.simple_pat();
        self.finish_value(entry, rec, name, Vec::new(), vec![left, right])
    }

    fn finish_value(
        &mut self,
        entry: bool,
        rec: bool,
        name: Ident,
        type_params: Vec<TypeParam>,
        params: Vec<Pat>,
    ) -> DecKind {
        let ret = self.result_type();
        self.defines(&format!("`{}`", name.name));
        let body = if self.panicking { self.expr_error() } else { self.exp() };
        DecKind::Value(ValueDec { entry, rec, name, type_params, params, ret, body })
    }

    /// `f`, `(+)`.
    pub(super) fn binding_name(&mut self) -> Ident {
        if self.at_parenthesised_operator() {
            let (name, span) = self.bracketed(Self::binding_operator);
            return Ident { span, ..name };
        }
        if matches!(self.kind(), T::LParen | T::LBrace | T::Underscore) {
            return self.top_pattern();
        }
        self.name("a definition")
    }

    #[cold]
    fn top_pattern(&mut self) -> Ident {
        let pat = self.simple_pat();
        let title = "a top-level definition binds one name, not a pattern";
        let diagnostic = Diagnostic::error(codes::TOP_PATTERN, title, pat.span, "a pattern");
        self.error(diagnostic.help("bind one name and take it apart with `.0`, `.1` or a further `def`"));
        self.panicking = false;
        Ident { name: base::Name::new("_"), span: pat.span }
    }

    // ------------------------------------------------------------ types

    /// `type~ t 'a [n] = ...`; in a module type the definition may be missing.
    pub(super) fn type_dec(&mut self, needs_body: bool) -> TypeDec {
        self.bump();
        let lifted = match self.kind() {
            T::Tilde => Lifted::Sizes,
            T::Hat => Lifted::Functions,
            _ => Lifted::No,
        };
        if lifted != Lifted::No {
            self.bump();
        }
        let name = self.name("a type");
        let params = self.type_params();
        let body = if needs_body || self.at(T::Equals) {
            self.defines(&format!("`{}`", name.name));
            Some(self.type_exp())
        } else {
            None
        };
        TypeDec { lifted, name, params, body }
    }
}
