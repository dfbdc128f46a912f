-- In a `.fut` file the words of section 2 are plain identifiers.
-- ==
-- input { 3i64 } output { 18i64 }

def array (x: i64) = x + 1
def update (x: i64) = 2 * x
def accum = 10i64
def rec (step: i64) = step

entry main (n: i64): i64 = rec (update (array n)) + accum
