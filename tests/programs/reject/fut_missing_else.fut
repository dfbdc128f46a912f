-- Mistake: a conditional without else
-- ==
-- error: E0030

entry main (x: i64): i64 = if x > 0 then x
