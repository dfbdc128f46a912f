//! The messages about types whose sizes differ.

use super::cx::Cx;
use super::unify::{Cause, Mismatch};
use super::vars::{Kind, Origin, Var};
use base::{Diagnostic, Name, Set, Span};
use typed::{Dim, ExprKind, LocalId, Pat, Size, Type, walk};

impl Cx<'_> {
    /// Two types whose sizes do not go together. `what` says where the expected type comes from.
    pub(super) fn mismatch(&mut self, span: Span, what: &str, expected: &Type, found: &Type, mismatch: Mismatch) {
        let Mismatch { expected: left, found: right, cause } = mismatch;
        if is_fold(what) && (varies(found, &right) || self.is_computed_in(&left, span)) {
            return self.report(varying(what, span));
        }
        self.separate_names(&[
            expected,
            found,
            &Type::array(left.clone(), Type::I64),
            &Type::array(right.clone(), Type::I64),
        ]);
        let (l, r) = (self.show_dim(&left), self.show_dim(&right));
        let at = format!("expected `{}` ({what}), found `{}`", self.show(expected), self.show(found));
        let diagnostic = match cause {
            Cause::Differ | Cause::Circular if grows(what, expected, &right) => growing(what, span),
            Cause::Differ if constant(&left).is_some() && constant(&right).is_some() => {
                let title = format!("the sizes `{l}` and `{r}` do not match");
                Diagnostic::error("E0301", title, span, at)
                    .help(format!("these are never equal: make both `{l}` or both `{r}`"))
            }
            Cause::Differ => Diagnostic::error("E0301", format!("the sizes `{l}` and `{r}` do not match"), span, at)
                .help(self.how_to_check(&left, &right)),
            Cause::Irregular => {
                let title = format!("this size is not the same in every call: `{r}`");
                Diagnostic::error("E0302", title, span, at)
                    .note("a type parameter stands for values of one size, so the function must return that size every time; this one returns a type containing anonymous sizes")
                    .help("compute the size before, with `let`, or coerce the result to it with `:>`")
            }
            Cause::Scope(name) => {
                let name = self.program.locals[name].name;
                let title = format!("the size `{l}` would have to be `{r}`, which is out of scope there");
                Diagnostic::error("E0303", title, span, at)
                    .note(format!("`{name}` is bound after `{l}` is determined"))
            }
            Cause::Circular => {
                let title = format!("the size `{l}` would have to be `{r}`, which contains it");
                Diagnostic::error("E0303", title, span, at)
            }
            Cause::Jagged => {
                Diagnostic::error("E0304", "a regular array is needed, but these rows may differ in length", span, at)
                    .help(match what {
                        "the result" => "if rows may differ in length, write `[~]` in the result type, as in `[][~]t`; a regular array, checked at run time, is `xss :> [n][m]t`",
                        _ => "turn it into a regular array, checked at run time: `xss :> [n][m]t`",
                    })
            }
        };
        // What is expected of an argument comes from the arguments before it; other expectations say so themselves.
        let written: &[&Dim] = if what.starts_with("the parameter") { &[&left, &right] } else { &[&right] };
        let diagnostic = self.constant_origins(diagnostic, written);
        let diagnostic = self.origins(diagnostic, &[left, right]);
        self.report(diagnostic);
    }

    /// Generators that advance together and certainly do not run equally often.
    pub(super) fn extents_differ(&mut self, span: Span, mismatch: Mismatch) {
        let Mismatch { expected: left, found: right, cause: _ } = mismatch;
        let (l, r) = (self.show_dim(&left), self.show_dim(&right));
        let title = format!("generators that advance together have the sizes `{l}` and `{r}`");
        let at = format!("one runs through `{l}` elements, another through `{r}`");
        let diagnostic = Diagnostic::error("E0301", title, span, at)
            .note("generators joined by a comma advance together; a further `for` nests inside")
            .help(self.how_to_check(&left, &right));
        let diagnostic = self.origins(diagnostic, &[left, right]);
        self.report(diagnostic);
    }

    /// How to have two sizes compared when the program runs. What has no name in the program has to get one first.
    fn how_to_check(&self, left: &Dim, right: &Dim) -> String {
        let (l, r) = (self.show_dim(left), self.show_dim(right));
        let equal = "if they are equal whenever the program runs,";
        match (self.is_written(left), self.is_written(right)) {
            (true, _) => format!("{equal} check it: `:> [{l}]...`"),
            (false, true) => format!("{equal} check the array of size `{l}`: `:> [{r}]...`"),
            (false, false) => format!(
                "{equal} give the first a name where it is bound, `let [{l}] (x: [{l}]t) = ...`, and check the other: \
                 `y :> [{l}]t`"
            ),
        }
    }

    /// Whether a size is known only at run time, and computed in the call with the argument at this place: by the function
    /// that a fold was given before.
    fn is_computed_in(&self, dim: &Dim, argument: Span) -> bool {
        let Dim::Size(Size::Local(local)) = dim else { return false };
        let call =
            |v: &Var| v.span.file == argument.file && v.span.start <= argument.start && argument.end <= v.span.end;
        self.vars.get(local).is_some_and(|v| matches!(v.kind, Kind::Unknown) && call(v))
    }

    /// Whether the program has a name for everything in a size.
    fn is_written(&self, dim: &Dim) -> bool {
        let mut locals = Vec::new();
        walk::dim_locals(dim, &mut locals);
        locals.iter().all(|l| self.vars.get(l).is_none_or(|v| matches!(v.kind, Kind::Param)))
    }

    /// Points at the parameter in whose type a constant size is written, where there is just one.
    fn constant_origins(&self, mut diagnostic: Diagnostic, dims: &[&Dim]) -> Diagnostic {
        let mut params: Vec<&Pat> = Vec::new();
        for def in self.open.keys() {
            params.extend(self.program.defs[*def].params.iter().map(|p| &p.pat));
        }
        for n in dims.iter().filter_map(|dim| constant(dim)) {
            let has = |pat: &&&Pat| {
                let mut found = false;
                walk::for_each_dim(&pat.ty, &mut |dim, _, _| found |= constant(dim) == Some(n));
                found
            };
            let mut with = params.iter().filter(has);
            if let (Some(pat), None) = (with.next(), with.next()) {
                diagnostic = diagnostic.label(pat.span, format!("the size `{n}` is written here"));
            }
        }
        diagnostic
    }

    /// Gives sizes without a written name different names, before types are shown side by side.
    fn separate_names(&mut self, types: &[&Type]) {
        let mut locals = Vec::new();
        for ty in types {
            walk::for_each_dim(&self.norm(ty), &mut |dim, _, _| walk::dim_locals(dim, &mut locals));
        }
        let inferred = |cx: &Cx, l: LocalId| {
            cx.kind(l).is_some_and(|k| !matches!(k, Kind::Param | Kind::Function(Origin::Named | Origin::Anonymous)))
        };
        locals.sort();
        locals.dedup();
        let mut taken = self.written_names();
        for local in locals.into_iter().filter(|l| inferred(self, *l)).collect::<Vec<_>>() {
            let new = unused_name(self.program.locals[local].name, &taken);
            self.program.locals[local].name = new;
            taken.insert(new);
        }
    }

    /// The names that the text of the current definitions gives to sizes and values.
    fn written_names(&self) -> Set<Name> {
        let starts: Vec<Span> = self.open.keys().map(|def| self.program.defs[*def].span).collect();
        let inside = |span: Span| starts.iter().any(|s| s.file == span.file && s.start <= span.start);
        // Locals of definitions further down do not exist yet.
        let locals = self.program.locals.iter().filter(|(_, local)| inside(local.span));
        let written = locals.filter(|(id, _)| match self.vars.get(id).map(|v| &v.kind) {
            None | Some(Kind::Param | Kind::Function(Origin::Named | Origin::Anonymous)) => true,
            Some(_) => false,
        });
        written.map(|(_, local)| local.name).collect()
    }

    /// Says where sizes come from.
    pub(super) fn origins(&self, mut diagnostic: Diagnostic, dims: &[Dim]) -> Diagnostic {
        let mut seen: Vec<LocalId> = Vec::new();
        for dim in dims {
            let mut locals = Vec::new();
            walk::dim_locals(dim, &mut locals);
            for local in locals {
                let Some(var) = self.vars.get(&local) else { continue };
                if seen.contains(&local) {
                    continue;
                }
                seen.push(local);
                let name = self.program.locals[local].name;
                diagnostic = match var.kind {
                    Kind::Function(Origin::Anonymous) => {
                        diagnostic.label(var.span, format!("`{name}` stands for the row lengths written as `[~]`"))
                    }
                    Kind::Param | Kind::Function(Origin::Named) => {
                        diagnostic.label(var.span, format!("`{name}` is declared here"))
                    }
                    Kind::Unknown | Kind::Function(Origin::Computed) => {
                        diagnostic.label(var.span, format!("`{name}` is {}", var.what))
                    }
                    Kind::Free | Kind::Inst { .. } | Kind::Copy(..) | Kind::Absorbed { .. } | Kind::Solved(_) => {
                        diagnostic
                    }
                };
            }
        }
        diagnostic
    }
}

