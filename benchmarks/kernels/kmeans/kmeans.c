/* Centres as lanes: for a point of 16 coordinates, 16 multiply-adds give |c|^2 - 2 p.c for up to 16 centres at once, and
   the point itself is one vector to add to the sum of its class. */
#include "../vector.h"
#include <omp.h>
#include <stdlib.h>

enum { D = 16, TOGETHER = 8, FLUSH = 1 << 14 };

/* The lane with the least value, the first of several. */
static inline int least(v16f x) {
#ifdef __AVX512F__
  float low = _mm512_reduce_min_ps((__m512)x);
  return __builtin_ctz(_mm512_cmp_ps_mask((__m512)x, _mm512_set1_ps(low), _CMP_EQ_OQ));
#else
  int best = 0;
  for (int i = 1; i < LANES; i++) best = x[i] < x[best] ? i : best;
  return best;
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

static void classify(table *t, const v16f *columns, v16f norms, const float *points, int64_t n) {
  int64_t i = 0;
  for (; i + TOGETHER <= n; i += TOGETHER) {
    v16f score[TOGETHER];
    for (int p = 0; p < TOGETHER; p++) score[p] = norms;
    for (int d = 0; d < D; d++)
      for (int p = 0; p < TOGETHER; p++) score[p] += columns[d] * splat(points[(i + p) * D + d]);
    for (int p = 0; p < TOGETHER; p++) {
      int c = least(score[p]);
      t->counts[c]++;
      t->sums[c] += load(points + (i + p) * D);
    }
  }
  for (; i < n; i++) {
    v16f score = norms;
    for (int d = 0; d < D; d++) score += columns[d] * splat(points[i * D + d]);
    int c = least(score);
    t->counts[c]++;
    t->sums[c] += load(points + i * D);
  }
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
        classify(t, columns, norms, points + i * D, end - i < FLUSH ? end - i : FLUSH);
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
