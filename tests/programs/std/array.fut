-- Arrays (std/array.rv).

-- ==
-- entry: ends
-- input { [1i64, 2, 3] } output { 3i64 false 1i64 3i64 [2i64, 3] [1i64, 2] }
-- input { empty([0]i64) }
-- error: R001 index 0 is out of bounds for an array of shape \[0\]i64
entry ends [n] (xs: [n]i64): (i64, bool, i64, i64, []i64, []i64) =
  (length xs, null xs, head xs, last xs, tail xs, init xs)

-- ==
-- entry: pieces
-- input { 2i64 [1i64, 2, 3] } output { [1i64, 2] [3i64] }
-- input { 4i64 [1i64, 2, 3] }
-- error: R002 cannot take 4 elements from an array of 3
entry pieces [n] (k: i64) (xs: [n]i64): ([]i64, []i64) = (take k xs, drop k xs)

-- ==
-- entry: sizes
-- input { [1i64, 2, 3] } output { [1i64, 2, 3] }
-- input { [1i64, 2] }
-- error: R004 a value of shape \[2\]i64 is not of type \[n\]t
entry sizes [n] (xs: [n]i64): [3]i64 = sized 3 xs

-- ==
-- entry: splits
-- input { [1i64] [2i64, 3] } output { [1i64] [2i64, 3] }
entry splits [n] [m] (xs: [n]i64) (ys: [m]i64): ([n]i64, [m]i64) = split (xs ++ ys)

-- ==
-- entry: orders
-- input { [1i64, 2, 3] } output { [3i64, 2, 1] [2i64, 3, 1] [3i64, 1, 2] [0i64, 1, 2] }
-- input { empty([0]i64) } output { empty([0]i64) empty([0]i64) empty([0]i64) empty([0]i64) }
entry orders [n] (xs: [n]i64): ([n]i64, [n]i64, [n]i64, [n]i64) =
  (reverse xs, rotate 1 xs, rotate (-1) xs, indices xs)

-- ==
-- entry: joins
-- input { [1i64, 2] [3i64] } output { [1i64, 2, 3] [3i64, 1, 2] }
entry joins [n] [m] (xs: [n]i64) (ys: [m]i64): ([]i64, []i64) = (xs ++ ys, concat ys xs)

-- ==
-- entry: makes
-- input { 3i64 } output { [0i64, 1, 2] [7i64, 7, 7] [8i64, 8] [0i64, 10, 20] }
-- input { -1i64 }
-- error: R006 negative size -1 for iota
entry makes (n: i64): ([]i64, []i64, [2]i64, []i64) = (iota n, replicate n 7, rep 8, tabulate n (* 10))

-- ==
-- entry: tables
-- input { }
-- output { [[0i64, 1, 2], [10, 11, 12]] [[[0i64, 1], [10, 11]]] }
entry tables: ([2][3]i64, [1][2][2]i64) =
  (tabulate_2d 2 3 (\i j -> 10 * i + j), tabulate_3d 1 2 2 (\i j k -> 100 * i + 10 * j + k))

-- ==
-- entry: copies
-- input { [1i64, 2] } output { [9i64, 2] [1i64, 9] [1i64, 2] }
entry copies [n] (xs: [n]i64): ([n]i64, [n]i64, [n]i64) =
  (copy xs with [0] = 9, manifest xs with [1] = 9, xs)

-- ==
-- entry: flattens
-- input { [[[[1i64, 2], [3, 4]]]] } output { [1i64, 2, 3, 4] [1i64, 2, 3, 4] [[1i64, 2], [3, 4]] }
entry flattens [a] [b] [c] [d] (xs: [a][b][c][d]i64): ([]i64, []i64, [][d]i64) =
  (flatten_4d xs, flatten (flatten_3d xs), flatten (flatten xs))

-- ==
-- entry: unflattens
-- input { [1i64, 2, 3, 4, 5, 6, 7, 8] }
-- output { [[1i64, 2, 3, 4], [5, 6, 7, 8]] [[[1i64, 2], [3, 4]], [[5, 6], [7, 8]]]
--          [[[[1i64, 2], [3, 4]], [[5, 6], [7, 8]]]] }
entry unflattens (xs: [8]i64): ([2][4]i64, [2][2][2]i64, [1][2][2][2]i64) =
  ( unflatten (xs :> [2 * 4]i64)
  , unflatten_3d (xs :> [2 * 2 * 2]i64)
  , unflatten_4d (xs :> [1 * 2 * 2 * 2]i64) )

-- ==
-- entry: transposes
-- input { [[1i64, 2, 3], [4, 5, 6]] } output { [[1i64, 4], [2, 5], [3, 6]] }
entry transposes [n] [m] (a: [n][m]i64): [m][n]i64 = transpose a

-- ==
-- entry: truths
-- input { [true, false] } output { false true }
-- input { empty([0]bool) } output { true false }
entry truths [n] (xs: [n]bool): (bool, bool) = (and xs, or xs)

-- ==
-- entry: folds
-- input { [1i64, 2, 3] } output { -6i64 2i64 }
entry folds [n] (xs: [n]i64): (i64, i64) = (foldl (-) 0 xs, foldr (-) 0 xs)

-- ==
-- entry: rest
-- input { 3i32 2.5f32 2.5f64 true } output { 3.0f32 2i32 3.0f64 2i32 false 3i32 }
entry rest (i: i32) (x: f32) (y: f64) (b: bool): (f32, i32, f64, i32, bool, i32) =
  (r32 i, t32 x, r64 i, t64 y, not b, opaque i)
