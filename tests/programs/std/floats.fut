-- The modules of the floating-point types (std/floats.rv).

-- ==
-- entry: f64_functions
-- input { 0.5f64 }
-- output { [0.7071067811865476f64, 1.414213562373095f64, 0.7937005259840998f64, 1.6487212707001282f64, 0.479425538604203f64, 0.8775825618903728f64, 0.5463024898437905f64, 1.0f64, 0.0f64, 0.5235987755982989f64, 1.0471975511965979f64, 0.4636476090008061f64, 0.16666666666666669f64, 0.33333333333333337f64, 0.14758361765043326f64, 0.5210953054937474f64, 1.1276259652063807f64, 0.46211715726000974f64, 0.48121182505960347f64, 0.5493061443340548f64, 1.7724538509055159f64, 0.5723649429247004f64, 0.5204998778130465f64, 0.4795001221869535f64, -0.6931471805599453f64, -1.0f64, -0.3010299956639812f64, 0.4054651081081644f64, 2.0f64, -0.5f64, 0.5f64, 1.0f64] }
entry f64_functions (x: f64): []f64 =
  [ f64.sqrt x, f64.rsqrt x, f64.cbrt x, f64.exp x, f64.sin x, f64.cos x, f64.tan x, f64.sinpi x
  , f64.cospi x, f64.asin x, f64.acos x, f64.atan x, f64.asinpi x, f64.acospi x, f64.atanpi x, f64.sinh x
  , f64.cosh x, f64.tanh x, f64.asinh x, f64.atanh x, f64.gamma x, f64.lgamma x, f64.erf x, f64.erfc x
  , f64.log x, f64.log2 x, f64.log10 x, f64.log1p x, f64.recip x, f64.neg x, f64.abs x, f64.sgn x ]

-- ==
-- entry: f64_rounding
-- input { [-2.5f64, -0.5f64, 0.5f64, 1.5f64, 2.0f64] }
-- output { [-2.0f64, 0.0f64, 1.0f64, 2.0f64, 2.0f64] [-3.0f64, -1.0f64, 0.0f64, 1.0f64, 2.0f64]
--          [-2.0f64, 0.0f64, 0.0f64, 1.0f64, 2.0f64] [-2.0f64, 0.0f64, 0.0f64, 2.0f64, 2.0f64] }
entry f64_rounding [n] (xs: [n]f64): ([n]f64, [n]f64, [n]f64, [n]f64) =
  (map f64.ceil xs, map f64.floor xs, map f64.trunc xs, map f64.round xs)

-- ==
-- entry: f64_two
-- input { 3.0f64 -4.0f64 }
-- output { [-1.0f64, 7.0f64, -12.0f64, -0.75f64, 3.0f64, 9.0f64, 2.498091544796509f64, 0.7951672353008665f64, 5.0f64, -3.0f64, 3.0f64, -4.0f64, -10.0f64, -10.0f64, 1.25f64, 24.0f64, 1.762747174039086f64, 0.9999999999999999f64]
--          [false, true, false, false, true, true] }
entry f64_two (x: f64) (y: f64): ([]f64, []bool) =
  ( [ x f64.+ y, x f64.- y, x f64.* y, x f64./ y, x f64.% y, x f64.** 2, f64.atan2 x y, f64.atan2pi x y, f64.hypot x y
    , f64.copysign x y, f64.max x y, f64.min x y, f64.mad x y 2, f64.fma x y 2, f64.lerp x y 0.25, f64.ldexp x 3
    , f64.acosh x, f64.tanpi 0.25 ]
  , [x f64.== y, x f64.!= y, x f64.< y, x f64.<= y, x f64.> y, x f64.>= y] )

-- ==
-- entry: f64_bits
-- input { 3.0f64 }
-- output { 4613937818241073152u64 3.0f64 [64i32, 0, 1] -3.0f64 2.220446049250313e-10f64 1.0f64 }
entry f64_bits (x: f64): (u64, f64, []i32, f64, f64, f64) =
  ( f64.to_bits x, f64.from_bits (f64.to_bits x), [f64.num_bits, f64.get_bit 0 x, f64.get_bit (f64.num_bits - 2) x]
  , f64.set_bit (f64.num_bits - 1) x 1, f64.epsilon * 1e6
  , (f64.nextafter 1 2 - 1) / f64.epsilon )

