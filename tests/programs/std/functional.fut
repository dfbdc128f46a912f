-- Functions on functions (std/functional.rv).

-- ==
-- entry: composed
-- input { 3i64 } output { 8i64 8i64 8i64 7i64 }
entry composed (x: i64): (i64, i64, i64, i64) =
  let add1 y = y + 1
  let double y = 2 * y
  in (x |> add1 |> double, double <| add1 x, (add1 >-> double) x, (add1 <-< double) x)

-- ==
-- entry: arguments
-- input { 7i64 2i64 } output { -5i64 5i64 5i64 7i64 7i64 }
entry arguments (x: i64) (y: i64): (i64, i64, i64, i64, i64) =
  (flip (-) x y, curry (\(a, b) -> a - b) x y, uncurry (-) (x, y), const x y, id x)

-- ==
-- entry: iterated
-- input { 1i64 } output { 32i64 128i64 128i64 }
entry iterated (x: i64): (i64, i64, i64) =
  (iterate 5 (* 2) x, iterate_until (> 100) (* 2) x, iterate_while (<= 100) (* 2) x)
