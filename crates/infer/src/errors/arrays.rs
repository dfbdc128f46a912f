//! The messages of indices, shapes, recursive arrays and clauses, as far as typing sees them: E0200 to E0299, E0550 to E0599.

use crate::Checker;
use crate::exprs::clauses::Recursive;
use base::{Diagnostic, Span};
use syntax::ast::Ident;
use typed::Type;

impl Checker<'_> {
    pub(crate) fn shape_expr_here(&mut self, span: Span) {
        let title = "a shape cannot be an expression here";
        let error = Diagnostic::error("E0317", title, span, "nothing checks this shape")
            .note("`[..(e)]` is checked at run time: it is allowed in types of parameters and results, in `let` patterns, after `:` and `:>`")
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

    pub(crate) fn two_shapes(&mut self, span: Span) {
        let error = Diagnostic::error("E0221", "an array type has at most one `[..s]`", span, "a second one")
            .note("with two, it is ambiguous where the first shape ends");
        self.report(error);
    }

    pub(crate) fn recursive_array_whole(&mut self, recursive: &Recursive, span: Span) {
        let name = self.program.locals[recursive.local].name;
        let error = Diagnostic::error(
            "E0550",
            format!("`{name}` is still being defined"),
            span,
            "the whole array does not exist yet",
        )
        .label(recursive.span, "defined here by `let rec`")
        .note("the values of a recursive array may only index it, slice it, or use its shape")
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
