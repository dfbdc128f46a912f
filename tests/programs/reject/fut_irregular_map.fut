-- Mistake: a map whose rows differ in length in a .fut file
-- ==
-- error: size|existential|unknown|irregular|causal|row

entry main (n: i64) = map iota (iota n)
