//! What newcomers write as in another language, and what the parser takes for a call: `x and y`, `x as f64`,
//! `f64(x)`, `0 < i < n`, `f x -1`, `not a > b`. Each is recognised by its form together with the types of its parts,
//! so that a program that makes sense is never rejected. The rest of such an expression is not looked at: its mistakes
//! would only follow from this one.

use crate::Checker;
use base::Span;
use scalar::{BinOp, Prim};
use syntax::ast::{self, Ident, QualName};
use typed::{Expr, ExprKind, Type};

impl Checker<'_> {
    /// A call that is none: its arguments hold a word that is an operator elsewhere, or it calls a type. What stands for it
    /// after the report; none if it is a call.
    pub(super) fn foreign_call(&mut self, fun: &ast::Expr, args: &[ast::Expr], span: Span) -> Option<Expr> {
        if let (Some((name, target)), Some(arg)) = (self.called_type(fun), args.first()) {
            let arg = self.expr(arg);
            self.type_as_function(&name, target, &arg);
            return Some(Expr::new(ExprKind::Error, Type::Error, span));
        }
        let at = args.iter().position(|arg| self.foreign_word(arg).is_some())?;
        let word = self.foreign_word(&args[at])?;
        let head = match at {
            0 => self.expr(fun),
            _ => self.apply(fun, &args[..at], fun.span.to(args[at - 1].span)),
        };
        match self.metas.shallow(&head.ty) {
            Type::Fun(_) | Type::Error => return Some(self.apply_rest(head, &args[at..], span)),
            Type::Meta(_) if !self.metas.is_scalar(&head.ty) && self.env.value(word.name).is_some() => {
                return Some(self.apply_rest(head, &args[at..], span));
            }
            _ => {}
        }
        match syntax::words::not_an_operator(word.name.as_str(), word.span) {
            Some(error) => self.report(error),
            None => self.conversion_by_as(&head, word.span, args.get(at + 1)),
        }
        Some(Expr::new(ExprKind::Error, Type::Error, span))
    }

    fn apply_rest(&mut self, head: Expr, args: &[ast::Expr], span: Span) -> Expr {
        let args = args.iter().map(|a| self.expr(a)).collect();
        self.apply_typed(head, args, span)
    }

    /// `and`, `mod`, `as`: a word that is an operator in other languages and is nothing of the user's here.
    fn foreign_word(&self, arg: &ast::Expr) -> Option<Ident> {
        let name = unqualified(arg)?;
        let foreign =
            name.name.as_str() == "as" || syntax::words::not_an_operator(name.name.as_str(), name.span).is_some();
        (foreign && !self.is_users(name)).then_some(*name)
    }

    /// Whether the user has given this name a meaning.
    fn is_users(&self, name: &Ident) -> bool {
        let opened = self.opened.iter().any(|(_, names)| names.values.contains_key(&name.name));
        let global = self.env.value(name.name).is_some_and(|def| !self.is_std_span(self.program.defs[def].span));
        opened || global || self.local(name.name).is_some()
    }

    /// `f64 x`, `int(x)`: the type that is called like a function.
    fn called_type(&self, fun: &ast::Expr) -> Option<(Ident, Prim)> {
        let name = unqualified(strip(fun))?;
        if self.is_users(name) || self.env.value(name.name).is_some() {
            return None;
        }
        let prim = match name.name.as_str() {
            "int" | "Int" | "integer" | "long" | "int64" => Prim::I64,
            "int32" => Prim::I32,
            "float" | "Float" | "double" | "float64" => Prim::F64,
            "float32" => Prim::F32,
            text => Prim::from_name(text)?,
        };
        Some((*name, prim))
    }

    /// `f x -1`, which subtracts from `f x`. Reports it if `lhs` is a function.
    pub(super) fn function_minus(&mut self, op: (BinOp, Span), lhs: &Expr, rhs: &ast::Expr) -> bool {
        let touches = op.1.end == rhs.span.start && lhs.span.end < op.1.start;
        if op.0 != BinOp::Sub || !touches || !matches!(self.metas.shallow(&lhs.ty), Type::Fun(_)) {
            return false;
        }
        let argument = |e: &ast::Expr| self.sources.slice(e.span).to_string();
        let call = self.sources.slice(lhs.span).to_string();
        let mended = match &*rhs.kind {
            ast::ExprKind::Apply(first, others) => {
                let others: Vec<String> = others.iter().map(argument).collect();
                format!("{call} (-{}) {}", argument(first), others.join(" "))
            }
            _ => format!("{call} (-{})", argument(rhs)),
        };
        self.negative_argument(lhs, op.1, &mended);
        true
    }

    /// `0 < i < n`, which compares a `bool` with `n`. Reports it if that makes no sense, unless the first comparison is
    /// `wrong` already.
    pub(super) fn chained_comparison(
        &mut self,
        op: BinOp,
        lhs: &ast::Expr,
        right: &Expr,
        span: Span,
        wrong: bool,
    ) -> bool {
        let ast::ExprKind::Binary { op: inner, lhs: first, rhs: middle } = &*lhs.kind else { return false };
        let no_bool = match self.metas.shallow(&right.ty) {
            Type::Prim(prim) => prim != Prim::Bool,
            Type::Meta(_) => self.metas.is_scalar(&right.ty),
            _ => false,
        };
        if !is_comparison(op.symbol()) || !is_comparison(inner.name.name.as_str()) || !no_bool {
            return false;
        }
        if wrong {
            return true;
        }
        if let ast::ExprKind::Binary { op: bits, lhs: one, rhs: two } = &*middle.kind
            && let Some(logical) = logical_operator(bits.name.name.as_str())
        {
            let (a, b) = (first.span.to(one.span), two.span.to(right.span));
            let mended = format!("{} {logical} {}", self.sources.slice(a), self.sources.slice(b));
            self.bits_for_condition(bits.name.name.as_str(), bits.span(), logical, &mended);
            return true;
        }
        let text = |span: Span| self.sources.slice(span).to_string();
        let (first, middle, last) = (text(first.span), text(middle.span), text(right.span));
        let mended = format!("{first} {} {middle} && {middle} {} {last}", inner.name.name, op.symbol());
        self.comparisons_chained(span, lhs.span, &mended);
        true
    }

    /// `not a > b`, which negates `a`. Reports it if `a` is no `bool`; otherwise the typed left side.
    pub(super) fn not_before_comparison(
        &mut self,
        op: &QualName,
        lhs: &ast::Expr,
        rhs: &ast::Expr,
    ) -> Result<Option<Expr>, ()> {
        let ast::ExprKind::Apply(fun, args) = &*lhs.kind else { return Ok(None) };
        let ([arg], Some(name)) = (args.as_slice(), unqualified(fun)) else { return Ok(None) };
        if name.name.as_str() != "not" || self.is_users(name) || !is_comparison(op.name.name.as_str()) {
            return Ok(None);
        }
        let typed = self.expr(arg);
        let no_bool = match self.metas.shallow(&typed.ty) {
            Type::Prim(prim) => prim != Prim::Bool,
            Type::Meta(_) => self.metas.is_scalar(&typed.ty),
            _ => false,
        };
        if !no_bool {
            let fun = self.expr(fun);
            return Ok(Some(self.apply_typed(fun, vec![typed], lhs.span)));
        }
        let text = |span: Span| self.sources.slice(span).to_string();
        let mended = format!("!({} {} {})", text(arg.span), op.name.name, text(rhs.span));
        self.not_too_tight(name.span, arg.span, &mended);
        Err(())
    }
}

/// `a < b & c < d`: the operator on conditions that was meant.
fn logical_operator(bits: &str) -> Option<&'static str> {
    match bits {
        "&" => Some("&&"),
        "|" => Some("||"),
        _ => None,
    }
}

fn is_comparison(op: &str) -> bool {
    matches!(op, "<" | "<=" | ">" | ">=" | "==" | "!=")
}

fn unqualified(exp: &ast::Expr) -> Option<&Ident> {
    match &*exp.kind {
        ast::ExprKind::Var(name) if name.quals.is_empty() => Some(&name.name),
        _ => None,
    }
}

fn strip(exp: &ast::Expr) -> &ast::Expr {
    match &*exp.kind {
        ast::ExprKind::Parens(inner) => strip(inner),
        _ => exp,
    }
}
