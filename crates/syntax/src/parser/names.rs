//! Names, qualified names, operators in the places where they are named, fields and attributes.

use super::Parser;
use crate::ast::{Attr, Ident, QualName};
use crate::codes;
use crate::level::{self, Level};
use crate::token::{self, T};
use base::{Diagnostic, Name};

impl Parser<'_> {
    /// A name, where nothing else is allowed; `what` describes what it names.
    pub(super) fn name(&mut self, what: &str) -> Ident {
        let span = self.span();
        if let T::Ident(name) = self.kind() {
            self.bump();
            return Ident { name, span };
        }
        self.no_name(what)
    }

    #[cold]
    fn no_name(&mut self, what: &str) -> Ident {
        let kind = self.kind();
        let span = self.here();
        let declares = kind.only_declares() && !(what == "a field" && self.names_field());
        if token::is_word(kind) && !declares {
            return self.reserved(what);
        }
        let title = format!("expected the name of {what}, found {}", self.found());
        let mut diagnostic = Diagnostic::error(codes::NO_NAME, title, span, "a name goes here");
        if kind == T::LBracket && !self.ravel() && what == "a field" {
            diagnostic = diagnostic.help("clauses in braces are Ravel's: rename the file to end in `.rv`");
        }
        self.error(diagnostic);
        if self.at(T::Error) {
            self.bump();
        }
        Ident { name: Name::new("_"), span: span.after() }
    }

    /// Whether a word such as `type` is where only a field's name can be: after a dot, or before `=`, `:`, `,` or `}`.
    pub(super) fn names_field(&self) -> bool {
        let behind_dot = self.pos > 0 && self.lexed.tokens[self.pos - 1].kind == T::Dot;
        behind_dot || matches!(self.nth(1), T::Equals | T::Colon | T::Comma | T::RBrace)
    }

    /// A reserved word in the place of a name: reported, then taken for the name it was meant to be.
    #[cold]
    pub(super) fn reserved(&mut self, what: &str) -> Ident {
        let span = self.span();
        let word = self.text_of(self.pos);
        let language = if self.kind().is_ravel_word() { " in Ravel" } else { "" };
        let title = format!("`{word}` is a reserved word{language} and cannot name {what}");
        let diagnostic = Diagnostic::error(codes::RESERVED, title, span, "reserved");
        let known_field = what == "a field" && self.reserved_fields.contains(&word);
        if !known_field {
            self.error(diagnostic.help(format!("choose another name, such as `{word}'`")));
            self.panicking = false;
        }
        if what == "a field" {
            self.reserved_fields.push(word);
        }
        self.bump();
        Ident { name: Name::new(word), span }
    }

    /// `for _ < n`: reported, then taken for a name.
    #[cold]
    pub(super) fn nameless_counter(&mut self) -> Ident {
        let span = self.span();
        let diagnostic = Diagnostic::error(codes::NO_NAME, "a counter needs a name", span, "a name goes here")
            .note("a counter is a name, not a pattern; it need not be used")
            .help("write `for i < n`, or any other name in place of `i`");
        self.error(diagnostic);
        self.panicking = false;
        self.bump();
        Ident { name: Name::new("_"), span }
    }

    /// `a.b.c`.
    pub(super) fn qual_name(&mut self, what: &str) -> QualName {
        let mut name = self.name(what);
        let mut quals = Vec::new();
        while self.at(T::Dot) && matches!(self.nth(1), T::Ident(_)) {
            self.bump();
            quals.push(name);
            name = self.name(what);
        }
        self.links(quals.len());
        QualName { quals, name }
    }

    /// A field: a name or digits.
    pub(super) fn field(&mut self) -> Ident {
        match self.kind() {
            T::Nat(_) => {
                let ident = Ident { name: Name::new(self.text_of(self.pos)), span: self.span() };
                self.bump();
                ident
            }
            _ => self.name("a field"),
        }
    }

    // ------------------------------------------------------------ operators

    /// How tightly the current token binds, if it is a binary operator.
    pub(super) fn op_level(&self, kind: T) -> Option<Level> {
        Some(match kind {
            T::Op(_, level) | T::QualOp(_, level) => level,
            T::Star => level::MULTIPLY,
            T::Minus => level::ADD,
            T::Less | T::LessEq => level::COMPARE,
            T::Hat | T::Bar => 11,
            T::Backtick => level::BACKTICK,
            _ => return None,
        })
    }

    /// Consumes a binary operator; call only where `op_level` found one.
    pub(super) fn operator(&mut self) -> QualName {
        match self.kind() {
            T::QualOp(index, _) => {
                self.bump();
                self.lexed.qual_ops[index as usize].clone()
            }
            T::Backtick => {
                let opener = self.span();
                self.bump();
                let name = self.qual_name("a function");
                if !self.eat(T::Backtick) {
                    let diagnostic = self.missing("a closing backtick", "after the function's name");
                    self.error(diagnostic.label(opener, "opened here"));
                }
                name
            }
            _ => {
                let name = Ident { name: Name::new(self.text_of(self.pos)), span: self.span() };
                self.bump();
                QualName { quals: Vec::new(), name }
            }
        }
    }

    /// An operator in a place where it is defined.
    pub(super) fn binding_operator(&mut self) -> Ident {
        let op = self.operator();
        if !op.quals.is_empty() {
            let title = "a qualified operator cannot be defined";
            let diagnostic = Diagnostic::error(codes::BINDING_OP, title, op.span(), "belongs to a module");
            self.error(diagnostic.help(format!("define it as `{}`", op.name.name)));
            self.panicking = false;
        }
        op.name
    }

    /// Whether `( op )` stands here.
    pub(super) fn at_parenthesised_operator(&self) -> bool {
        if !self.at(T::LParen) || self.op_level(self.nth(1)).is_none() {
            return false;
        }
        let behind = if self.nth(1) == T::Backtick { 4 } else { 2 };
        self.nth(behind) == T::RParen
    }

    // ------------------------------------------------------------ attributes

    /// `#[attr]`.
    pub(super) fn attribute(&mut self) -> Attr {
        let (attr, span) = self.bracketed(Self::attribute_body);
        Attr { span, ..attr }
    }

    fn attribute_body(&mut self) -> Attr {
        let span = self.span();
        let name = match self.kind() {
            T::Ident(name) => name,
            T::Nat(_) | T::Lit(_) => Name::new(self.text_of(self.pos)),
            kind if token::is_word(kind) => Name::new(self.text_of(self.pos)),
            _ => {
                let title = format!("expected an attribute, found {}", self.found());
                let diagnostic = Diagnostic::error(codes::ATTRIBUTE, title, self.here(), "an attribute goes here");
                self.error(diagnostic.help("an attribute is a name or a number, perhaps with others in parentheses"));
                return Attr { span, name: Name::new("_"), args: Vec::new() };
            }
        };
        self.bump();
        let args = match self.kind() {
            T::LParen => self.deeper(|_| Vec::new(), |p| p.bracketed(|p| p.list(Self::attribute_body)).0),
            _ => Vec::new(),
        };
        Attr { span: self.since(span), name, args }
    }
}
