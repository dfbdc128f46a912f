//! Types and dimensions.

use super::Parser;
use crate::ast::{DimExp, DimExpKind, Ident, SizeName, TypeArg, TypeExp, TypeExpKind};
use crate::codes;
use crate::token::T;
use base::{Diagnostic, Span};

impl Parser<'_> {
    /// `a -> b`, `?[n].t`, or anything less.
    pub(crate) fn type_exp(&mut self) -> TypeExp {
        self.deeper(Self::type_error, Self::type_arrows)
    }

    fn type_error(&self) -> TypeExp {
        TypeExp { span: self.here(), kind: TypeExpKind::Error }
    }

    /// Arrows associate to the right; a loop instead of recursion allows many parameters.
    fn type_arrows(&mut self) -> TypeExp {
        let mut params: Vec<(Span, Option<Ident>, TypeExp)> = Vec::new();
        let mut result = loop {
            let start = self.span();
            if self.at(T::Question) {
                break self.exists();
            }
            let named = self.at(T::LParen) && matches!(self.nth(1), T::Ident(_)) && self.nth(2) == T::Colon;
            let (name, ty) = if named { self.named_param() } else { (None, self.type_term()) };
            if self.eat(T::Arrow) {
                params.push((start, name, ty));
                self.await_rest();
                continue;
            }
            if let Some(name) = name {
                self.no_arrow(name);
            }
            break ty;
        };
        self.awaited(params.len());
        for (start, param_name, param) in params.into_iter().rev() {
            let span = start.to(result.span);
            let kind = TypeExpKind::Fun { param_name, param: Box::new(param), ret: Box::new(result) };
            result = TypeExp { span, kind };
        }
        result
    }

    /// `(x: t)`, which only a function type has.
    fn named_param(&mut self) -> (Option<Ident>, TypeExp) {
        let parse = |p: &mut Self| {
            let name = p.name("a parameter");
            p.bump();
            (Some(name), p.type_exp())
        };
        self.bracketed(parse).0
    }

    #[cold]
    fn no_arrow(&mut self, name: Ident) {
        let title = format!("the type of parameter `{}` must be followed by `->`", name.name);
        let diagnostic = Diagnostic::error(codes::UNEXPECTED, title, self.here(), "expected `->`")
            .label(name.span, "a named parameter of a function type")
            .help("a record type is written `{x: t}`, a tuple `(t, u)`");
        self.error(diagnostic);
    }

    /// `?[n][m].t`.
    fn exists(&mut self) -> TypeExp {
        let start = self.span();
        self.bump();
        let mut sizes = Vec::new();
        while self.at_bracket() {
            sizes.push(self.bracketed(Self::size_name).0);
        }
        self.expect(T::Dot, "after the sizes of `?`");
        let body = self.type_exp();
        TypeExp { span: self.since(start), kind: TypeExpKind::Exists(sizes, Box::new(body)) }
    }

    /// Between the brackets of a size that gets a name: `n` or `~k`.
    pub(super) fn size_name(&mut self) -> SizeName {
        if self.kind() != T::Tilde {
            return SizeName { name: self.name("a size"), jagged: false };
        }
        let name = match self.ravel_dim("a jagged dimension") {
            Some(name) => name,
            None => self.name("a size function"),
        };
        SizeName { name, jagged: true }
    }

    /// A type without arrows.
    pub(super) fn type_term(&mut self) -> TypeExp {
        let start = self.span();
        match self.kind() {
            T::Star => {
                self.bump();
                let inner = self.deeper(Self::type_error, Self::type_term);
                TypeExp { span: self.since(start), kind: TypeExpKind::Unique(Box::new(inner)) }
            }
            T::Constr(_) => self.sum_type(),
            _ => self.type_apply(),
        }
    }

    /// `#a t | #b`.
    fn sum_type(&mut self) -> TypeExp {
        let start = self.span();
        let mut constructors = Vec::new();
        while let T::Constr(name) = self.kind() {
            let ident = Ident { name, span: self.span() };
            self.bump();
            let mut payload = Vec::new();
            while self.starts_type() {
                payload.push(self.type_atom());
            }
            constructors.push((ident, payload));
            if !self.eat(T::Bar) {
                break;
            }
            if !matches!(self.kind(), T::Constr(_)) {
                let diagnostic = self.missing("a constructor such as `#name`", "after `|`");
                self.error(diagnostic);
            }
        }
        TypeExp { span: self.since(start), kind: TypeExpKind::Sum(constructors) }
    }

    /// `t [n] a`.
    fn type_apply(&mut self) -> TypeExp {
        let start = self.span();
        let head = self.type_atom();
        let mut args = Vec::new();
        while self.starts_type() && !self.opens_block() {
            let size = self.at_bracket();
            args.push(if size { TypeArg::Size(self.dim()) } else { TypeArg::Type(self.type_atom()) });
        }
        if args.is_empty() {
            return head;
        }
        TypeExp { span: self.since(start), kind: TypeExpKind::Apply(Box::new(head), args) }
    }

    /// Whether `{` follows without what begins a record type: perhaps another language's body of a function.
    pub(super) fn opens_block(&self) -> bool {
        let field = matches!(self.nth(1), T::Ident(_) | T::Nat(_)) && self.nth(2) == T::Colon;
        self.at(T::LBrace) && !field && self.nth(1) != T::RBrace
    }

    fn starts_type(&self) -> bool {
        match self.kind() {
            T::Ident(_) | T::LParen | T::LBracket | T::Index => true,
            T::LBrace => !self.opens_clauses(),
            _ => false,
        }
    }

    fn type_atom(&mut self) -> TypeExp {
        let start = self.span();
        let kind = match self.kind() {
            T::LParen => self.type_parens(),
            T::LBrace => TypeExpKind::Record(self.bracketed(|p| p.list(Self::field_type)).0),
            T::LBracket | T::Index => return self.array_type(),
            T::Ident(_) => TypeExpKind::Var(self.qual_name("a type")),
            _ => {
                self.no_type();
                TypeExpKind::Error
            }
        };
        TypeExp { span: self.since(start), kind }
    }

    fn type_parens(&mut self) -> TypeExpKind {
        let mut types = self.tuple(Self::type_exp);
        if types.len() == 1
            && let Some(only) = types.pop()
        {
            return TypeExpKind::Parens(Box::new(only));
        }
        TypeExpKind::Tuple(types)
    }

    fn field_type(&mut self) -> (Ident, TypeExp) {
        let field = self.field();
        self.expect(T::Colon, "after the field's name");
        (field, self.type_exp())
    }

    /// `[n][m]t`.
    fn array_type(&mut self) -> TypeExp {
        let mut dims = Vec::new();
        while self.at_bracket() {
            dims.push(self.dim());
            self.await_rest();
        }
        let mut ty = if self.starts_type() || matches!(self.kind(), T::Star | T::Constr(_)) {
            self.deeper(Self::type_error, Self::type_term)
        } else {
            self.no_element_type();
            self.type_error()
        };
        self.awaited(dims.len());
        for dim in dims.into_iter().rev() {
            ty = TypeExp { span: self.since(dim.span), kind: TypeExpKind::Array(dim, Box::new(ty)) };
        }
        ty
    }

    /// `[]`, `[n]`, `[~k]`, `[..s]`, `[..(e)]`.
    pub(super) fn dim(&mut self) -> DimExp {
        let (kind, span) = self.bracketed(|p| match p.kind() {
            T::RBracket => DimExpKind::Any,
            T::Tilde => DimExpKind::Jagged(p.ravel_dim("a jagged dimension")),
            T::TwoDots => p.shape_dim(),
            _ => DimExpKind::Size(Box::new(p.exp())),
        });
        DimExp { span, kind }
    }

    /// `..s`, `..(e)` or `..`.
    fn shape_dim(&mut self) -> DimExpKind {
        let name = self.ravel_dim("a shape");
        match (name, self.kind()) {
            (None, T::LParen) => DimExpKind::ShapeOf(Box::new(self.exp())),
            (name, _) => DimExpKind::Shape(name),
        }
    }

    /// What follows `~` or `..` in a dimension.
    pub(super) fn ravel_dim(&mut self, what: &str) -> Option<Ident> {
        if !self.ravel() {
            let title = format!("{what} is Ravel, but this file is Futhark");
            let diagnostic = Diagnostic::error(codes::RAVEL_ONLY, title, self.span(), "not in a `.fut` file");
            self.error(diagnostic.help("rename the file to end in `.rv`"));
        }
        self.bump();
        matches!(self.kind(), T::Ident(_)).then(|| self.name("a dimension"))
    }

    #[cold]
    fn no_type(&mut self) {
        let title = format!("expected a type, found {}", self.found());
        let diagnostic = Diagnostic::error(codes::NO_TYPE, title, self.here(), "a type goes here");
        let diagnostic = match self.kind() {
            T::Quote | T::QuoteHat | T::QuoteTilde => {
                diagnostic.help("a type parameter is declared as `'a` but used without the quote: `a`")
            }
            T::Op(..) if self.text_of(self.pos).ends_with('*') => {
                diagnostic.help("put a space before the `*` of a unique type: `-> *[n]t`")
            }
            _ => diagnostic,
        };
        self.error(diagnostic);
        if self.at(T::Error) {
            self.bump();
        }
    }

    #[cold]
    fn no_element_type(&mut self) {
        let title = "an array type needs the type of its elements";
        let diagnostic = Diagnostic::error(codes::NO_TYPE, title, self.here(), "the element type goes here")
            .help("write the dimensions in brackets and the element type after them: `[]i64`, `[n]f64`");
        self.error(diagnostic);
    }
}
