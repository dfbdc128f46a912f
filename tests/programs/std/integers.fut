-- The modules of the integer types (std/integers.rv): every member at every type.

-- ==
-- entry: i8_operators
-- input { 7i8 2i8 }
-- output { [9i8, 5, 14, 3, 1, 3, 1]
--          [2i8, 7, 5, -8, -7, 7, 2, 7, 1, 0, 7]
--          [28i8, 1, 1, 7, 6]
--          [false, true, false, false, true, true] [8i32, 3, 5, 0, 1, 0] }
-- input { -7i8 2i8 }
-- output { [-5i8, -9, -14, -4, 1, -3, -1]
--          [0i8, -5, -5, 6, 7, 2, -7, 7, -1, -1, -8]
--          [-28i8, -2, 62, -5, -8]
--          [false, true, true, true, false, false] [8i32, 6, 0, 0, 0, 1] }
-- input { 7i8 -2i8 }
-- output { [5i8, 9, -14, -4, -1, -3, 1]
--          [6i8, -1, -7, -8, -7, 7, -2, 7, 1, -1, 6]
--          [28i8, 1, 1, 7, 6]
--          [false, true, false, false, true, true] [8i32, 3, 5, 0, 1, 0] }
-- input { -128i8 3i8 }
-- output { [-125i8, 125, -128, -43, 1, -42, -2]
--          [0i8, -125, -125, 127, -128, 3, -128, -128, -1, -2, 126]
--          [0i8, -32, 32, -126, -128]
--          [false, true, true, true, false, false] [8i32, 1, 0, 7, 0, 1] }
-- input { 0i8 5i8 }
-- output { [5i8, -5, 0, 0, 0, 0, 0]
--          [0i8, 5, 5, -1, 0, 5, 0, 0, 0, 0, 0]
--          [0i8, 0, 0, 2, 0]
--          [false, true, true, true, false, false] [8i32, 0, 8, 8, 0, 0] }
entry i8_operators (x: i8) (y: i8): ([]i8, []i8, []i8, []bool, []i32) =
  ( [x i8.+ y, x i8.- y, x i8.* y, x i8./ y, x i8.% y, x i8.// y, x i8.%% y]
  , [ x i8.& y, x i8.| y, x i8.^ y, i8.not x, i8.neg x, i8.max x y, i8.min x y, i8.abs x, i8.sgn x
    , i8.mul_hi x y, i8.mad_hi x y x ]
  , [x i8.<< 2, x i8.>> 2, x i8.>>> 2, i8.set_bit 1 x 1, i8.set_bit 0 x 0]
  , [x i8.== y, x i8.!= y, x i8.< y, x i8.<= y, x i8.> y, x i8.>= y]
  , [i8.num_bits, i8.popc x, i8.clz x, i8.ctz x, i8.get_bit 1 x, i8.get_bit (i8.num_bits - 1) x] )

-- ==
-- entry: i8_others
-- input { [3i8, 1, 5, 2] }
-- output { [11i8, 30, 5, 1] [0i8, 1, -128, 127] [-128i8, 127, 9]
--          [-1i8, -2, -3, -4, -1, 7, 8, 9, 1, 2, 3, 1] 5i64 }
entry i8_others [n] (xs: [n]i8): ([]i8, []i8, []i8, []i8, i64) =
  ( [i8.sum xs, i8.product xs, i8.maximum xs, i8.minimum xs]
  , [i8.sum (take 0 xs), i8.product (take 0 xs), i8.maximum (take 0 xs), i8.minimum (take 0 xs)]
  , [i8.lowest, i8.highest, xs[0] i8.** 2]
  , [ i8.i8 (-1), i8.i16 (-2), i8.i32 (-3), i8.i64 (-4), i8.u8 255, i8.u16 263, i8.u32 65544, i8.u64 4294967305
    , i8.f16 1.5, i8.f32 2.5, i8.f64 3.5, i8.bool true ]
  , i8.to_i64 xs[2] )

-- ==
-- entry: i16_operators
-- input { 7i16 2i16 }
-- output { [9i16, 5, 14, 3, 1, 3, 1]
--          [2i16, 7, 5, -8, -7, 7, 2, 7, 1, 0, 7]
--          [28i16, 1, 1, 7, 6]
--          [false, true, false, false, true, true] [16i32, 3, 13, 0, 1, 0] }
-- input { -7i16 2i16 }
-- output { [-5i16, -9, -14, -4, 1, -3, -1]
--          [0i16, -5, -5, 6, 7, 2, -7, 7, -1, -1, -8]
--          [-28i16, -2, 16382, -5, -8]
--          [false, true, true, true, false, false] [16i32, 14, 0, 0, 0, 1] }
-- input { 7i16 -2i16 }
-- output { [5i16, 9, -14, -4, -1, -3, 1]
--          [6i16, -1, -7, -8, -7, 7, -2, 7, 1, -1, 6]
--          [28i16, 1, 1, 7, 6]
--          [false, true, false, false, true, true] [16i32, 3, 13, 0, 1, 0] }
-- input { -32768i16 3i16 }
-- output { [-32765i16, 32765, -32768, -10923, 1, -10922, -2]
--          [0i16, -32765, -32765, 32767, -32768, 3, -32768, -32768, -1, -2, 32766]
--          [0i16, -8192, 8192, -32766, -32768]
--          [false, true, true, true, false, false] [16i32, 1, 0, 15, 0, 1] }
-- input { 0i16 5i16 }
-- output { [5i16, -5, 0, 0, 0, 0, 0]
--          [0i16, 5, 5, -1, 0, 5, 0, 0, 0, 0, 0]
--          [0i16, 0, 0, 2, 0]
--          [false, true, true, true, false, false] [16i32, 0, 16, 16, 0, 0] }
entry i16_operators (x: i16) (y: i16): ([]i16, []i16, []i16, []bool, []i32) =
  ( [x i16.+ y, x i16.- y, x i16.* y, x i16./ y, x i16.% y, x i16.// y, x i16.%% y]
  , [ x i16.& y, x i16.| y, x i16.^ y, i16.not x, i16.neg x, i16.max x y, i16.min x y, i16.abs x, i16.sgn x
    , i16.mul_hi x y, i16.mad_hi x y x ]
  , [x i16.<< 2, x i16.>> 2, x i16.>>> 2, i16.set_bit 1 x 1, i16.set_bit 0 x 0]
  , [x i16.== y, x i16.!= y, x i16.< y, x i16.<= y, x i16.> y, x i16.>= y]
  , [i16.num_bits, i16.popc x, i16.clz x, i16.ctz x, i16.get_bit 1 x, i16.get_bit (i16.num_bits - 1) x] )

-- ==
-- entry: i16_others
-- input { [3i16, 1, 5, 2] }
-- output { [11i16, 30, 5, 1] [0i16, 1, -32768, 32767] [-32768i16, 32767, 9]
--          [-1i16, -2, -3, -4, 255, 263, 8, 9, 1, 2, 3, 1] 5i64 }
entry i16_others [n] (xs: [n]i16): ([]i16, []i16, []i16, []i16, i64) =
  ( [i16.sum xs, i16.product xs, i16.maximum xs, i16.minimum xs]
  , [i16.sum (take 0 xs), i16.product (take 0 xs), i16.maximum (take 0 xs), i16.minimum (take 0 xs)]
  , [i16.lowest, i16.highest, xs[0] i16.** 2]
  , [ i16.i8 (-1), i16.i16 (-2), i16.i32 (-3), i16.i64 (-4), i16.u8 255, i16.u16 263, i16.u32 65544, i16.u64 4294967305
    , i16.f16 1.5, i16.f32 2.5, i16.f64 3.5, i16.bool true ]
  , i16.to_i64 xs[2] )

-- ==
-- entry: i32_operators
-- input { 7i32 2i32 }
-- output { [9i32, 5, 14, 3, 1, 3, 1]
--          [2i32, 7, 5, -8, -7, 7, 2, 7, 1, 0, 7]
--          [28i32, 1, 1, 7, 6]
--          [false, true, false, false, true, true] [32i32, 3, 29, 0, 1, 0] }
-- input { -7i32 2i32 }
-- output { [-5i32, -9, -14, -4, 1, -3, -1]
--          [0i32, -5, -5, 6, 7, 2, -7, 7, -1, -1, -8]
--          [-28i32, -2, 1073741822, -5, -8]
--          [false, true, true, true, false, false] [32i32, 30, 0, 0, 0, 1] }
-- input { 7i32 -2i32 }
-- output { [5i32, 9, -14, -4, -1, -3, 1]
--          [6i32, -1, -7, -8, -7, 7, -2, 7, 1, -1, 6]
--          [28i32, 1, 1, 7, 6]
--          [false, true, false, false, true, true] [32i32, 3, 29, 0, 1, 0] }
-- input { -2147483648i32 3i32 }
-- output { [-2147483645i32, 2147483645, -2147483648, -715827883, 1, -715827882, -2]
--          [0i32, -2147483645, -2147483645, 2147483647, -2147483648, 3, -2147483648, -2147483648, -1, -2, 2147483646]
--          [0i32, -536870912, 536870912, -2147483646, -2147483648]
--          [false, true, true, true, false, false] [32i32, 1, 0, 31, 0, 1] }
-- input { 0i32 5i32 }
-- output { [5i32, -5, 0, 0, 0, 0, 0]
--          [0i32, 5, 5, -1, 0, 5, 0, 0, 0, 0, 0]
--          [0i32, 0, 0, 2, 0]
--          [false, true, true, true, false, false] [32i32, 0, 32, 32, 0, 0] }
entry i32_operators (x: i32) (y: i32): ([]i32, []i32, []i32, []bool, []i32) =
  ( [x i32.+ y, x i32.- y, x i32.* y, x i32./ y, x i32.% y, x i32.// y, x i32.%% y]
  , [ x i32.& y, x i32.| y, x i32.^ y, i32.not x, i32.neg x, i32.max x y, i32.min x y, i32.abs x, i32.sgn x
    , i32.mul_hi x y, i32.mad_hi x y x ]
  , [x i32.<< 2, x i32.>> 2, x i32.>>> 2, i32.set_bit 1 x 1, i32.set_bit 0 x 0]
  , [x i32.== y, x i32.!= y, x i32.< y, x i32.<= y, x i32.> y, x i32.>= y]
  , [i32.num_bits, i32.popc x, i32.clz x, i32.ctz x, i32.get_bit 1 x, i32.get_bit (i32.num_bits - 1) x] )

-- ==
-- entry: i32_others
-- input { [3i32, 1, 5, 2] }
-- output { [11i32, 30, 5, 1] [0i32, 1, -2147483648, 2147483647] [-2147483648i32, 2147483647, 9]
--          [-1i32, -2, -3, -4, 255, 263, 65544, 9, 1, 2, 3, 1] 5i64 }
entry i32_others [n] (xs: [n]i32): ([]i32, []i32, []i32, []i32, i64) =
  ( [i32.sum xs, i32.product xs, i32.maximum xs, i32.minimum xs]
  , [i32.sum (take 0 xs), i32.product (take 0 xs), i32.maximum (take 0 xs), i32.minimum (take 0 xs)]
  , [i32.lowest, i32.highest, xs[0] i32.** 2]
  , [ i32.i8 (-1), i32.i16 (-2), i32.i32 (-3), i32.i64 (-4), i32.u8 255, i32.u16 263, i32.u32 65544, i32.u64 4294967305
    , i32.f16 1.5, i32.f32 2.5, i32.f64 3.5, i32.bool true ]
  , i32.to_i64 xs[2] )

-- ==
-- entry: i64_operators
-- input { 7i64 2i64 }
-- output { [9i64, 5, 14, 3, 1, 3, 1]
--          [2i64, 7, 5, -8, -7, 7, 2, 7, 1, 0, 7]
--          [28i64, 1, 1, 7, 6]
--          [false, true, false, false, true, true] [64i32, 3, 61, 0, 1, 0] }
-- input { -7i64 2i64 }
-- output { [-5i64, -9, -14, -4, 1, -3, -1]
--          [0i64, -5, -5, 6, 7, 2, -7, 7, -1, -1, -8]
--          [-28i64, -2, 4611686018427387902, -5, -8]
--          [false, true, true, true, false, false] [64i32, 62, 0, 0, 0, 1] }
-- input { 7i64 -2i64 }
-- output { [5i64, 9, -14, -4, -1, -3, 1]
--          [6i64, -1, -7, -8, -7, 7, -2, 7, 1, -1, 6]
--          [28i64, 1, 1, 7, 6]
--          [false, true, false, false, true, true] [64i32, 3, 61, 0, 1, 0] }
-- input { -9223372036854775808i64 3i64 }
-- output { [-9223372036854775805i64, 9223372036854775805, -9223372036854775808, -3074457345618258603, 1, -3074457345618258602, -2]
--          [0i64, -9223372036854775805, -9223372036854775805, 9223372036854775807, -9223372036854775808, 3, -9223372036854775808, -9223372036854775808, -1, -2, 9223372036854775806]
--          [0i64, -2305843009213693952, 2305843009213693952, -9223372036854775806, -9223372036854775808]
--          [false, true, true, true, false, false] [64i32, 1, 0, 63, 0, 1] }
-- input { 0i64 5i64 }
-- output { [5i64, -5, 0, 0, 0, 0, 0]
--          [0i64, 5, 5, -1, 0, 5, 0, 0, 0, 0, 0]
--          [0i64, 0, 0, 2, 0]
--          [false, true, true, true, false, false] [64i32, 0, 64, 64, 0, 0] }
entry i64_operators (x: i64) (y: i64): ([]i64, []i64, []i64, []bool, []i32) =
  ( [x i64.+ y, x i64.- y, x i64.* y, x i64./ y, x i64.% y, x i64.// y, x i64.%% y]
  , [ x i64.& y, x i64.| y, x i64.^ y, i64.not x, i64.neg x, i64.max x y, i64.min x y, i64.abs x, i64.sgn x
    , i64.mul_hi x y, i64.mad_hi x y x ]
  , [x i64.<< 2, x i64.>> 2, x i64.>>> 2, i64.set_bit 1 x 1, i64.set_bit 0 x 0]
  , [x i64.== y, x i64.!= y, x i64.< y, x i64.<= y, x i64.> y, x i64.>= y]
  , [i64.num_bits, i64.popc x, i64.clz x, i64.ctz x, i64.get_bit 1 x, i64.get_bit (i64.num_bits - 1) x] )

-- ==
-- entry: i64_others
-- input { [3i64, 1, 5, 2] }
-- output { [11i64, 30, 5, 1] [0i64, 1, -9223372036854775808, 9223372036854775807] [-9223372036854775808i64, 9223372036854775807, 9]
--          [-1i64, -2, -3, -4, 255, 263, 65544, 4294967305, 1, 2, 3, 1] 5i64 }
entry i64_others [n] (xs: [n]i64): ([]i64, []i64, []i64, []i64, i64) =
  ( [i64.sum xs, i64.product xs, i64.maximum xs, i64.minimum xs]
  , [i64.sum (take 0 xs), i64.product (take 0 xs), i64.maximum (take 0 xs), i64.minimum (take 0 xs)]
  , [i64.lowest, i64.highest, xs[0] i64.** 2]
  , [ i64.i8 (-1), i64.i16 (-2), i64.i32 (-3), i64.i64 (-4), i64.u8 255, i64.u16 263, i64.u32 65544, i64.u64 4294967305
    , i64.f16 1.5, i64.f32 2.5, i64.f64 3.5, i64.bool true ]
  , i64.to_i64 xs[2] )

-- ==
-- entry: u8_operators
-- input { 7u8 2u8 }
-- output { [9u8, 5, 14, 3, 1, 3, 1]
--          [2u8, 7, 5, 248, 249, 7, 2, 7, 1, 0, 7]
--          [28u8, 1, 1, 7, 6]
--          [false, true, false, false, true, true] [8i32, 3, 5, 0, 1, 0] }
-- input { 255u8 3u8 }
-- output { [2u8, 252, 253, 85, 0, 85, 0]
--          [3u8, 255, 252, 0, 1, 255, 3, 255, 1, 2, 1]
--          [252u8, 63, 63, 255, 254]
--          [false, true, false, false, true, true] [8i32, 8, 0, 0, 1, 1] }
-- input { 0u8 5u8 }
-- output { [5u8, 251, 0, 0, 0, 0, 0]
--          [0u8, 5, 5, 255, 0, 5, 0, 0, 0, 0, 0]
--          [0u8, 0, 0, 2, 0]
--          [false, true, true, true, false, false] [8i32, 0, 8, 8, 0, 0] }
-- input { 2u8 255u8 }
-- output { [1u8, 3, 254, 0, 2, 0, 2]
--          [2u8, 255, 253, 253, 254, 255, 2, 2, 1, 1, 3]
--          [8u8, 0, 0, 2, 2]
--          [false, true, true, true, false, false] [8i32, 1, 6, 1, 1, 0] }
entry u8_operators (x: u8) (y: u8): ([]u8, []u8, []u8, []bool, []i32) =
  ( [x u8.+ y, x u8.- y, x u8.* y, x u8./ y, x u8.% y, x u8.// y, x u8.%% y]
  , [ x u8.& y, x u8.| y, x u8.^ y, u8.not x, u8.neg x, u8.max x y, u8.min x y, u8.abs x, u8.sgn x
    , u8.mul_hi x y, u8.mad_hi x y x ]
  , [x u8.<< 2, x u8.>> 2, x u8.>>> 2, u8.set_bit 1 x 1, u8.set_bit 0 x 0]
  , [x u8.== y, x u8.!= y, x u8.< y, x u8.<= y, x u8.> y, x u8.>= y]
  , [u8.num_bits, u8.popc x, u8.clz x, u8.ctz x, u8.get_bit 1 x, u8.get_bit (u8.num_bits - 1) x] )

-- ==
-- entry: u8_others
-- input { [3u8, 1, 5, 2] }
-- output { [11u8, 30, 5, 1] [0u8, 1, 0, 255] [0u8, 255, 9]
--          [255u8, 254, 253, 252, 255, 7, 8, 9, 1, 2, 3, 1] 5i64 }
entry u8_others [n] (xs: [n]u8): ([]u8, []u8, []u8, []u8, i64) =
  ( [u8.sum xs, u8.product xs, u8.maximum xs, u8.minimum xs]
  , [u8.sum (take 0 xs), u8.product (take 0 xs), u8.maximum (take 0 xs), u8.minimum (take 0 xs)]
  , [u8.lowest, u8.highest, xs[0] u8.** 2]
  , [ u8.i8 (-1), u8.i16 (-2), u8.i32 (-3), u8.i64 (-4), u8.u8 255, u8.u16 263, u8.u32 65544, u8.u64 4294967305
    , u8.f16 1.5, u8.f32 2.5, u8.f64 3.5, u8.bool true ]
  , u8.to_i64 xs[2] )

-- ==
-- entry: u16_operators
-- input { 7u16 2u16 }
-- output { [9u16, 5, 14, 3, 1, 3, 1]
--          [2u16, 7, 5, 65528, 65529, 7, 2, 7, 1, 0, 7]
--          [28u16, 1, 1, 7, 6]
--          [false, true, false, false, true, true] [16i32, 3, 13, 0, 1, 0] }
-- input { 65535u16 3u16 }
-- output { [2u16, 65532, 65533, 21845, 0, 21845, 0]
--          [3u16, 65535, 65532, 0, 1, 65535, 3, 65535, 1, 2, 1]
--          [65532u16, 16383, 16383, 65535, 65534]
--          [false, true, false, false, true, true] [16i32, 16, 0, 0, 1, 1] }
-- input { 0u16 5u16 }
-- output { [5u16, 65531, 0, 0, 0, 0, 0]
--          [0u16, 5, 5, 65535, 0, 5, 0, 0, 0, 0, 0]
--          [0u16, 0, 0, 2, 0]
--          [false, true, true, true, false, false] [16i32, 0, 16, 16, 0, 0] }
-- input { 2u16 65535u16 }
-- output { [1u16, 3, 65534, 0, 2, 0, 2]
--          [2u16, 65535, 65533, 65533, 65534, 65535, 2, 2, 1, 1, 3]
--          [8u16, 0, 0, 2, 2]
--          [false, true, true, true, false, false] [16i32, 1, 14, 1, 1, 0] }
entry u16_operators (x: u16) (y: u16): ([]u16, []u16, []u16, []bool, []i32) =
  ( [x u16.+ y, x u16.- y, x u16.* y, x u16./ y, x u16.% y, x u16.// y, x u16.%% y]
  , [ x u16.& y, x u16.| y, x u16.^ y, u16.not x, u16.neg x, u16.max x y, u16.min x y, u16.abs x, u16.sgn x
    , u16.mul_hi x y, u16.mad_hi x y x ]
  , [x u16.<< 2, x u16.>> 2, x u16.>>> 2, u16.set_bit 1 x 1, u16.set_bit 0 x 0]
  , [x u16.== y, x u16.!= y, x u16.< y, x u16.<= y, x u16.> y, x u16.>= y]
  , [u16.num_bits, u16.popc x, u16.clz x, u16.ctz x, u16.get_bit 1 x, u16.get_bit (u16.num_bits - 1) x] )

-- ==
-- entry: u16_others
-- input { [3u16, 1, 5, 2] }
-- output { [11u16, 30, 5, 1] [0u16, 1, 0, 65535] [0u16, 65535, 9]
--          [255u16, 65534, 65533, 65532, 255, 263, 8, 9, 1, 2, 3, 1] 5i64 }
entry u16_others [n] (xs: [n]u16): ([]u16, []u16, []u16, []u16, i64) =
  ( [u16.sum xs, u16.product xs, u16.maximum xs, u16.minimum xs]
  , [u16.sum (take 0 xs), u16.product (take 0 xs), u16.maximum (take 0 xs), u16.minimum (take 0 xs)]
  , [u16.lowest, u16.highest, xs[0] u16.** 2]
  , [ u16.i8 (-1), u16.i16 (-2), u16.i32 (-3), u16.i64 (-4), u16.u8 255, u16.u16 263, u16.u32 65544, u16.u64 4294967305
    , u16.f16 1.5, u16.f32 2.5, u16.f64 3.5, u16.bool true ]
  , u16.to_i64 xs[2] )

-- ==
-- entry: u32_operators
-- input { 7u32 2u32 }
-- output { [9u32, 5, 14, 3, 1, 3, 1]
--          [2u32, 7, 5, 4294967288, 4294967289, 7, 2, 7, 1, 0, 7]
--          [28u32, 1, 1, 7, 6]
--          [false, true, false, false, true, true] [32i32, 3, 29, 0, 1, 0] }
-- input { 4294967295u32 3u32 }
-- output { [2u32, 4294967292, 4294967293, 1431655765, 0, 1431655765, 0]
--          [3u32, 4294967295, 4294967292, 0, 1, 4294967295, 3, 4294967295, 1, 2, 1]
--          [4294967292u32, 1073741823, 1073741823, 4294967295, 4294967294]
--          [false, true, false, false, true, true] [32i32, 32, 0, 0, 1, 1] }
-- input { 0u32 5u32 }
-- output { [5u32, 4294967291, 0, 0, 0, 0, 0]
--          [0u32, 5, 5, 4294967295, 0, 5, 0, 0, 0, 0, 0]
--          [0u32, 0, 0, 2, 0]
--          [false, true, true, true, false, false] [32i32, 0, 32, 32, 0, 0] }
-- input { 2u32 4294967295u32 }
-- output { [1u32, 3, 4294967294, 0, 2, 0, 2]
--          [2u32, 4294967295, 4294967293, 4294967293, 4294967294, 4294967295, 2, 2, 1, 1, 3]
--          [8u32, 0, 0, 2, 2]
--          [false, true, true, true, false, false] [32i32, 1, 30, 1, 1, 0] }
entry u32_operators (x: u32) (y: u32): ([]u32, []u32, []u32, []bool, []i32) =
  ( [x u32.+ y, x u32.- y, x u32.* y, x u32./ y, x u32.% y, x u32.// y, x u32.%% y]
  , [ x u32.& y, x u32.| y, x u32.^ y, u32.not x, u32.neg x, u32.max x y, u32.min x y, u32.abs x, u32.sgn x
    , u32.mul_hi x y, u32.mad_hi x y x ]
  , [x u32.<< 2, x u32.>> 2, x u32.>>> 2, u32.set_bit 1 x 1, u32.set_bit 0 x 0]
  , [x u32.== y, x u32.!= y, x u32.< y, x u32.<= y, x u32.> y, x u32.>= y]
  , [u32.num_bits, u32.popc x, u32.clz x, u32.ctz x, u32.get_bit 1 x, u32.get_bit (u32.num_bits - 1) x] )

-- ==
-- entry: u32_others
-- input { [3u32, 1, 5, 2] }
-- output { [11u32, 30, 5, 1] [0u32, 1, 0, 4294967295] [0u32, 4294967295, 9]
--          [255u32, 65534, 4294967293, 4294967292, 255, 263, 65544, 9, 1, 2, 3, 1] 5i64 }
entry u32_others [n] (xs: [n]u32): ([]u32, []u32, []u32, []u32, i64) =
  ( [u32.sum xs, u32.product xs, u32.maximum xs, u32.minimum xs]
  , [u32.sum (take 0 xs), u32.product (take 0 xs), u32.maximum (take 0 xs), u32.minimum (take 0 xs)]
  , [u32.lowest, u32.highest, xs[0] u32.** 2]
  , [ u32.i8 (-1), u32.i16 (-2), u32.i32 (-3), u32.i64 (-4), u32.u8 255, u32.u16 263, u32.u32 65544, u32.u64 4294967305
    , u32.f16 1.5, u32.f32 2.5, u32.f64 3.5, u32.bool true ]
  , u32.to_i64 xs[2] )

-- ==
-- entry: u64_operators
-- input { 7u64 2u64 }
-- output { [9u64, 5, 14, 3, 1, 3, 1]
--          [2u64, 7, 5, 18446744073709551608, 18446744073709551609, 7, 2, 7, 1, 0, 7]
--          [28u64, 1, 1, 7, 6]
--          [false, true, false, false, true, true] [64i32, 3, 61, 0, 1, 0] }
-- input { 18446744073709551615u64 3u64 }
-- output { [2u64, 18446744073709551612, 18446744073709551613, 6148914691236517205, 0, 6148914691236517205, 0]
--          [3u64, 18446744073709551615, 18446744073709551612, 0, 1, 18446744073709551615, 3, 18446744073709551615, 1, 2, 1]
--          [18446744073709551612u64, 4611686018427387903, 4611686018427387903, 18446744073709551615, 18446744073709551614]
--          [false, true, false, false, true, true] [64i32, 64, 0, 0, 1, 1] }
-- input { 0u64 5u64 }
-- output { [5u64, 18446744073709551611, 0, 0, 0, 0, 0]
--          [0u64, 5, 5, 18446744073709551615, 0, 5, 0, 0, 0, 0, 0]
--          [0u64, 0, 0, 2, 0]
--          [false, true, true, true, false, false] [64i32, 0, 64, 64, 0, 0] }
-- input { 2u64 18446744073709551615u64 }
-- output { [1u64, 3, 18446744073709551614, 0, 2, 0, 2]
--          [2u64, 18446744073709551615, 18446744073709551613, 18446744073709551613, 18446744073709551614, 18446744073709551615, 2, 2, 1, 1, 3]
--          [8u64, 0, 0, 2, 2]
--          [false, true, true, true, false, false] [64i32, 1, 62, 1, 1, 0] }
entry u64_operators (x: u64) (y: u64): ([]u64, []u64, []u64, []bool, []i32) =
  ( [x u64.+ y, x u64.- y, x u64.* y, x u64./ y, x u64.% y, x u64.// y, x u64.%% y]
  , [ x u64.& y, x u64.| y, x u64.^ y, u64.not x, u64.neg x, u64.max x y, u64.min x y, u64.abs x, u64.sgn x
    , u64.mul_hi x y, u64.mad_hi x y x ]
  , [x u64.<< 2, x u64.>> 2, x u64.>>> 2, u64.set_bit 1 x 1, u64.set_bit 0 x 0]
  , [x u64.== y, x u64.!= y, x u64.< y, x u64.<= y, x u64.> y, x u64.>= y]
  , [u64.num_bits, u64.popc x, u64.clz x, u64.ctz x, u64.get_bit 1 x, u64.get_bit (u64.num_bits - 1) x] )

-- ==
-- entry: u64_others
-- input { [3u64, 1, 5, 2] }
-- output { [11u64, 30, 5, 1] [0u64, 1, 0, 18446744073709551615] [0u64, 18446744073709551615, 9]
--          [255u64, 65534, 4294967293, 18446744073709551612, 255, 263, 65544, 4294967305, 1, 2, 3, 1] 5i64 }
entry u64_others [n] (xs: [n]u64): ([]u64, []u64, []u64, []u64, i64) =
  ( [u64.sum xs, u64.product xs, u64.maximum xs, u64.minimum xs]
  , [u64.sum (take 0 xs), u64.product (take 0 xs), u64.maximum (take 0 xs), u64.minimum (take 0 xs)]
  , [u64.lowest, u64.highest, xs[0] u64.** 2]
  , [ u64.i8 (-1), u64.i16 (-2), u64.i32 (-3), u64.i64 (-4), u64.u8 255, u64.u16 263, u64.u32 65544, u64.u64 4294967305
    , u64.f16 1.5, u64.f32 2.5, u64.f64 3.5, u64.bool true ]
  , u64.to_i64 xs[2] )

-- ==
-- entry: bools
-- input { }
-- output { [true, false, true, true, false, true, true, true, true, false, true, false] }
entry bools: []bool =
  [ bool.i8 1, bool.i16 0, bool.i32 (-1), bool.i64 2, bool.u8 0, bool.u16 1, bool.u32 2, bool.u64 3
  , bool.f16 0.5, bool.f32 0, bool.f64 f64.inf, bool.bool false ]
