/* Bands of 16 rows, swept along diagonals in registers; a band follows the one above it on another thread. */
#include "../diagonals.h"

static inline void point(float *a, int64_t m, int64_t i, int64_t j, float old, float new) {
  float *p = a + i * m + j;
  *p = old * *p + new * (p[-m] + p[-1] + p[m] + p[1]);
}

/* A triangle or the rest of a band, one by one: row i has the columns [from - i, to - i), as far as they are inner. */
static void slowly(float *a, int64_t m, int64_t first, int64_t rows, int64_t from, int64_t to, float old, float new) {
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = from - i < 1 ? 1 : from - i; j < to - i && j < m - 1; j++) point(a, m, first + i, j, old, new);
}

/* 16 rows from `first` on. Lane i is at column s - i; squares begin where lane 15 is at column 1. */
static void band(float *a, int64_t m, int64_t first, float old, float new, progress *above, progress *own) {
  int64_t s = LANES;
  wait_for(above, s < m ? s : m);
  slowly(a, m, first, LANES, 1, s, old, new);
  v16f last = {0}, ahead[LANES];
  for (int64_t i = 0; i < LANES && s < m; i++) last[i] = a[(first + i) * m + s - 1 - i];
  /* The diagonal after the one that is computed is read ahead: it has the southern and the eastern neighbours. */
  v16f here = {0};
  for (int64_t i = 0; i < LANES && s < m; i++) here[i] = a[(first + i) * m + s - i];
  for (; s + LANES < m; s += LANES) {
    wait_for(above, s + LANES);
    const float *north = a + (first - 1) * m + s, *south = a + (first + LANES) * m + s - (LANES - 1);
#pragma GCC unroll 16
    for (int i = 0; i < LANES; i++) ahead[i] = load(a + (first + i) * m + s + 1 - i);
    transpose(ahead);
#pragma GCC unroll 16
    for (int k = 0; k < LANES; k++) {
      v16f rest = old * here + new * (ahead[k] + down(ahead[k], south[k]));
      here = ahead[k];
      ahead[k] = last = (rest + new * last) + new * up(last, north[k]);
    }
    transpose(ahead);
#pragma GCC unroll 16
    for (int i = 0; i < LANES; i++) store(a + (first + i) * m + s - i, ahead[i]);
    publish(own, s + 1);
  }
  wait_for(above, m);
  slowly(a, m, first, LANES, s, m + LANES, old, new);
  publish(own, m);
}

void sor(float omega, float *a, int64_t n, int64_t m) {
  float old = 1 - omega, new = 0.25f * omega;
  int64_t bands = n < 2 ? 0 : (n - 2) / LANES;
  progress *done = aligned_alloc(64, (size_t)(bands + 1) * sizeof *done);
  for (int64_t b = 0; b <= bands; b++) atomic_init(&done[b].columns, b == 0 ? m : 0);
#pragma omp parallel
  for (int64_t b = omp_get_thread_num(); b < bands; b += omp_get_num_threads())
    band(a, m, 1 + b * LANES, old, new, &done[b], &done[b + 1]);
  for (int64_t i = 1 + bands * LANES; i < n - 1; i++) slowly(a, m, i, 1, 1, m, old, new);
  free(done);
}
