//! The messages.

use super::alias::{Alias, Source};
use super::walk::{Consumption, How, Made, Role, Walk};
use base::{Diagnostic, Span};
use typed::{Expr, ExprKind, LocalId};

impl How {
    fn words(self) -> String {
        match self {
            How::With => "consumed here: `with` updates it in place".into(),
            How::Update => "consumed here: `update` writes into it".into(),
            How::Call(Some(name)) => format!("consumed here: `{name}` takes it for a parameter marked `*`"),
            How::Call(None) => "consumed here: passed for a parameter marked `*`".into(),
            How::Loop => "consumed here: the loop updates its values in place".into(),
        }
    }
}

/// What a value shared with its neighbour in a loop body's result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LoopClash {
    Consumed,
    Earlier,
}

impl Walk<'_> {
    pub fn report(&mut self, diagnostic: Diagnostic) {
        // One mistake often shows twice: through several aliases, or where a value is named and where it is consumed.
        let span = diagnostic.span();
        let within = |d: Span| d.file == span.file && span.start <= d.start && d.end <= span.end;
        let same = |d: &Diagnostic| d.code == diagnostic.code && within(d.span());
        if !self.diagnostics.iter().any(same) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// How to speak of a source.
    pub fn describe(&self, source: Source) -> String {
        match source {
            Source::Local(local) => format!("`{}`", self.program.locals[local].name),
            Source::Global(def) => format!("the constant `{}`", self.program.defs[def].name),
            Source::Made(number) => match self.made.get(number as usize) {
                Some(Made::Call(Some(name), _)) => format!("the result of applying `{name}`"),
                Some(Made::Call(None, _)) => "the result of a call".into(),
                Some(Made::Loop(_)) => "the result of a loop".into(),
                None => "a value".into(),
            },
            Source::Param(_) | Source::Inner(_) => "a value".into(),
        }
    }

    pub fn used_after_consumption(&mut self, gone: &Consumption<'_>, used: Option<LocalId>, span: Span) {
        let what = self.describe(gone.alias.source);
        let shown = used.map_or_else(|| what.clone(), |local| self.describe(Source::Local(local)));
        let mut error = Diagnostic::error(
            "E0401",
            format!("{shown} is used after it was consumed"),
            span,
            if gone.span == span { "consumed and used in one expression" } else { "used again here" },
        );
        if gone.span != span {
            error = error.label(gone.span, gone.how.words());
        }
        if let Source::Made(number) = gone.alias.source
            && let Some(Made::Call(_, at) | Made::Loop(at)) = self.made.get(number as usize)
        {
            error = error.label(*at, "the parts of this result may share memory");
        }
        if shown != what {
            error = error.note(format!("{shown} may share memory with {what}, which was consumed"));
        }
        error = error.note(
            "consuming a value reuses its memory: afterwards neither it nor anything that aliases it can be used",
        );
        let row = gone.row.as_ref().map(|row| self.program.locals[row.base].name);
        let help = match row {
            Some(base) => format!(
                "only a row of `{base}` was consumed: put the new row back at the same index first, or consume a `copy` of the row"
            ),
            None => format!("use the new value instead, or consume a copy: `copy {}`", bare(&what)),
        };
        self.report(error.help(help));
    }

    pub fn not_consumable(&mut self, alias: &Alias, span: Span, how: How) {
        let what = self.describe(alias.source);
        let act = match how {
            How::With => format!("this updates memory of {what} in place"),
            How::Update => format!("this writes into memory of {what}"),
            How::Call(_) => format!("this passes memory of {what} for a parameter marked `*`"),
            How::Loop => format!("this starts a loop that consumes memory of {what}"),
        };
        let title = format!("{what} cannot be consumed");
        let mut error = Diagnostic::error("E0402", title, span, act);
        let copy = format!("`copy {}`", bare(&what));
        match alias.source {
            Source::Local(local) => {
                let declared = self.program.locals[local].span;
                let entry = self.entry(local).map(|e| (e.role, e.level < self.level));
                let (label, note, help) = reason(entry, &what, &copy);
                error = error.label(declared, label).note(note).help(help);
            }
            Source::Global(def) => {
                let declared = self.program.defs[def].span;
                error = error
                    .label(declared, "a constant, which all its uses share")
                    .note("a constant is computed once and shared, so it cannot be consumed")
                    .help(format!("consume a copy: {copy}"));
            }
            Source::Made(_) | Source::Param(_) | Source::Inner(_) => {}
        }
        self.report(error);
    }

    pub fn result_aliases(&mut self, alias: &Alias, result: &Expr) {
        let what = self.describe(alias.source);
        let mut error = Diagnostic::error(
            "E0403",
            format!("the unique result may be aliased to {what}, which is not consumable"),
            result.span,
            format!("this value may share memory with {what}"),
        );
        let value = last(result);
        let shown = match &*value.kind {
            ExprKind::Index(..) | ExprKind::Project(..) => Some(self.program.show_size_expr(value)),
            _ => None,
        };
        let copy = shown.filter(|text| !text.contains('…')).unwrap_or_else(|| bare(&what).to_string());
        if let Source::Local(local) = alias.source {
            error = error.label(self.program.locals[local].span, "bound here without `*`");
        }
        self.report(
            error
                .note("a result marked `*` shares no memory with anything the caller can still see")
                .help(format!("return `copy {copy}`, take the parameter as `*`, or leave `*` out of the result type")),
        );
    }

    pub fn result_parts_alias(&mut self, span: Span) {
        self.report(
            Diagnostic::error(
                "E0404",
                "a unique part of the result is aliased to some other part of it",
                span,
                "two parts of this value may share memory",
            )
            .note("the caller may update a part marked `*` in place, which would change the other part")
            .help("return a `copy` for one of them"),
        );
    }

    pub fn self_aliased_argument(&mut self, span: Span) {
        self.report(
            Diagnostic::error(
                "E0405",
                "an argument that is consumed is self-aliased",
                span,
                "two parts of this value may share memory",
            )
            .note("the function may update one part in place, which would change the other part")
            .help("`copy` one of the parts"),
        );
    }

    pub fn result_is_constant(&mut self, source: Source, span: Span) {
        let what = self.describe(source);
        self.report(
            Diagnostic::error(
                "E0406",
                format!("the function's result aliases the free variable {}", what.trim_start_matches("the constant ")),
                span,
                format!("this value may share memory with {what}"),
            )
            .note("in a `.fut` file the result of a function may share memory with its parameters only")
            .help(format!("return a copy: `copy {}`", bare(&what))),
        );
    }

    pub fn argument_shared(&mut self, alias: &Alias, span: Span, other: Span) {
        let what = self.describe(alias.source);
        self.report(
            Diagnostic::error(
                "E0407",
                "an argument is consumed that another argument shares memory with",
                span,
                format!("consumed; may share memory with {what}"),
            )
            .label(other, format!("this argument may share memory with {what} too"))
            .note("the function may update the one in place while it reads the other")
            .help("pass a `copy` for one of them"),
        );
    }

    pub fn function_from_consumption(&mut self, span: Span, consumed: Option<Span>, argument: bool) {
        let what = if argument { "an argument of function type" } else { "a function bound by `let`" };
        let mut error = Diagnostic::error(
            "E0408",
            format!("{what} contains consumption"),
            span,
            "this function has already consumed a value",
        );
        if let Some(at) = consumed.filter(|at| *at != span) {
            error = error.label(at, "consumed here");
        }
        self.report(
            error
                .note("a function may be called many times, but a value can be consumed only once")
                .help("give the function a `copy`, or make the consumed value its last parameter"),
        );
    }

    pub fn consuming_function(&mut self, span: Span) {
        self.report(
            Diagnostic::error(
                "E0409",
                "a consuming function is passed where one is expected that does not consume its argument",
                span,
                "this function consumes its argument",
            )
            .note("the caller of this function still uses the argument afterwards")
            .help("pass a function that copies before it updates: `\\x -> f (copy x)`"),
        );
    }

    pub fn function_result_not_unique(&mut self, span: Span) {
        self.report(
            Diagnostic::error(
                "E0415",
                "a function whose result is not unique is given where a unique result is expected",
                span,
                "the result of this function may share memory with other values",
            )
            .note("the caller of this function may update its result in place")
            .help("let the function return a `copy`, and mark its result type `*`"),
        );
    }

    pub fn loop_value_aliases(&mut self, local: LocalId, alias: &Alias, span: Span) {
        let name = self.program.locals[local].name;
        let what = self.describe(alias.source);
        self.report(
            Diagnostic::error(
                "E0410",
                format!("the new value of the consumed loop parameter `{name}` aliases {what}"),
                span,
                format!("this value may share memory with {what}"),
            )
            .label(self.program.locals[local].span, "consumed in every iteration")
            .note("the next iteration would consume something that was bound outside of the loop")
            .help(format!("pass `copy {}` to the next iteration", bare(&what))),
        );
    }

    pub fn loop_values_alias(&mut self, local: LocalId, clash: LoopClash, span: Span) {
        let name = self.program.locals[local].name;
        let (code, title) = match clash {
            LoopClash::Consumed => {
                ("E0411", format!("the new value of `{name}` aliases other consumed loop parameter"))
            }
            LoopClash::Earlier => (
                "E0412",
                format!("the new value of the consumed loop parameter `{name}` aliases previously returned value"),
            ),
        };
        self.report(
            Diagnostic::error(code, title, span, "two of these values may share memory")
                .label(self.program.locals[local].span, "this loop value")
                .note("the next iteration would consume the memory of two values at once")
                .help("pass a `copy` of one of them to the next iteration"),
        );
    }

    pub fn update_overlaps(&mut self, source: Span, value: Span, alias: &Alias) {
        let what = self.describe(alias.source);
        self.report(
            Diagnostic::error(
                "E0413",
                "the source of an in-place update may share memory with the new value",
                value,
                format!("may share memory with {what}"),
            )
            .label(source, "updated in place")
            .note("the update would overwrite what it reads")
            .help("write a copy: `copy (...)`"),
        );
    }

    pub fn unique_constant(&mut self, span: Span) {
        self.report(
            Diagnostic::error("E0414", "a constant cannot have a unique type", span, "marked `*`")
                .note("a constant is shared by all its uses, so none of them may consume it")
                .help("leave out the `*`, and `copy` the constant where it is updated"),
        );
    }
}

