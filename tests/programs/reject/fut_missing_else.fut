-- Mistake: a conditional without else
-- ==
-- error: this `if` has no `else`

entry main (x: i64): i64 = if x > 0 then x
