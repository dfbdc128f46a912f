/* Rows that become columns: element j of row i, at `i * from_stride + j`, goes to `j * to_stride + i`. Tiles of a cache line by a
   cache line are turned in registers, if there are vectors as long as a line, so each line is read and written at once. */
#define RV_TRANSPOSE_HEAD(size) \
  void rv_transpose_##size(void *to, int64_t to_stride, const void *from, int64_t from_stride, int64_t rows, int64_t columns)

/* So few rows are a strip of more: those behind them come next, and are fetched while others are turned. */
#define RV_FEW_ROWS 64

/* For elements of this type, by tiles of so many rows and columns; the last tiles overlap with those before. */
#define RV_TRANSPOSE(size, type, side) \
  RV_TRANSPOSE_HEAD(size) { \
    type *target = to; \
    const type *source = from; \
    if (rows < side || columns < side) { \
      for (int64_t i = 0; i < rows; i++) \
        for (int64_t j = 0; j < columns; j++) target[j * to_stride + i] = source[i * from_stride + j]; \
      return; \
    } \
    for (int64_t some = 0; some < rows; some += 8 * side) \
      for (int64_t column = 0; column < columns; column += side) \
        for (int64_t row = some; row < rows && row < some + 8 * side; row += side) { \
          int64_t i = row < rows - side ? row : rows - side, j = column < columns - side ? column : columns - side; \
          for (int64_t next = rows + i; rows <= RV_FEW_ROWS && next < rows + i + side; next++) \
            __builtin_prefetch((const void *)((uintptr_t)source + (uintptr_t)((next * from_stride + j) * size))); \
          rv_tile_##size(target + j * to_stride + i, to_stride, source + i * from_stride + j, from_stride); \
        } \
  }
#define RV_TRANSPOSE_1 RV_TRANSPOSE(1, uint8_t, 16)
#define RV_TRANSPOSE_2 RV_TRANSPOSE(2, uint16_t, 16)
#define RV_TRANSPOSE_4 RV_TRANSPOSE(4, uint32_t, 16)
#define RV_TRANSPOSE_8 RV_TRANSPOSE(8, uint64_t, 8)

#define RV_TILE(size, type, side) \
  RV_INLINE void rv_tile_##size(type *to, int64_t to_stride, const type *from, int64_t from_stride) { \
    for (int64_t j = 0; j < side; j++) \
      for (int64_t i = 0; i < side; i++) to[j * to_stride + i] = from[i * from_stride + j]; \
  }
RV_TILE(1, uint8_t, 16)
RV_TILE(2, uint16_t, 16)
#if defined(__AVX512F__)
typedef uint32_t rv_line4 __attribute__((vector_size(64)));
typedef uint64_t rv_line8 __attribute__((vector_size(64)));

/* Rows i and k of a tile, which are so many rows apart, exchange groups of so many elements. */
#define RV_MIX(i, k, low, high) \
  { \
    __typeof__(r[0]) x = r[i], y = r[k]; \
    r[i] = __builtin_shufflevector(x, y, RV_LIST low); \
    r[k] = __builtin_shufflevector(x, y, RV_LIST high); \
  }
#define RV_LIST(...) __VA_ARGS__
#define RV_MIX4(i, apart, low, high) \
  RV_MIX(i, i + apart, low, high) RV_MIX(i + 1, i + 1 + apart, low, high) \
  RV_MIX(i + 2, i + 2 + apart, low, high) RV_MIX(i + 3, i + 3 + apart, low, high)
#define RV_MIX_PAIRS(i, low, high) RV_MIX(i, i + 2, low, high) RV_MIX(i + 1, i + 3, low, high)
#define RV_MIX_NEXT(i, low, high) RV_MIX(i, i + 1, low, high) RV_MIX(i + 2, i + 3, low, high)
#define RV_LINES(count, type) \
  type r[count]; \
  for (int i = 0; i < count; i++) memcpy(&r[i], from + i * from_stride, 64);
#define RV_LINES_OUT(count) \
  for (int i = 0; i < count; i++) memcpy(to + i * to_stride, &r[i], 64);

RV_INLINE void rv_tile_4(uint32_t *to, int64_t to_stride, const uint32_t *from, int64_t from_stride) {
  RV_LINES(16, rv_line4)
#define RV_LOW (0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
#define RV_HIGH (8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31)
  RV_MIX4(0, 8, RV_LOW, RV_HIGH) RV_MIX4(4, 8, RV_LOW, RV_HIGH)
#undef RV_LOW
#undef RV_HIGH
#define RV_LOW (0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27)
#define RV_HIGH (4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31)
  RV_MIX4(0, 4, RV_LOW, RV_HIGH) RV_MIX4(8, 4, RV_LOW, RV_HIGH)
#undef RV_LOW
#undef RV_HIGH
#define RV_LOW (0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define RV_HIGH (2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
  RV_MIX_PAIRS(0, RV_LOW, RV_HIGH) RV_MIX_PAIRS(4, RV_LOW, RV_HIGH)
  RV_MIX_PAIRS(8, RV_LOW, RV_HIGH) RV_MIX_PAIRS(12, RV_LOW, RV_HIGH)
#undef RV_LOW
#undef RV_HIGH
#define RV_LOW (0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30)
#define RV_HIGH (1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31)
  RV_MIX_NEXT(0, RV_LOW, RV_HIGH) RV_MIX_NEXT(4, RV_LOW, RV_HIGH)
  RV_MIX_NEXT(8, RV_LOW, RV_HIGH) RV_MIX_NEXT(12, RV_LOW, RV_HIGH)
#undef RV_LOW
#undef RV_HIGH
  RV_LINES_OUT(16)
}

RV_INLINE void rv_tile_8(uint64_t *to, int64_t to_stride, const uint64_t *from, int64_t from_stride) {
  RV_LINES(8, rv_line8)
#define RV_LOW (0, 1, 2, 3, 8, 9, 10, 11)
#define RV_HIGH (4, 5, 6, 7, 12, 13, 14, 15)
  RV_MIX4(0, 4, RV_LOW, RV_HIGH)
#undef RV_LOW
#undef RV_HIGH
#define RV_LOW (0, 1, 8, 9, 4, 5, 12, 13)
#define RV_HIGH (2, 3, 10, 11, 6, 7, 14, 15)
  RV_MIX_PAIRS(0, RV_LOW, RV_HIGH) RV_MIX_PAIRS(4, RV_LOW, RV_HIGH)
#undef RV_LOW
#undef RV_HIGH
#define RV_LOW (0, 8, 2, 10, 4, 12, 6, 14)
#define RV_HIGH (1, 9, 3, 11, 5, 13, 7, 15)
  RV_MIX_NEXT(0, RV_LOW, RV_HIGH) RV_MIX_NEXT(4, RV_LOW, RV_HIGH)
#undef RV_LOW
#undef RV_HIGH
  RV_LINES_OUT(8)
}
#else
RV_TILE(4, uint32_t, 16)
RV_TILE(8, uint64_t, 8)
#endif