/// Why a local may not be consumed: a label at its binding, the reason, and what to do.
fn reason(entry: Option<(Role, bool)>, what: &str, copy: &str) -> (String, String, String) {
    let name = bare(what);
    match entry {
        Some((role, true)) if role != Role::Recursive => (
            "bound outside of the function or loop that consumes it".into(),
            "a function or loop body may run many times, but a value can be consumed only once".into(),
            format!("pass it as a parameter or loop value that is consumed, or consume a copy: {copy}"),
        ),
        Some((Role::Param, _)) => (
            "a parameter without `*`: it still belongs to the caller".into(),
            format!("only what a function owns may be consumed, and {what} was not passed with `*`"),
            format!("mark the parameter's type with `*` (as in `({name}: *[n]f64)`), or consume a copy: {copy}"),
        ),
        Some((Role::LoopValue, _)) => (
            "a loop value whose written type has no `*`".into(),
            "a loop value with a written type can be consumed only if the type is marked `*`".into(),
            format!("mark its type with `*`, or consume a copy: {copy}"),
        ),
        Some((Role::Element, _)) => (
            "an element of another array".into(),
            "it may share memory with the array it comes from".into(),
            format!("consume a copy: {copy}"),
        ),
        Some((Role::Function, _)) => (
            "a function".into(),
            "the result of this function may share memory with variables that the function uses".into(),
            format!("consume a copy: {copy}"),
        ),
        Some((Role::Let | Role::Recursive, _)) | None => (
            "bound here".into(),
            "it does not belong to this expression alone".into(),
            format!("consume a copy: {copy}"),
        ),
    }
}

/// A description without its quotes and words around.
fn bare(what: &str) -> &str {
    let named = what.starts_with('`') || what.starts_with("the constant");
    what.split('`').nth(1).filter(|_| named).unwrap_or("(...)")
}

/// The innermost body of an expression, inside bindings and checks.
fn last(expr: &Expr) -> &Expr {
    match &*expr.kind {
        ExprKind::Let { body, .. } | ExprKind::LetFun { body, .. } | ExprKind::LetRec { body, .. } => last(body),
        ExprKind::Assert { body, .. } | ExprKind::Ascribe(body, _) | ExprKind::Coerce(body, _) => last(body),
        _ => expr,
    }
}
