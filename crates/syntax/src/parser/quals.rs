//! Array literals, comprehensions, and the qualifiers and generators that comprehensions and clauses share.

use super::node::node;
use super::{Context, Parser};
use crate::ast::{Expr, ExprKind, Generator, GeneratorKind, Ident, Qual};
use crate::codes;
use crate::level;
use crate::token::{T, level_of};
use base::{Diagnostic, Span};

impl Parser<'_> {
    /// The inside of `[...]`.
    pub(super) fn array_or_comprehension(&mut self) -> ExprKind {
        if let Some(arrow) = self.bar_and_arrow() {
            return self.foreign_comprehension(arrow);
        }
        let mut items = self.list(Self::exp);
        if !self.ravel() || !self.starts_qual() || items.is_empty() {
            return ExprKind::Array(items);
        }
        let start = self.span();
        let quals = self.quals();
        let span = self.since(start);
        if !matches!(quals.first(), Some(Qual::For(..))) {
            let title = "a comprehension begins with `for`";
            let diagnostic = Diagnostic::error(codes::COMPREHENSION, title, span, "no `for` before this");
            self.error(diagnostic.help("write `[e for x in xs if condition]`"));
        }
        let body = match items.pop() {
            Some(only) if items.is_empty() => only,
            last => {
                items.extend(last);
                self.several_bodies(&items)
            }
        };
        ExprKind::Comprehension { body, quals }
    }

    /// The place of a `<-` after a `|` in the brackets that open here, as in `[x | x <- xs]`.
    fn bar_and_arrow(&mut self) -> Option<usize> {
        let end = self.partners.of(self.pos.checked_sub(1)?).filter(|p| *p > self.pos)?;
        let mut bar = false;
        let mut at = self.pos;
        while at < end && self.search_budget > 0 {
            self.search_budget -= 1;
            match self.lexed.tokens[at].kind {
                T::Bar => bar = true,
                T::Op(name, _) if bar && name.as_str() == "<-" => return Some(at),
                _ => {}
            }
            at = self.partners.of(at).map_or(at, |p| p.max(at)) + 1;
        }
        None
    }

    #[cold]
    fn foreign_comprehension(&mut self, arrow: usize) -> ExprKind {
        let title = "a comprehension is written with `for` and `in`";
        let diagnostic = Diagnostic::error(codes::COMPREHENSION, title, self.span_of(arrow), "not understood");
        let help = "in place of `[e | x <- xs, c]` write `[e for x in xs if c]`";
        self.error(diagnostic.help(help));
        ExprKind::Error
    }

    #[cold]
    fn several_bodies(&mut self, items: &[Expr]) -> Expr {
        let span = items.iter().map(|e| e.span).reduce(Span::to).unwrap_or(self.span());
        let title = "a comprehension has one value before `for`";
        let diagnostic = Diagnostic::error(codes::COMPREHENSION, title, span, "several values");
        self.error(diagnostic.help("for tuples, use parentheses: `[(a, b) for ...]`"));
        node(span, ExprKind::Error)
    }

    pub(super) fn starts_qual(&self) -> bool {
        matches!(self.kind(), T::For | T::Let | T::If)
    }

    /// `for g, g let p = e if c`, as many as there are.
    pub(super) fn quals(&mut self) -> Vec<Qual> {
        let mut quals = Vec::new();
        while self.starts_qual() {
            quals.push(self.qual());
            if self.panicking {
                self.recover(&[T::For, T::Let, T::If]);
            }
        }
        quals
    }

    fn qual(&mut self) -> Qual {
        let start = self.span();
        let word = self.kind();
        self.bump();
        match word {
            T::For => {
                let generators = self.generators();
                Qual::For(generators, self.since(start))
            }
            T::Let => {
                let pat = self.pat();
                self.defines("`let`");
                Qual::Let(pat, self.exp())
            }
            _ => Qual::If(self.exp()),
        }
    }

    // ------------------------------------------------------------ generators

    fn generators(&mut self) -> Vec<Generator> {
        let mut generators = vec![self.generator()];
        while self.eat(T::Comma) {
            if self.starts_qual() || self.kind().is_closer() {
                break;
            }
            generators.push(self.generator());
        }
        generators
    }

    /// `p in xs`, `x < hi`, `lo <= x < hi`.
    pub(super) fn generator(&mut self) -> Generator {
        let start = self.span();
        let kind = if let (T::Ident(name), T::Less) = (self.kind(), self.nth(1)) {
            let var = Ident { name, span: start };
            self.bump();
            self.range(None, var)
        } else if self.at(T::Underscore) && self.nth(1) == T::Less {
            let var = self.nameless_counter();
            self.range(None, var)
        } else if self.in_comes_first() {
            let pat = self.pat();
            self.word(T::In, "after the pattern of `for`");
            GeneratorKind::In(pat, self.exp())
        } else {
            let lo = self.bound(level::COMPARE);
            let var = self.bounded_name();
            self.range(Some(lo), var)
        };
        Generator { span: self.since(start), kind }
    }

    /// Whether `in` stands before any comparison here, brackets skipped.
    fn in_comes_first(&self) -> bool {
        let mut at = self.pos;
        loop {
            match self.lexed.tokens[at].kind {
                T::In => return true,
                T::End | T::Less | T::LessEq | T::For | T::Let | T::If | T::Do | T::FatArrow | T::Semicolon => {
                    return false;
                }
                kind if kind.is_closer() || kind.only_declares() => return false,
                _ => at = self.partners.of(at).map_or(at, |p| p.max(at)) + 1,
            }
        }
    }

    /// An expression in a bound, where `step` is a word.
    fn bound(&mut self, floor: crate::level::Level) -> Expr {
        let outer = self.context;
        self.context = Context { bound: true, ..outer };
        let bound = self.deeper(Self::expr_error, |p| p.binary(floor));
        self.context = outer;
        bound
    }

    /// `<= x` after a lower bound.
    fn bounded_name(&mut self) -> Ident {
        if !self.eat(T::LessEq) {
            let title = format!("`for` needs `in`, `<` or `<=`, found {}", self.found());
            let help = match self.kind() {
                T::Less => "the lower bound is inclusive: write `lo <= i < hi`",
                _ => "write `for x in xs`, `for i < n` or `for lo <= i < hi`",
            };
            let diagnostic =
                Diagnostic::error(codes::GENERATOR, title, self.here(), "expected `in`, `<` or `<=`").help(help);
            self.error(diagnostic);
            self.recover(&[T::LessEq]);
            self.eat(T::LessEq);
        }
        self.name("a generator")
    }

    /// `< hi step s` after the name.
    fn range(&mut self, lo: Option<Expr>, var: Ident) -> GeneratorKind {
        if self.at(T::LessEq) {
            let title = "the upper bound of `for` is exclusive";
            let diagnostic = Diagnostic::error(codes::GENERATOR, title, self.span(), "expected `<`");
            self.error(diagnostic.help("write `< hi + 1` to include `hi`"));
            self.panicking = false;
            self.bump();
        } else if !self.eat(T::Less) {
            let diagnostic = self.missing("`<`", "before the upper bound of `for`");
            self.error(diagnostic.help("the upper bound is exclusive: write `i < n + 1` for `i <= n`"));
        }
        let hi = self.bound(level::LOWEST);
        self.check_bound(&hi);
        let steps = matches!(self.kind(), T::Ident(name) if name.as_str() == "step");
        let step = steps.then(|| {
            self.bump();
            self.bound(level::LOWEST)
        });
        GeneratorKind::Range { lo, var, hi, step }
    }

    /// `i < n && c` is a bound followed by a condition, which wants `if`.
    fn check_bound(&mut self, bound: &Expr) {
        if let ExprKind::Binary { op, .. } = &*bound.kind
            && op.quals.is_empty()
            && (level::OR..=level::COMPARE).contains(&level_of(op.name.name.as_str()))
            && !op.name.name.as_str().starts_with(|c: char| c.is_alphanumeric() || c == '_')
        {
            let title = format!("`{}` makes this bound a truth value", op.name.name);
            let diagnostic = Diagnostic::error(codes::GENERATOR, title, op.span(), "not part of a bound");
            self.error(diagnostic.help("to keep only some, add a condition: `for i < n if condition`"));
            self.panicking = false;
        }
    }
}
