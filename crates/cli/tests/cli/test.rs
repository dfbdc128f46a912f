//! `ravel test`: what passes, what fails, what is skipped, and how it is told.

use crate::common::Folder;

#[track_caller]
fn ends(files: &[(&str, &str)], status: i32, last: &str) -> String {
    let said = Folder::new(files).ravel(&["test", "--backend", "interp", "."]).status(status);
    assert_eq!(said.out.lines().last(), Some(format!("{last} (interp)").as_str()), "{}", said.out);
    said.out
}

const ADD: &str = "-- ==\n-- entry: add\n-- input { 1 2 } output { 3 }\n-- input { 1 2 } output { 4 }\n\
                   entry add (x: i32) (y: i32): i32 = x + y\n";

#[test]
fn passed_and_failed_cases() {
    let out = ends(&[("a.rv", ADD)], 1, "1 passed, 1 failed, 0 skipped");
    for part in ["a.rv:4", "add #1", "expected: 4i32", "got:      3i32"] {
        assert!(out.contains(part), "{part} is missing in\n{out}");
    }
}

#[test]
fn files_without_tests_must_be_accepted() {
    ends(
        &[("a.rv", "def x = 1\n"), ("sub/b.fut", "def y = 2\n")],
        0,
        "0 passed, 0 failed, 0 skipped, 2 files without tests",
    );
    let out = ends(&[("a.rv", "def x = y\n")], 1, "0 passed, 1 failed, 0 skipped");
    assert!(out.contains("a.rv:1:9"), "{out}");
}

#[test]
fn programs_that_must_be_rejected() {
    let wrong = "def x: i32 = unknown_name\n";
    let matching = format!("-- ==\n-- error: unknown_name\n{wrong}");
    let other = format!("-- ==\n-- error: quite another thing\n{wrong}");
    ends(&[("a.rv", &matching)], 0, "1 passed, 0 failed, 0 skipped");
    ends(&[("a.rv", &other)], 1, "0 passed, 1 failed, 0 skipped");
    // In a Futhark program the words are another compiler's.
    ends(&[("a.fut", &other)], 0, "1 passed, 0 failed, 0 skipped");
    ends(&[("a.rv", "-- ==\n-- error: .\ndef x = 1\n")], 1, "0 passed, 1 failed, 0 skipped");
}

#[test]
fn errors_at_run_time() {
    let text = "-- ==\n-- input { [1, 2] 1i64 } output { 2 }\n-- input { [1, 2] 9i64 }\n-- error: 9\n\
                -- input { [1, 2] 0i64 }\n-- error: .\n-- input { [1, 2] 7i64 }\n\
                entry main [n] (xs: [n]i32) (i: i64): i32 = xs[i]\n";
    let out = ends(&[("a.rv", text)], 1, "2 passed, 2 failed, 0 skipped");
    assert!(out.contains("expected: an error") && out.contains("an error at run time"), "{out}");
}

#[test]
fn floats_have_a_tolerance() {
    let text = "-- ==\n-- input { 1.0 } output { 1.0000001 }\n-- input { 1.0 } output { 1.00001 }\n\
                entry main (x: f64): f64 = x\n";
    ends(&[("a.rv", text)], 1, "1 passed, 1 failed, 0 skipped");
}

#[test]
fn skipped_cases_have_a_reason() {
    let text = "-- ==\n-- notest input { 1 } output { 2 }\n-- no_interp input { 1 } output { 2 }\n-- input { 1 } output { 1 }\n\
                -- property: main\nentry main (x: i32): i32 = x\n";
    let out = ends(&[("a.rv", text)], 0, "1 passed, 0 failed, 3 skipped");
    assert!(
        out.contains("tagged `notest`") && out.contains("tagged `no_interp`") && out.contains("properties"),
        "{out}"
    );
    ends(&[("a.rv", "-- ==\n-- tags { disable }\n-- input { } output { 1 }\n")], 0, "0 passed, 0 failed, 1 skipped");
}

#[test]
fn inputs_from_files_random_and_scripts() {
    let text = "-- ==\n-- input @ data/x.in\n-- output @ data/x.out\n-- random input { [10]i32 } auto output\n\
                -- script input { make 4i64 } output { 6i32 }\n-- script input { let n = 3 in make n } output { 3i32 }\n\
                -- input @ data/none.in\nentry main [n] (xs: [n]i32): i32 = i32.sum xs\n\
                entry make (n: i64): []i32 = map i32.i64 (iota n)\n\
                -- ==\n-- entry: pair\n-- script input { (2i32, $loaddata \"data/x.in\") } output { 14i32 }\n\
                -- script input { nosuch 3 } output { 1 }\n\
                entry pair [n] (k: i32) (xs: [n]i32): i32 = k * i32.sum xs\n";
    let files = [("a.rv", text), ("data/x.in", "[3, 4]"), ("data/x.out", "7")];
    let out = ends(&files, 1, "5 passed, 2 failed, 0 skipped");
    assert!(out.contains("nosuch") && out.contains("none.in"), "{out}");
}

