//! The messages of type expressions and declarations: E0200 to E0299.

use crate::Checker;
use base::{Diagnostic, Span};
use syntax::ast::{Ident, QualName, TypeDec, TypeExp};
use typed::{Type, TypeParam};

impl Checker<'_> {
    pub(crate) fn bad_kind(&mut self, span: Span, why: &str) {
        let error =
            Diagnostic::error("E0215", "a function type is not allowed here", span, "contains functions").note(why);
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
            .note("a type that follows an array type is read as an argument of its element type")
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
            && let Err(why) = self.want_first_order(ty, "only a type declared with `type^` may contain functions")
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
            .note("the size of the array that a function takes cannot be read from the function")
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
