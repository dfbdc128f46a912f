-- Mistake: functions see only themselves and what stands before them
-- ==
-- error: unknown|not found|undefined|unbound|not in scope|later

def even (n: i64): bool = if n == 0 then true else odd (n - 1)
def odd (n: i64): bool = if n == 0 then false else even (n - 1)
entry main (n: i64): bool = even n
