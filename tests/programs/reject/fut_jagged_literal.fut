-- Mistake: rows of different lengths in a .fut file
-- ==
-- error: 2|1|size|shape

entry main (x: i64): [2][]i64 = [[x, x], [x]]
