-- Mistake: rows of different lengths in a .fut file
-- ==
-- error: E0301

entry main (x: i64): [2][]i64 = [[x, x], [x]]
