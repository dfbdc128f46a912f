-- Futhark's own rules in a `.fut` file: operators on scalars, sizes by type.
-- ==
-- input { [1, 2, 3] } output { [2, 4, 6] }

entry main [n] (xs: [n]i32): [n]i32 = map2 (+) xs xs
