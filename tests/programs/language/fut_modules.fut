-- What Futhark takes in modules, sizes, blank values and literals.

def n: i64 = 3

-- A member that is a new name for a definition outside stands for the same size.
module vec: { type v val len: i64 val zeros: v val plus: v -> v -> v val total: v -> i64 } = {
  def len = n
  type v = [len]i64
  def zeros: v = replicate len 0
  def plus (a: v) (b: v): v = map2 (+) (map2 (+) a b) (iota len)
  def total (a: v): i64 = i64.sum a
}

-- ==
-- entry: renamed
-- input { } output { 6i64 }
entry renamed = vec.total (vec.plus (vec.plus vec.zeros vec.zeros) vec.zeros)

-- A size that is computed from a member of the module.
module type bits = {
  type t [n]
  val num_bits: i64
  val zeros: (n: i64) -> t [num_bits * n]
  val first [n]: t [num_bits * n] -> bool
}
module bytes: bits = {
  type t [n] = [n]bool
  def num_bits = 8i64
  def zeros (n: i64): t [num_bits * n] = replicate (num_bits * n) false
  def first [n] (x: t [num_bits * n]): bool = !x[0]
}

-- ==
-- entry: computed
-- input { 2i64 } output { true }
entry computed (n: i64) = bytes.first (bytes.zeros n)

-- A parametric module whose sizes are its parameter's, held against a module type, twice over.
module any_vector (p: { val length: i64 }): { type t 'a val length: i64 val make 'a: a -> t a val list 'a: t a -> [length]a } = {
  def length = p.length
  type t 'a = [length]a
  def make 'a (x: a): t a = replicate length x
  def list 'a (xs: t a): [length]a = xs
}
module two = any_vector { def length = n - 1 }
module both = any_vector { def length = two.length }

-- ==
-- entry: applied
-- input { } output { [7, 7] [1.5, 1.5] }
entry applied = (two.list (two.make 7i32), both.list (both.make 1.5f64))

-- Both parts of a result are said with one size, which an element of a local array gives.
def split_at_first [n] 'a (xs: [n]a) (ks: []i64): ?[k].([k]a, [n - k]a) =
  let pairs = map (\k -> (k, k)) ks
  in (xs[0:pairs[0].0], xs[pairs[0].0:n])

-- ==
-- entry: split_local
-- input { [1, 2, 3] [2i64] } output { [1, 2] [3] }
entry split_local (xs: []i32) (ks: []i64) = split_at_first xs ks

-- A result of scalars shares no memory, whatever the module type calls it.
module hash: { type h val f: i64 -> *h val show: h -> i64 } = {
  type h = i64
  def f (x: i64): h = x + 1
  def show (x: h): i64 = x
}

-- ==
-- entry: scalar_result
-- input { 4i64 } output { 5i64 }
entry scalar_result (x: i64) = hash.show (hash.f x)

-- A blank value is not evaluated.
-- ==
-- entry: blank
-- input { 0 [1i64, 2i64] } output { 0 [0.0, 0.0] [[5, 5], [0, 0]] }
entry blank [n] (x: i32) (xs: [n]i64) =
  (#[blank] (1 / x), #[blank] map (\i -> 1 / f64.i64 xs[i + 7]) (iota n), (#[blank] replicate n (replicate n (1 / x))) with [0] = replicate n 5)

-- A literal with a suffix wraps around.
-- ==
-- entry: wraps
-- input { 3i8 } output { 2i8 -32768i16 0u8 }
entry wraps (x: i8) = (x + 255i8, 32768i16, 256u8)

-- An entry point without parameters may be a function.
def plus_one (m: i64): i64 = m + 1
def all_ones (m: i64): [m]i64 = replicate m 1
-- ==
-- entry: lambda
-- input { 4i64 } output { 5i64 }
entry lambda = \m -> plus_one m
-- ==
-- entry: lambda_array
-- input { 2i64 } output { [1i64, 1i64] }
entry lambda_array = \m -> all_ones m
def dots [n][m] (a: [n][m]i64) (b: [m]i64): [n]i64 = map (\r -> i64.sum (map2 (*) r b)) a
-- ==
-- entry: lambda_sized lambda_partial lambda_nested
-- input { [[4i64, 2i64]] [1i64, 2i64] } output { [8i64] }
entry lambda_sized = \a b -> dots a b
entry lambda_partial = \a -> dots a
entry lambda_nested = \a -> \b -> dots a b
