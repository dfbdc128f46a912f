//! Consumption and aliasing, on whole programs.

use crate::common::{accepted, rejected};

const CONTRIVED: &str = "
def contrived [n][m] (src: [n][m]i64) (indexes: [m]i64) (i: i64): [m]i64 = src[indexes[i]]
def main [n][m] (src: [n][m]i64) (indexes: *[m]i64): i64 =
  let row = contrived src indexes 0
  let indexes = indexes with [0] = 1
  in row[0] + indexes[0]
";

#[test]
fn results_share_what_the_body_can_share() {
    accepted("rv", CONTRIVED);
    rejected("fut", "E0401", CONTRIVED);
    // Through several calls, and through recursion.
    accepted(
        "rv",
        "
def pick [n] (a: [n]i64) (b: [n]i64): [n]i64 = if b[0] > 0 then a else copy b
def twice [n] (a: [n]i64) (b: [n]i64) (k: i64): [n]i64 = if k == 0 then pick a b else twice a b (k - 1)
def main [n] (a: [n]i64) (b: *[n]i64): i64 =
  let r = twice a b 3
  let b = b with [0] = 1
  in r[0] + b[0]",
    );
    rejected(
        "rv",
        "E0401",
        "
def flip_flop [n] (a: [n]i64) (b: [n]i64) (k: i64): [n]i64 = if k == 0 then a else flip_flop b a (k - 1)
def main [n] (a: [n]i64) (b: *[n]i64): i64 =
  let r = flip_flop a b 3
  let b = b with [0] = 1
  in r[0] + b[0]",
    );
}

#[test]
fn a_row_is_updated_and_put_back() {
    accepted(
        "rv",
        "
def main [n][m] (a: *[n][m]i64) (i: i64) (j: i64) (v: i64): [n][m]i64 =
  let row = a[i]
  let row' = row with [j] = v
  in a with [i] = row'",
    );
    accepted(
        "rv",
        "
def replace [m] (row: *[m]i64) (j: i64) (v: i64): *[m]i64 = row with [j] = v
def main [n][m] (a: *[n][m]i64) (i: i64): [n][m]i64 = a with [i + 1] = replace a[i + 1] 0 7",
    );
    accepted(
        "rv",
        "
def main [n][m] (a: *[n][m]i64): [n][m]i64 =
  loop a for i < n do
    let row = a[i] with [0] = i
    in a with [i] = row",
    );
}

#[test]
fn a_row_is_put_back_only_where_it_was() {
    let other_index = "
def main [n][m] (a: *[n][m]i64) (i: i64) (k: i64): [n][m]i64 =
  let row = a[i] with [0] = 1
  in a with [k] = row";
    rejected("rv", "E0401", other_index);
    let read_between = "
def main [n][m] (a: *[n][m]i64) (i: i64): [n][m]i64 =
  let row = a[i] with [0] = 1
  let x = a[i, 0]
  in a with [i] = (row with [0] = x)";
    rejected("rv", "E0401", read_between);
    let after = "
def main [n][m] (a: *[n][m]i64) (i: i64): i64 =
  let row = a[i] with [0] = 1
  let b = a with [i] = row
  in b[0, 0] + a[0, 0]";
    rejected("rv", "E0401", after);
    let other_branch_keeps_it = "
def main [n][m] (a: *[n][m]i64) (i: i64) (c: bool): [n][m]i64 =
  let row = a[i]
  let row' = if c then row with [0] = 1 else reverse row
  in a with [i] = row'";
    rejected("rv", "E0401", other_branch_keeps_it);
    let not_ours = "
def main [n][m] (a: [n][m]i64) (i: i64): [n][m]i64 =
  let row = a[i] with [0] = 1
  in a with [i] = row";
    assert!(crate::common::errors("rv", not_ours).contains(&"E0402"));
}

