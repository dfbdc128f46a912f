/* Bands of 16 rows, swept along diagonals in registers; a band follows the one above it on another thread. */
#include "../diagonals.h"

static inline float point(const float *x, const float *a, int64_t m, int64_t i, int64_t j) {
  return 0.25f * (a[(i - 1) * m + j] + a[i * m + j - 1] + a[(i - 1) * m + j - 1] + x[i * m + j]);
}

/* A triangle or the rest of a band, one by one: row i has the columns [from - i, to - i), as far as they exist. */
static void slowly(const float *x, float *a, int64_t m, int64_t first, int64_t rows, int64_t from, int64_t to) {
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = from - i < 1 ? 1 : from - i; j < to - i && j < m; j++)
      a[(first + i) * m + j] = point(x, a, m, first + i, j);
}

/* 16 rows from `first` on. Lane i is at column s - i; squares begin where lane 15 is at column 1. */
static void band(const float *x, float *a, int64_t m, int64_t first, progress *above, progress *own) {
  int64_t s = LANES;
  wait_for(above, s < m ? s : m);
  slowly(x, a, m, first, LANES, 1, s);
  /* The values of the diagonal before s, and the northern neighbours of that diagonal. */
  v16f last, north;
  for (int64_t i = 0; i < LANES && s < m; i++) {
    last[i] = a[(first + i) * m + s - 1 - i];
    north[i] = a[(first + i - 1) * m + s - 1 - i];
  }
  for (; s + LANES <= m; s += LANES) {
    wait_for(above, s + LANES);
    v16f r[LANES];
#pragma GCC unroll 16
    for (int i = 0; i < LANES; i++) r[i] = load(x + (first + i) * m + s - i);
    transpose(r);
#pragma GCC unroll 16
    for (int k = 0; k < LANES; k++) {
      v16f rest = r[k] + north;
      north = up(last, a[(first - 1) * m + s + k]);
      r[k] = last = 0.25f * ((rest + last) + north);
    }
    transpose(r);
#pragma GCC unroll 16
    for (int i = 0; i < LANES; i++) store(a + (first + i) * m + s - i, r[i]);
    publish(own, s + 1);
  }
  wait_for(above, m);
  slowly(x, a, m, first, LANES, s, m + LANES);
  publish(own, m);
}

void wavefront(const float *x, float *a, int64_t n, int64_t m) {
  memcpy(a, x, (size_t)m * sizeof *a);
  int64_t bands = (n - 1) / LANES;
  progress *done = aligned_alloc(64, (size_t)(bands + 1) * sizeof *done);
  for (int64_t b = 0; b <= bands; b++) atomic_init(&done[b].columns, b == 0 ? m : 0);
#pragma omp parallel
  for (int64_t b = omp_get_thread_num(); b < bands; b += omp_get_num_threads()) {
    int64_t first = 1 + b * LANES;
    for (int64_t i = first; i < first + LANES; i++) a[i * m] = x[i * m];
    band(x, a, m, first, &done[b], &done[b + 1]);
  }
  for (int64_t i = 1 + bands * LANES; i < n; i++) {
    a[i * m] = x[i * m];
    slowly(x, a, m, i, 1, 1, m);
  }
  free(done);
}
