-- Mistake: jagged dimensions are not part of Futhark
-- ==
-- error: a jagged dimension is Ravel

entry main [n] (xss: [n][~]i64): i64 = length xss
