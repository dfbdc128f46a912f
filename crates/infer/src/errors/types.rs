//! The messages of types that do not fit together: E0200 to E0299.

use crate::Checker;
use crate::metas::{Prims, Wanted};
use crate::unify::Mismatch;
use base::{Diagnostic, Name, Span};
use scalar::Prim;
use syntax::ast::Ident;
use typed::{Expr, ExprKind, Type};

impl Checker<'_> {
    /// A type as text, unknowns as `_` or as the class of types they may be.
    pub(crate) fn show(&self, ty: &Type) -> String {
        self.program.show_type(&self.presentable(ty))
    }

    /// The type with unknowns replaced by something readable.
    fn presentable(&self, ty: &Type) -> Type {
        let mut shown = self.program_type(ty);
        if let Type::Meta(_) = shown {
            shown = Type::Error;
        }
        shown
    }

    fn program_type(&self, ty: &Type) -> Type {
        match self.metas.shallow(ty) {
            Type::Meta(id) => match self.metas.wanted(id) {
                Some(Wanted { prims: Some(prims), .. }) => prims.default().map_or(Type::Error, Type::Prim),
                Some(Wanted { fields, .. }) if !fields.is_empty() => {
                    Type::record(fields.iter().map(|(n, t)| (*n, self.program_type(t))).collect())
                }
                _ => Type::Error,
            },
            other @ Type::Abstract(..) => other,
            other => other.map_children(&mut |t| self.program_type(t)),
        }
    }

    fn explain(&self, mut error: Diagnostic, mismatch: &Mismatch, types: (&Type, &Type)) -> Diagnostic {
        if let Some(ranks) = self.ranks(types.0, types.1) {
            return error.note(ranks);
        }
        match mismatch {
            Mismatch::Differ => {}
            Mismatch::Infinite => error = error.note("Occurs check: the type would have to contain itself"),
            Mismatch::Fields(text) | Mismatch::Kind(text) => error = error.note(text.as_str()),
            Mismatch::Rank => error = error.note("both are arrays, but of different rank (number of dimensions)"),
        }
        error
    }

    pub(crate) fn type_mismatch(&mut self, wanted: &Type, found: &Type, span: Span, why: &str, mismatch: Mismatch) {
        let (want, have) = (self.show(wanted), self.show(found));
        let mut error =
            Diagnostic::error("E0201", format!("expected `{want}`, found `{have}`"), span, format!("this is `{have}`"));
        if !why.is_empty() {
            error = error.note(why);
        }
        error = self.explain(error, &mismatch, (wanted, found));
        if let Some(help) = self.number_for_array(why, found, span).or_else(|| self.conversion(wanted, found)) {
            error = error.help(help);
        }
        self.report(error);
    }

    pub(crate) fn argument_mismatch(
        &mut self,
        fun: &Expr,
        index: usize,
        wanted: &Type,
        arg: &Expr,
        mismatch: Mismatch,
    ) {
        let (want, have) = (self.show(wanted), self.show(&arg.ty));
        let name = self.name_of(fun);
        let title = format!("argument {} of {name} should be `{want}`, but is `{have}`", index + 1);
        let mut error = Diagnostic::error("E0202", title, arg.span, format!("this is `{have}`"));
        if let ExprKind::Global(def, _) = &*fun.kind {
            let def = &self.program.defs[*def];
            if !self.is_std_span(def.span) {
                error = error.label(def.span, "defined here");
            }
            if !self.open_defs.iter().any(|o| self.program.defs[o.def].name == def.name) {
                error =
                    error.note(format!("{name} has type `{}`", self.program.show_scheme(&def.type_params, &def.ty())));
            }
        }
        error = self.explain(error, &mismatch, (wanted, &arg.ty));
        let help = self.curried(fun, index, arg).or_else(|| self.negated(wanted, arg));
        let help = help.or_else(|| self.any_rank(fun, &arg.ty));
        if let Some(help) = help.or_else(|| self.conversion(wanted, &arg.ty)) {
            error = error.help(help);
        }
        self.report(error);
    }

    /// `map xs f`.
    pub(crate) fn swapped_arguments(&mut self, fun: &Expr, index: usize, (data, function): (&Expr, &Expr)) {
        let name = self.name_of(fun);
        let title = format!("argument {} of {name} should be a function, but is `{}`", index + 1, self.show(&data.ty));
        let text = |e: &Expr| match self.sources.slice(e.span) {
            text if text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.')) => text.to_string(),
            text if text.starts_with('(') && text.ends_with(')') => text.to_string(),
            text => format!("({text})"),
        };
        let error = Diagnostic::error("E0202", title, data.span, format!("this is `{}`", self.show(&data.ty)))
            .label(function.span, "this is a function")
            .help(format!(
                "the function comes first: `{} {} {}`",
                self.sources.slice(fun.span),
                text(function),
                text(data)
            ));
        self.report(error);
    }

    fn name_of(&self, fun: &Expr) -> String {
        match &*fun.kind {
            ExprKind::Global(def, _) => format!("`{}`", self.program.defs[*def].name),
            ExprKind::Local(local, _) => format!("`{}`", self.program.locals[*local].name),
            _ => "this function".into(),
        }
    }

    pub(crate) fn not_a_function(&mut self, fun: &Expr, taken: usize, arg: Span) {
        let name = self.name_of(fun);
        let (title, at) = if taken == 0 {
            (format!("{name} is not a function, so it cannot be applied"), format!("it is `{}`", self.show(&fun.ty)))
        } else {
            (format!("{name} is applied to too many arguments"), format!("it takes {taken}"))
        };
        let mut error = Diagnostic::error("E0203", title, fun.span, at).label(arg, "cannot apply to this argument");
        error = match taken {
            0 => error.help("to index an array write `a[i]` without a space"),
            _ => error.help("leave this argument out, or put what belongs together in parentheses: `f (g x) y`"),
        };
        self.report(error);
    }

    pub(crate) fn operand_mismatch(&mut self, op: &str, a: &Type, b: &Type, span: Span, mismatch: Mismatch) {
        let (x, y) = (self.show(a), self.show(b));
        let title = format!("`{op}` needs two operands of one type, but these are `{x}` and `{y}`");
        let mut error = Diagnostic::error("E0204", title, span, format!("`{x}` and `{y}` do not match"));
        error = self.explain(error, &mismatch, (a, b));
        // By name: a literal is shown as the type it would get.
        if matches!(op, "&&" | "||") {
            error = error.help("both sides are conditions of type `bool`: compare, as in `x != 0`");
        } else if let (Some(x), Some(y)) = (Prim::from_name(&x), Prim::from_name(&y)) {
            error = error.help(self.widening(x, y));
        } else if self.ranks(a, b).is_some() && self.is_ravel() {
            error = error.help("arrays of one shape go together: index or `map` over the one with more dimensions");
        } else if !self.is_ravel() && (x.starts_with('[') || y.starts_with('[')) {
            error = error.help("use `map` to work element by element");
        }
        self.report(error);
    }

    pub(crate) fn no_such_operator(&mut self, op: &str, ty: &Type, prims: Prims, span: Span) {
        let have = self.show(ty);
        let mut error = Diagnostic::error(
            "E0205",
            format!("there is no `{op}` on `{have}`"),
            span,
            format!("operand of type `{have}`"),
        );
        let names: Vec<&str> = prims.iter().map(Prim::name).collect();
        let function = matches!(self.metas.shallow(ty), Type::Fun(_));
        if !function && let Err(why) = self.want_first_order(ty, "operators do not work on functions") {
            error = error.note(why);
        }
        error = error.note(format!("`{op}` works on {}", names.join(", ")));
        if function {
            error = error.help(format!("to give the operator as an argument, put it in parentheses: `({op})`"));
        } else if op == "^" && matches!(self.metas.shallow(ty), Type::Prim(p) if p.is_float()) {
            error = error.help("a power is written `x ** 2`; `^` is exclusive or");
        } else if !self.is_ravel() && matches!(self.metas.shallow(ty), Type::Array(..)) {
            error = error.help(format!(
                "write `map2 ({op}) xs ys`; operators on whole arrays are Ravel's, in files that end in `.rv`"
            ));
        }
        self.report(error);
    }

    pub(crate) fn branch_mismatch(&mut self, first: (&Type, Span), other: &Expr, mismatch: Mismatch) {
        let (x, y) = (self.show(first.0), self.show(&other.ty));
        let error = Diagnostic::error(
            "E0206",
            format!("the branches have different types: `{x}` and `{y}`"),
            other.span,
            format!("this is `{y}`"),
        )
        .label(first.1, format!("this is `{x}`"));
        let mut error = self.explain(error, &mismatch, (first.0, &other.ty));
        if let (Type::Prim(x), Type::Prim(y)) = (self.metas.shallow(first.0), self.metas.shallow(&other.ty)) {
            error = error.help(self.widening(x, y));
        }
        self.report(error);
    }

    pub(crate) fn no_such_field(&mut self, ty: &Type, field: &Ident) {
        let have = self.show(ty);
        let mut error =
            Diagnostic::error("E0207", format!("`{have}` has no field `{}`", field.name), field.span, "unknown field");
        if let Type::Record(fields) = self.metas.shallow(ty) {
            let known = fields.iter().map(|f| f.0.as_str());
            if let Some(close) = base::spell::closest(field.name.as_str(), known) {
                error = error.help(format!("did you mean `{close}`?"));
            }
        } else if let Some(call) = self.as_call(ty, field) {
            error = error.note("functions are not members of their arguments").help(call);
        }
        self.report(error);
    }

    /// `xs.length` as it is written here.
    fn as_call(&self, ty: &Type, field: &Ident) -> Option<String> {
        let name = field.name.as_str();
        let (_, elem) = self.metas.spine(ty);
        let by_type = match self.metas.shallow(&elem) {
            Type::Prim(prim) => self.member_of(prim.name(), field.name).then(|| format!("{}.{name}", prim.name())),
            _ => None,
        };
        let function = match name {
            "len" | "size" => Some("length".to_string()),
            _ => by_type.or_else(|| self.env.value(field.name).map(|_| name.to_string())),
        };
        function.map(|f| format!("a function is applied by writing its argument after it: `{f} x`"))
    }

    fn member_of(&self, module: &str, name: base::Name) -> bool {
        matches!(self.env.module(base::Name::new(module)), Some(crate::scope::Module::Plain(names)) if names.values.contains_key(&name))
    }

    pub(crate) fn no_such_constructor(&mut self, ty: &Type, name: &Ident, span: Span) {
        let have = self.show(ty);
        let title = format!("`{have}` has no constructor `#{}`", name.name);
        let mut error = Diagnostic::error("E0201", title, span, "there is no such constructor");
        if let Type::Sum(constrs) = self.metas.shallow(ty) {
            error = match base::spell::closest(name.name.as_str(), constrs.iter().map(|c| c.0.as_str())) {
                Some(close) => error.help(format!("did you mean `#{close}`?")),
                None => error.help("match one of the constructors of the type, or `_` for all others"),
            };
        }
        self.report(error);
    }

    pub(crate) fn number_is_i32(&mut self, span: Span, definition: Name) {
        let title = "nothing decides the type of this number, so it is an `i32`";
        let at = format!("an `i32` in the type of `{definition}`");
        let warning = Diagnostic::warning("W0201", title, span, at)
            .note("sizes and indices are `i64`, and numbers of different types do not mix")
            .help("write its type: `3i64`, or `(x: i64)` for a parameter; `i32` if that is meant");
        self.report(warning);
    }

    pub(crate) fn literal_too_big(&mut self, span: Span, prim: Prim) {
        let title = format!("this number does not fit into `{}`", prim.name());
        let wider = match prim {
            Prim::F64 => "the largest `f64` is about 1.8e308; `f64.inf` is infinity",
            _ if prim.is_float() => "use a wider type, such as `f64`",
            Prim::I64 | Prim::U64 => "no integer type is wider; `f64` holds larger numbers, rounded",
            _ => "use a wider type, such as `i64`",
        };
        let error = Diagnostic::error("E0212", title, span, "too big").help(wider);
        self.report(error);
    }

    pub(crate) fn string_pattern(&mut self, span: Span) {
        let error = Diagnostic::error("E0213", "strings cannot be matched", span, "a string pattern")
            .help("compare with `==` instead");
        self.report(error);
    }

    pub(crate) fn loop_without_init(&mut self, span: Span) {
        let error =
            Diagnostic::error("E0214", "this loop has no initial value", span, "cannot be read as an expression")
                .help("write `loop x = start for ...`");
        self.report(error);
    }

    pub(crate) fn ambiguous_record(&mut self, wanted: &Wanted) {
        let fields: Vec<String> = wanted.fields.iter().map(|f| format!("`{}`", f.0)).collect();
        let error = Diagnostic::error(
            "E0222",
            "this type is ambiguous",
            wanted.span,
            format!("with type that must be a record with field {}", fields.join(", ")),
        )
        .note("Type is ambiguous: nothing tells which record it is")
        .help("write its type, as in `(x: {a: i32, b: f64})`");
        self.report(error);
    }

    pub(crate) fn ambiguous_sum(&mut self, wanted: &Wanted) {
        let constrs: Vec<String> = wanted.constrs.iter().map(|c| format!("#{}", c.0)).collect();
        let title = "this type is ambiguous";
        let error = Diagnostic::error(
            "E0223",
            title,
            wanted.span,
            format!("a sum type with constructor {}", constrs.join(", ")),
        )
        .note("Type is ambiguous: nothing tells which other constructors the sum type has")
        .help("write its type, as in `(#some 1 : #some i32 | #none)`");
        self.report(error);
    }

    pub(crate) fn ambiguous_equality(&mut self, wanted: &Wanted) {
        let error = Diagnostic::error("E0224", "this type is ambiguous", wanted.span, "compared with `==`")
            .note("Type is ambiguous: it must be one that supports equality")
            .help("write the type of one of the operands");
        self.report(error);
    }

    pub(crate) fn unmatched_cases(&mut self, span: Span, example: &str) {
        let error = Diagnostic::error(
            "E0225",
            "this `match` does not cover everything",
            span,
            format!("unmatched cases: {example}"),
        )
        .help(format!("add a case: `case {example} -> ...`"));
        self.report(error);
    }

    pub(crate) fn refutable_pattern(&mut self, span: Span, example: &str) {
        let error = Diagnostic::error(
            "E0226",
            "this pattern does not match everything",
            span,
            format!("refutable: it leaves out {example}"),
        )
        .help("use `match` with a case for each possibility");
        self.report(error);
    }
}
