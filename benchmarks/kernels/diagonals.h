/* 16 rows swept together: at step s, lane i is at column s - i, so that all lanes can be computed at once. Elements come and
   go as squares of 16 by 16 that are transposed in registers. */
#include "vector.h"
#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>

#define SHUFFLE(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)

/* Transposes 16 vectors of 16 numbers. */
static inline void transpose(v16f *r) {
  v16f t[LANES];
#pragma GCC unroll 8
  for (int i = 0; i < 16; i += 2) {
    t[i] = SHUFFLE(r[i], r[i + 1], 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
    t[i + 1] = SHUFFLE(r[i], r[i + 1], 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 16; i += 4) {
    r[i] = SHUFFLE(t[i], t[i + 2], 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
    r[i + 1] = SHUFFLE(t[i], t[i + 2], 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
    r[i + 2] = SHUFFLE(t[i + 1], t[i + 3], 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
    r[i + 3] = SHUFFLE(t[i + 1], t[i + 3], 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++) {
    t[i] = SHUFFLE(r[i], r[i + 4], 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27);
    t[i + 4] = SHUFFLE(r[i], r[i + 4], 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);
    t[i + 8] = SHUFFLE(r[i + 8], r[i + 12], 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27);
    t[i + 12] = SHUFFLE(r[i + 8], r[i + 12], 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++) {
    r[i] = SHUFFLE(t[i], t[i + 8], 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
    r[i + 4] = SHUFFLE(t[i + 4], t[i + 12], 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
    r[i + 8] = SHUFFLE(t[i], t[i + 8], 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
    r[i + 12] = SHUFFLE(t[i + 4], t[i + 12], 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
  }
}

/* The lanes of x one up, with a new lane 0; one down, with a new lane 15. */
static inline v16f up(v16f x, float first) {
  return SHUFFLE(x, splat(first), 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14);
}
static inline v16f down(v16f x, float last) {
  return SHUFFLE(x, splat(last), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
}

/* How many columns of the last row of each band are finished; bands follow one another. */
typedef struct {
  _Alignas(64) _Atomic int64_t columns;
} progress;

static inline void wait_for(progress *p, int64_t columns) {
  while (atomic_load_explicit(&p->columns, memory_order_acquire) < columns) {
#ifdef __AVX512F__
    _mm_pause();
#endif
  }
}

static inline void publish(progress *p, int64_t columns) {
  atomic_store_explicit(&p->columns, columns, memory_order_release);
}
