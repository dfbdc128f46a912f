/* Four rows at a time with two accumulators each: the vector is loaded once for all of them. */
#include "../vector.h"

enum { ROWS = 4 };

static void rows(const float *a, const float *x, float *out, int64_t m, int64_t count) {
  v16f acc[ROWS][2] = {0};
  int64_t j = 0;
  for (; j + 2 * LANES <= m; j += 2 * LANES) {
    v16f x0 = load(x + j), x1 = load(x + j + LANES);
    for (int64_t i = 0; i < count; i++) {
      acc[i][0] += load(a + i * m + j) * x0;
      acc[i][1] += load(a + i * m + j + LANES) * x1;
    }
  }
  for (int64_t i = 0; i < count; i++) {
    float total = sum(acc[i][0] + acc[i][1]);
    for (int64_t l = j; l < m; l++) total += a[i * m + l] * x[l];
    out[i] = total;
  }
}

void matvec(const float *a, const float *x, float *out, int64_t n, int64_t m) {
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < n; i += ROWS) {
    if (i + ROWS <= n) rows(a + i * m, x, out + i, m, ROWS);
    else for (int64_t r = i; r < n; r++) rows(a + r * m, x, out + r, m, 1);
  }
}
