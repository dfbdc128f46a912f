//! `ravel bench`. Times are never tested, only what is measured and how it is shown.

use crate::common::Folder;
use serde_json::Value;

const PROGRAM: &str = "\
-- ==
-- \"text\" input { [1.0, 2.0] }
-- script input { numbers 1000 }
-- nobench input { [1.0] }
-- input { empty([0]f64) } error: sum of nothing

-- ==
-- entry: replaced
-- random input { [10]f64 }

def numbers (n: i64): [n]f64 = map f64.i64 (iota n)
entry main [n] (xs: [n]f64): f64 = assert (n > 0) (f64.sum (map (* 2) xs))
entry replaced [n] (xs: *[n]f64): *[n]f64 = xs with [0] = xs[0] + 1
";

#[test]
fn cases_are_measured_side_by_side() {
    let folder = Folder::new(&[("p.rv", PROGRAM)]);
    let said = folder.ravel(&["bench", "p.rv", "--backend", "c,interp,core", "--limit", "0.01"]).status(0);
    let column = |range: std::ops::Range<usize>| -> Vec<&str> {
        said.out.lines().map(|line| line.get(range.clone()).unwrap_or_default().trim()).collect()
    };
    let titles = ["case", "main #0 \"text\"", "", "", "main #1", "", "", "replaced #0", "", ""];
    assert_eq!(column(0..14), titles, "{}", said.out);
    assert_eq!(column(16..24)[..4], ["back end", "c", "interp", "core"], "{}", said.out);
}

#[test]
fn results_are_written_and_compared() {
    let folder = Folder::new(&[("p.rv", PROGRAM)]);
    let bench = |entry, file| {
        folder.ravel(&["bench", "p.rv", "-e", entry, "--backend", "c", "--limit", "0.01", "--json", file]).status(0)
    };
    bench("main", "old.json");
    let text = std::fs::read_to_string(folder.path("old.json")).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["program"], "p.rv");
    let first = &value["measurements"][0];
    assert_eq!((&first["entry"], &first["backend"], &first["name"]), (&"main".into(), &"c".into(), &"text".into()));
    assert!(first["times"].as_array().unwrap().len() >= 3 && first["peak_memory"].is_u64(), "{first}");
    let same = folder.ravel(&["bench", "--compare", "old.json", "old.json"]).status(0).out;
    assert!(same.lines().skip(1).all(|line| line.ends_with("1.000")), "{same}");
    bench("replaced", "new.json");
    folder.ravel(&["bench", "--compare", "old.json", "new.json"]).status(0).says("only new").says("only old");
    folder
        .ravel(&["bench", "--compare", "old.json", "p.rv"])
        .status(1)
        .complains("not a file that `ravel bench --json` wrote");
}

#[test]
fn wrong_usage() {
    let folder = Folder::new(&[("p.rv", PROGRAM), ("none.rv", "entry main (x: i64): i64 = x\n")]);
    folder.ravel(&["bench"]).status(2);
    folder.ravel(&["bench", "p.rv", "--compare", "a", "b"]).status(2);
    folder.ravel(&["bench", "p.rv", "--backend", "gpu"]).status(2).complains("known back ends");
    folder.ravel(&["bench", "none.rv"]).status(1).complains("none.rv has no cases to measure");
    folder.ravel(&["bench", "p.rv", "-e", "other"]).status(1).complains("for the entry point `other`");
    folder.ravel(&["bench", "missing.rv"]).status(1).complains("missing.rv");
}

#[test]
fn a_case_that_fails_is_reported() {
    let program = "-- ==\n-- input { 0i64 }\n-- input { 2i64 }\nentry main (x: i64): i64 = 10 / x\n";
    let folder = Folder::new(&[("p.rv", program)]);
    let said = folder.ravel(&["bench", "p.rv", "--backend", "interp", "--limit", "0.01"]).status(1);
    assert!(said.err.starts_with("p.rv:2 ") && said.err.contains("division by zero"), "{}", said.err);
    assert!(said.out.contains("main #1"), "{}", said.out);
}
