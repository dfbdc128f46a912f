-- Mistake: an unknown name in a .fut file
-- ==
-- error: unknown|not found|undefined|unbound|not in scope

entry main (x: i32): i32 = y
