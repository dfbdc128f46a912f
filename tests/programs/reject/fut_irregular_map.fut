-- Mistake: a map whose rows differ in length in a .fut file
-- ==
-- error: E0302

entry main (n: i64) = map iota (iota n)
