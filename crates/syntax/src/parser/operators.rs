//! Binary operators and `with`, by precedence, with a stack of our own instead of recursion: `1 + 1 + ...` may be
//! long.

use super::Parser;
use super::node::node;
use crate::ast::{Expr, ExprKind, Index, QualName, Step};
use crate::codes;
use crate::level::{self, Level};
use crate::token::T;
use base::{Diagnostic, Span};

/// A left operand that waits for its right one.
struct Pending {
    lhs: Expr,
    height: u32,
    level: Level,
    kind: PendingKind,
}

enum PendingKind {
    Binary(QualName),
    With(Vec<Step>),
}

impl Parser<'_> {
    /// Operands joined by operators that bind tighter than `floor`.
    pub(super) fn binary(&mut self, floor: Level) -> Expr {
        let mut stack: Vec<Pending> = Vec::new();
        let mut operand = self.measured(Self::operand);
        loop {
            let with = self.at(T::With);
            let level = if with { Some(level::WITH) } else { self.op_level(self.kind()) };
            let Some(level) = level.filter(|l| *l > floor) else { break };
            operand = self.reduce(&mut stack, operand, level);
            let (lhs, height) = operand;
            let kind = if with {
                let (path, tall) = self.measured(Self::with_path);
                self.raise(tall);
                PendingKind::With(path)
            } else {
                let op = self.operator();
                if self.at(T::RParen) {
                    self.section = Some(op);
                    operand = (lhs, height);
                    break;
                }
                PendingKind::Binary(op)
            };
            self.await_rest();
            stack.push(Pending { lhs, height, level: if with { level::WITH_VALUE } else { level }, kind });
            operand = self.measured(Self::operand);
        }
        let (result, height) = self.reduce(&mut stack, operand, level::LOWEST);
        self.raise(height);
        result
    }

    /// Completes what binds tighter than an operator of this level that comes next.
    fn reduce(&mut self, stack: &mut Vec<Pending>, operand: (Expr, u32), next: Level) -> (Expr, u32) {
        let (mut rhs, mut tall) = operand;
        while stack.last().is_some_and(|p| p.level > next || (p.level == next && next != level::PIPE_LEFT)) {
            let Some(Pending { lhs, height, level: _, kind }) = stack.pop() else { break };
            let span = lhs.span.to(rhs.span);
            let kind = match kind {
                PendingKind::Binary(op) => ExprKind::Binary { op, lhs, rhs },
                PendingKind::With(path) => ExprKind::With { source: lhs, path, value: rhs },
            };
            rhs = node(span, kind);
            self.waiting = self.waiting.saturating_sub(1);
            tall = height.max(tall) + 1;
            self.raise(tall);
        }
        (rhs, tall)
    }

    // ------------------------------------------------------------ with

    /// From `with` to `=`: `with [i].f = `.
    #[inline(never)]
    fn with_path(&mut self) -> Vec<Step> {
        let start = self.span();
        self.bump();
        let mut path = Vec::new();
        loop {
            match self.kind() {
                T::LBracket | T::Index => path.push(self.index_step()),
                T::Ident(_) | T::Nat(_) if path.is_empty() => path.push(Step::Field(self.field())),
                T::Dot => {
                    self.bump();
                    path.push(Step::Field(self.field()));
                }
                _ => break,
            }
        }
        if path.is_empty() {
            self.no_path(start);
        }
        self.with_equals();
        path
    }

    #[cold]
    fn no_path(&mut self, start: Span) {
        let title = format!("`with` must say what to replace, found {}", self.found());
        let diagnostic = Diagnostic::error(codes::UPDATE_PATH, title, self.here(), "an index or field goes here")
            .label(start, "what does this replace?")
            .help("write `a with [i] = value` or `r with field = value`");
        self.error(diagnostic);
    }

    fn with_equals(&mut self) {
        if self.eat(T::Equals) {
            return;
        }
        let arrow = matches!(self.kind(), T::Op(..)) && self.text_of(self.pos) == "<-";
        let diagnostic = self.missing("`=`", "before the new value of `with`");
        self.error(if arrow { diagnostic.help("write `=` in place of `<-`") } else { diagnostic });
        if arrow || self.recover(&[T::Equals]) {
            self.bump();
            self.panicking = false;
        }
    }

    /// `[i, j:k]` as a step of a path.
    pub(super) fn index_step(&mut self) -> Step {
        let (indices, span) = self.bracketed(Self::indices);
        Step::Index(indices, span)
    }

    /// The inside of index brackets.
    pub(super) fn indices(&mut self) -> Vec<Index> {
        self.list(Self::index)
    }

    /// `i`, or `i:j:s` with any part missing.
    fn index(&mut self) -> Index {
        let start = self.span();
        let first = self.slice_part();
        if !self.at(T::Colon) {
            let at = first.unwrap_or_else(|| {
                self.no_expression();
                self.expr_error()
            });
            return Index::At(at);
        }
        self.bump();
        let end = self.slice_part();
        let stride = if self.eat(T::Colon) { self.slice_part() } else { None };
        Index::Slice { start: first, end, stride, span: self.since(start) }
    }

    fn slice_part(&mut self) -> Option<Expr> {
        let missing = matches!(self.kind(), T::Colon | T::Comma | T::End) || self.kind().is_closer();
        (!missing).then(|| self.deeper(Self::expr_error, Self::exp_without_type))
    }
}
