//! Faults of arrays by clauses that are certain before the program runs, on whole programs.

mod common;
use common::{accepted, rejected};

#[test]
fn constants_are_followed() {
    rejected("rv", "E0502", "def main (x: i64): [10]i64 = let n = 9 in array [10] { [i] => x for i < n }");
    rejected("rv", "E0501", "def n: i64 = 4\ndef main (x: i64) = array [n] { [i] => x for i < n; [n - 1] => 0 }");
    accepted("rv", "def n: i64 = 4\ndef main (x: i64) = array [n] { [i] => x for i < n - 1; [n - 1] => 0 }");
    rejected("rv", "E0502", "def main (x: i64) = let s = [2, 3] in array s { [iv] => x for [0, 0] <= iv < [2, 2] }");
    accepted("rv", "def main (x: i64) = let s = [2, 3] in array s { [iv] => x for iv < s }");
}

#[test]
fn vectors_are_taken_apart() {
    rejected("rv", "E0504", "def main (x: i64) = array [3, 3] { [iv + 1] => x for iv < [3, 3]; else => 0 }");
    accepted("rv", "def main (x: i64) = array [3, 3] { [iv + 1] => x for iv < [2, 2]; else => 0 }");
    rejected("rv", "E0501", "def main (x: i64) = array [3, 3] { [iv] => x for iv < [3, 3]; [1, 1] => 0 }");
    rejected("rv", "E0501", "def main (x: i64) = array [4] { [i / 1] => x for i < 0; [0] => 1; [0] => 2; else => 3 }");
}

#[test]
fn guards_make_no_claims() {
    accepted("rv", "def main (x: i64) = array [4] { [i] => x for i < 4 if i != x; [i] => 0 for i < 4 if i == x }");
    accepted("rv", "def main (x: i64) = array [4] { [i] => 1 for i < x; [i] => 0 for x <= i < 4 }");
    accepted("rv", "def main (xs: [4]i64) = array [4] { [x] => 1 for x in xs }");
    rejected("rv", "E0502", "def main (x: i64) = array [4] { [i] => x for i < 3 if i != x }");
    // A triangle does not reach the diagonal's other side.
    rejected("rv", "E0502", "def main (x: i64) = array [4, 5] { [i, j] => x for i < 4 for j < i }");
}

#[test]
fn lockstep_generators_advance_together() {
    accepted("rv", "def main (x: i64) = array [4] { [i] => x + j for i < 4, 3 <= j < 7 }");
    rejected("rv", "E0504", "def main (x: i64) = array [4] { [j] => x + i for i < 4, 3 <= j < 7; else => 0 }");
    accepted("rv", "def main (xs: [4]i64) = array [4] { [i] => x for i < 4, x in xs }");
    rejected("rv", "E0502", "def main (xs: [4]i64) = array [5] { [i] => x for i < 4, x in xs }");
}

#[test]
fn updates_may_overlap_but_stay_inside() {
    accepted("rv", "def main (a: *[4]i64): [4]i64 = update a { [i] => 1 for i < 4; [2] => 5 }");
    rejected("rv", "E0504", "def main (a: *[4]i64): [4]i64 = update a { [i + 1] => 1 for i < 4 }");
    rejected("rv", "E0504", "def main [n] (a: *[n]i64): [n]i64 = update a { [i - 1] => 1 for i < 4 }");
    rejected("rv", "E0504", "def main (a: *[4][2]i64): [4][2]i64 = update a { [4] => [1, 2] }");
    rejected("rv", "E0504", "def main (x: i64) = accum (+) 0 [3] { [i] => x for i < 4 }");
    accepted("rv", "def main (x: i64) = accum (+) 0 [3] { [0] => x for i < 4 }");
}

#[test]
fn cycles() {
    accepted("rv", "def main (x: i64) = let rec a = array [5] { [0] => x; [i] => a[i - 1] for 1 <= i < 5 } in a");
    rejected("rv", "E0503", "def main (x: i64) = let rec a = array [6] { [i] => a[5 - i] + x for i < 6 } in a");
    // A branch that may not be taken makes no claim.
    accepted(
        "rv",
        "def main (x: i64) = let rec a = array [5] { [i] => if i == 0 then x else a[i - 1] for i < 5 } in a",
    );
    rejected(
        "rv",
        "E0503",
        "def main (b: [4]i64) = let rec a = update (copy b) { [i] => a[(i + 1)] for i < 3; [3] => a[0] } in a",
    );
    accepted("rv", "def main (b: [4]i64) = let rec a = update (copy b) { [i] => a[i + 1] for i < 3 } in a");
    rejected(
        "rv",
        "E0503",
        "
def main (x: i64) =
  let rec a = array [3] { [i] => b[i, 0] + x for i < 3 }
  let rec b = array [3, 2] { [i, 0] => a[i] + x for i < 3; [i, 1] => 0 for i < 3 }
  in (a, b)",
    );
}