#[test]
fn tuples_are_written_one_component_after_another() {
    let text = "-- ==\n-- input { 1 2.0 3i64 } output { 3i64 1 2.0 }\n\
                entry main (x: (i32, f64)) (y: i64): (i64, (i32, f64)) = (y, x)\n";
    ends(&[("a.rv", text)], 0, "1 passed, 0 failed, 0 skipped");
}

#[test]
fn hopeless_cases_do_not_take_the_others_along() {
    let text = "-- ==\n-- input { 1 } output { 1 }\n-- input { 0 } output { 1 }\n-- compiled input { 0 } output { 1 }\n\
                -- input { 2 } output { 2 }\n\
                entry main (x: i32): i32 = loop y = x while y == 0 do y\n";
    let folder = Folder::new(&[("a.rv", text)]);
    let said = folder.ravel(&["test", "--backend", "interp", "a.rv", "--timeout", "3"]).status(1);
    assert_eq!(said.out.lines().last(), Some("2 passed, 1 failed, 1 skipped (interp)"), "{}", said.out);
    said.says("gave up after 3 seconds").says("meant for compiled code");
}

#[test]
fn hungry_cases_are_stopped() {
    let text = "-- ==\n-- input { 100000000000i64 }\n-- input { 3i64 } output { 3i64 }\n\
                entry main (n: i64): i64 = i64.sum (map (\\_ -> 1) (scan (+) 0 (iota n)))\n";
    let said = Folder::new(&[("a.rv", text)]).ravel(&["test", "--backend", "interp", "a.rv"]).status(1);
    assert_eq!(said.out.lines().last(), Some("1 passed, 1 failed, 0 skipped (interp)"), "{}", said.out);
}

#[test]
fn malformed_blocks_are_named() {
    let out = ends(&[("a.rv", "-- ==\n-- input { 1\ndef x = 1\n")], 1, "0 passed, 1 failed, 0 skipped");
    assert!(out.contains("line 2"), "{out}");
    let folder = Folder::new(&[("x.txt", "")]);
    folder.write("b.rv", b"\xff");
    folder.ravel(&["test", "b.rv"]).status(1).says("UTF-8");
    folder.ravel(&["test", "nowhere"]).status(1).complains("nowhere");
    folder.ravel(&["test"]).status(2);
    let empty = Folder::new(&[("x.txt", "")]);
    empty.ravel(&["test", "."]).status(1).complains("no .rv or .fut files");
    empty.ravel(&["test", ".", "--backend", "abacus"]).status(2).complains("all");
}

#[test]
fn tools_get_json() {
    let folder = Folder::new(&[("a.rv", ADD)]);
    let said = folder.ravel(&["test", "--json", "--backend", "all", "."]).status(1);
    let cases: Vec<serde_json::Value> = said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(cases.len(), 8);
    assert_eq!((&cases[0]["outcome"], &cases[1]["outcome"]), (&"passed".into(), &"failed".into()));
    assert_eq!((&cases[1]["entry"], &cases[1]["case"], &cases[1]["line"]), (&"add".into(), &1.into(), &4.into()));
    assert_eq!([0, 2, 4, 6].map(|i| &cases[i]["backend"]), ["interp", "core", "c", "multicore"]);
}

/// Without `--backend` tests run as `ravel run` does, and the last line says how.
#[test]
fn the_default_is_what_run_takes() {
    let folder = Folder::new(&[("a.rv", "-- ==\n-- input { 1 } output { 2 }\nentry main (x: i32): i32 = x + 1\n")]);
    let plain = folder.ravel(&["test", "a.rv"]).status(0);
    let without = folder.ravel_with(&["test", "a.rv"], &[("PATH", "")]).status(0).complains("no C compiler found");
    assert_eq!(without.out, "1 passed, 0 failed, 0 skipped (interp)\n");
    if plain.err.is_empty() {
        assert_eq!(plain.out, "1 passed, 0 failed, 0 skipped (multicore)\n");
    }
}

/// `f32` may be as far off as Futhark allows, in Futhark's files only.
#[test]
fn files_of_futhark_have_its_tolerance() {
    let text = "-- ==\n-- input { 1.0f32 } output { 1.0015f32 }\nentry main (x: f32): f32 = x\n";
    ends(&[("a.fut", text)], 0, "1 passed, 0 failed, 0 skipped");
    ends(&[("a.rv", text)], 1, "0 passed, 1 failed, 0 skipped");
}

#[test]
fn files_without_tests_are_said_to_be_checked() {
    let folder = Folder::new(&[("a.rv", "def x = 1\n")]);
    let said = folder.ravel(&["test", "-v", "--backend", "interp", "a.rv"]).status(0);
    assert_eq!(
        said.out,
        "checked a.rv: it has no tests\n0 passed, 0 failed, 0 skipped, 1 file without tests (interp)\n"
    );
    folder.ravel(&["test", "--json", "--backend", "interp", "a.rv"]).status(0).says("\"outcome\":\"checked\"");
}
