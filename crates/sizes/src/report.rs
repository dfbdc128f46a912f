//! Messages about sizes: codes E0301 to E0316. Those about sizes that differ are in `mismatch`.

use super::cx::Cx;
use super::vars::Kind;
use base::{Diagnostic, Span};
use typed::walk::Place;
use typed::{Body, Def, Dim, ExprKind, LocalId, Pat, Size, Type, TypeParam, walk};

impl Cx<'_> {
    /// A type as text.
    pub(super) fn show(&self, ty: &Type) -> String {
        self.program.show_type(&self.norm(ty))
    }

    /// A dimension as text, without its brackets.
    pub(super) fn show_dim(&self, dim: &Dim) -> String {
        let text = self.program.show_type(&Type::array(dim.clone(), Type::I64));
        text.trim_end_matches("i64").trim_start_matches('[').trim_end_matches(']').to_string()
    }

    /// An array of unknown rank is regular.
    pub(super) fn rows_below_shape(&mut self, ty: &Type, span: Span) {
        let title = "an array of unknown rank must be regular, but these rows may differ in length";
        let at = format!("this is `{}`", self.show(ty));
        let help = "give all values the same size, checked at run time: `e :> [m]t`; or write the rank: `[n, m]`";
        self.report(Diagnostic::error("E0304", title, span, at).help(help));
    }

    pub(super) fn inner_name_in_result(&mut self, span: Span, name: LocalId) {
        let bound = self.program.locals[name].span;
        let name = self.program.locals[name].name;
        self.report(
            Diagnostic::error(
                "E0310",
                format!("the result type mentions `{name}`, which is only a part of a parameter"),
                span,
                "in the type of this function's result",
            )
            .label(bound, format!("`{name}` is bound here"))
            .note("a caller cannot see the parts of a parameter, so the result type cannot mention them")
            .help("make it a parameter of its own"),
        );
    }

    pub(super) fn unknown_in_parameter(&mut self, local: LocalId, whole: &Type, span: Span) {
        let name = self.program.locals[local].name;
        let diagnostic = Diagnostic::error(
            "E0308",
            format!("a parameter would need the size `{name}`, which is known only inside the function"),
            span,
            format!("its type is inferred as `{}`", self.show(whole)),
        );
        let diagnostic = self.origins(diagnostic, &[Dim::Size(Size::Local(local))]);
        self.report(diagnostic.help("write the parameter's type, or bind the size before the function"));
    }

    pub(super) fn existential_in_parameter(&mut self, local: LocalId, ret: &Type, span: Span) {
        let name = self.program.locals[local].name;
        let diagnostic = Diagnostic::error(
            "E0308",
            format!("the function that results here would take an argument of size `{name}`, which is not known yet"),
            span,
            format!("this has the type `{}`", self.show(ret)),
        );
        self.report(
            diagnostic.note("an existential size would appear in a parameter of the resulting function; this happens when a function is given a function whose result has an existential size"),
        );
    }

    pub(super) fn unused_existential(&mut self, local: LocalId, span: Span) {
        let name = self.program.locals[local].name;
        self.report(
            Diagnostic::error(
                "E0307",
                format!("the existential size `{name}` is not the size of an array"),
                span,
                "in this type",
            )
            .note("the value of an existential size is read from the value, so an array in it must have this size")
            .help("put `?[n].` right before the type of the array"),
        );
    }

    pub(super) fn lifted_element(&mut self, ty: &Type, span: Span) {
        self.report(
            Diagnostic::error("E0313", "the elements of an array have one size", span, format!("these may differ in size: they are of type `{}`", self.show(ty)))
                .note("a type parameter `'~a`, and a type declared with `type~`, may stand for values of different sizes; arrays do not hold those")
                .help("declare the type parameter as `'a`"),
        );
    }

    pub(super) fn entry_size(&mut self, local: LocalId, span: Span) {
        let name = self.program.locals[local].name;
        self.report(
            Diagnostic::error("E0315", format!("an entry point cannot know the size `{name}`"), span, "this entry point")
                .note("a caller of an entry point passes values only, so every size must be the size of an array among the arguments")
                .help(format!("make `{name}` an ordinary parameter of type `i64`")),
        );
    }

    pub(super) fn outer_jagged(&mut self, span: Span) {
        self.report(
            Diagnostic::error(
                "E0314",
                "a jagged dimension must lie inside another dimension",
                span,
                "the outer dimension of this array",
            )
            .note("`[~k]` is the length of each row of an array; the outer dimension is not inside a row")
            .help("write `[n]`, or `[]`"),
        );
    }

    /// Row lengths that no array shows whole.
    pub(super) fn lengths_in_constructors(&mut self, local: LocalId) {
        let (name, span) = (self.program.locals[local].name, self.program.locals[local].span);
        self.report(
            Diagnostic::error("E0307", format!("cannot bind `[~{name}]`"), span, "declared here")
                .note("it is the length of arrays in a constructor, and elements with other constructors have no such array")
                .help("leave the length without a name: `[~]`"),
        );
    }

    pub(super) fn unused_size(&mut self, param: &TypeParam) {
        let (local, written) = match *param {
            TypeParam::Size(local) => (local, ""),
            TypeParam::Jagged(local) => (local, "~"),
            TypeParam::Shape(local) => (local, ".."),
            TypeParam::Type(_) => return,
        };
        let (name, span) = (self.program.locals[local].name, self.program.locals[local].span);
        self.report(
            Diagnostic::error("E0307", format!("the size `[{written}{name}]` is not used"), span, "declared here")
                .note("the value of a size parameter is read from the arrays that have this size, so there must be one")
                .help("use it as the size of an array in the types that follow, or remove it"),
        );
    }

    /// The names that `let [n]` binds must be sizes of the value.
    pub(super) fn check_let_sizes(&mut self, sizes: &[LocalId], pat: &Pat) {
        let used = walk::free_locals(&pat.ty);
        let here = walk::free_locals_at(&pat.ty, &|p| p == Place::Here);
        for size in sizes {
            if !used.contains(size) {
                self.unused_size(&TypeParam::Size(*size));
            } else if !here.contains(size) {
                let (name, span) = (self.program.locals[*size].name, self.program.locals[*size].span);
                self.report(
                    Diagnostic::error("E0307", format!("cannot bind `[{name}]`"), span, "declared here")
                        .note("it is not the size of an array in the value: only types of functions mention it"),
                );
            }
        }
    }

    pub(super) fn loop_needs_inner_size(&mut self, local: LocalId, ty: &Type, span: Span) {
        let name = self.program.locals[local].name;
        let diagnostic = Diagnostic::error(
            "E0312",
            format!("the loop's value would need the size `{name}`, which its body computes"),
            span,
            format!("the loop's value has the type `{}`", self.show(ty)),
        );
        let diagnostic = self.origins(diagnostic, &[Dim::Size(Size::Local(local))]);
        self.report(diagnostic);
    }

    pub(super) fn loop_size_escapes(&mut self, span: Span) {
        self.report(
            Diagnostic::error(
                "E0312",
                "a size that changes between iterations is used outside the loop",
                span,
                "in this loop",
            )
            .note(
                "the body requires a value from outside the loop to have the size of the loop's value in one iteration",
            ),
        );
    }

    /// In `.rv`, a size that is not found is one that the value shows; but of a function there is no value to look at.
    fn report_hidden(&mut self) {
        let open = |cx: &Cx, l: LocalId| {
            let Size::Local(found) = cx.norm_size(&Size::Local(l)) else { return false };
            matches!(cx.kind(found), Some(Kind::Free | Kind::Inst { .. } | Kind::Copy(..)))
        };
        let Some(local) = self.only_functions_show.iter().copied().find(|l| open(self, *l)) else { return };
        let name = self.program.locals[local].name;
        let Some(span) = self.vars.get(&local).map(|v| v.span) else { return };
        self.report(
            Diagnostic::error(
                "E0305",
                format!("ambiguous size `{name}`: nothing determines it"),
                span,
                format!("the size `{name}` of what is used here"),
            )
            .note("this size occurs only in the types of function arguments, and the function given here takes every size")
            .help(r"write the size into the type of the function's parameter: `\(x: [10]i64) -> ...`"),
        );
    }

    /// Sizes that nothing determines.
    pub(super) fn report_ambiguous(&mut self, def: &Def) {
        // A member of a module that is checked against a module type is no use that could be ambiguous.
        let member = matches!(&def.body, Body::Expr(e) if matches!(&*e.kind, ExprKind::Global(..)));
        if self.failed || member {
            return;
        }
        if self.ravel {
            return self.report_hidden();
        }
        let open = |cx: &Cx, l: LocalId| {
            let var = cx.vars.get(&l)?;
            (matches!(var.kind, Kind::Free) && var.demand.known).then_some((l, var.span, var.what))
        };
        let Some((local, span, what)) = self.order.iter().find_map(|l| open(self, *l)) else { return };
        let name = self.program.locals[local].name;
        self.report(
            Diagnostic::error(
                "E0305",
                format!("ambiguous size `{name}`: nothing determines it"),
                span,
                format!("it is {what}"),
            )
            .help("write a type, for example `(e : [10]i32)`"),
        );
    }
}
