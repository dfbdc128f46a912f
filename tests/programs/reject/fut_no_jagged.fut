-- Mistake: jagged dimensions are not part of Futhark
-- ==
-- error: ~|expected

entry main [n] (xss: [n][~]i64): i64 = length xss
