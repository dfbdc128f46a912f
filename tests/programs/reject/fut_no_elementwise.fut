-- Mistake: operators on whole arrays are not part of Futhark
-- ==
-- error: E0205

entry main [n] (xs: [n]i64): [n]i64 = xs + xs
