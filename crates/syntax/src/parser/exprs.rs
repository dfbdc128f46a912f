//! Expressions from the outside in: types, ranges, keywords (`if`, `loop`, `match`, ...), application. Binary
//! operators are in `operators`, `let` in `lets`, the innermost parts in `atoms`.

use super::Parser;
use super::foreign::ForeignIf;
use super::node::node;
use crate::ast::{Case, Expr, ExprKind, GeneratorKind, Ident, LoopForm, PatKind, RangeKind};
use crate::codes;
use crate::level;
use crate::token::T;
use base::{Diagnostic, Span};

impl Parser<'_> {
    /// Any expression: `e`, `e : t`, `e :> t`.
    pub(crate) fn exp(&mut self) -> Expr {
        self.deeper(Self::expr_error, |p| {
            let start = p.span();
            let mut exp = p.exp_without_type();
            while matches!(p.kind(), T::Colon | T::ColonGt) {
                let coerce = p.at(T::ColonGt);
                p.bump();
                let ty = p.type_exp();
                p.link();
                let kind = if coerce { ExprKind::Coerce(exp, ty) } else { ExprKind::Ascribe(exp, ty) };
                exp = node(p.since(start), kind);
            }
            p.skip_stray_closer();
            exp
        })
    }

    /// A bracket that closes nothing is reported here, so that what surrounds the expression can go on.
    #[inline(never)]
    fn skip_stray_closer(&mut self) {
        let in_unclosed = self.innermost.is_some_and(|opener| self.partners.of(opener).is_none());
        if self.at_stray_closer() && !in_unclosed && !self.panicking {
            let diagnostic = self.unexpected_after("expression");
            self.error(diagnostic);
            self.bump();
        }
    }

    pub(super) fn expr_error(&self) -> Expr {
        node(self.here(), ExprKind::Error)
    }

    /// An expression that leaves `:` alone, as indices need it: a range or less.
    pub(super) fn exp_without_type(&mut self) -> Expr {
        let start = self.span();
        let first = self.binary(level::LOWEST);
        if !matches!(self.kind(), T::TwoDots | T::ThreeDots | T::DotsLess | T::DotsGreater) {
            return first;
        }
        let second = self.eat(T::TwoDots).then(|| self.binary(level::LOWEST));
        let kind = match self.kind() {
            T::ThreeDots => RangeKind::Inclusive,
            T::DotsLess => RangeKind::UpTo,
            T::DotsGreater => RangeKind::DownTo,
            _ => {
                self.range_without_end();
                return node(self.since(start), ExprKind::Error);
            }
        };
        self.bump();
        let end = self.binary(level::LOWEST);
        self.link();
        node(self.since(start), ExprKind::Range { first, second, kind, end })
    }

    #[cold]
    fn range_without_end(&mut self) {
        let title = "a range says how it ends: `...`, `..<` or `..>`";
        let diagnostic = Diagnostic::error(codes::RANGE, title, self.here(), "the end is missing")
            .note("`..` only separates the first element from the second: `0..2...10`")
            .help("write `a...b` with b included, `a..<b` without it, `a..>b` to count down");
        self.error(diagnostic);
    }

    /// `-e`, `!e`, the keyword forms, or an application.
    pub(super) fn operand(&mut self) -> Expr {
        let start = self.span();
        match self.kind() {
            T::Minus => {
                self.bump();
                let inner = self.deeper(Self::expr_error, Self::operand);
                node(self.since(start), ExprKind::Negate(inner))
            }
            T::Bang => {
                self.bump();
                if self.at(T::RParen) && !self.panicking {
                    return self.bang_without_operand(start);
                }
                let inner = self.deeper(Self::expr_error, Self::operand);
                node(self.since(start), ExprKind::Not(inner))
            }
            T::If => self.if_exp(),
            T::Let => self.let_exp(),
            T::Def if !self.token().first_on_line => {
                self.no_expression();
                self.panicking = false;
                self.let_exp()
            }
            T::Loop => self.loop_exp(),
            T::Match => self.match_exp(),
            T::Assert => {
                self.bump();
                let cond = self.postfix();
                let value = self.exp();
                node(self.since(start), ExprKind::Assert(cond, value))
            }
            T::HashBracket => {
                let attr = self.attribute();
                let value = self.exp();
                node(self.since(start), ExprKind::Attr(attr, value))
            }
            _ => self.apply(),
        }
    }

    /// `(!)`.
    #[cold]
    fn bang_without_operand(&mut self, bang: Span) -> Expr {
        let diagnostic = Diagnostic::error(codes::SECTION, "`!` lacks its operand", bang, "nothing to negate")
            .note("`!` is no binary operator, so it has no section")
            .help("as a function, `!` is called `not`");
        self.error(diagnostic);
        self.expr_error()
    }

    // ------------------------------------------------------------ if, match, loop

    /// `if a then b else if c then d else e`, in a loop so that many branches need no recursion.
    #[inline(never)]
    fn if_exp(&mut self) -> Expr {
        let mut heads = Vec::new();
        let outer = self.context;
        // Syntax of other languages is reported once for a whole chain.
        let mut reported = false;
        let otherwise = loop {
            let start = self.span();
            let (cond, then) = match self.foreign_if() {
                Some(ForeignIf::Braces(brace)) => break self.if_with_braces(brace),
                Some(ForeignIf::Colon) => {
                    self.bump();
                    self.context.elif = true;
                    let cond = self.condition_and_colon(!std::mem::replace(&mut reported, true));
                    (cond, self.exp())
                }
                None => {
                    self.bump();
                    let cond = self.condition(T::Then, "after the condition of `if`");
                    self.skip_colon(&mut reported);
                    (cond, self.exp())
                }
            };
            self.branch_assignment(&mut reported);
            heads.push((start, cond, then));
            self.await_rest();
            if self.context.elif && self.is_elif(self.pos) {
                continue;
            }
            if self.panicking {
                self.recover(&[T::Else]);
            }
            if !self.eat(T::Else) {
                self.no_else(start);
                break self.expr_error();
            }
            self.skip_colon(&mut reported);
            if !self.at(T::If) {
                let value = self.exp();
                self.branch_assignment(&mut reported);
                break value;
            }
        };
        self.context = outer;
        self.awaited(heads.len());
        heads.into_iter().rfold(otherwise, |otherwise, (start, cond, then)| {
            node(self.since(start), ExprKind::If { cond, then, otherwise })
        })
    }

    /// A condition and the word after it.
    fn condition(&mut self, word: T, place: &str) -> Expr {
        let start = self.span();
        let mut cond = self.exp();
        if self.at(T::Equals) && !self.panicking {
            let diagnostic = self.unexpected_after("expression");
            self.error(diagnostic);
            self.panicking = false;
            self.bump();
            self.exp();
            cond = node(self.since(start), ExprKind::Error);
        }
        self.word(word, place);
        cond
    }

    /// A word in the middle of an expression; skips to it after an error.
    pub(super) fn word(&mut self, word: T, place: &str) {
        if self.at(word) || (self.panicking && self.recover(&[word])) {
            return self.bump();
        }
        let diagnostic = self.missing(&format!("`{}`", word.spelling()), place);
        let diagnostic = match word {
            T::Then => diagnostic.help("write `if c then a else b`"),
            _ => self.with_lambda_hint(diagnostic),
        };
        self.error(diagnostic);
        if self.recover(&[word]) {
            self.bump();
        }
    }

    #[cold]
    fn no_else(&mut self, start: Span) {
        let title = "this `if` has no `else`";
        let help = match self.kind() {
            T::Then => "write `else if` where another language has `elif`",
            _ => "add `else` and the value for the other case",
        };
        let diagnostic =
            Diagnostic::error(codes::NO_ELSE, title, start, "an `if` is an expression: it needs both values")
                .label(self.here(), "`else` is missing here")
                .help(help);
        self.error(diagnostic);
    }

    #[inline(never)]
    fn match_exp(&mut self) -> Expr {
        let start = self.span();
        self.bump();
        if let Some(wrong) = self.foreign_match() {
            return self.match_of_another_language(start, wrong);
        }
        let value = self.exp();
        if self.panicking {
            self.recover(&[T::Case]);
        }
        let mut cases = Vec::new();
        while self.at(T::Case) {
            cases.push(self.case());
        }
        if cases.is_empty() {
            let title = format!("expected `case`, found {}", self.found());
            let diagnostic = Diagnostic::error(codes::NO_CASE, title, self.here(), "expected `case`")
                .label(start, "this `match` has no cases")
                .help("write `match e case pattern -> value case ...`");
            self.error(diagnostic);
        }
        node(self.since(start), ExprKind::Match { value, cases })
    }

    fn case(&mut self) -> Case {
        let start = self.span();
        self.bump();
        let pat = self.case_pat();
        let hint = match pat.kind {
            PatKind::Name(name) if self.starts_simple_pat() => {
                Some(format!("a constructor is written with `#`: `#{name} ...`"))
            }
            _ => None,
        };
        self.arrow("after the pattern", hint);
        let body = self.exp();
        if self.panicking {
            self.recover(&[T::Case]);
        }
        Case { span: self.since(start), pat, body }
    }

    /// `->`, or the arrow of another language. If there is none, `hint` is the help of the message.
    fn arrow(&mut self, place: &str, hint: Option<String>) {
        if self.at(T::Arrow) || (self.panicking && self.recover(&[T::Arrow])) {
            return self.bump();
        }
        let other = match self.kind() {
            T::FatArrow | T::Equals | T::Dot | T::Colon => true,
            T::Op(..) => self.text_of(self.pos) == "=>",
            _ => false,
        };
        let title = format!("expected `->` {place}, found {}", self.found());
        let diagnostic = Diagnostic::error(codes::LAMBDA, title, self.here(), "expected `->`");
        let hint = if other { Some(format!("write `->` in place of {}", self.found())) } else { hint };
        self.error(match hint {
            Some(hint) => diagnostic.help(hint),
            None => diagnostic,
        });
        if other || self.recover(&[T::Arrow]) {
            self.bump();
            self.panicking = false;
        }
    }

    /// `loop p = e for i < n do body`.
    #[inline(never)]
    fn loop_exp(&mut self) -> Expr {
        let start = self.span();
        self.bump();
        let pat = self.pat();
        if self.panicking {
            self.recover(&[T::Equals, T::For, T::While]);
        }
        let init = self.eat(T::Equals).then(|| self.exp());
        if self.panicking {
            self.recover(&[T::For, T::While]);
        }
        let Some(form) = self.loop_form(start) else { return node(self.since(start), ExprKind::Error) };
        self.word(T::Do, "before the body of the loop");
        let body = self.exp();
        node(self.since(start), ExprKind::Loop { pat: Box::new(pat), init, form: Box::new(form), body })
    }

    fn loop_form(&mut self, start: Span) -> Option<LoopForm> {
        if self.eat(T::While) {
            return Some(LoopForm::While(self.exp()));
        }
        if !self.eat(T::For) {
            let title = format!("expected `for` or `while`, found {}", self.found());
            let diagnostic = Diagnostic::error(codes::LOOP_FORM, title, self.here(), "expected `for` or `while`")
                .label(start, "this loop does not say how long it runs")
                .help("write `loop x = start for i < n do ...` or `loop x = start while condition do ...`");
            self.error(diagnostic);
            return None;
        }
        if self.ravel() {
            return Some(self.ravel_loop_range());
        }
        if let (T::Ident(name), T::Less) = (self.kind(), self.nth(1)) {
            let ident = Ident { name, span: self.span() };
            self.bump();
            self.bump();
            return Some(LoopForm::For(ident, self.exp()));
        }
        if self.at(T::Underscore) && self.nth(1) == T::Less {
            let counter = self.nameless_counter();
            self.bump();
            return Some(LoopForm::For(counter, self.exp()));
        }
        let pat = self.pat();
        self.word(T::In, "or `<` in `for`");
        Some(LoopForm::ForIn(pat, self.exp()))
    }

    /// A loop runs over the same ranges as a generator; only Futhark's ranges have a separate form.
    fn ravel_loop_range(&mut self) -> LoopForm {
        let generator = self.generator();
        match generator.kind {
            GeneratorKind::In(pat, array) => LoopForm::ForIn(pat, array),
            GeneratorKind::Range { lo: None, var, hi, step: None } => LoopForm::For(var, hi),
            GeneratorKind::Range { .. } => LoopForm::Range(generator),
        }
    }

    // ------------------------------------------------------------ application

    /// `f x y`, where the last argument may be a lambda.
    fn apply(&mut self) -> Expr {
        if self.at(T::Backslash) {
            return self.lambda();
        }
        let start = self.span();
        let head = self.postfix();
        let mut args = Vec::new();
        while self.starts_atom() {
            if self.token().first_on_line {
                self.argument_on_new_line = Some(self.span());
            }
            args.push(self.postfix());
        }
        if self.at(T::Backslash) {
            args.push(self.lambda());
        }
        if args.is_empty() {
            return head;
        }
        if self.at(T::Bang) && self.word_before_bang() {
            return node(self.since(start), ExprKind::Error);
        }
        self.check_index_gap(&head, &args[0]);
        self.links(args.len());
        let span = self.since(start);
        match *head.kind {
            ExprKind::Constr(name, none) if none.is_empty() => node(span, ExprKind::Constr(name, args)),
            kind => node(span, ExprKind::Apply(node(head.span, kind), args)),
        }
    }

    /// `x and !y`: the operator is reported, and its right operand skipped. Other words are for the checker, which
    /// knows what is a function.
    #[cold]
    fn word_before_bang(&mut self) -> bool {
        let word = self.text_of(self.pos - 1);
        let Some(diagnostic) = crate::words::not_an_operator(word, self.prev_span()) else { return false };
        self.error(diagnostic);
        self.panicking = false;
        self.operand();
        true
    }

    /// `a[i] [j]` applies an element of an array to an array, which is never meant.
    #[inline(never)]
    fn check_index_gap(&mut self, head: &Expr, arg: &Expr) {
        if let (ExprKind::Index(..), ExprKind::Array(_)) = (&*head.kind, &*arg.kind) {
            let title = "a space before `[` makes this an application, not an index";
            let diagnostic = Diagnostic::error(codes::INDEX_GAP, title, arg.span, "an argument")
                .label(head.span, "indexed here already")
                .help("write all indices in one pair of brackets: `a[i, j]`");
            let panicking = self.panicking;
            self.error(diagnostic);
            self.panicking = panicking;
        }
    }

    /// Whether an argument may begin here.
    fn starts_atom(&self) -> bool {
        self.starts_atom_with(self.kind())
    }

    /// Whether `array`, `update` or `accum` here is followed by what it needs, rather than used as a name.
    pub(super) fn clauses_follow(&self) -> bool {
        !self.at(T::Rec) && self.starts_atom_with(self.nth(1))
    }

    fn starts_atom_with(&self, kind: T) -> bool {
        match kind {
            T::Ident(name) => match name.as_str() {
                "step" => !self.context.bound,
                "elif" | "elsif" | "elseif" => !self.context.elif,
                _ => true,
            },
            T::Lit(_) | T::Nat(_) | T::True | T::False | T::Constr(_) | T::Hole => true,
            T::LParen | T::LBracket | T::Array | T::Update | T::Accum | T::Rec => true,
            T::LBrace => !self.opens_clauses(),
            _ => false,
        }
    }

    /// `\x y : t -> e`.
    #[inline(never)]
    fn lambda(&mut self) -> Expr {
        let start = self.span();
        self.bump();
        let params = self.params();
        if params.is_empty() {
            self.error(
                Diagnostic::error(codes::NO_PATTERN, "a function needs a parameter", self.here(), "missing")
                    .help("write `\\x -> ...`, or `\\() -> ...` for one that takes nothing"),
            );
        }
        let ret = self.eat(T::Colon).then(|| self.type_term());
        let hint = "parameters follow one another, without commas: `\\x y -> result`";
        let hint = self.at(T::Comma).then(|| hint.to_string());
        self.arrow("after the parameters of this function", hint);
        let body = self.exp();
        node(self.since(start), ExprKind::Lambda { params, ret, body })
    }
}
