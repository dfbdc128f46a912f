//! Atoms, what may be attached to them (`.field`, `[index]`, `.(e)`), and everything that begins with `(`.

use super::Parser;
use super::node::node;
use crate::ast::{Expr, ExprKind, Ident, Lit, QualName, Step};
use crate::codes;
use crate::token::T;
use base::Diagnostic;

impl Parser<'_> {
    /// An atom with fields and indices.
    pub(super) fn postfix(&mut self) -> Expr {
        let start = self.span();
        let mut exp = self.atom();
        loop {
            let kind = match (self.kind(), self.nth(1)) {
                (T::Index, _) => ExprKind::Index(exp, self.bracketed(Self::indices).0),
                (T::Dot, T::LParen) => self.open_in(exp),
                (T::Dot, T::Nat(_)) => {
                    self.bump();
                    ExprKind::Project(exp, self.field())
                }
                (T::Dot, _) => {
                    self.bump();
                    let name = self.field();
                    match *exp.kind {
                        ExprKind::Var(QualName { mut quals, name: last }) => {
                            quals.push(last);
                            ExprKind::Var(QualName { quals, name })
                        }
                        kind => ExprKind::Project(node(exp.span, kind), name),
                    }
                }
                _ => return exp,
            };
            self.link();
            exp = node(self.since(start), kind);
        }
    }

    /// `m.(e)`.
    #[inline(never)]
    fn open_in(&mut self, module: Expr) -> ExprKind {
        self.bump();
        let (body, _) = self.bracketed(Self::exp);
        match *module.kind {
            ExprKind::Var(name) => ExprKind::OpenIn(name, body),
            _ => {
                let title = "only a module's name can come before `.( )`";
                let diagnostic = Diagnostic::error(codes::OPEN_IN, title, module.span, "not a module's name");
                self.error(diagnostic.help("to take a field, write its name: `e.field`; to index, `e[i]`"));
                self.panicking = false;
                ExprKind::Error
            }
        }
    }

    pub(super) fn atom(&mut self) -> Expr {
        let start = self.span();
        let kind = match self.kind() {
            T::Ident(name) => {
                if matches!(name.as_str(), "lambda" | "fn" | "fun") {
                    self.lambda_word = Some(start);
                }
                self.bump();
                ExprKind::Var(QualName { quals: Vec::new(), name: Ident { name, span: start } })
            }
            T::Lit(index) | T::Nat(index) => {
                self.bump();
                ExprKind::Literal(self.lit(index))
            }
            T::True | T::False => {
                let value = self.at(T::True);
                self.bump();
                ExprKind::Literal(Lit::Bool(value))
            }
            T::Constr(name) => {
                self.bump();
                ExprKind::Constr(Ident { name, span: start }, Vec::new())
            }
            T::Hole => {
                self.bump();
                ExprKind::Hole
            }
            T::LParen => self.parens(),
            T::LBracket | T::Index => self.bracketed(Self::array_or_comprehension).0,
            T::LBrace => ExprKind::Record(self.bracketed(|p| p.list(Self::record_field)).0),
            T::Array | T::Update | T::Accum | T::Rec if !self.clauses_follow() => {
                ExprKind::Var(QualName { quals: Vec::new(), name: self.reserved("a variable") })
            }
            T::Array => self.array_by(),
            T::Update => self.update(),
            T::Accum => self.accum(),
            // An operator is not in the way of parsing on; a message about a missing operand is all it takes.
            kind => {
                self.no_expression();
                if kind == T::Error {
                    self.bump();
                }
                ExprKind::Error
            }
        };
        node(self.since(start), kind)
    }

    /// `f = e`, `f`.
    fn record_field(&mut self) -> (Ident, Option<Expr>) {
        if matches!(self.kind(), T::Let | T::If | T::Match | T::Loop) && !self.names_field() {
            self.not_a_record();
            return (Ident { name: base::Name::new("_"), span: self.span() }, None);
        }
        let field = self.field();
        if self.at(T::Colon) {
            let diagnostic =
                Diagnostic::error(codes::UNEXPECTED, "a field gets its value with `=`", self.span(), "expected `=`");
            self.error(diagnostic.help("write `{field = value}`; `{field: type}` is a type"));
            self.panicking = false;
            self.bump();
            return (field, Some(self.exp()));
        }
        if !self.panicking && !matches!(self.kind(), T::Equals | T::Comma | T::End) && !self.kind().is_closer() {
            self.not_a_record();
        }
        let value = self.eat(T::Equals).then(|| self.exp());
        (field, value)
    }

    /// `{x * x : x in xs}`, `{ return x; }`: braces of another language.
    #[cold]
    fn not_a_record(&mut self) {
        let diagnostic = self.missing("`=`, `,` or `}`", "after the field's name");
        let end = self.innermost.and_then(|opener| self.partners.of(opener)).unwrap_or(self.pos);
        let inside = self.lexed.tokens.get(self.pos..end).unwrap_or_default();
        let runs = inside.iter().any(|t| matches!(t.kind, T::In | T::For));
        let help = match self.ravel() && runs {
            true => "an array of computed elements is written `[e for x in xs]`",
            false => "braces hold a record, `{field = value}`; to group an expression, use parentheses",
        };
        self.error(diagnostic.help(help));
    }

    // ------------------------------------------------------------ parentheses

    /// `()`, `(e)`, `(a, b)`, and sections.
    fn parens(&mut self) -> ExprKind {
        self.bracketed(|p| {
            let minus = p.at(T::Minus) && p.nth(1) != T::RParen;
            match p.kind() {
                T::RParen => ExprKind::Tuple(Vec::new()),
                T::Dot => ExprKind::PathSection(p.section_path()),
                kind if p.op_level(kind).is_some() && !minus => p.operator_section(),
                _ => p.parens_body(),
            }
        })
        .0
    }

    /// `+`, `+ x`.
    #[inline(never)]
    fn operator_section(&mut self) -> ExprKind {
        let op = self.operator();
        if self.at(T::RParen) {
            return ExprKind::OpSection(op);
        }
        let rhs = self.deeper(Self::expr_error, Self::exp_without_type);
        ExprKind::RightSection(op, rhs)
    }

    /// `.f[i].g`, `.[i]`.
    #[inline(never)]
    fn section_path(&mut self) -> Vec<Step> {
        let mut path = Vec::new();
        loop {
            match (self.kind(), self.nth(1)) {
                (T::Dot, T::LBracket | T::Index) if path.is_empty() => {
                    self.bump();
                    path.push(self.index_step());
                }
                (T::Dot, _) => {
                    self.bump();
                    path.push(Step::Field(self.field()));
                }
                (T::Index | T::LBracket, _) => path.push(self.index_step()),
                _ => return path,
            }
            self.link();
        }
    }

    fn parens_body(&mut self) -> ExprKind {
        let first = self.exp();
        if let Some(op) = self.section.take() {
            self.check_section(&first, &op);
            return ExprKind::LeftSection(first, op);
        }
        if self.panicking {
            self.recover(&[T::Comma]);
        }
        if !self.eat(T::Comma) {
            return ExprKind::Parens(first);
        }
        let mut items = vec![first];
        items.extend(self.list(Self::exp));
        if items.len() == 1 {
            self.tuple_of_one();
        }
        ExprKind::Tuple(items)
    }

    /// `(a + b *)` would change what `a + b * c` means.
    #[inline(never)]
    fn check_section(&mut self, operand: &Expr, op: &QualName) {
        let level = |op: &QualName| crate::token::level_of(op.name.name.as_str());
        if let ExprKind::Binary { op: inner, .. } = &*operand.kind
            && level(inner) < level(op)
            && !op.name.name.as_str().starts_with(|c: char| c.is_alphanumeric())
        {
            let title = format!("`{}` binds tighter than `{}`", op.name.name, inner.name.name);
            let diagnostic = Diagnostic::error(codes::SECTION, title, op.span(), "so this section is unclear")
                .label(operand.span, "not one operand")
                .help("put parentheses around the operand");
            self.error(diagnostic);
            self.panicking = false;
        }
    }
}
