//! Types: E0200 to E0299. Recursive arrays and clauses, as far as typing sees them: E0550 to E0599.

use crate::Checker;
use crate::exprs::clauses::Recursive;
use crate::metas::{Prims, Wanted};
use crate::unify::Mismatch;
use base::{Diagnostic, Name, Span};
use scalar::Prim;
use syntax::ast::{Ident, QualName, TypeDec, TypeExp};
use typed::{Expr, ExprKind, Type, TypeParam};

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
        if !function && let Err(why) = self.want_first_order(ty, "functions have no operators") {
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
                None => error.help("match one of the constructors of the type, or `_` for all that are left"),
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

    pub(crate) fn shape_expr_here(&mut self, span: Span) {
        let title = "a shape cannot be an expression here";
        let error = Diagnostic::error("E0317", title, span, "nothing checks this shape")
            .note("`[..(e)]` is checked where a value is there: in types of parameters, results, `let` patterns, `:` and `:>`")
            .help("write `[..]`");
        self.report(error);
    }

    pub(crate) fn not_indexable(&mut self, array: &Type, indices: usize, span: Span) {
        let have = self.show(array);
        let (dims, _) = self.metas.spine(array);
        let title = if dims.is_empty() {
            format!("`{have}` is no array, so it cannot be indexed")
        } else if have.contains("..") {
            format!("{indices} indices for an array whose rank is not known")
        } else {
            format!("{indices} indices for an array of rank {}", dims.len())
        };
        let at = match dims.len() {
            0 => format!("this is `{have}`"),
            n if indices > n && !have.contains("..") => {
                format!("there is no dimension {}: the array is `{have}`", n + 1)
            }
            _ => format!("the array is `{have}`"),
        };
        let mut error = Diagnostic::error("E0208", title, span, at);
        if self.metas.shallow(array).as_tuple().is_some() {
            error = error.help("the parts of a tuple are `p.0`, `p.1`, ...");
        }
        if !dims.is_empty() && indices > dims.len() {
            error = error.help(match dims.len() {
                1 => "write 1 index: the array has 1 dimension".to_string(),
                n => format!("write {n} indices or fewer: the array has {n} dimensions"),
            });
        }
        if have.contains("..") {
            error = error.help("the rank is not known here: index with a vector, or fix the rank with `:>`");
        }
        self.report(error);
    }

    pub(crate) fn bad_index_type(&mut self, ty: &Type, span: Span) {
        let have = self.show(ty);
        let error = Diagnostic::error(
            "E0209",
            format!("an index is an integer, not `{have}`"),
            span,
            format!("this is `{have}`"),
        );
        self.report(error);
    }

    pub(crate) fn vector_and_slice(&mut self, span: Span) {
        let error =
            Diagnostic::error("E0210", "a vector index and a slice together are not supported", span, "mixed here")
                .help("index in two steps: `a[iv][i:j]`");
        self.report(error);
    }

    pub(crate) fn vector_too_long(&mut self, array: &Type, length: usize, rank: usize, span: Span) {
        let title = format!("an index vector of length {length} for an array of rank {rank}");
        let error =
            Diagnostic::error("E0211", title, span, "too long").note(format!("the array is `{}`", self.show(array)));
        self.report(error);
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

    pub(crate) fn bad_kind(&mut self, span: Span, why: &str) {
        let error =
            Diagnostic::error("E0215", "a function type is not allowed here", span, "holds functions").note(why);
        self.report(error);
    }

    pub(crate) fn misplaced_unique(&mut self, span: Span) {
        let error =
            Diagnostic::error("E0216", "`*` is not allowed here", span, "a part of an array is not unique by itself")
                .help("put `*` in front of the whole array type");
        self.report(error);
    }

    pub(crate) fn not_a_type_constructor(&mut self, span: Span) {
        let error = Diagnostic::error("E0217", "this type takes no arguments", span, "applied to arguments");
        self.report(error);
    }

    pub(crate) fn wrong_type_arity(&mut self, name: &QualName, wanted: usize, given: usize, span: Span) {
        let title = wrong_arity(name, wanted, given);
        let mut error = Diagnostic::error("E0218", title, span, "wrong number of arguments");
        if self.sources.slice(span).contains('[') && wanted == 0 {
            error = error.help(format!("an array type has its dimensions in front: `[]{0}`, `[n]{0}`", name.name.name));
        }
        self.report(error);
    }

    /// `#c [n]t u`, read as `#c ([n](t u))`.
    pub(crate) fn array_takes_payload(&mut self, constr: &Ident, span: Span, (elem, given): (&QualName, usize)) {
        let array = self.sources.slice(Span { end: elem.span().end, ..span });
        let rest = self.sources.slice(Span { start: elem.span().end, ..span });
        let title = wrong_arity(elem, 0, given);
        let error = Diagnostic::error("E0218", title, span, "this is read as one type")
            .note("the element type of an array reaches as far as it can")
            .help(format!("put the array type in parentheses: `#{} ({array}){rest}`", constr.name));
        self.report(error);
    }

    pub(crate) fn wrong_type_argument(&mut self, span: Span, wanted: &str) {
        let error = Diagnostic::error("E0219", format!("expected {wanted} here"), span, "wrong kind of argument");
        self.report(error);
    }

    pub(crate) fn size_name_of_wrong_type(&mut self, name: &Ident, what: &str, ty: &Type) {
        let have = self.show(ty);
        let title = format!("`{}` is used as a {what}, but is `{have}`", name.name);
        let error = Diagnostic::error("E0220", title, name.span, "should be a vector of `i64`");
        self.report(error);
    }

    pub(crate) fn two_shapes(&mut self, span: Span) {
        let error = Diagnostic::error("E0221", "an array type has at most one `[..s]`", span, "a second one")
            .note("with two, it is ambiguous where the first shape ends");
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

    pub(crate) fn lifted_element_type(&mut self, name: &QualName) {
        let name_text = name.name.name;
        let title = format!("`{name_text}` is lifted, so it cannot be the element type of an array");
        let error = Diagnostic::error("E0231", title, name.span(), "declared with `~` or `^`")
            .note("the values of a lifted type may differ in size or hold functions; the elements of an array may not");
        self.report(error);
    }

    pub(crate) fn bad_entry(&mut self, name: Ident, why: &str) {
        let error =
            Diagnostic::error("E0227", format!("`{}` cannot be an entry point", name.name), name.span, "entry point")
                .note(why);
        self.report(error);
    }

    /// What a type declaration must satisfy: parameters used, functions and sizes only in lifted types.
    pub(crate) fn check_type_dec(&mut self, dec: &TypeDec, params: &[TypeParam], ty: &Type, body: &TypeExp) {
        use syntax::ast::Lifted;
        if dec.lifted != Lifted::Functions
            && let Err(why) = self.want_first_order(ty, "a type without `^` holds no functions")
        {
            let error = Diagnostic::error(
                "E0228",
                format!("type `{}` holds functions", dec.name.name),
                body.span,
                "non-lifted type abbreviations may not contain functions",
            )
            .note(why)
            .help(format!("write `type^ {} = ...`", dec.name.name));
            self.report(error);
        }
        if dec.lifted == Lifted::No && has_anonymous_size(ty) {
            let error = Diagnostic::error(
                "E0229",
                format!("type `{}` leaves a size open", dec.name.name),
                body.span,
                "type containing anonymous sizes",
            )
            .note("the values of a type without `~` all have the same sizes")
            .help(format!("write `type~ {} = ...`, or give it a size parameter", dec.name.name));
            self.report(error);
        }
        if dec.lifted != Lifted::No && typed::walk::anonymous_param(ty) {
            let error = Diagnostic::error(
                "E0229",
                format!("type `{}` leaves the size of a function's parameter open", dec.name.name),
                body.span,
                "anonymous size in the parameter of a function",
            )
            .note("a function does not show the size of the array it takes, so nothing could tell it")
            .help(format!("give it a size parameter: `type^ {} [n] = ...`", dec.name.name));
            self.report(error);
        }
        for (param, written) in params.iter().zip(&dec.params) {
            if let TypeParam::Size(n) = param
                && !typed::print::mentions(ty, *n)
            {
                let error = Diagnostic::error(
                    "E0230",
                    format!("size parameter `{}` is not used", written.name.name),
                    written.span,
                    format!("Size [{}] unused", written.name.name),
                );
                self.report(error);
            }
        }
    }

    pub(crate) fn recursive_array_whole(&mut self, recursive: &Recursive, span: Span) {
        let name = self.program.locals[recursive.local].name;
        let error = Diagnostic::error(
            "E0550",
            format!("`{name}` is still being defined"),
            span,
            "the whole array is not there yet",
        )
        .label(recursive.span, "defined here by `let rec`")
        .note("the values of a recursive array may index it, slice it or ask for its shape, and nothing else")
        .help(format!("use `{name}[...]`"));
        self.report(error);
    }

    pub(crate) fn structure_depends_on_recursive(&mut self, recursive: &Recursive, span: Span) {
        let name = self.program.locals[recursive.local].name;
        self.structure_depends_on(Ident { name, span: recursive.span }, span);
    }

    pub(crate) fn structure_depends_on(&mut self, array: Ident, span: Span) {
        let error = Diagnostic::error(
            "E0551",
            format!("subscripts, guards, bounds and shapes may not depend on `{}`", array.name),
            span,
            "depends on the array being defined",
        )
        .label(array.span, "defined here")
        .note("which elements there are must be known before any of them is computed");
        self.report(error);
    }

    pub(crate) fn recursive_accum(&mut self, span: Span) {
        let error = Diagnostic::error("E0552", "`accum` is not recursive", span, "`accum` in a `let rec`")
            .note("any clause may add to any element, so none is complete before all clauses have run")
            .help("use `array`, where one clause defines each element, or `let` without `rec`");
        self.report(error);
    }

    pub(crate) fn not_a_recursive_array(&mut self, span: Span) {
        let error =
            Diagnostic::error("E0552", "`let rec` defines arrays by clauses", span, "neither `array` nor `update`")
                .help("use `let` for ordinary values, and a top-level `def` for recursive functions");
        self.report(error);
    }

    pub(crate) fn wrong_subscript_count(&mut self, given: usize, least: usize, most: usize, span: Span) {
        let wanted = if least == most { least.to_string() } else { format!("{least} to {most}") };
        let error = Diagnostic::error(
            "E0554",
            format!("{given} subscript{}, but the array needs {wanted}", if given == 1 { "" } else { "s" }),
            span,
            "this clause",
        );
        let names = ["i", "j", "k", "l"];
        let error = match names.get(..least).filter(|n| !n.is_empty()) {
            Some(names) if given < least => {
                let generators: Vec<String> = names.iter().map(|n| format!("for {n} < ...")).collect();
                let example = format!("[{}] => value {}", names.join(", "), generators.join(" "));
                error.help(format!(
                    "one subscript for each dimension: `{example}`; or an index vector: `[iv] => value for iv < shape`"
                ))
            }
            _ => error.help(format!("write one subscript for each dimension: {wanted} of them")),
        };
        self.report(error);
    }
}

fn has_anonymous_size(ty: &Type) -> bool {
    use typed::{Dim, Size};
    match ty {
        Type::Array(Dim::Size(Size::Unknown) | Dim::Jagged(None), _) => true,
        Type::Abstract(..) | Type::Fun(_) => false,
        _ => ty.any_child(&mut has_anonymous_size),
    }
}

fn wrong_arity(name: &QualName, wanted: usize, given: usize) -> String {
    let takes = match wanted {
        0 => "no arguments".to_string(),
        1 => "1 argument".to_string(),
        n => format!("{n} arguments"),
    };
    let given = if given == 1 { "1 is given".to_string() } else { format!("{given} are given") };
    format!("type `{}` takes {takes}, but {given}", name.name.name)
}
