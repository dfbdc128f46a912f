-- Mistake: operators on whole arrays are not part of Futhark
-- ==
-- error: array|\[|i64|type

entry main [n] (xs: [n]i64): [n]i64 = xs + xs
