//! Forms of values as tables in C, for programs that read and write values by themselves.

use crate::message::quoted;
use crate::types::prim_number;
use scalar::{DimKind, Layout};

/// The forms of several values whose components follow one another, as an array with this name.
pub(crate) fn table<'a>(name: &str, layouts: impl IntoIterator<Item = &'a Layout>) -> String {
    let mut next = 0;
    let forms: Vec<String> = layouts.into_iter().map(|layout| format!("  {},\n", form(layout, &mut next))).collect();
    // C has no empty arrays.
    let forms = if forms.is_empty() { "  {0}\n".to_owned() } else { forms.concat() };
    format!("static const rv_form {name}[] = {{\n{forms}}};\n")
}

/// The forms of several values each of which has components of its own.
pub(crate) fn separate_table<'a>(name: &str, layouts: impl IntoIterator<Item = &'a Layout>) -> String {
    let forms: Vec<String> = layouts.into_iter().map(|layout| format!("  {},\n", form(layout, &mut 0))).collect();
    format!("static const rv_form {name}[] = {{\n{}}};\n", forms.concat())
}

/// The letters of dimensions, as `rv_form` has them.
pub(crate) fn letters(kinds: impl IntoIterator<Item = DimKind>) -> String {
    kinds
        .into_iter()
        .map(|kind| match kind {
            DimKind::Size => 'n',
            DimKind::Jagged => '~',
            DimKind::Shape => '.',
        })
        .collect()
}

/// Whether a record with these fields is a tuple.
pub(crate) fn is_tuple<T>(fields: &[(base::Name, T)]) -> bool {
    fields.len() != 1 && fields.iter().enumerate().all(|(i, (name, _))| name.as_str() == i.to_string())
}

/// An initialiser of `rv_form`; `next` is the number of the next component.
fn form(layout: &Layout, next: &mut usize) -> String {
    let first = *next;
    match layout {
        Layout::Scalar(prim) => {
            *next += 1;
            format!("{{RV_SCALAR, {}, {first}, 0, NULL, NULL, NULL}}", prim_number(*prim))
        }
        Layout::Array(kinds, elem) => {
            *next += kinds.iter().map(|kind| if *kind == DimKind::Shape { 2 } else { 1 }).sum::<usize>();
            let dims = letters(kinds.iter().copied());
            let parts = forms([&**elem], next);
            format!("{{RV_ARRAY, 0, {first}, {}, \"{dims}\", NULL, {parts}}}", kinds.len())
        }
        Layout::Record(fields) => {
            let kind = if is_tuple(fields) { "RV_TUPLE" } else { "RV_RECORD" };
            let names = names(fields.iter().map(|(name, _)| name.as_str()));
            let parts = forms(fields.iter().map(|(_, field)| field), next);
            format!("{{{kind}, 0, {first}, {}, NULL, {names}, {parts}}}", fields.len())
        }
        Layout::Sum(constructors) => {
            *next += 1;
            let names = names(constructors.iter().map(|(name, _)| name.as_str()));
            let tuple = |(_, parts): &(base::Name, Vec<Layout>)| {
                let first = *next;
                format!("{{RV_TUPLE, 0, {first}, {}, NULL, NULL, {}}}", parts.len(), forms(parts, next))
            };
            let parts: Vec<String> = constructors.iter().map(tuple).collect();
            format!("{{RV_SUM, 0, {first}, {}, NULL, {names}, {}}}", constructors.len(), array("rv_form", &parts))
        }
    }
}

fn forms<'a>(layouts: impl IntoIterator<Item = &'a Layout>, next: &mut usize) -> String {
    let forms: Vec<String> = layouts.into_iter().map(|layout| form(layout, next)).collect();
    array("rv_form", &forms)
}

fn names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    array("char *const", &names.map(quoted).collect::<Vec<_>>())
}

fn array(ty: &str, items: &[String]) -> String {
    if items.is_empty() { "NULL".to_owned() } else { format!("(const {ty}[]){{{}}}", items.join(", ")) }
}
