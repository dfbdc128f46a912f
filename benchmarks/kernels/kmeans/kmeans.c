/* Centres as lanes: for a point of 16 coordinates, 16 multiply-adds give |c|^2 - 2 p.c for up to 16 centres at once, and
   the point itself is one vector to add to the sum of its class. */
#include "../vector.h"
#include <omp.h>
#include <stdlib.h>

enum { D = 16, TOGETHER = LANES, FLUSH = 1 << 14 };

/* The lanes of x and y by halves, quarters, eighths and sixteenths: for each such group of lanes one half of it. */
#define HALVES(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
static inline v16f fold8(v16f x, v16f y) {
  return smaller(HALVES(x, y, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23),
                 HALVES(x, y, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31));
}
static inline v16f fold4(v16f x, v16f y) {
  return smaller(HALVES(x, y, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27),
                 HALVES(x, y, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31));
}
static inline v16f fold2(v16f x, v16f y) {
  return smaller(HALVES(x, y, 0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28, 29),
                 HALVES(x, y, 2, 3, 6, 7, 10, 11, 14, 15, 18, 19, 22, 23, 26, 27, 30, 31));
}
static inline v16f fold1(v16f x, v16f y) {
  return smaller(HALVES(x, y, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30),
                 HALVES(x, y, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31));
}

/* Lane i of the result is the least lane of vector i. */
static inline v16f least_of_each(const v16f *x) {
  v16f a[8], b[4];
  for (int i = 0; i < 8; i++) a[i] = fold8(x[2 * i], x[2 * i + 1]);
  for (int i = 0; i < 4; i++) b[i] = fold4(a[2 * i], a[2 * i + 1]);
  return fold1(fold2(b[0], b[1]), fold2(b[2], b[3]));
}

/* The first lane that is equal to a number. */
static inline int lane_of(v16f x, float wanted) {
#ifdef __AVX512F__
  return __builtin_ctz(_mm512_cmp_ps_mask((__m512)x, _mm512_set1_ps(wanted), _CMP_EQ_OQ));
#else
  int i = 0;
  while (i < LANES - 1 && x[i] != wanted) i++;
  return i;
#endif
}

typedef struct {
  v16f sums[LANES];
  int64_t counts[LANES];
  double totals[LANES][D];
} table;

static void flush(table *t, int64_t k) {
  for (int64_t c = 0; c < k; c++)
    for (int d = 0; d < D; d++) t->totals[c][d] += t->sums[c][d];
  memset(t->sums, 0, sizeof t->sums);
}

/* Adds TOGETHER points to the sums of their classes; only the first `count` of them count. */
static inline void classify(table *t, const v16f *columns, v16f norms, const float *points, int count) {
  v16f score[TOGETHER];
#pragma GCC unroll 16
  for (int p = 0; p < TOGETHER; p++) score[p] = norms;
  for (int d = 0; d < D; d++) {
    v16f column = columns[d];
#pragma GCC unroll 16
    for (int p = 0; p < TOGETHER; p++) score[p] += column * splat(points[p * D + d]);
  }
  float low[TOGETHER];
  store(low, least_of_each(score));
#pragma GCC unroll 16
  for (int p = 0; p < TOGETHER; p++) {
    if (p >= count) break;
    int c = lane_of(score[p], low[p]);
    t->counts[c]++;
    t->sums[c] += load(points + p * D);
  }
}

static void classify_all(table *t, const v16f *columns, v16f norms, const float *points, int64_t n) {
  int64_t i = 0;
  for (; i + TOGETHER <= n; i += TOGETHER) classify(t, columns, norms, points + i * D, TOGETHER);
  float rest[TOGETHER * D] = {0};
  memcpy(rest, points + i * D, (size_t)((n - i) * D) * sizeof *rest);
  classify(t, columns, norms, rest, (int)(n - i));
}

/* Up to 16 centres of 16 coordinates. */
void kmeans(int64_t rounds, const float *first, const float *points, float *centres, int64_t k, int64_t n) {
  int threads = omp_get_max_threads();
  table *tables = aligned_alloc(64, (size_t)threads * sizeof *tables);
  memcpy(centres, first, (size_t)(k * D) * sizeof *centres);
  for (int64_t round = 0; round < rounds; round++) {
    v16f columns[D] = {0}, norms = splat(1e30f);
    for (int64_t c = 0; c < k; c++) {
      float norm = 0;
      for (int d = 0; d < D; d++) {
        columns[d][c] = -2 * centres[c * D + d];
        norm += centres[c * D + d] * centres[c * D + d];
      }
      norms[c] = norm;
    }
    memset(tables, 0, (size_t)threads * sizeof *tables);
#pragma omp parallel num_threads(threads)
    {
      table *t = &tables[omp_get_thread_num()];
      int64_t begin, end;
      part(n, TOGETHER, omp_get_thread_num(), omp_get_num_threads(), &begin, &end);
      for (int64_t i = begin; i < end; i += FLUSH) {
        classify_all(t, columns, norms, points + i * D, end - i < FLUSH ? end - i : FLUSH);
        flush(t, k);
      }
    }
    for (int64_t c = 0; c < k; c++) {
      int64_t count = 0;
      for (int t = 0; t < threads; t++) count += tables[t].counts[c];
      for (int d = 0; d < D && count > 0; d++) {
        double total = 0;
        for (int t = 0; t < threads; t++) total += tables[t].totals[c][d];
        centres[c * D + d] = (float)(total / (double)count);
      }
    }
  }
  free(tables);
}
