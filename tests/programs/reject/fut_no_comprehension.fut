-- Mistake: comprehensions are not part of Futhark
-- ==
-- error: E0010

entry main (n: i64): [n]i64 = [i for i < n]