-- ==
-- entry: f64_others
-- input { [3.0f64, 1.0f64, 5.0f64, 2.0f64] }
-- output { [11.0f64, 30.0f64, 5.0f64, 1.0f64] [0.0f64, 1.0f64, -f64.inf, f64.inf]
--          [3.141592653589793f64, 2.718281828459045f64, f64.inf, f64.nan, -f64.inf, f64.inf, 0.75f64] [true, false, true, false] 5i64 5.0f64 }
entry f64_others [n] (xs: [n]f64): ([]f64, []f64, []f64, []bool, i64, f64) =
  ( [f64.sum xs, f64.product xs, f64.maximum xs, f64.minimum xs]
  , [f64.sum (take 0 xs), f64.product (take 0 xs), f64.maximum (take 0 xs), f64.minimum (take 0 xs)]
  , [f64.pi, f64.e, f64.inf, f64.nan, f64.lowest, f64.highest, f64.from_fraction 3 4]
  , [f64.isinf f64.inf, f64.isinf xs[0], f64.isnan f64.nan, f64.isnan xs[0]]
  , f64.to_i64 xs[2], f64.to_f64 xs[2] )

-- ==
-- entry: f32_functions
-- input { 0.5f32 }
-- output { [0.7071067811865476f32, 1.414213562373095f32, 0.7937005259840998f32, 1.6487212707001282f32, 0.479425538604203f32, 0.8775825618903728f32, 0.5463024898437905f32, 1.0f32, 0.0f32, 0.5235987755982989f32, 1.0471975511965979f32, 0.4636476090008061f32, 0.16666666666666669f32, 0.33333333333333337f32, 0.14758361765043326f32, 0.5210953054937474f32, 1.1276259652063807f32, 0.46211715726000974f32, 0.48121182505960347f32, 0.5493061443340548f32, 1.7724538509055159f32, 0.5723649429247004f32, 0.5204998778130465f32, 0.4795001221869535f32, -0.6931471805599453f32, -1.0f32, -0.3010299956639812f32, 0.4054651081081644f32, 2.0f32, -0.5f32, 0.5f32, 1.0f32] }
entry f32_functions (x: f32): []f32 =
  [ f32.sqrt x, f32.rsqrt x, f32.cbrt x, f32.exp x, f32.sin x, f32.cos x, f32.tan x, f32.sinpi x
  , f32.cospi x, f32.asin x, f32.acos x, f32.atan x, f32.asinpi x, f32.acospi x, f32.atanpi x, f32.sinh x
  , f32.cosh x, f32.tanh x, f32.asinh x, f32.atanh x, f32.gamma x, f32.lgamma x, f32.erf x, f32.erfc x
  , f32.log x, f32.log2 x, f32.log10 x, f32.log1p x, f32.recip x, f32.neg x, f32.abs x, f32.sgn x ]

-- ==
-- entry: f32_rounding
-- input { [-2.5f32, -0.5f32, 0.5f32, 1.5f32, 2.0f32] }
-- output { [-2.0f32, 0.0f32, 1.0f32, 2.0f32, 2.0f32] [-3.0f32, -1.0f32, 0.0f32, 1.0f32, 2.0f32]
--          [-2.0f32, 0.0f32, 0.0f32, 1.0f32, 2.0f32] [-2.0f32, 0.0f32, 0.0f32, 2.0f32, 2.0f32] }
entry f32_rounding [n] (xs: [n]f32): ([n]f32, [n]f32, [n]f32, [n]f32) =
  (map f32.ceil xs, map f32.floor xs, map f32.trunc xs, map f32.round xs)

-- ==
-- entry: f32_two
-- input { 3.0f32 -4.0f32 }
-- output { [-1.0f32, 7.0f32, -12.0f32, -0.75f32, 3.0f32, 9.0f32, 2.498091544796509f32, 0.7951672353008665f32, 5.0f32, -3.0f32, 3.0f32, -4.0f32, -10.0f32, -10.0f32, 1.25f32, 24.0f32, 1.762747174039086f32, 0.9999999999999999f32]
--          [false, true, false, false, true, true] }
entry f32_two (x: f32) (y: f32): ([]f32, []bool) =
  ( [ x f32.+ y, x f32.- y, x f32.* y, x f32./ y, x f32.% y, x f32.** 2, f32.atan2 x y, f32.atan2pi x y, f32.hypot x y
    , f32.copysign x y, f32.max x y, f32.min x y, f32.mad x y 2, f32.fma x y 2, f32.lerp x y 0.25, f32.ldexp x 3
    , f32.acosh x, f32.tanpi 0.25 ]
  , [x f32.== y, x f32.!= y, x f32.< y, x f32.<= y, x f32.> y, x f32.>= y] )

