//! More of what `ravel explain` says, word for word: remarks of single passes.

use crate::common::Folder;
use crate::explain::check;
use expect_test::expect;

#[test]
fn what_was_computed_before_is_not_computed_again() {
    check(
        "def corner [n] (a: [n][n]f64): f64 = (matmul a a)[0, 0]
def side [n] (a: [n][n]f64): f64 = (matmul a a)[0, 1]
entry main [n] (a: [n][n]f64): f64 = corner a + side a
",
        expect![[r#"
            p.rv

               1 | def corner [n] (a: [n][n]f64): f64 = (matmul a a)[0, 0]
                   parallel       the loop runs on all cores, unless it is short
                   tiled          sums are computed in tiles of 8 rows and 16 columns, and what belongs to a column is laid out by tiles, unless there are few
                   tiled          points are computed side by side in 16 lanes, unless there are few
                   checked        1 check outside of loops: index out of bounds
                   allocated      2 arrays of f64

               2 | def side [n] (a: [n][n]f64): f64 = (matmul a a)[0, 1]
                   hoisted        this was computed before from the same values, so it is not computed again
                   checked        1 check outside of loops: index out of bounds

               3 | entry main [n] (a: [n][n]f64): f64 = corner a + side a
                   checked        1 check outside of loops: sizes that must agree differ

            25 loops, 11 on all cores; in innermost loops: 0 checks and 0 allocations in each turn
        "#]],
    );
}

#[test]
fn what_stays_in_a_loop_although_it_does_not_change() {
    check(
        "entry reads [n] (b: [n]f64) (k: i64): [n]f64 =
  loop c = copy b for t < k do
    let u = f64.exp b[0]
    in c with [t % n] = c[(t + 1) % n] + u
entry checks [n][m] (a: [n]f64) (b: [m]f64) (places: [m]i64): [n]f64 =
  map (\\x ->
    x + f64.sum [b[p] for p in places]) a
entry owns [n][m] (a: [n][m]i64) (v: [m]i64): [n]i64 =
  map (\\r ->
    let s = sort v
    in i64.sum (s with [0] = r[0])) a
entry moves [n][m] (a: [n]i64) (v: [m]i64): [n]i64 =
  map (\\x ->
    let s = sort v
    in i64.sum s + x) a
",
        expect![[r#"
            p.rv

               2 |   loop c = copy b for t < k do
                   not parallel   the loop runs on one core: each turn of a `loop` starts from the result of the turn before
                   copied         1 array outside of loops
                   allocated      1 array of f64

               3 |     let u = f64.exp b[0]
                   hoisted        index out of bounds: one check before the loop takes the place of one in each turn
                   not hoisted    `exp` does not change in the loop of line 2, but stays in it: it reads elements that need not exist if the loop has no turns
                   checked        1 check outside of loops: index out of bounds

               4 |     in c with [t % n] = c[(t + 1) % n] + u
                   not checked    index out of bounds: no check is made, because that of line 3 says the same

               5 | entry checks [n][m] (a: [n]f64) (b: [m]f64) (places: [m]i64): [n]f64 =
                   checked        1 check outside of loops: sizes that must agree differ

               6 |   map (\x ->
                   parallel       the loop runs on all cores, unless it is short
                   parallel       which of the loops here runs on all cores is decided by their lengths, when the program runs
                   allocated      1 array of f64

               7 |     x + f64.sum [b[p] for p in places]) a
                   parallel       the loop runs on all cores, unless it is short
                   fused          this loop also does the work of this line
                   not hoisted    index out of bounds: the check stays in the loop, because the index is read from an array
                   not hoisted    this does not change in the loop of line 6, but stays in it: it makes checks, which may fail, and the loop may have no turns
                   checked        2 checks in each turn of the innermost loop of this line: index out of bounds
                   allocated      1 table of f64 for the blocks of the loop, whose memory later turns use again

               8 | entry owns [n][m] (a: [n][m]i64) (v: [m]i64): [n]i64 =
                   checked        1 check outside of loops: sizes that must agree differ

               9 |   map (\r ->
                   parallel       the loop runs on all cores, unless it is short
                   parallel       which of the loops here runs on all cores is decided by their lengths, when the program runs
                   allocated      1 array of i64

              10 |     let s = sort v
                   parallel       the loop runs on all cores, unless it is short
                   parallel       elements are sorted by the bits of numbers, without comparisons (radix sort), on all cores unless they are few
                   parallel       elements are sorted by the bits of numbers, without comparisons (radix sort)
                   not hoisted    this does not change in the loop of line 9, but stays in it: each turn needs an array of its own
                   allocated      2 arrays of i64, whose memory later turns use again
                   allocated      1 array of i64 to sort with, unless there are few elements, in each turn of the loop of line 9
                   allocated      2 arrays of i64, for each piece of work of a thread, whose memory later turns use again

              11 |     in i64.sum (s with [0] = r[0])) a
                   parallel       the loop runs on all cores, unless it is short
                   fused          this loop also does the work of line 10 and this line
                   hoisted        index out of bounds: one check before the loop takes the place of one in each turn
                   checked        1 check outside of loops: index out of bounds
                   allocated      1 table of i64 for the blocks of the loop, whose memory later turns use again

              13 |   map (\x ->
                   parallel       the loop runs on all cores, unless it is short
                   allocated      1 array of i64

              14 |     let s = sort v
                   parallel       elements are sorted by the bits of numbers, without comparisons (radix sort), on all cores unless they are few
                   hoisted        this does not change in the loop around it, so it is computed once before the loop
                   allocated      1 array of i64
                   allocated      1 array of i64 to sort with, unless there are few elements

              15 |     in i64.sum s + x) a
                   parallel       the loop runs on all cores, unless it is short
                   hoisted        this does not change in the loop around it, so it is computed once before the loop
                   allocated      1 table of i64 for the blocks of the loop

            16 loops, 9 on all cores; in innermost loops: 2 checks and 0 allocations in each turn
        "#]],
    );
}

#[test]
fn a_library_function_that_is_not_inlined_is_shown_at_each_call() {
    check(
        "entry main (xs: []i64): i64 = kth_smallest 2 xs
entry next (xs: []i64): i64 = kth_smallest 3 xs + 1
",
        expect![[r#"
            p.rv

               1 | entry main (xs: []i64): i64 = kth_smallest 2 xs
                   parallel       the loop runs on all cores, unless it is short
                   not checked    index out of bounds: no second check is made, because another one here says the same
                   checked        1 check in each call of `kth_smallest`: an assertion failed
                   allocated      4 tables of i64 for the blocks of the loop, in each call of `kth_smallest`
                   allocated      2 growing arrays of i64, in each call of `kth_smallest`

               2 | entry next (xs: []i64): i64 = kth_smallest 3 xs + 1
                   parallel       the loop runs on all cores, unless it is short
                   not checked    index out of bounds: no second check is made, because another one here says the same
                   checked        1 check in each call of `kth_smallest`: an assertion failed
                   allocated      4 tables of i64 for the blocks of the loop, in each call of `kth_smallest`
                   allocated      2 growing arrays of i64, in each call of `kth_smallest`

            2 loops, 2 on all cores; in innermost loops: 0 checks and 0 allocations in each turn
        "#]],
    );
}

#[test]
fn loops_over_rows_are_exchanged() {
    check(
        "entry main [n] [m] (xss: [n][m]f64) (k: i64): [n][m]f64 =
  loop xss for t < k do map (map (\\x -> x * 0.5 + 1)) xss
",
        expect![[r#"
            p.rv

               1 | entry main [n] [m] (xss: [n][m]f64) (k: i64): [n][m]f64 =
                   allocated      1 array of f64, unless the result has memory of its own

               2 |   loop xss for t < k do map (map (\x -> x * 0.5 + 1)) xss
                   parallel       this `loop` runs for each row by itself, if there are many rows and each fits into the cache: a row needs nothing of the others
                   parallel       the loop runs on all cores, unless it is short
                   not parallel   the loop runs on one core: each turn of a `loop` starts from the result of the turn before
                   parallel       which of the loops here runs on all cores is decided by their lengths, when the program runs
                   copied         1 array, in each turn of the loop of this line
                   not allocated  this array takes the memory of the one that it is computed from
                   allocated      1 array of f64
                   allocated      1 array of f64, for each piece of work of a thread, whose memory later turns use again
                   allocated      1 array of f64, whose memory later turns use again

            6 loops, 3 on all cores; in innermost loops: 0 checks and 0 allocations in each turn
        "#]],
    );
}

#[test]
fn loops_of_functions_that_threads_call_are_not_parallel_themselves() {
    check(
        "def rec even [n] (xs: [n]i64) (k: i64): i64 = if k <= 0 then i64.sum (map (* k) xs) else odd xs (k - 1)
def rec odd [n] (xs: [n]i64) (k: i64): i64 = if k <= 0 then i64.maximum (map (+ k) xs) else even xs (k - 1)
entry main [n] [m] (xss: [n][m]i64): [n]i64 = map (\\xs -> even xs xs[0]) xss
",
        expect![[r#"
            p.rv

               1 | def rec even [n] (xs: [n]i64) (k: i64): i64 = if k <= 0 then i64.sum (map (* k) xs) else odd xs (k - 1)
                   fused          this loop also does the work of this line
                   allocated      1 table of i64 for the blocks of the loop, in each call of `even`

               2 | def rec odd [n] (xs: [n]i64) (k: i64): i64 = if k <= 0 then i64.maximum (map (+ k) xs) else even xs (k - 1)
                   fused          this loop also does the work of this line
                   allocated      1 table of i64 for the blocks of the loop, in each call of `odd`

               3 | entry main [n] [m] (xss: [n][m]i64): [n]i64 = map (\xs -> even xs xs[0]) xss
                   parallel       the loop runs on all cores, unless it is short
                   hoisted        index out of bounds: one check before the loop takes the place of one in each turn
                   checked        1 check outside of loops: index out of bounds
                   allocated      1 array of i64

            3 loops, 3 on all cores; in innermost loops: 0 checks and 0 allocations in each turn
        "#]],
    );
}

#[test]
fn an_else_that_is_a_constant_is_no_loop() {
    check(
        "entry main (n: i64): [n]i64 = array [n] { [i] => i for i < n / 2; else => 7 }\n",
        expect![[r#"
            p.rv

               1 | entry main (n: i64): [n]i64 = array [n] { [i] => i for i < n / 2; else => 7 }
                   parallel       the loop runs on all cores, unless it is short
                   not checked    a check that always holds is not made: a subscript out of range
                   not checked    each element is defined exactly once, which needs no check
                   checked        2 checks outside of loops: negative size
                   allocated      1 array of i64

            1 loop, 1 on all cores; in innermost loops: 0 checks and 0 allocations in each turn
        "#]],
    );
}

#[test]
fn a_check_that_another_turn_of_the_same_text_makes() {
    check(
        "entry main [n] (xs: [n]i64) (i: i64): i64 = let f (j: i64) = xs[j] in f i + (if i >= 1 then f (i - 1) else 0)\n",
        expect![[r#"
            p.rv

               1 | entry main [n] (xs: [n]i64) (i: i64): i64 = let f (j: i64) = xs[j] in f i + (if i >= 1 then f (i - 1) else 0)
                   not checked    index out of bounds: no second check is made, because another one here says the same
                   checked        1 check outside of loops: index out of bounds

            0 loops, 0 on all cores; in innermost loops: 0 checks and 0 allocations in each turn
        "#]],
    );
}

#[test]
fn checks_of_called_functions_count_once() {
    // `loops` calls `deep` in a loop of its own: the checks are those of that loop, not of the loop that calls `loops`.
    let folder = Folder::new(&[("p.rv", "def rec deep [n] (xs: [n]i64) (k: i64): i64 = if k <= 0 then xs[k + 3] else deep xs (k - 1) + xs[k]
def rec loops [n] (xs: [n]i64) (k: i64): i64 = if k <= 0 then 0 else loops xs (k - 1) + (loop s = 0 for i < k do s + deep xs i)
entry main [n] (xs: [n]i64): i64 = loop s = 0 for i < n do s + loops xs i
")]);
    let said = folder.ravel(&["explain", "--json", "p.rv"]).status(0);
    let value: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let checks: Vec<_> = value["loops"].as_array().unwrap().iter().map(|one| (&one["line"], &one["checks"])).collect();
    assert_eq!(checks, [(&2.into(), &2.into()), (&3.into(), &0.into())]);
}

#[test]
fn one_check_of_a_loop_moves_and_another_stays() {
    check(
        "entry both [n] [m] (xs: [m]f64) (is: [n]i64) (k: i64): [n]f64 =
  [xs[i + k] +
   xs[is[i]] for i < n]
",
        expect![[r#"
            p.rv

               2 |   [xs[i + k] +
                   parallel       the loop runs on all cores, unless it is short
                   hoisted        index out of bounds: one check before the loop takes the place of one in each turn
                   checked        1 check outside of loops: index out of bounds
                   allocated      1 array of f64

               3 |    xs[is[i]] for i < n]
                   not hoisted    index out of bounds: the check stays in the loop, because the index is read from an array
                   not checked    a check that always holds is not made: index out of bounds
                   checked        1 check in each turn of the loop of line 2: index out of bounds

            1 loop, 1 on all cores; in innermost loops: 1 check and 0 allocations in each turn
        "#]],
    );
}

#[test]
fn stencils_in_loops() {
    // Rows at a fixed distance; a row that is always the same; rows too far away.
    check(
        "entry near [n][m] (k: i64) (a: [n][m]f64): [n][m]f64 =
  loop a for _t < k do array [n, m] { [i, j] => a[i - 1, j] + a[i, j]  for 1 <= i < n for j < m; else [i, j] => a[i, j] }
entry first [n][m] (k: i64) (a: [n][m]f64): [n][m]f64 =
  loop a for _t < k do array [n, m] { [i, j] => a[0, j] + a[i - 1, j]  for 1 <= i < n for j < m; else [i, j] => a[i, j] }
entry far [n][m] (k: i64) (a: [n][m]f64): [n][m]f64 =
  loop a for _t < k do array [n, m] { [i, j] => a[i - 5, j] + a[i, j]  for 5 <= i < n for j < m; else [i, j] => a[i, j] }
",
        expect![[r#"
            p.rv

               1 | entry near [n][m] (k: i64) (a: [n][m]f64): [n][m]f64 =
                   allocated      1 array of f64, unless the result has memory of its own

               2 |   loop a for _t < k do array [n, m] { [i, j] => a[i - 1, j] + a[i, j]  for 1 <= i < n for j < m; else [i, j] => a[i, j] }
                   not parallel   the loop runs on one core: each turn of a `loop` starts from the result of the turn before
                   parallel       the loop runs on all cores, unless it is short
                   fused          each element chooses between the value of its region and that of all others
                   tiled          up to 10 turns are done at a time, row after row, while the rows that they need are in the cache, unless the array is small or not in row-major order
                   not checked    a check that always holds is not made: a subscript out of range
                   not checked    a check that always holds is not made: index out of bounds
                   allocated      1 array of f64, whose memory later turns use again
                   allocated      2 arrays of f64, for each piece of work of a thread, whose memory later turns use again

               3 | entry first [n][m] (k: i64) (a: [n][m]f64): [n][m]f64 =
                   allocated      1 array of f64, unless the result has memory of its own

               4 |   loop a for _t < k do array [n, m] { [i, j] => a[0, j] + a[i - 1, j]  for 1 <= i < n for j < m; else [i, j] => a[i, j] }
                   not parallel   the loop runs on one core: each turn of a `loop` starts from the result of the turn before
                   parallel       the loop runs on all cores, unless it is short
                   fused          each element chooses between the value of its region and that of all others
                   not checked    a check that always holds is not made: a subscript out of range
                   not checked    a check that always holds is not made: index out of bounds
                   allocated      1 array of f64, whose memory later turns use again

               5 | entry far [n][m] (k: i64) (a: [n][m]f64): [n][m]f64 =
                   allocated      1 array of f64, unless the result has memory of its own

               6 |   loop a for _t < k do array [n, m] { [i, j] => a[i - 5, j] + a[i, j]  for 5 <= i < n for j < m; else [i, j] => a[i, j] }
                   not parallel   the loop runs on one core: each turn of a `loop` starts from the result of the turn before
                   parallel       the loop runs on all cores, unless it is short
                   fused          each element chooses between the value of its region and that of all others
                   not checked    a check that always holds is not made: a subscript out of range
                   not checked    a check that always holds is not made: index out of bounds
                   allocated      1 array of f64, whose memory later turns use again

            9 loops, 6 on all cores; in innermost loops: 0 checks and 0 allocations in each turn
        "#]],
    );
}

#[test]
fn stencils_of_two_arrays_in_loops() {
    check(
        "entry both [n][m] (k: i64) (a: [n][m]f64) (b: [n][m]f64): [n][m]f64 =
  (loop (a, b) for _t < k do
     (array [n, m] { [i, j] => b[i - 1, j] + a[i, j]  for 1 <= i < n for j < m; else [i, j] => a[i, j] }, a)).0
",
        expect![[r#"
            p.rv

               1 | entry both [n][m] (k: i64) (a: [n][m]f64) (b: [n][m]f64): [n][m]f64 =
                   checked        2 checks outside of loops: sizes that must agree differ
                   allocated      1 array of f64, unless the result has memory of its own

               2 |   (loop (a, b) for _t < k do
                   not parallel   the loop runs on one core: each turn of a `loop` starts from the result of the turn before

               3 |      (array [n, m] { [i, j] => b[i - 1, j] + a[i, j]  for 1 <= i < n for j < m; else [i, j] => a[i, j] }, a)).0
                   parallel       the loop runs on all cores, unless it is short
                   fused          each element chooses between the value of its region and that of all others
                   not checked    a check that always holds is not made: a subscript out of range
                   not checked    a check that always holds is not made: index out of bounds
                   allocated      1 array of f64, whose memory later turns use again

            3 loops, 2 on all cores; in innermost loops: 0 checks and 0 allocations in each turn
        "#]],
    );
}
