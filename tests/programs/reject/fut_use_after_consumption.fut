-- Mistake: an array used after its consumption
-- ==
-- error: E0401

entry main [n] (xs: *[n]i64): (i64, i64) =
  let ys = xs with [0] = 1
  in (xs[0], ys[0])
