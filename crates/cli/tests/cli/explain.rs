//! `ravel explain`, word for word, and `--timings`.

use crate::common::Folder;
use expect_test::{Expect, expect};

/// What `ravel explain` says about a program.
#[track_caller]
pub fn check(program: &str, expected: Expect) {
    let folder = Folder::new(&[("p.rv", program)]);
    let said = folder.ravel(&["explain", "p.rv", "--verify"]).status(0);
    assert_eq!(said.err, "");
    expected.assert_eq(&said.out);
}

#[test]
fn loops_run_on_all_cores_or_say_why_not() {
    check(
        "entry main [n] (rounds: i64) (xs: [n]f64): [n]f64 =
  loop ys = xs for _k < rounds do
    map (\\y -> y / 2.0) ys
entry running [n] (xs: [n]i64): [n]i64 =
  let rec ys = array [n] { [i] => xs[i] + (if i == 0 then 0 else ys[i - 1]) for i < n }
  in ys
",
        expect![[r#"
            p.rv

               1 | entry main [n] (rounds: i64) (xs: [n]f64): [n]f64 =
                   allocated      1 array of f64, unless the result has memory of its own

               2 |   loop ys = xs for _k < rounds do
                   not parallel   the loop runs on one core: each turn of a `loop` starts from the result of the turn before

               3 |     map (\y -> y / 2.0) ys
                   parallel       the loop runs on all cores, unless it is short
                   allocated      1 array of f64, whose memory later turns use again

               5 |   let rec ys = array [n] { [i] => xs[i] + (if i == 0 then 0 else ys[i - 1]) for i < n }
                   not parallel   the loop runs on one core: the array refers to itself, so each element waits for those that it needs
                   not checked    a check that always holds is not made: a subscript out of range
                   not checked    a check that always holds is not made: index out of bounds
                   not checked    the elements of this recursive array are computed in an order in which each is there when it is read
                   allocated      1 array of i64

            3 loops, 1 on all cores; in innermost loops: 0 checks and 0 allocations in each turn
        "#]],
    );
}

#[test]
fn nests_share_their_turns_or_choose() {
    check(
        "entry main [n][m] (a: [n][m]f64): [n][m]f64 =
  map (map (\\x -> x * 2.0)) a
entry rows [n][m] (a: [n][m]f64): [n]f64 =
  map (\\row -> f64.sum row) a
",
        expect![[r#"
            p.rv

               2 |   map (map (\x -> x * 2.0)) a
                   parallel       the loop runs on all cores, unless it is short
                   allocated      1 array of f64

               4 |   map (\row -> f64.sum row) a
                   parallel       the loop runs on all cores, unless it is short
                   parallel       which of the loops here runs on all cores is decided by their lengths, when the program runs
                   allocated      1 array of f64
                   allocated      1 table of f64 for the blocks of the loop, whose memory later turns use again

            6 loops, 4 on all cores; in innermost loops: 0 checks and 0 allocations in each turn
        "#]],
    );
}

#[test]
fn checks_are_named_with_their_loops() {
    check(
        "entry pick [n] (xs: [n]f64) (places: []i64): []f64 =
  [xs[p]
   for p in places]
entry ratio (a: i64) (b: i64): i64 = a / b
",
        expect![[r#"
            p.rv

               2 |   [xs[p]
                   parallel       the loop runs on all cores, unless it is short
                   not hoisted    index out of bounds: the check stays in the loop, because the index is read from an array
                   checked        1 check in each turn of the loop of this line: index out of bounds
                   allocated      1 array of f64

               4 | entry ratio (a: i64) (b: i64): i64 = a / b
                   checked        1 check outside of loops: division by zero

            1 loop, 1 on all cores; in innermost loops: 1 check and 0 allocations in each turn
        "#]],
    );
}

#[test]
fn checks_are_removed_moved_or_left() {
    check(
        "entry smooth [n] (a: [n]f64): []f64 =
  [(a[i - 1] + a[i + 1]) / 2 for 1 <= i < n - 1]
entry every [n] (a: [n]f64) (k: i64) (m: i64): f64 =
  f64.sum [a[i * k] for i < m]
entry sum [n] (a: [n]f64) (is: []i64): f64 =
  loop s = 0.0 for i < length is do
    s + a[is[i]]
entry squares [n] (a: [n]f64) (m: i64): f64 =
  loop s = 0.0 for i < m do
    s + a[i * i]
",
        expect![[r#"
            p.rv

               2 |   [(a[i - 1] + a[i + 1]) / 2 for 1 <= i < n - 1]
                   parallel       the loop runs on all cores, unless it is short
                   not checked    a check that always holds is not made: index out of bounds
                   allocated      1 array of f64

               4 |   f64.sum [a[i * k] for i < m]
                   parallel       the loop runs on all cores, unless it is short
                   fused          this loop also does the work of this line
                   hoisted        index out of bounds: one check before the loop takes the place of one in each turn
                   checked        1 check outside of loops: negative size
                   checked        1 check outside of loops: index out of bounds
                   allocated      1 table of f64 for the blocks of the loop

               6 |   loop s = 0.0 for i < length is do
                   parallel       turns of this `loop` do not need what others compute, so they need not wait for one another
                   parallel       the loop runs on all cores, unless it is short
                   allocated      1 table of f64 for the blocks of the loop

               7 |     s + a[is[i]]
                   not hoisted    index out of bounds: the check stays in the loop, because the index is read from an array
                   not checked    a check that always holds is not made: index out of bounds
                   checked        1 check in each turn of the loop of line 6: index out of bounds

               9 |   loop s = 0.0 for i < m do
                   parallel       turns of this `loop` do not need what others compute, so they need not wait for one another
                   parallel       the loop runs on all cores, unless it is short
                   allocated      1 table of f64 for the blocks of the loop

              10 |     s + a[i * i]
                   not hoisted    index out of bounds: the check stays in the loop, because the first and the last turn do not decide it
                   checked        1 check in each turn of the loop of line 9: index out of bounds

            4 loops, 4 on all cores; in innermost loops: 2 checks and 0 allocations in each turn
        "#]],
    );
}

#[test]
fn the_library_is_shown_where_it_is_called() {
    check(
        "entry main (xs: []i64): []i64 =
  reverse
    (sort xs)
",
        expect![[r#"
            p.rv

               2 |   reverse
                   parallel       the loop runs on all cores, unless it is short
                   allocated      1 array of i64

               3 |     (sort xs)
                   parallel       elements are sorted by the bits of numbers, without comparisons (radix sort), on all cores unless they are few
                   allocated      1 array of i64
                   allocated      1 array of i64 to sort with, unless there are few elements

            2 loops, 2 on all cores; in innermost loops: 0 checks and 0 allocations in each turn
        "#]],
    );
}

#[test]
fn arrays_are_not_built_or_say_why() {
    check(
        "entry main [n] (xs: [n]f64) (ks: [n]i64): (f64, f64, f64) =
  let ys = map (\\x -> f64.exp (f64.sin x)) xs
  let zs = map (\\k -> ys[k]) ks
  let ws = filter (> 0.5) (map f64.sqrt xs)
  let s = loop s = 0 for i < length ws do s * 0.5 + ws[i]
  let vs = map f64.abs xs
  in (f64.sum zs, s, f64.sum (map2 (*) (tail vs) (init vs)))
",
        expect![[r#"
            p.rv

               1 | entry main [n] (xs: [n]f64) (ks: [n]i64): (f64, f64, f64) =
                   checked        1 check outside of loops: sizes that must agree differ

               3 |   let zs = map (\k -> ys[k]) ks
                   not hoisted    index out of bounds: the check stays in the loop, because the index is read from an array
                   checked        1 check in each turn of the loop of line 7: index out of bounds

               4 |   let ws = filter (> 0.5) (map f64.sqrt xs)
                   fused          this loop also does the work of line 2 and this line
                   allocated      1 growing array of f64

               5 |   let s = loop s = 0 for i < length ws do s * 0.5 + ws[i]
                   not parallel   the loop runs on one core: each turn of a `loop` starts from the result of the turn before
                   not fused      the array of line 6 is built first: the turns of a `loop` read it one after the other
                   not checked    a check that always holds is not made: index out of bounds

               6 |   let vs = map f64.abs xs
                   parallel       the loop runs on all cores, unless it is short
                   fused          this loop also does the work of line 4
                   allocated      1 array of f64
                   allocated      1 table of f64 for the blocks of the loop
                   allocated      1 table of i64 for the blocks of the loop

               7 |   in (f64.sum zs, s, f64.sum (map2 (*) (tail vs) (init vs)))
                   parallel       the loop runs on all cores, unless it is short
                   fused          this loop also does the work of line 3, line 6 and this line
                   not fused      the array of line 6 is built first: this loop reads elements of other turns, and computing them again costs more
                   checked        1 check outside of loops: slice out of bounds
                   allocated      2 tables of f64 for the blocks of the loop

            4 loops, 3 on all cores; in innermost loops: 1 check and 0 allocations in each turn
        "#]],
    );
}

#[test]
fn copies_are_shown() {
    check(
        "entry main (xs: []i64): []i64 =
  copy xs with [0] = 1
",
        expect![[r#"
            p.rv

               2 |   copy xs with [0] = 1
                   checked        1 check outside of loops: index out of bounds
                   copied         1 array outside of loops
                   allocated      1 array of i64

            0 loops, 0 on all cores; in innermost loops: 0 checks and 0 allocations in each turn
        "#]],
    );
}

#[test]
fn a_program_without_loops_has_a_summary() {
    check(
        "entry main (x: i64): i64 = x + 1\n",
        expect![[r#"
        0 loops, 0 on all cores; in innermost loops: 0 checks and 0 allocations in each turn
    "#]],
    );
}

#[test]
fn functions_that_stay_say_how_often_they_run() {
    check(
        "def rec fib (n: i64): i64 = if n < 2 then n else fib (n - 1) + fib (n - 2 * (n / n))
entry main (xs: []i64): []i64 = map fib xs
",
        expect![[r#"
            p.rv

               2 | entry main (xs: []i64): []i64 = map fib xs
                   parallel       the loop runs on all cores, unless it is short
                   allocated      1 array of i64

            1 loop, 1 on all cores; in innermost loops: 0 checks and 0 allocations in each turn
        "#]],
    );
}

#[test]
fn imported_files_have_their_own_lines() {
    let folder = Folder::new(&[
        ("main.rv", "import \"lib\"\nentry main (xs: []f64): f64 =\n  total xs\n"),
        ("lib.rv", "\n\ndef total (xs: []f64): f64 = f64.sum (map (+ 1.0) xs)\n"),
    ]);
    let said = folder.ravel(&["explain", "main.rv"]).status(0);
    expect![[r#"
        lib.rv

           3 | def total (xs: []f64): f64 = f64.sum (map (+ 1.0) xs)
               parallel       the loop runs on all cores, unless it is short
               fused          this loop also does the work of this line
               allocated      1 table of f64 for the blocks of the loop

        1 loop, 1 on all cores; in innermost loops: 0 checks and 0 allocations in each turn
    "#]]
    .assert_eq(&said.out);
}

#[test]
fn tools_get_json() {
    let folder =
        Folder::new(&[("p.rv", "entry main [n] (xs: [n]f64) (ps: []i64): f64 =\n  f64.sum [xs[p] for p in ps]\n")]);
    let said = folder.ravel(&["explain", "--json", "p.rv"]).status(0);
    let value: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let one = &value["loops"][0];
    assert_eq!((&one["file"], &one["line"]), (&"p.rv".into(), &2.into()));
    assert_eq!((&one["innermost"], &one["mark"]), (&true.into(), &"threads".into()));
    assert_eq!((&one["checks"], &one["allocations"]), (&1.into(), &0.into()));
    let remarks = value["remarks"].as_array().unwrap();
    let checked = remarks.iter().find(|remark| remark["kind"] == "checked").unwrap();
    assert_eq!((&checked["file"], &checked["line"], &checked["done"]), (&"p.rv".into(), &2.into(), &true.into()));
    assert_eq!(checked["text"], "1 check in each turn of the loop of this line: index out of bounds");
}

#[test]
fn timings_list_every_pass() {
    let folder = Folder::new(&[("p.rv", "entry main (xs: []f64): f64 = f64.sum xs\n")]);
    let passes = |err: &str| -> Vec<String> {
        err.lines().filter_map(|line| line.split_whitespace().last().map(str::to_owned)).collect()
    };
    let explained = passes(&folder.ravel(&["explain", "p.rv", "--timings"]).status(0).err);
    assert_eq!(explained[..3], ["parse", "check", "desugar"]);
    assert_eq!(explained[explained.len() - 2..], ["lower", "total"]);
    assert!(explained.iter().filter(|pass| *pass == "simplify").count() >= 2, "{explained:?}");
    let shown = passes(&folder.ravel(&["ir", "p.rv", "--stage", "c", "--timings"]).status(0).err);
    assert_eq!(shown[shown.len() - 3..], ["lower", "c", "total"]);
}

#[test]
fn what_cannot_be_explained() {
    let folder = Folder::new(&[("none.rv", "def f (x: i64) = x\n"), ("wrong.rv", "entry main = y\n")]);
    folder.ravel(&["explain", "none.rv"]).status(1).complains("has no entry point");
    folder.ravel(&["explain", "wrong.rv"]).status(1).complains("unknown name `y`");
    folder.ravel(&["explain", "missing.rv"]).status(1).complains("missing.rv");
    folder.ravel(&["explain"]).status(2);
}
