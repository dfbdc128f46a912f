//! Every program of the project does what its tests say: the language's rules, the library, the examples.

use std::path::Path;

#[track_caller]
fn all_pass(folder: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let said = crate::common::run(&root, &["test", "--timeout", "300", folder], b"").status(0);
    let last = said.out.lines().last().unwrap_or_default();
    assert!(last.contains(" passed, 0 failed, "), "{}", said.out);
}

#[test]
fn tests_programs() {
    all_pass("tests/programs");
}

#[test]
fn examples() {
    all_pass("examples");
}
