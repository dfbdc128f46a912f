//! Messages about what is written so in another language.

use crate::Checker;
use crate::errors::SHAPE_IS_VECTOR;
use base::{Diagnostic, Span};
use scalar::Prim;
use syntax::ast::{self, Ident};
use typed::{DefId, Expr, Type};

impl Checker<'_> {
    /// `f64(x)`, `int(x)`.
    pub(crate) fn type_as_function(&mut self, name: &Ident, target: Prim, arg: &Expr) {
        let known = self.env.module(name.name).is_some();
        let (code, title) = match known {
            true => ("E0107", format!("`{}` is a type, not a function", name.name)),
            false => ("E0101", format!("unknown name `{}`", name.name)),
        };
        let label = if known { "not a function" } else { "not in scope here" };
        let error = Diagnostic::error(code, title, name.span, label);
        let help = self.convert_to(target, &arg.ty, arg.span);
        self.report(error.note("a conversion names both types: `f64.i64` makes an `f64` of an `i64`").help(help));
    }

    /// `x as f64`.
    pub(crate) fn conversion_by_as(&mut self, value: &Expr, word: Span, target: Option<&ast::Expr>) {
        let target_span = target.map_or(word, |t| t.span);
        let prim = Prim::from_name(self.sources.slice(target_span));
        let help = match prim {
            Some(prim) => self.convert_to(prim, &value.ty, value.span),
            None => "a conversion is a function that names both types: `f64.i64 x`".into(),
        };
        let title = "a conversion is a function, not `as`";
        self.report(Diagnostic::error("E0233", title, word.to(target_span), "there is no `as`").help(help));
    }

    /// How to convert the value at a place to a type.
    fn convert_to(&self, target: Prim, found: &Type, span: Span) -> String {
        let text = self.argument_text(span);
        let shown = self.show(found);
        match self.metas.shallow(found) {
            Type::Prim(prim) if prim == target => format!("this is `{}` already: write `{text}`", prim.name()),
            Type::Prim(prim) => format!("write `{}.{} {text}`", target.name(), prim.name()),
            // A literal takes the type that it is written with.
            Type::Meta(_) if text.chars().all(|c| c.is_ascii_digit()) => format!("write `{text}{}`", target.name()),
            Type::Meta(_) if Prim::from_name(&shown).is_some() => format!("write `{}.{shown} {text}`", target.name()),
            Type::Array(..) => match self.metas.shallow(&self.metas.spine(found).1) {
                Type::Prim(prim) => format!("write `map {}.{} {text}`", target.name(), prim.name()),
                _ => format!("write `{}.t {text}`, where `t` is the type of the value", target.name()),
            },
            _ => format!("write `{}.t {text}`, where `t` is the type of the value", target.name()),
        }
    }

    /// The text at a place, as an argument.
    pub(super) fn argument_text(&self, span: Span) -> String {
        let text = self.sources.slice(span);
        let simple = text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '\''));
        let bracketed = text.starts_with(['(', '[', '{']) && !text.contains(char::is_whitespace);
        if simple || bracketed { text.to_string() } else { format!("({text})") }
    }

    /// `f x -1`.
    pub(crate) fn negative_argument(&mut self, fun: &Expr, minus: Span, mended: &str) {
        let title = format!("`-` subtracts from `{}`, which is a function", self.sources.slice(fun.span));
        let error = Diagnostic::error("E0205", title, minus, "an operator, not a sign")
            .label(fun.span, format!("this is `{}`", self.show(&fun.ty)))
            .help(format!("put a negative argument in parentheses: `{mended}`"));
        self.report(error);
    }

    /// `f x + 1` where `f` takes two arguments.
    pub(crate) fn function_as_operand(&mut self, fun: &Expr, op: &str) {
        let Type::Fun(ty) = self.metas.shallow(&fun.ty) else { return };
        let title = format!("there is no `{op}` on `{}`", self.show(&fun.ty));
        let error = Diagnostic::error("E0205", title, fun.span, format!("this is `{}`", self.show(&fun.ty)));
        let help = self.missing_argument(&ty);
        self.report(error.help(help));
    }

    /// `0 < i < n`.
    pub(crate) fn comparisons_chained(&mut self, span: Span, first: Span, mended: &str) {
        let title = "comparisons cannot be chained";
        let error = Diagnostic::error("E0232", title, span, "two comparisons")
            .label(first, "this is a `bool`, which the second comparison would compare")
            .help(format!("write `{mended}`"));
        self.report(error);
    }

    /// `a < b & c < d`.
    pub(crate) fn bits_for_condition(&mut self, op: &str, span: Span, logical: &str, mended: &str) {
        let title = format!("`{op}` combines the bits of integers, not conditions");
        let error = Diagnostic::error("E0232", title, span, format!("expected `{logical}`"))
            .note(format!("`{op}` binds tighter than a comparison"))
            .help(format!("write `{mended}`"));
        self.report(error);
    }

    /// `not a > b`.
    pub(crate) fn not_too_tight(&mut self, not: Span, arg: Span, mended: &str) {
        let title = format!("`not` applies to `{}` alone, not to the comparison", self.sources.slice(arg));
        let error = Diagnostic::error("E0202", title, not.to(arg), "a function binds tighter than an operator")
            .help(format!("write `{mended}`"));
        self.report(error);
    }

    /// `array [n][m][k] { .. }`.
    pub(crate) fn written_as_in_types(&mut self, shape: Span) {
        let text = self.sources.slice(shape);
        let title = format!("`{text}` is an index of a vector, not a shape");
        let help = format!("for several dimensions write `{}`", text.replace("][", ", "));
        self.report(
            Diagnostic::error("E0201", title, shape, "a shape should stand here").help(help).note(SHAPE_IS_VECTOR),
        );
    }

    /// `else [i, j]` of an array of another rank.
    pub(crate) fn wrong_else_subscripts(&mut self, given: usize, rank: usize, span: Span) {
        let title = format!("`else` names {given} subscripts, but the array has rank {rank}");
        let names: Vec<&str> = ["i", "j", "k", "l", "m"].into_iter().take(rank).collect();
        let all = if names.len() == rank && rank > 0 {
            format!("`else [{}] => value`, or ", names.join(", "))
        } else {
            String::new()
        };
        let help = format!("write {all}`else [iv] => value` for the index vector");
        self.report(Diagnostic::error("E0554", title, span, "this clause").help(help));
    }

    /// `+` between numbers where the program defines `+` for something else. Said once for a definition of `+`.
    pub(crate) fn operator_hidden(&mut self, name: &str, defined: Span, arg: &Expr, span: Span) {
        let said = |d: &Diagnostic| d.code == "E0234" && d.labels.iter().any(|l| l.span == defined);
        if self.diagnostics.iter().any(said) {
            return;
        }
        let have = self.show(&arg.ty);
        let own = self.open_defs.iter().any(|open| self.program.defs[open.def].span == defined);
        let title = match own {
            true => format!("inside its definition, `{name}` calls itself, not the built-in operator"),
            false => format!("`{name}` is the operator that this program defines, not the built-in one"),
        };
        let module = match self.metas.shallow(&self.metas.spine(&arg.ty).1) {
            Type::Prim(prim) => prim.name(),
            _ => "f64",
        };
        let text = self.short_operation(name, span);
        let error = Diagnostic::error("E0234", title, arg.span, format!("this is `{have}`"))
            .label(defined, "this definition hides the built-in operator")
            .help(format!("the built-in operator belongs to the module of its type: `{module}.{text}`"));
        self.report(error);
    }

    /// `def (+) (a: i64) (b: i64): i64 = a + b`.
    pub(crate) fn operator_is_itself(&mut self, name: &str, def: DefId, used: Span) {
        let definition = &self.program.defs[def];
        let module = match definition.params.first().map(|param| &param.pat.ty) {
            Some(Type::Prim(prim)) => prim.name(),
            _ => "f64",
        };
        let title = format!("inside its definition, `{name}` calls itself, not the built-in operator");
        let text = self.short_operation(name, used);
        let warning = Diagnostic::warning("W0202", title, used, "this calls itself and never ends")
            .label(definition.span, "this definition hides the built-in operator")
            .help(format!("the built-in operator belongs to the module of its type: `{module}.{text}`"));
        self.report(warning);
    }

    /// The text of an operation in parentheses; an example of one if it is long.
    fn short_operation(&self, name: &str, span: Span) -> String {
        match self.sources.slice(span) {
            text if text.len() > 60 || text.contains('\n') => format!("(a {name} b)"),
            text => format!("({text})"),
        }
    }
}
