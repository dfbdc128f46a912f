-- Arrays of tuples and tuples of arrays (std/zip.rv).

-- ==
-- entry: swapped
-- input { [1i64, 2] [true, false] } output { [true, false] [1i64, 2] [1i64, 2] [true, false] }
entry swapped [n] (xs: [n]i64) (ys: [n]bool): ([n]bool, [n]i64, [n]i64, [n]bool) =
  let (a, b) = unzip (map (\(x, y) -> (y, x)) (zip xs ys))
  let (c, d) = unzip2 (zip2 xs ys)
  in (a, b, c, d)

-- ==
-- entry: more
-- input { [1i64, 2] } output { [6i64, 12] [10i64, 20] [15i64, 30] }
entry more [n] (a: [n]i64): ([n]i64, [n]i64, [n]i64) =
  let (b, c, d, e) = (map (* 2) a, map (* 3) a, map (* 4) a, map (* 5) a)
  let (a3, b3, c3) = unzip3 (zip3 a b c)
  let (a4, b4, c4, d4) = unzip4 (zip4 a b c d)
  let (a5, b5, c5, d5, e5) = unzip5 (zip5 a b c d e)
  in ( map3 (\x y z -> x + y + z) a3 b3 c3
     , map4 (\x y z u -> x + y + z + u) a4 b4 c4 d4
     , map5 (\x y z u v -> x + y + z + u + v) a5 b5 c5 d5 e5 )
