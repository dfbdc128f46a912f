-- Mistake: comprehensions are not part of Futhark
-- ==
-- error: found the word `for`

entry main (n: i64): [n]i64 = [i for i < n]
