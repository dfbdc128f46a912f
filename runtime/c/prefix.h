/* Running combinations of words by an operator that gives the same in every order. */

/* A function that stores to `to` the combinations of `before` and the words of `from` up to each, and returns the last of them. The
   two places do not overlap. `past` asks for writing past the caches. */
#if defined(__AVX512F__) && !defined(__clang__)
/* A vector is combined with itself moved up by 1, 2, 4 and 8 lanes: then each lane has the combination of all up to it. What came
   before the vector is put before all of its lanes. */
#define RV_PREFIX(name, word, index, neutral, operator)                                                               \
  typedef word name##_line __attribute__((vector_size(64), aligned(sizeof(word)), may_alias));                        \
  typedef index name##_lanes __attribute__((vector_size(64)));                                                        \
  RV_INLINE name##_line name##_step(name##_line x, int moved) {                                                       \
    enum { LANES = 64 / sizeof(word) };                                                                               \
    name##_line none;                                                                                                 \
    name##_lanes at;                                                                                                  \
    RV_UNROLL(64)                                                                                                     \
    for (int k = 0; k < LANES; k++) none[k] = (neutral), at[k] = k < moved ? k : LANES + k - moved;                   \
    return __builtin_shuffle(none, x, at) operator x;                                                                 \
  }                                                                                                                   \
  RV_INLINE word name##_lines(const word *from, word *to, int64_t count, word before, bool past) {                    \
    enum { LANES = 64 / sizeof(word) };                                                                               \
    name##_line carry;                                                                                                \
    name##_lanes last;                                                                                                \
    int64_t i = 0;                                                                                                    \
    RV_UNROLL(64)                                                                                                     \
    for (int k = 0; k < LANES; k++) carry[k] = before, last[k] = LANES - 1;                                           \
    for (; i + LANES <= count; i += LANES) {                                                                          \
      name##_line x = *(const name##_line *)(from + i);                                                               \
      x = name##_step(name##_step(name##_step(x, 1), 2), 4);                                                          \
      if (LANES > 8) x = name##_step(x, 8);                                                                           \
      if (past) __builtin_ia32_movntdq512((rv_line *)(to + i), (rv_line)(carry operator x));                          \
      else *(name##_line *)(to + i) = carry operator x;                                                               \
      carry = carry operator __builtin_shuffle(x, last);                                                              \
    }                                                                                                                 \
    before = carry[0];                                                                                                \
    for (; i < count; i++) to[i] = before = before operator from[i];                                                  \
    if (past) __builtin_ia32_sfence();                                                                                \
    return before;                                                                                                    \
  }                                                                                                                   \
  RV_FUN word name(const word *from, word *to, int64_t count, word before, bool past) {                               \
    return past && (uintptr_t)to % 64 == 0 ? name##_lines(from, to, count, before, true)                              \
                                           : name##_lines(from, to, count, before, false);                            \
  }
#else
#define RV_PREFIX(name, word, index, neutral, operator)                                                               \
  RV_FUN word name(const word *from, word *to, int64_t count, word before, bool past) {                               \
    (void)past;                                                                                                       \
    for (int64_t i = 0; i < count; i++) to[i] = before = before operator from[i];                                     \
    return before;                                                                                                    \
  }
#endif
