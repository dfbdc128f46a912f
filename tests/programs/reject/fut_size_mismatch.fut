-- Mistake: two declared sizes in map2
-- ==
-- error: E0301

entry main [n][m] (xs: [n]i64) (ys: [m]i64): []i64 = map2 (+) xs ys
