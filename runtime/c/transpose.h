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
typedef uint32_t rv_half4 __attribute__((vector_size(32), aligned(4), may_alias));
typedef uint64_t rv_half8 __attribute__((vector_size(32), aligned(8), may_alias));

/* A tile is turned by halves of its lines: halves of two rows are one line, which takes no shuffle, because they are read
   where they are. Then two lines exchange quarters, then smaller groups, until each has a column. All is written out, so that
   C compilers keep the lines in registers. */
#define RV_MIX(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
#define RV_HALF(size, row) (*(const rv_half##size *)(from + (row) * from_stride + half))
#define RV_LINE_OUT(column, ...) \
  { \
    __typeof__(q0) line = __VA_ARGS__; \
    memcpy(to + (half + column) * to_stride, &line, 64); \
  }

#define RV_HALVES4(i, k) RV_MIX(RV_HALF(4, i), RV_HALF(4, k), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
/* From element `k` on: quarters 0 and 2 of both lines, every second pair, or every second group of two. */
#define RV_QUARTERS4(x, y, k) \
  RV_MIX(x, y, k, k + 1, k + 2, k + 3, k + 8, k + 9, k + 10, k + 11, k + 16, k + 17, k + 18, k + 19, k + 24, k + 25, k + 26, k + 27)
#define RV_ONES4(x, y, k) \
  RV_MIX(x, y, k, k + 16, k + 1, k + 17, k + 4, k + 20, k + 5, k + 21, k + 8, k + 24, k + 9, k + 25, k + 12, k + 28, k + 13, k + 29)
#define RV_TWOS4(x, y, k) \
  RV_MIX(x, y, k, k + 1, k + 16, k + 17, k + 4, k + 5, k + 20, k + 21, k + 8, k + 9, k + 24, k + 25, k + 12, k + 13, k + 28, k + 29)
#define RV_FOUR_COLUMNS(k) \
  { \
    rv_line4 q0 = RV_QUARTERS4(a0, b0, k), q1 = RV_QUARTERS4(a1, b1, k), q2 = RV_QUARTERS4(a2, b2, k), q3 = RV_QUARTERS4(a3, b3, k); \
    rv_line4 p0 = RV_ONES4(q0, q1, 0), p1 = RV_ONES4(q0, q1, 2), p2 = RV_ONES4(q2, q3, 0), p3 = RV_ONES4(q2, q3, 2); \
    RV_LINE_OUT(k, RV_TWOS4(p0, p2, 0)) RV_LINE_OUT(k + 1, RV_TWOS4(p0, p2, 2)) \
    RV_LINE_OUT(k + 2, RV_TWOS4(p1, p3, 0)) RV_LINE_OUT(k + 3, RV_TWOS4(p1, p3, 2)) \
  }

RV_INLINE void rv_tile_4(uint32_t *to, int64_t to_stride, const uint32_t *from, int64_t from_stride) {
  for (int half = 0; half < 16; half += 8) {
    rv_line4 a0 = RV_HALVES4(0, 4), a1 = RV_HALVES4(1, 5), a2 = RV_HALVES4(2, 6), a3 = RV_HALVES4(3, 7);
    rv_line4 b0 = RV_HALVES4(8, 12), b1 = RV_HALVES4(9, 13), b2 = RV_HALVES4(10, 14), b3 = RV_HALVES4(11, 15);
    RV_FOUR_COLUMNS(0)
    RV_FOUR_COLUMNS(4)
  }
}

#define RV_HALVES8(i, k) RV_MIX(RV_HALF(8, i), RV_HALF(8, k), 0, 1, 2, 3, 4, 5, 6, 7)
#define RV_QUARTERS8(x, y, k) RV_MIX(x, y, k, k + 1, k + 4, k + 5, k + 8, k + 9, k + 12, k + 13)
#define RV_ONES8(x, y, k) RV_MIX(x, y, k, k + 8, k + 2, k + 10, k + 4, k + 12, k + 6, k + 14)
#define RV_TWO_COLUMNS(k) \
  { \
    rv_line8 q0 = RV_QUARTERS8(a0, b0, k), q1 = RV_QUARTERS8(a1, b1, k); \
    RV_LINE_OUT(k, RV_ONES8(q0, q1, 0)) RV_LINE_OUT(k + 1, RV_ONES8(q0, q1, 1)) \
  }

RV_INLINE void rv_tile_8(uint64_t *to, int64_t to_stride, const uint64_t *from, int64_t from_stride) {
  for (int half = 0; half < 8; half += 4) {
    rv_line8 a0 = RV_HALVES8(0, 2), a1 = RV_HALVES8(1, 3), b0 = RV_HALVES8(4, 6), b1 = RV_HALVES8(5, 7);
    RV_TWO_COLUMNS(0)
    RV_TWO_COLUMNS(2)
  }
}
#else
RV_TILE(4, uint32_t, 16)
RV_TILE(8, uint64_t, 8)
#endif
