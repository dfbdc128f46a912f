-- Mistake: functions see only themselves and what stands before them
-- ==
-- error: E0101

def even (n: i64): bool = if n == 0 then true else odd (n - 1)
def odd (n: i64): bool = if n == 0 then false else even (n - 1)
entry main (n: i64): bool = even n
