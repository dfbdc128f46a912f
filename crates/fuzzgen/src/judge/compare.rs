//! What another way to run a program has to have in common with the interpreter.

use super::cases::Case;
use super::news::{Finding, Outcome, found_as, shown};
use crate::tree::Rule;
use base::Diagnostic;
use fault::Fault;
use value::{Tolerance, Value, compare};

/// Tells how an outcome differs from what was expected.
pub(super) fn compare_outcomes(
    way: &str,
    (case, rule): (&Case, Rule),
    input: &str,
    expected: &Outcome,
    got: &Outcome,
) -> Option<Finding> {
    let on = |why: String| format!("on {}: {why}", shortened(input));
    match (expected, got) {
        (Ok(expected), Ok(got)) => {
            let tolerance = if rule == Rule::Near { Tolerance::default() } else { Tolerance::uniform(0.0) };
            let why = same(got, expected, &tolerance).err()?;
            Some(found_as(&format!("{way} differs"), "", &case.entry, &on(why)))
        }
        (Ok(_), Err(error)) => Some(found_as(&format!("{way} fails"), &shown(error), &case.entry, &on(shown(error)))),
        // A computation that no result needs may vanish with its checks.
        (Err(error), Ok(_)) if rule == Rule::OneCheck => {
            Some(found_as(&format!("{way} does not fail"), &shown(error), &case.entry, &on(shown(error))))
        }
        (Err(_), Ok(_)) => None,
        (Err(expected), Err(got)) => {
            let alike = if rule == Rule::OneCheck {
                expected.code == got.code && title_by_form(expected) == title_by_form(got) && same_place(expected, got)
            } else {
                got.code != Fault::Internal.code()
            };
            let both = format!("got `{}`, expected `{}`", shown(got), shown(expected));
            (!alike).then(|| found_as(&format!("{way} error"), &both, &case.entry, &on(both.clone())))
        }
    }
}

/// Whether two errors are shown at the same place.
fn same_place(expected: &Diagnostic, got: &Diagnostic) -> bool {
    let place = |error: &Diagnostic| error.labels.first().map(|label| label.span);
    place(expected) == place(got)
}

/// The title without what depends on the form of an array: whether its rows may differ in length is a matter of its type, which
/// values of the interpreter do not have.
fn title_by_form(error: &Diagnostic) -> String {
    empty_rows(&even_rows(&error.title))
}

/// The text with extents behind an extent of 0 as 0: rows of which there are none have a length only in regular arrays.
fn empty_rows(text: &str) -> String {
    match text.split_once("[0][").and_then(|(before, behind)| Some((before, behind.split_once(']')?.1))) {
        Some((before, behind)) => format!("{before}[0]{}", empty_rows(&format!("[0]{behind}"))),
        None => text.to_string(),
    }
}

/// The text with rows of one length written as a regular dimension.
fn even_rows(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("[~[") {
        let (lengths, behind) = behind.split_once("]]").unwrap_or((behind, ""));
        out.push_str(before);
        let mut all = lengths.split(", ");
        let first = all.next().unwrap_or_default();
        if all.all(|other| other == first) {
            out.push_str(&format!("[{}]", if first.is_empty() { "0" } else { first }));
        } else {
            out.push_str(&format!("[~[{lengths}]]"));
        }
        rest = behind;
    }
    out + rest
}

pub(super) fn same(got: &[Value], expected: &[Value], tolerance: &Tolerance) -> Result<(), String> {
    if got.len() != expected.len() {
        return Err(format!("{} values, expected {}", got.len(), expected.len()));
    }
    got.iter().zip(expected).try_for_each(|(got, expected)| compare(got, expected, tolerance))
}

fn shortened(input: &str) -> &str {
    let end = input.floor_char_boundary(300);
    &input[..end]
}
