-- Mistake: an unknown name in a .fut file
-- ==
-- error: E0101

entry main (x: i32): i32 = y