/// Whether a function given to `reduce` or a fold makes its result longer than what it is given, as `(++)` does.
fn grows(what: &str, expected: &Type, result: &Dim) -> bool {
    let sum = matches!(result, Dim::Size(Size::Expr(e)) if matches!(&*e.kind, ExprKind::Binary { op: scalar::BinOp::Add, .. }));
    is_fold(what) && sum && matches!(expected, Type::Fun(_))
}

/// Whether a type is expected of the function that one of the folds takes.
fn is_fold(what: &str) -> bool {
    let folds = ["reduce", "reduce_comm", "foldl", "foldr", "scan"];
    folds.iter().any(|f| what == format!("the parameter of `{f}`"))
}

/// Whether a size is one that each call of a function chooses, as in `\acc x -> if x > 0 then acc ++ [x] else acc`.
fn varies(function: &Type, size: &Dim) -> bool {
    match (function, size) {
        (Type::Fun(fun), Dim::Size(Size::Local(local))) => fun.ret.exts.contains(local) || varies(&fun.ret.ty, size),
        _ => false,
    }
}

fn varying(what: &str, span: Span) -> Diagnostic {
    let fold = what.trim_start_matches("the parameter of ");
    let title = format!("{fold} needs results of one size, and the results of its function differ in size");
    Diagnostic::error("E0303", title, span, "a result may be longer or shorter than the value before")
        .note("the size of a type parameter is the same in every call")
        .help("to keep some elements, write `[e for x in xs if c]`; to join the rows of an array, `jagged.flatten xss`; an array that grows can be the value of a `loop`")
}

fn growing(what: &str, span: Span) -> Diagnostic {
    let fold = what.trim_start_matches("the parameter of ");
    let title = format!("{fold} needs results of one size, and this function makes them longer");
    Diagnostic::error("E0303", title, span, "each result is longer than the one before")
        .note("the size of a type parameter is the same in every call")
        .help("to join the rows of an array, write `jagged.flatten xss`; to compute elements one by one, `[e for x in xs]`")
}

/// The name, or the first of `n1`, `n2`, ... that is not taken.
fn unused_name(name: Name, taken: &Set<Name>) -> Name {
    let numbered = (1..).map(|i| Name::new(&format!("{name}{i}")));
    std::iter::once(name).chain(numbered).find(|new| !taken.contains(new)).unwrap_or(name)
}

fn constant(dim: &Dim) -> Option<i64> {
    match dim {
        Dim::Size(Size::Const(n)) => Some(*n),
        Dim::Size(Size::Local(_) | Size::Expr(_) | Size::Meta(_) | Size::Unknown) | Dim::Jagged(_) | Dim::Shape(_) => {
            None
        }
    }
}
