-- Mistake: arrays by clauses are not part of Futhark
-- ==
-- error: expected|unknown|not found|undefined|unbound|not in scope

entry main (n: i64): [n]i64 = array [n] { [i] => i for i < n }
