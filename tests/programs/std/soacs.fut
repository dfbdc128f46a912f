-- The parallel operations (std/soacs.rv).

-- ==
-- entry: maps
-- input { [1i64, 2, 3] [10i64, 20, 30] } output { [2i64, 3, 4] [1i64, 4, 9] [11i64, 22, 33] }
-- input { empty([0]i64) empty([0]i64) } output { empty([0]i64) empty([0]i64) empty([0]i64) }
entry maps [n] (xs: [n]i64) (ys: [n]i64): ([n]i64, [n]i64, [n]i64) =
  (map (+ 1) xs, map1 (\x -> x * x) xs, map2 (+) xs ys)

-- ==
-- entry: reductions
-- input { [1i64, 2, 3] } output { 6i64 6i64 [1i64, 3, 6] [0i64, 1, 3] true false }
-- input { empty([0]i64) } output { 0i64 0i64 empty([0]i64) empty([0]i64) true false }
entry reductions [n] (xs: [n]i64): (i64, i64, [n]i64, [n]i64, bool, bool) =
  (reduce (+) 0 xs, reduce_comm (+) 0 xs, scan (+) 0 xs, exscan (+) 0 xs, all (> 0) xs, any (> 3) xs)

-- Operators need not be commutative.
-- ==
-- entry: matrices
-- input { [[1i64, 1], [2, 0], [1, 3]] } output { 2i64 5i64 }
entry matrices [n] (fs: [n][2]i64): (i64, i64) =
  reduce (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (map (\f -> (f[0], f[1])) fs)

-- ==
-- entry: scatters
-- input { [0i64, 0, 0] [2i64, -1, 0, 3, 0] [1i64, 2, 3, 4, 5] } output { [5i64, 0, 1] [5i64, 7, 1] }
entry scatters [k] [n] (dest: *[k]i64) (is: [n]i64) (vs: [n]i64): ([k]i64, [3]i64) =
  (scatter dest is vs, spread 3 7 is vs)

-- ==
-- entry: scatters_2d
-- input { [[0i64, 0], [0, 0]] [0i64, 1, 2] [1i64, 0, 0] [1i64, 2, 3] } output { [[0i64, 1], [2, 0]] }
entry scatters_2d [k] [l] [n] (dest: *[k][l]i64) (is: [n]i64) (js: [n]i64) (vs: [n]i64): [k][l]i64 =
  scatter_2d dest (zip is js) vs

-- ==
-- entry: scatters_3d
-- input { [[[0i64, 0], [0, 0]]] [0i64, 0, 0] [1i64, 0, -1] [1i64, 2, 3] } output { [[[0i64, 0], [0, 1]]] }
entry scatters_3d [k] [l] [m] [n] (dest: *[k][l][m]i64) (is: [n]i64) (js: [n]i64) (vs: [n]i64): [k][l][m]i64 =
  scatter_3d dest (zip3 is js js) (map2 (\j v -> if j == 1 then v else 0) js vs)

-- ==
-- entry: histograms
-- input { [10i64, 20, 30] [2i64, 0, 2, 5, -1] [1i64, 2, 3, 4, 5] } output { [12i64, 20, 34] [2i64, 0, 4] }
entry histograms [k] [n] (dest: *[k]i64) (is: [n]i64) (vs: [n]i64): ([k]i64, [3]i64) =
  (reduce_by_index dest (+) 0 is vs, hist (+) 0 3 is vs)

-- ==
-- entry: histograms_2d
-- input { [0i64, 1, 1] [1i64, 0, 0] [1i64, 2, 3] } output { [[0i64, 1], [5, 0]] [[[0i64, 0], [0, 1]], [[5, 0], [0, 0]]] }
entry histograms_2d [n] (is: [n]i64) (js: [n]i64) (vs: [n]i64): ([2][2]i64, [2][2][2]i64) =
  ( reduce_by_index_2d (replicate 2 (replicate 2 0)) (+) 0 (zip is js) vs
  , reduce_by_index_3d (replicate 2 (replicate 2 (replicate 2 0))) (+) 0 (zip3 is js js) vs )

-- ==
-- entry: filters
-- input { [1i64, 2, 3, 4, 5, 6] }
-- output { [2i64, 4, 6] [2i64, 4, 6] [1i64, 3, 5] [2i64, 4, 6] [3i64] [1i64, 5] }
-- input { empty([0]i64) }
-- output { empty([0]i64) empty([0]i64) empty([0]i64) empty([0]i64) empty([0]i64) empty([0]i64) }
entry filters [n] (xs: [n]i64): ([]i64, []i64, []i64, []i64, []i64, []i64) =
  let even x = x % 2 == 0
  let by3 x = x % 3 == 0
  let (a, b) = partition even xs
  let (c, d, e) = partition2 even by3 xs
  in (filter even xs, a, b, c, d, e)

-- ==
-- entry: flatmaps
-- input { [2i64, 0, 3] }
-- output { [2i64, 0, 3] [true, false, true, false, false] [0i64, 2, 2] [0i64, 1, 0, 1, 2] [4i64, 0, 9] }
entry flatmaps [n] (xs: [n]i64): ([n]i64, []bool, [n]i64, []i64, [n]i64) =
  flatmap (\x -> (iota x, x * x)) xs

-- ==
-- entry: flatmaps'
-- input { [2i64, 0, 3] }
-- output { [2i64, 0, 3] [true, false, true, false, false] [0i64, 2, 2] [0i64, 1, 0, 1, 2] }
entry flatmaps' [n] (xs: [n]i64): ([n]i64, []bool, [n]i64, []i64) = flatmap' (\x -> iota x) xs
