//! What the tests of this crate share: parsing a text and showing what came of it.

use base::{Diagnostic, Sources};
use syntax::ast::Dialect;
use syntax::dump;

/// The tree of a Ravel file, then its errors.
pub fn file(text: &str) -> String {
    file_in(text, Dialect::Ravel)
}

/// The tree of a file, then its errors.
pub fn file_in(text: &str, dialect: Dialect) -> String {
    let mut sources = Sources::new();
    let id = sources.add("t", text);
    let (file, diagnostics) = syntax::parse(id, text, dialect);
    (dump::file(&file) + &brief(&sources, &diagnostics)).trim_end().to_string()
}

/// The tree of a Ravel expression, then its errors.
pub fn expr(text: &str) -> String {
    let mut sources = Sources::new();
    let id = sources.add("t", text);
    let (expr, diagnostics) = syntax::parse_expr(id, text, Dialect::Ravel);
    (dump::expr(&expr) + "\n" + &brief(&sources, &diagnostics)).trim_end().to_string()
}

/// The tree of a Ravel type, then its errors.
pub fn type_exp(text: &str) -> String {
    let mut sources = Sources::new();
    let id = sources.add("t", text);
    let (ty, diagnostics) = syntax::parse_type(id, text, Dialect::Ravel);
    (dump::type_exp(&ty) + "\n" + &brief(&sources, &diagnostics)).trim_end().to_string()
}

/// The errors of a Ravel file in full.
pub fn errors(text: &str) -> String {
    errors_in(text, Dialect::Ravel)
}

/// The errors of a file in full.
pub fn errors_in(text: &str, dialect: Dialect) -> String {
    let mut sources = Sources::new();
    let id = sources.add("t", text);
    let (_, diagnostics) = syntax::parse(id, text, dialect);
    diagnostics.iter().map(|d| full(&sources, d)).collect::<Vec<_>>().join("\n")
}

fn brief(sources: &Sources, diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|d| format!("{} {} {}\n", d.code, sources.display(d.span()), d.title)).collect()
}

fn full(sources: &Sources, d: &Diagnostic) -> String {
    let mut out = format!("{} {}", d.code, d.title);
    for label in &d.labels {
        out += &format!("\n  {} {:?}: {}", sources.display(label.span), sources.slice(label.span), label.text);
    }
    for note in &d.notes {
        out += &format!("\n  note: {note}");
    }
    if let Some(help) = &d.help {
        out += &format!("\n  help: {help}");
    }
    out
}