-- ==
-- entry: f32_bits
-- input { 3.0f32 }
-- output { 1077936128u32 3.0f32 [32i32, 0, 1] -3.0f32 0.11920928955078125f32 1.0f32 }
entry f32_bits (x: f32): (u32, f32, []i32, f32, f32, f32) =
  ( f32.to_bits x, f32.from_bits (f32.to_bits x), [f32.num_bits, f32.get_bit 0 x, f32.get_bit (f32.num_bits - 2) x]
  , f32.set_bit (f32.num_bits - 1) x 1, f32.epsilon * 1e6
  , (f32.nextafter 1 2 - 1) / f32.epsilon )

-- ==
-- entry: f32_others
-- input { [3.0f32, 1.0f32, 5.0f32, 2.0f32] }
-- output { [11.0f32, 30.0f32, 5.0f32, 1.0f32] [0.0f32, 1.0f32, -f32.inf, f32.inf]
--          [3.141592653589793f32, 2.718281828459045f32, f32.inf, f32.nan, -f32.inf, f32.inf, 0.75f32] [true, false, true, false] 5i64 5.0f64 }
entry f32_others [n] (xs: [n]f32): ([]f32, []f32, []f32, []bool, i64, f64) =
  ( [f32.sum xs, f32.product xs, f32.maximum xs, f32.minimum xs]
  , [f32.sum (take 0 xs), f32.product (take 0 xs), f32.maximum (take 0 xs), f32.minimum (take 0 xs)]
  , [f32.pi, f32.e, f32.inf, f32.nan, f32.lowest, f32.highest, f32.from_fraction 3 4]
  , [f32.isinf f32.inf, f32.isinf xs[0], f32.isnan f32.nan, f32.isnan xs[0]]
  , f32.to_i64 xs[2], f32.to_f64 xs[2] )

-- ==
-- entry: f16_from
-- input { }
-- output { [-1.0f16, -2.0f16, -3.0f16, -4.0f16, 255.0f16, 263.0f16, 1024.0f16, 2048.0f16, 1.5f16, 2.5f16, 3.5f16, 1.0f16] }
entry f16_from: []f16 =
  [ f16.i8 (-1), f16.i16 (-2), f16.i32 (-3), f16.i64 (-4), f16.u8 255, f16.u16 263, f16.u32 1024, f16.u64 2048
  , f16.f16 1.5, f16.f32 2.5, f16.f64 3.5, f16.bool true ]

-- ==
-- entry: f32_from
-- input { }
-- output { [-1.0f32, -2.0f32, -3.0f32, -4.0f32, 255.0f32, 263.0f32, 1024.0f32, 2048.0f32, 1.5f32, 2.5f32, 3.5f32, 1.0f32] }
entry f32_from: []f32 =
  [ f32.i8 (-1), f32.i16 (-2), f32.i32 (-3), f32.i64 (-4), f32.u8 255, f32.u16 263, f32.u32 1024, f32.u64 2048
  , f32.f16 1.5, f32.f32 2.5, f32.f64 3.5, f32.bool true ]

-- ==
-- entry: f64_from
-- input { }
-- output { [-1.0f64, -2.0f64, -3.0f64, -4.0f64, 255.0f64, 263.0f64, 1024.0f64, 2048.0f64, 1.5f64, 2.5f64, 3.5f64, 1.0f64] }
entry f64_from: []f64 =
  [ f64.i8 (-1), f64.i16 (-2), f64.i32 (-3), f64.i64 (-4), f64.u8 255, f64.u16 263, f64.u32 1024, f64.u64 2048
  , f64.f16 1.5, f64.f32 2.5, f64.f64 3.5, f64.bool true ]

-- Half precision: 11 bits of precision.
-- ==
-- entry: halves
-- input { 2049.0f64 } output { 2048.0f16 16i32 1024.0f16 26624u16 f16.inf }
entry halves (x: f64): (f16, i32, f16, u16, f16) =
  (f16.f64 x, f16.num_bits, 1 / f16.epsilon, f16.to_bits (f16.f64 x), f16.f64 1e6)
