//! Checks a program given as text and gives the codes of its errors.

use driver::{InMemory, compile};

/// The codes of the errors in `source`, a file with this extension, in source order.
pub fn errors(extension: &str, source: &str) -> Vec<&'static str> {
    let path = format!("test.{extension}");
    let compiled = compile(&InMemory::new([(path.as_str(), source)]), &path);
    compiled.diagnostics.iter().map(|d| d.code).collect()
}

/// The program must be accepted.
pub fn accepted(extension: &str, source: &str) {
    let path = format!("test.{extension}");
    let compiled = compile(&InMemory::new([(path.as_str(), source)]), &path);
    let shown = driver::render::render_all(&compiled.sources, &compiled.diagnostics, false);
    assert!(compiled.diagnostics.is_empty(), "{source}\n{shown}");
}

/// The program must be rejected with exactly this code.
pub fn rejected(extension: &str, code: &str, source: &str) {
    assert_eq!(errors(extension, source), [code], "{source}");
}
