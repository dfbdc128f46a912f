-- Mistake: jagged dimensions are not part of Futhark
-- ==
-- error: E0056

entry main [n] (xss: [n][~]i64): i64 = length xss
