//! Faults of arrays by clauses that are certain before the program runs, on whole programs.

use crate::common::{accepted, rejected};

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

#[test]
fn small_arrays_are_listed_instance_by_instance() {
    // Triangles and guards.
    rejected(
        "rv",
        "E0502",
        "def main = array [4, 4] { [i, j] => 1i64 for i < 4 for j < i; [i, j] => 2 for i < 4 for i + 1 <= j < 4 }",
    );
    rejected(
        "rv",
        "E0501",
        "def main = array [4, 4] { [i, j] => 1i64 for i < 4 for j < i + 1; [i, j] => 2 for i < 4 for i <= j < 4 }",
    );
    accepted(
        "rv",
        "def main = array [4, 4] { [i, j] => 1i64 for i < 4 for j < i; [i, j] => 2 for i < 4 for i <= j < 4 }",
    );
    rejected("rv", "E0502", "def main = array [4] { [i] => 1i64 for i < 4 if i != 2 }");
    rejected("rv", "E0501", "def main = array [4] { [i] => 1i64 for i < 4 if i <= 2; [i] => 2 for i < 4 if i >= 2 }");
    accepted("rv", "def main = array [4] { [i] => 1i64 for i < 4 if i % 2 == 0; [i] => 2 for i < 4 if i % 2 == 1 }");
    rejected("rv", "E0504", "def main = array [4] { [2 * i] => 1i64 for i < 9 if i % 3 == 0; else => 0 }");
    // Subscripts that are not linear, and generators over arrays.
    rejected("rv", "E0501", "def main = array [4] { [i / 2] => 1i64 for i < 8 }");
    accepted("rv", "def main = array [4] { [(i * 3) % 4] => 1i64 for i < 4 }");
    rejected("rv", "E0501", "def main = array [3] { [i] => 1i64 for i in [2, 0, 2]; else => 0 }");
    accepted("rv", "def main = array [3] { [i] => 1i64 for i in [2, 0, 1] }");
    accepted("rv", "def main = array [2, 2] { [i, j] => 1i64 for (i, j) in [(0, 0), (0, 1)]; [1, j] => 2 for j < 2 }");
    let through = "def at (i: i64) = if i < 2 then i else 0\n";
    rejected("rv", "E0501", &format!("{through}def main = array [3] {{ [at i] => 1i64 for i < 3; else => 0 }}"));
    // What is not known is not judged.
    accepted("rv", "def main (k: i64) = array [4] { [(i * k) % 4] => 1i64 for i < 4 }");
    accepted("rv", "def main (k: i64) = array [4] { [i] => 1i64 for i < 4 if i != k; else => 0 }");
    accepted("rv", "def n: i64 = 0\ndef main: []i64 = if n > 0 then array [n] { [0] => 1; else => 0 } else []");
}

#[test]
fn cycles_through_rows_branches_and_else() {
    let rec = |clauses: &str| format!("def main = let rec a = array {clauses} in a");
    rejected("rv", "E0503", &rec("[3] { [0] => 0i64 + a[1]; else => a[0] }"));
    accepted("rv", &rec("[3] { [0] => 1i64; else => a[0] }"));
    rejected("rv", "E0503", &rec("[3] { [i] => if i == 1 then a[i] else 1i64 for i < 3 }"));
    accepted("rv", &rec("[3] { [i] => if i == 0 then 1i64 else a[i - 1] for i < 3 }"));
    rejected("rv", "E0505", &rec("[3] { [i] => if i == 2 then 1i64 else a[i - 1] for i < 3 }"));
    rejected("rv", "E0505", &rec("[3] { [0] => 1i64; else => a[3] }"));
    rejected("rv", "E0503", &rec("[2, 2] { [0, j] => 1i64 for j < 2; [1, j] => i64.sum a[1] for j < 2 }"));
    accepted("rv", &rec("[2, 2] { [0, j] => 1i64 for j < 2; [1, j] => i64.sum a[0] for j < 2 }"));
    rejected("rv", "E0503", &rec("[4] { [0] => 1i64; [i] => i64.sum a[0:i + 1] for 1 <= i < 4 }"));
    accepted("rv", &rec("[4] { [0] => 1i64; [i] => i64.sum a[0:i] for 1 <= i < 4 }"));
    accepted("rv", "def main (k: i64) = let rec a = array [3] { [i] => if i == k then 1i64 else a[i] for i < 3 } in a");
    rejected(
        "rv",
        "E0503",
        "def main = let rec a = array [3] { [0] => 0i64 + b[2]; else => 1 } let rec b = array [3] { [2] => a[0]; else => 2 } in (a, b)",
    );
}

#[test]
fn steps_are_at_least_one() {
    rejected("rv", "E0506", "def main = [i for 0 <= i < 5 step 0]");
    rejected("rv", "E0506", "def main = array [5] { [i] => 1i64 for 4 <= i < 0 step -1; else => 0 }");
    accepted("rv", "def main = [i for 0 <= i < 5 step 2]");
    // Never reached.
    accepted("rv", "def main = [i for j < 0 for 0 <= i < j step 0]");
}
