-- Mistake: arrays by clauses are not part of Futhark
-- ==
-- error: E0024

entry main (n: i64): [n]i64 = array [n] { [i] => i for i < n }
