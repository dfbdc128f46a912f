-- Scatters and histograms at places that a scan counts, of so many values that several threads share them.

def test (n: i64): [n]i32 = map (\i -> i32.i64 (i * 7919 % 1000003)) (iota n)
def digest [n] (xs: [n]i32): i32 = i32.sum (map2 (\x i -> x * (1 + i32.i64 i % 17)) xs (iota n))

-- ==
-- entry: filtered
-- input { 100000i64 }
-- output { -378893210i32 }
-- input { 0i64 }
-- output { 0i32 }
entry filtered (n: i64): i32 =
  let xs = test n
  let flags = map (\x -> if x % 3 == 0 then 1i64 else 0) xs
  let os = scan (+) 0 flags
  let m = if n == 0 then 0 else os[n - 1]
  in digest (scatter (replicate m 0) (map2 (\f o -> if f == 1 then o - 1 else -1) flags os) xs)

-- Places of 32 bits.
-- ==
-- entry: narrow
-- input { 100000i64 }
-- output { -378893210i32 }
entry narrow (n: i64): i32 =
  let xs = test n
  let flags = map (\x -> if x % 3 == 0 then 1i32 else 0) xs
  let os = scan (+) 0 flags
  let m = if n == 0 then 0 else os[n - 1]
  in digest (scatter (replicate (i64.i32 m) 0) (map2 (\f o -> if f == 1 then i64.i32 (o - 1) else -1) flags os) xs)

-- One part begins at `k`: for a third of `n` behind the other, for other numbers the last value of a place stands.
-- ==
-- entry: parts
-- input { 100000i64 33335i64 }
-- output { -1082060647i32 }
-- input { 100000i64 33334i64 }
-- output { -1044694624i32 }
-- input { 100000i64 33336i64 }
-- output { -1127925591i32 }
-- input { 100000i64 0i64 }
-- output { -686959677i32 }
-- input { 100000i64 -20000i64 }
-- output { -116672286i32 }
-- input { 100000i64 50000i64 }
-- output { 1281555628i32 }
-- input { 100000i64 9223372036854775807i64 }
-- output { -378893210i32 }
entry parts (n: i64) (k: i64): i32 =
  let xs = test n
  let flags = map (\x -> x % 3 == 0) xs
  let os = scan (+) 0 (map i64.bool flags)
  let us = map2 (\i o -> k + i - o) (iota n) os
  in digest (scatter (replicate n 0) (map3 (\f o u -> if f then o - 1 else u) flags os us) xs)

-- ==
-- entry: sorted
-- input { 100000i64 }
-- output { -1021814763i32 }
entry sorted (n: i64): i32 =
  let ys = loop xs = map u32.i32 (test n) for b < 20 do
    let bits = map (\x -> i64.u32 ((x >> u32.i32 b) & 1)) xs
    let (offsets, others) = (scan (+) 0 (map (1 -) bits), scan (+) 0 bits)
    let zeros = if n == 0 then 0 else offsets[n - 1]
    let is = map3 (\b o p -> if b == 0 then o - 1 else zeros + p - 1) bits offsets others
    in scatter (copy xs) is xs
  in digest (map i32.u32 ys)

-- Few elements for so many values, and more than that.
-- ==
-- entry: counted
-- input { 100000i64 1000i64 }
-- output { 326914854i32 }
-- input { 100000i64 90000i64 }
-- output { 2060837210i32 }
-- input { 100000i64 0i64 }
-- output { 0i32 }
entry counted (n: i64) (k: i64): i32 =
  let s = scan (+) 0 (map (\x -> i64.i32 (x & 7)) (test n))
  in digest (map i32.i64 (hist (+) 0 k (map (& 1023) s) (map (\x -> i64.i32 x) (test n))))