#[test]
fn parts_of_tuples_and_records_stand_apart() {
    accepted(
        "rv",
        "
def main [n] (t: (*[n]i64, *[n]i64)): ([n]i64, i64) =
  let a = t.0 with [0] = 1
  in (a, t.1[0])",
    );
    accepted(
        "rv",
        "
def eat [n] (t: ([n]i64, *[n]i64)): i64 = let b = t.1 with [0] = 1 in b[0] + t.0[0]
def main [n] (a: [n]i64) (b: *[n]i64): i64 = eat (a, b) + a[0]",
    );
    rejected(
        "rv",
        "E0405",
        "
def eat [n] (t: ([n]i64, *[n]i64)): i64 = let b = t.1 with [0] = 1 in b[0] + t.0[0]
def main [n] (b: *[n]i64): i64 = eat (b, b)",
    );
    accepted(
        "rv",
        "
def main [n] (s: {a: *[n]i64, b: [n]i64}): {a: [n]i64, b: [n]i64} =
  loop s = {a = s.a, b = s.b} for i < n do s with a[i] = s.b[i]",
    );
}

#[test]
fn loops_follow_what_turns_make_of_their_values() {
    let swapped = "
def main [n] (x: *[n]i64) (y: *[n]i64): i64 =
  let (a, b) = loop (a, b) = (x, y) for _i < n do (b, a)
  let a = a with [0] = 1
  in a[0] + y[0]";
    rejected("rv", "E0401", swapped);
    let element = "
def main [n][m] (xss: [n][m]i64): [m]i64 =
  let last = loop acc = replicate m 0 for row in xss do row
  in last with [0] = 1";
    rejected("rv", "E0402", element);
    rejected(
        "rv",
        "E0402",
        "
def main [n] (xs: *[n]i64): [n]i64 = loop xs: [n]i64 for i < n do xs with [i] = 1",
    );
}

#[test]
fn functions_hold_what_they_mention() {
    rejected(
        "rv",
        "E0401",
        "
def main [n] (xs: *[n]i64): i64 =
  let f i = xs[i]
  let ys = xs with [0] = 1
  in f 0 + ys[0]",
    );
    accepted(
        "rv",
        "
def main [n] (xs: *[n]i64): i64 =
  let f i = xs[i]
  let x = f 0
  let ys = xs with [0] = 1
  in x + ys[0]",
    );
    // A function made by a call may return parts that share memory.
    rejected(
        "rv",
        "E0401",
        "
def make (k: i64): (i64 -> ([]i64, []i64)) = \\n -> let y = iota (n + k) in (y, y)
def main (n: i64): i64 =
  let f = make 1
  let (a, b) = f n
  let a = a with [0] = 1
  in a[0] + b[0]",
    );
}

#[test]
fn clauses_and_comprehensions_consume_nothing_from_outside() {
    rejected(
        "rv",
        "E0402",
        "
def main [n] (a: *[n]i64): [n]i64 = [let b = a with [i] = 1 in b[i] for i < n]",
    );
    accepted(
        "rv",
        "
def eat [n] (a: *[n]i64): i64 = let a = a with [0] = 5 in a[0]
def main (n: i64): [n]i64 = [eat b for i < n let b = replicate 3 i]",
    );
    rejected(
        "rv",
        "E0402",
        "
def eat [n] (a: *[n]i64): i64 = let a = a with [0] = 5 in a[0]
def main (n: i64): [n]i64 =
  array [n] { let b = replicate 3 n for i < n { [i] => eat b } }",
    );
    accepted(
        "rv",
        "
def main [n][m] (a: *[n][m]i64): [n][m]i64 = update a { [0] => a[1]; [1] => a[0] }",
    );
    rejected(
        "rv",
        "E0413",
        "
def main [n][m] (a: *[n][m]i64): [n][m]i64 = a with [0] = a[1]",
    );
}

#[test]
fn constants_are_shared() {
    let returns = "
def table: [3]i64 = [1, 2, 3]
def pick (b: bool): [3]i64 = if b then table else [0, 0, 0]
def main (b: bool): [3]i64 = copy (pick b)";
    accepted("rv", returns);
    rejected("fut", "E0406", returns);
    rejected(
        "rv",
        "E0402",
        "
def table: [3]i64 = [1, 2, 3]
def pick (b: bool): [3]i64 = if b then table else [0, 0, 0]
def main (b: bool): [3]i64 = pick b with [0] = 5",
    );
    rejected("rv", "E0414", "def table: *[3]i64 = [1, 2, 3]\ndef main (x: i64) = table[x]");
}
