//! `ravel dev`, `ravel ir` and `--verify`: what those see who work on the compiler.

use crate::common::Folder;
use std::process::Command;

const PROGRAM: &str =
    "-- ==\n-- input { [1i64, 2] } output { 5i64 }\nentry main [n] (xs: [n]i64): i64 = i64.sum (map (+ 1) xs)\n";

/// Core that consumes what it reads later: `copies` puts it right.
const CORE: &str = "fn f(n: i64, xs: [n]i64) -> (m: i64, ys: [m]i64) {
  let unused: i64 = n * 2
  let ys.1: [n]i64 = bulk {
    out update (xs) of (e: i64)
    for i < n {
      let first: bool = i == 0
      if first {
        emit [i] => 7
      }
    }
  }
  => n, ys.1
}

entry main = f(xs: []i64) -> ([]i64)
";

#[test]
fn passes_run_on_text() {
    let folder = Folder::new(&[("f.core", CORE), ("sum.rv", PROGRAM)]);
    folder.ravel(&["dev", "passes", "verify", "f.core"]).status(1).complains("`xs` may not be consumed here");
    let swept = folder.ravel(&["dev", "passes", "sweep,copies,verify,print", "f.core"]).status(0);
    assert!(swept.out.contains("copy xs") && !swept.out.contains("unused"), "{}", swept.out);
    folder.ravel(&["dev", "passes", "sweep,copies,run", "f.core", "[1, 2]"]).status(0).says("[7i64, 2i64]");
    let kernel = folder.ravel(&["dev", "passes", "copies,lower,verify,print", "f.core"]).status(0);
    folder.write("f.kernel", kernel.out.as_bytes());
    let again = folder.ravel(&["dev", "passes", "verify,print", "f.kernel"]).status(0);
    assert_eq!(again.out, kernel.out);
    folder.ravel(&["dev", "passes", "core,verify,run", "sum.rv", "[1, -2]"]).status(0).says("1i64");
    assert!(folder.ravel(&["dev", "passes", "core,lower,c", "sum.rv"]).status(0).out.contains("rv_"));
}

#[test]
fn wrong_lists_are_told() {
    let folder = Folder::new(&[("f.core", CORE), ("g.core", "fn"), ("bad.rv", "entry main = 1 + true")]);
    folder.ravel(&["dev", "passes", "weave", "f.core"]).status(2).complains("there is no pass `weave`");
    folder.ravel(&["dev", "passes", "c", "f.core"]).status(2).complains("`c` works on Kernel, but this is Core");
    folder.ravel(&["dev", "passes", "verify", "g.core"]).status(2).complains("g.core:1:3: ");
    folder.ravel(&["dev", "passes", "verify", "none.core"]).status(2).complains("none.core: ");
    folder.ravel(&["dev", "passes", "core", "bad.rv"]).status(1).complains("Error");
    folder.ravel(&["dev", "passes", "run", "f.core"]).status(2).complains("0 values are given, 1 are needed");
}

/// Core that breaks its rules stands for a pass with a mistake in it: the next pass stops with `bug!`.
#[test]
fn bugs_name_their_place_and_ask_for_a_report() {
    let wrong = "fn f(n: i64, xs: [n]i64) -> (s: i64) {\n  let s.1: i64 = xs + 1 at i64\n  => s.1\n}\n\nentry main = f(xs: []i64) -> (i64)\n";
    let folder = Folder::new(&[("wrong.core", wrong)]);
    let run = folder.ravel(&["dev", "passes", "lower", "wrong.core"]).status(101);
    let run = run.complains("this is a bug in Ravel: ").complains("  at crates/lower/src/");
    run.complains("Please report this to the authors of Ravel").complains("dev passes lower wrong.core");
}

#[test]
fn stages_are_shown_and_verified() {
    let folder = Folder::new(&[("sum.rv", PROGRAM)]);
    for (stage, word) in [("core", "bulk {"), ("kernel", "fun main.0("), ("c", "#include")] {
        folder.ravel(&["ir", "sum.rv", "--verify", "--stage", stage]).status(0).says(word);
    }
    folder.ravel(&["run", "sum.rv", "--backend", "core", "--verify", "[1, 2]"]).status(0).says("5i64");
    folder.ravel(&["test", "sum.rv", "--backend", "core", "--verify"]).status(0).says("1 passed");
}

/// What is remembered of a choice inside a choice inside a choice must not grow with the square of their number.
#[test]
fn long_choices_take_little_memory() {
    let cases: String = (0..2500).map(|i| format!("  case {i} -> x * {}\n", i + 3)).collect();
    let folder = Folder::new(&[("long.rv", &format!("entry main (x: i64): i64 =\n  match x\n{cases}  case _ -> 7\n"))]);
    // Where a shell cannot limit memory, the test is about time alone.
    let script = format!("ulimit -v 1000000; exec {} ir long.rv --stage c", env!("CARGO_BIN_EXE_ravel"));
    let output = Command::new("sh").args(["-c", &script]).current_dir(folder.path("")).output().expect("a shell");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Definitions that each call the one before twice give Core in proportion to their text: scalars, arrays, and checks with
/// their messages.
#[test]
fn nested_definitions_stay_small() {
    let scalars = ("def f0 (x: f64): f64 = x * x + 1.0", "def fN (x: f64): f64 = fM x + fM (x + 1.0)", "f64");
    let arrays = (
        "def f0 [n] (xs: [n]f64): [n]f64 = map (+ 2.0) xs",
        "def fN [n] (xs: [n]f64): [n]f64 = map2 (+) (fM xs) (fM (map (+ 1.0) xs))",
        "[]f64",
    );
    let checks = (
        "def f0 (x: i64, y: i64): (i64, i64) = (x * y, x / y)",
        "def fN (p: (i64, i64)): (i64, i64) = let (x, y) = fM p in fM (y, x)",
        "(i64, i64)",
    );
    for (first, next, ty) in [scalars, arrays, checks] {
        for count in [7, 10] {
            let more = (1..count).map(|n| next.replace('N', &n.to_string()).replace('M', &(n - 1).to_string()));
            let main = format!("entry main (x: {ty}) = f{} x", count - 1);
            let source: Vec<String> = [first.to_string()].into_iter().chain(more).chain([main]).collect();
            let source = source.join("\n");
            let folder = Folder::new(&[("nested.rv", &source)]);
            let core = folder.ravel(&["ir", "nested.rv"]).status(0).out;
            assert!(core.len() <= 10 * source.len(), "{} bytes of Core come of {}:\n{core}", core.len(), source.len());
        }
    }
}

/// A module that is applied six times gives its definitions six times, not once for each place that uses them.
#[test]
fn definitions_are_translated_once() {
    let source = include_str!("../../../../tests/programs/modules/hashers.rv");
    let folder = Folder::new(&[("hashers.rv", source), ("sum.rv", PROGRAM)]);
    let lines = |file: &str| folder.ravel(&["ir", "--stage", "c", file]).status(0).out.lines().count();
    let (own, source) = (lines("hashers.rv") - lines("sum.rv"), source.lines().count());
    assert!(own <= 60 * source, "{own} lines of C come of {source} lines");
}
