//! `let` in all its forms. A chain of bindings is parsed in a loop, so it may be long.

use super::Parser;
use super::node::node;
use crate::ast::{Expr, ExprKind, Ident, LetFun, Pat, RecArray, SizeName, Step, TypeExp, TypeParam};
use crate::codes;
use crate::token::T;
use base::{Diagnostic, Span};

/// A `let` without its body.
enum Head {
    Pat(Vec<SizeName>, Pat, Expr),
    Fun { name: Ident, type_params: Vec<TypeParam>, params: Vec<Pat>, ret: Option<TypeExp>, value: Expr },
    With(Ident, Vec<Step>, Expr),
    Rec(Vec<RecArray>),
}

impl Parser<'_> {
    /// `let p = e let q = f in body`.
    pub(super) fn let_exp(&mut self) -> Expr {
        let first = self.pos;
        let mut in_first_column = None;
        let mut heads: Vec<(Span, Head)> = Vec::new();
        loop {
            let start = self.span();
            let head = self.let_head();
            match (heads.last_mut(), head) {
                (Some((_, Head::Rec(group))), Head::Rec(more)) => group.extend(more),
                (_, head) => {
                    heads.push((start, head));
                    self.await_rest();
                }
            }
            if self.panicking {
                self.recover(&[T::In, T::Let]);
            }
            if !self.at(T::In) && !self.continues_chain(first, &mut in_first_column) {
                self.no_in(start);
                break;
            }
            if self.eat(T::In) && !self.at(T::Let) {
                break;
            }
        }
        let body = if self.panicking { self.expr_error() } else { self.exp() };
        self.awaited(heads.len());
        heads.into_iter().rfold(body, |body, (start, head)| node(self.since(start), head.with_body(body)))
    }

    /// Whether a further `let` without `in` follows; one in the first column is a declaration, unless the chain
    /// began there too or has its `in` there. Whether it has is found out once for a chain.
    fn continues_chain(&mut self, first: usize, in_first_column: &mut Option<bool>) -> bool {
        self.at(T::Let)
            && (!self.at_line_start(self.pos)
                || self.at_line_start(first)
                || *in_first_column.get_or_insert_with(|| self.in_stands_in_first_column()))
    }

    /// Whether an `in` is in the first column before the next token that certainly begins a declaration.
    fn in_stands_in_first_column(&mut self) -> bool {
        for at in self.pos..self.lexed.tokens.len() {
            let kind = self.lexed.tokens[at].kind;
            if self.search_budget == 0 || kind.only_declares() {
                break;
            }
            self.search_budget -= 1;
            if kind == T::In && self.at_line_start(at) {
                return true;
            }
        }
        false
    }

    #[cold]
    fn no_in(&mut self, start: Span) {
        if self.at(T::Equals)
            && let Some(diagnostic) = self.binding_without_let()
        {
            return self.error(diagnostic);
        }
        let start = Span { end: start.start + 3, ..start };
        let title = "this `let` has no `in`";
        let mut diagnostic = Diagnostic::error(codes::NO_IN, title, start, "a name is bound here");
        match self.argument_on_new_line.filter(|a| a.start > start.start) {
            Some(argument) => {
                diagnostic = diagnostic
                    .label(argument, "is `in` missing before this?")
                    .note("without `in`, the new line continues the value of the `let`")
                    .help("write `in` before the result");
            }
            None => {
                diagnostic = diagnostic
                    .label(self.here(), format!("expected `in` and a result, found {}", self.found()))
                    .help("write `let name = value in result`");
            }
        }
        self.error(diagnostic);
    }

    fn let_head(&mut self) -> Head {
        self.bump();
        if self.eat(T::Rec) {
            return self.let_rec();
        }
        if self.at_bracket() {
            return self.let_sizes();
        }
        if let T::Ident(name) = self.kind() {
            let ident = Ident { name, span: self.span() };
            match self.nth(1) {
                T::Index | T::Dot => return self.let_with(ident),
                T::LBracket | T::Quote | T::QuoteHat | T::QuoteTilde => return self.let_fun(ident),
                T::Ident(_) | T::Underscore | T::LParen | T::LBrace => return self.let_fun(ident),
                T::Lit(_) | T::Nat(_) | T::True | T::False | T::Constr(_) => return self.let_fun(ident),
                _ => {}
            }
        }
        let pat = self.pat();
        Head::Pat(Vec::new(), pat, self.let_value())
    }

    fn let_value(&mut self) -> Expr {
        self.defines("`let`");
        self.exp()
    }

    /// `let [n] p = e`.
    fn let_sizes(&mut self) -> Head {
        let mut sizes = Vec::new();
        while self.at_bracket() {
            sizes.push(self.bracketed(Self::size_name).0);
        }
        let pat = self.pat();
        Head::Pat(sizes, pat, self.let_value())
    }

    /// `let a[i].f = e`.
    fn let_with(&mut self, name: Ident) -> Head {
        self.bump();
        let mut path = Vec::new();
        loop {
            match self.kind() {
                T::Index | T::LBracket => path.push(self.index_step()),
                T::Dot => {
                    self.bump();
                    path.push(Step::Field(self.field()));
                }
                _ => break,
            }
            self.link();
        }
        Head::With(name, path, self.let_value())
    }

    /// `let f 'a x : t = e`.
    fn let_fun(&mut self, name: Ident) -> Head {
        self.bump();
        let type_params = self.type_params();
        let params = self.params();
        if params.is_empty() {
            let title = format!("`{}` has type parameters but no parameters", name.name);
            let diagnostic = Diagnostic::error(codes::PARAMETER_ORDER, title, self.here(), "a parameter goes here")
                .label(name.span, "a local function")
                .help(
                    "to index an array, leave no space: `let a[i] = ...`; to bind a size, put it first: `let [n] ...`",
                );
            self.error(diagnostic);
        }
        let ret = self.result_type();
        Head::Fun { name, type_params, params, ret, value: self.let_value() }
    }

    /// `let rec a : t = array ...`.
    fn let_rec(&mut self) -> Head {
        let name = self.name("a recursive array");
        if self.starts_simple_pat() || self.at_bracket() || matches!(self.kind(), T::Quote) {
            let title = format!("`let rec` defines an array, but `{}` has parameters", name.name);
            let diagnostic = Diagnostic::error(codes::LET_REC, title, self.span(), "a parameter")
                .note("a local function is not in scope of itself")
                .help("define a recursive function with `def` at the top level");
            self.error(diagnostic);
            self.panicking = false;
            self.type_params();
            self.params();
        }
        let ty = self.result_type();
        let value = self.let_value();
        Head::Rec(vec![RecArray { name, ty, value }])
    }
}

impl Head {
    fn with_body(self, body: Expr) -> ExprKind {
        match self {
            Head::Pat(sizes, pat, value) => ExprKind::Let { sizes, pat: Box::new(pat), value, body },
            Head::Fun { name, type_params, params, ret, value } => {
                ExprKind::LetFun(Box::new(LetFun { name, type_params, params, ret, value, body }))
            }
            Head::With(name, path, value) => ExprKind::LetWith { name, path, value, body },
            Head::Rec(arrays) => ExprKind::LetRec { arrays, body },
        }
    }
}
