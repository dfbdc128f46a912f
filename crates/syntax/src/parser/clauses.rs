//! Arrays by clauses: `array`, `update`, `accum`.

use super::{Context, Parser};
use crate::ast::{Clause, ClauseKind, Clauses, Else, Expr, ExprKind, Ident};
use crate::codes;
use crate::token::T;
use base::{Diagnostic, Span};

impl Parser<'_> {
    /// Whether the `{` here opens clauses: it does after qualifiers, if only a clause can follow.
    pub(super) fn opens_clauses(&self) -> bool {
        self.context.before_clauses && self.at(T::LBrace) && self.brace_of_clauses()
    }

    /// Whether what follows the current `{` begins a clause or closes it.
    fn brace_of_clauses(&self) -> bool {
        matches!(self.nth(1), T::LBracket | T::Index | T::For | T::Let | T::If | T::Else | T::RBrace)
    }

    /// `array SHAPE { clauses }`.
    #[inline(never)]
    pub(super) fn array_by(&mut self) -> ExprKind {
        self.deeper(
            |_| ExprKind::Error,
            |p| {
                p.bump();
                let shape = p.clause_atom("the shape of the array");
                let clauses = p.clauses("array", true);
                ExprKind::ArrayBy { shape, clauses }
            },
        )
    }

    /// `update a { clauses }`.
    #[inline(never)]
    pub(super) fn update(&mut self) -> ExprKind {
        self.deeper(
            |_| ExprKind::Error,
            |p| {
                p.bump();
                let array = p.clause_atom("the array to update");
                let clauses = p.clauses("update", false);
                ExprKind::Update { array, clauses }
            },
        )
    }

    /// `accum op ne SHAPE { clauses }`.
    #[inline(never)]
    pub(super) fn accum(&mut self) -> ExprKind {
        self.deeper(
            |_| ExprKind::Error,
            |p| {
                p.bump();
                let op = p.clause_atom("an operator such as `(+)`");
                let neutral = p.clause_atom("the neutral element");
                let shape = p.clause_atom("the shape of the array");
                let clauses = p.clauses("accum", false);
                ExprKind::Accum { op, neutral, shape, clauses }
            },
        )
    }

    /// An atom after `array`, `update` or `accum`; never the braces of the clauses.
    fn clause_atom(&mut self, what: &str) -> Expr {
        if self.at(T::LBrace) && self.brace_of_clauses() {
            let title = format!("expected {what} before the clauses");
            self.error(Diagnostic::error(codes::CLAUSES, title, self.span(), format!("{what} goes before this")));
            return self.expr_error();
        }
        self.postfix()
    }

    fn clauses(&mut self, word: &str, may_else: bool) -> Clauses {
        if self.panicking {
            self.recover(&[T::LBrace]);
        }
        if !self.at(T::LBrace) || !self.brace_of_clauses() {
            self.no_clauses(word);
            return Clauses { span: self.here(), clauses: Vec::new(), otherwise: None };
        }
        let ((clauses, otherwise), span) = self.bracketed(|p| p.clause_list(word, may_else));
        Clauses { span, clauses, otherwise }
    }

    #[cold]
    fn no_clauses(&mut self, word: &str) {
        let found = if self.at(T::LBrace) { "something else in braces".into() } else { self.found() };
        let title = format!("expected the clauses of `{word}`, found {found}");
        let diagnostic = Diagnostic::error(codes::CLAUSES, title, self.here(), "`{ [i] => ... }` goes here");
        let help = match word {
            "accum" => {
                "write `accum op ne shape { [i] => value for i < n }`, each part a name, a literal or in parentheses"
            }
            "update" => "write `update a { [i] => value for i < n }`; put the array in parentheses if it is not a name",
            _ => "write `array [n] { [i] => value for i < n }`; put the shape in parentheses if it is a call",
        };
        self.error(diagnostic.help(help));
    }

    /// `clause; ...; else => e`.
    fn clause_list(&mut self, word: &str, may_else: bool) -> (Vec<Clause>, Option<Else>) {
        let mut clauses = Vec::new();
        let mut otherwise = None;
        while !self.at(T::RBrace) && !self.at(T::End) {
            let before = self.pos;
            if self.at(T::Else) {
                let last = self.else_clause(word, may_else);
                otherwise = otherwise.or(Some(last));
            } else {
                if otherwise.is_some() {
                    self.misplaced_else(self.span(), "`else` comes last", "a clause after `else`");
                }
                clauses.push(self.clause(word));
            }
            if !self.next_clause() || self.pos == before {
                break;
            }
        }
        (clauses, otherwise)
    }

    /// Behind a clause: consumes `;`; says whether another clause may follow.
    fn next_clause(&mut self) -> bool {
        if self.at(T::FatArrow) && !self.panicking {
            self.no_semicolon();
        }
        if self.panicking {
            // To the next clause of this group, if there is one.
            self.search(&[T::Semicolon], |p, at| {
                let kind = p.lexed.tokens[at].kind;
                kind.is_closer() || kind.only_declares()
            });
        }
        if self.eat(T::Semicolon) {
            return true;
        }
        let goes_on = match self.kind() {
            T::Comma => true,
            T::LBracket | T::Index | T::For | T::Let | T::If | T::Else => self.token().first_on_line,
            _ => false,
        };
        if goes_on {
            let diagnostic = self.missing("`;`", "between clauses");
            self.error(diagnostic.help("separate clauses by `;`"));
            self.panicking = false;
            self.eat(T::Comma);
        }
        goes_on
    }

    /// The next clause was read as arguments: `[0] => x [1] => y`.
    #[cold]
    fn no_semicolon(&mut self) {
        let title = "clauses are separated by `;`";
        let diagnostic = Diagnostic::error(codes::CLAUSE, title, self.span(), "a second `=>` in one clause");
        let diagnostic = match self.argument_on_new_line {
            Some(span) => diagnostic.label(span, "put `;` before this"),
            None => diagnostic,
        };
        self.error(diagnostic);
    }

    /// `else => e`, `else [i, j] => e`.
    fn else_clause(&mut self, word: &str, may_else: bool) -> Else {
        let start = self.span();
        self.bump();
        if !may_else {
            self.misplaced_else(start, &format!("`{word}` has no `else`"), "only `array` has one");
        }
        let subscripts = self.at_bracket().then(|| self.bracketed(|p| p.list(Self::else_subscript)).0);
        self.fat_arrow("after `else`");
        let value = self.exp();
        Else { span: self.since(start), subscripts, value }
    }

    /// A name that `else` gives to a subscript.
    fn else_subscript(&mut self) -> Ident {
        match self.kind() {
            T::Lit(_) | T::Nat(_) | T::Minus => {
                let title = "`else` names the subscripts of an element, it does not choose one";
                let diagnostic = Diagnostic::error(codes::ELSE_CLAUSE, title, self.span(), "expected a name")
                    .help("write a name: `else [i, j] => value`; a clause for one element is `[0, 0] => value`");
                self.error(diagnostic);
                self.recover(&[T::Comma]);
                Ident { name: base::Name::new("_"), span: self.prev_span() }
            }
            T::Underscore => {
                let span = self.span();
                self.bump();
                Ident { name: base::Name::new("_"), span }
            }
            _ => self.name("a subscript"),
        }
    }

    #[cold]
    fn misplaced_else(&mut self, span: Span, title: &str, label: &str) {
        self.error(Diagnostic::error(codes::ELSE_CLAUSE, title, span, label));
        self.panicking = false;
    }

    fn fat_arrow(&mut self, place: &str) {
        if self.eat(T::FatArrow) {
            return;
        }
        let diagnostic = self.missing("`=>`", place);
        let other = matches!(self.kind(), T::Arrow | T::Equals | T::Colon);
        self.error(if other {
            diagnostic.help(format!("write `=>` in place of {}", self.found()))
        } else {
            diagnostic
        });
        if other || self.recover(&[T::FatArrow]) {
            self.bump();
            self.panicking = false;
        }
    }

    /// `[i, j] => e quals`, `quals { clauses }`.
    fn clause(&mut self, word: &str) -> Clause {
        let start = self.span();
        let kind = match self.kind() {
            T::LBracket | T::Index => self.element_clause(),
            T::For | T::Let | T::If => {
                let broken = |_: &Self| ClauseKind::Group { quals: Vec::new(), clauses: Vec::new() };
                self.deeper(broken, |p| p.group_clause(word))
            }
            _ => {
                let title = format!("expected a clause, found {}", self.found());
                let diagnostic = Diagnostic::error(codes::CLAUSE, title, self.here(), "a clause goes here")
                    .help("a clause is `[i] => value for i < n`; the subscripts are always in brackets");
                self.error(diagnostic);
                ClauseKind::Group { quals: Vec::new(), clauses: Vec::new() }
            }
        };
        Clause { span: self.since(start), kind }
    }

    fn element_clause(&mut self) -> ClauseKind {
        let (subscripts, _) = self.bracketed(|p| p.list(Self::exp));
        self.fat_arrow("after the subscripts of a clause");
        let value = self.exp();
        let quals = self.clause_quals();
        ClauseKind::Element { subscripts, value, quals }
    }

    fn group_clause(&mut self, word: &str) -> ClauseKind {
        let start = self.span();
        let quals = self.clause_quals();
        if !self.at(T::LBrace) || !self.brace_of_clauses() {
            self.no_group(start);
            return ClauseKind::Group { quals, clauses: Vec::new() };
        }
        let (clauses, _) = self.bracketed(|p| p.grouped_clauses(word));
        ClauseKind::Group { quals, clauses }
    }

    /// `for i < n` without clauses after it: perhaps it was meant for all clauses before it.
    #[cold]
    fn no_group(&mut self, start: Span) {
        if self.at(T::FatArrow) {
            // The subscripts were read as a part of the qualifiers.
            let title = "the qualifiers of a single clause come last";
            let diagnostic = Diagnostic::error(codes::CLAUSE, title, start, "this belongs after the value");
            return self.error(diagnostic.help("write `[i] => value for i < n`"));
        }
        let span = self.since(start);
        let quals = self.short_text(span).unwrap_or("for i < n");
        let title = format!("this `{}` has no clauses", self.text_of_span(start));
        let help = format!("to share it, put the clauses in braces after it: `{quals} {{ [i] => a; [i + n] => b }}`");
        let diagnostic = Diagnostic::error(codes::CLAUSE, title, span, "expected clauses in braces after this")
            .note("in a single clause, `for`, `let` and `if` come last: `[i] => a for i < n`");
        self.error(diagnostic.help(help));
    }

    fn grouped_clauses(&mut self, word: &str) -> Vec<Clause> {
        let start = self.span();
        let (clauses, otherwise) = self.clause_list(word, true);
        if otherwise.is_some() {
            self.misplaced_else(start, "`else` belongs to the whole array, not to a group", "in this group");
        }
        clauses
    }

    fn clause_quals(&mut self) -> Vec<crate::ast::Qual> {
        let outer = self.context;
        self.context = Context { before_clauses: true, ..outer };
        let quals = self.quals();
        self.context = outer;
        quals
    }
}
