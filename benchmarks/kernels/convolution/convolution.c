/* Tiles of four rows and four vectors in registers: each loaded vector of the picture serves up to four rows. */
#include "../vector.h"

enum { ROWS = 4, VECTORS = 4, COLUMNS = VECTORS * LANES };

static void tile(const float *filter, int64_t p, int64_t q, const float *picture, int64_t m, float *out, int64_t stride) {
  v16f acc[ROWS][VECTORS] = {0};
  for (int64_t r = 0; r < p + ROWS - 1; r++)
    for (int64_t l = 0; l < q; l++) {
      v16f x[VECTORS];
#pragma GCC unroll 4
      for (int v = 0; v < VECTORS; v++) x[v] = load(picture + r * m + l + v * LANES);
#pragma GCC unroll 4
      for (int i = 0; i < ROWS; i++) {
        if (r - i < 0 || r - i >= p) continue;
        v16f w = splat(filter[(r - i) * q + l]);
#pragma GCC unroll 4
        for (int v = 0; v < VECTORS; v++) acc[i][v] += w * x[v];
      }
    }
#pragma GCC unroll 4
  for (int i = 0; i < ROWS; i++)
#pragma GCC unroll 4
    for (int v = 0; v < VECTORS; v++) store(out + i * stride + v * LANES, acc[i][v]);
}

/* Points at the edge, one by one. */
static void points(const float *filter, int64_t p, int64_t q, const float *picture, int64_t m, float *out, int64_t count) {
  for (int64_t j = 0; j < count; j++) {
    float total = 0;
    for (int64_t k = 0; k < p; k++)
      for (int64_t l = 0; l < q; l++) total += filter[k * q + l] * picture[k * m + j + l];
    out[j] = total;
  }
}

void convolution(const float *filter, const float *picture, float *out, int64_t p, int64_t q, int64_t n, int64_t m) {
  int64_t rows = n - p + 1, columns = m - q + 1;
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < rows; i += ROWS) {
    int64_t j = 0;
    if (i + ROWS <= rows)
      for (; j + COLUMNS <= columns; j += COLUMNS) tile(filter, p, q, picture + i * m + j, m, out + i * columns + j, columns);
    for (int64_t r = i; r < i + ROWS && r < rows; r++)
      points(filter, p, q, picture + r * m + j, m, out + r * columns + j, columns - j);
  }
}
