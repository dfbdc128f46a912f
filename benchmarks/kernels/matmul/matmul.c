/* Register tiles of 14 rows and 2 vectors over packed blocks: a block of b stays in the second cache, a strip of a in the
   first. */
#include "../vector.h"
#include <omp.h>
#include <stdlib.h>

enum { MR = 14, NR = 2 * LANES, KC = 256, NC = 1024 };

/* c += strip * panel for a whole tile; the strip has MR numbers for each k, the panel NR. */
static void tile(int64_t kc, const float *restrict strip, const float *restrict panel, float *restrict c, int64_t stride) {
  v16f acc[MR][2] = {0};
  for (int64_t k = 0; k < kc; k++) {
    v16f b0 = *(const v16f *)(panel + k * NR), b1 = *(const v16f *)(panel + k * NR + LANES);
#pragma GCC unroll 14
    for (int i = 0; i < MR; i++) {
      v16f a = splat(strip[k * MR + i]);
      acc[i][0] += a * b0;
      acc[i][1] += a * b1;
    }
  }
#pragma GCC unroll 14
  for (int i = 0; i < MR; i++) {
    store(c + i * stride, load(c + i * stride) + acc[i][0]);
    store(c + i * stride + LANES, load(c + i * stride + LANES) + acc[i][1]);
  }
}

/* A tile at the edge of c, by way of a full tile. */
static void edge(int64_t kc, const float *strip, const float *panel, float *c, int64_t stride, int64_t rows, int64_t columns) {
  float whole[MR * NR] __attribute__((aligned(64))) = {0};
  tile(kc, strip, panel, whole, NR);
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < columns; j++) c[i * stride + j] += whole[i * NR + j];
}

static int64_t least(int64_t x, int64_t y) { return x < y ? x : y; }

static void pack_panel(const float *b, int64_t stride, int64_t kc, int64_t columns, float *to) {
  for (int64_t k = 0; k < kc; k++)
    for (int64_t j = 0; j < NR; j++) to[k * NR + j] = j < columns ? b[k * stride + j] : 0;
}

static void pack_strip(const float *a, int64_t stride, int64_t kc, int64_t rows, float *to) {
  for (int64_t i = 0; i < MR; i++)
    for (int64_t k = 0; k < kc; k++) to[k * MR + i] = i < rows ? a[i * stride + k] : 0;
}

void matmul(const float *a, const float *b, float *c, int64_t n, int64_t m, int64_t p) {
  float *packed = large(sizeof(float) * KC * NC);
  int64_t strips = (n + MR - 1) / MR;
#pragma omp parallel
  {
    float strip[MR * KC] __attribute__((aligned(64)));
#pragma omp for schedule(static)
    for (int64_t i = 0; i < n; i++) memset(c + i * p, 0, (size_t)p * sizeof *c);
    for (int64_t j0 = 0; j0 < p; j0 += NC)
      for (int64_t k0 = 0; k0 < m; k0 += KC) {
        int64_t nc = least(NC, p - j0), kc = least(KC, m - k0);
#pragma omp for schedule(static)
        for (int64_t j = 0; j < nc; j += NR)
          pack_panel(b + k0 * p + j0 + j, p, kc, least(NR, nc - j), packed + j * KC);
#pragma omp for schedule(static)
        for (int64_t s = 0; s < strips; s++) {
          int64_t i = s * MR, rows = least(MR, n - i);
          pack_strip(a + i * m + k0, m, kc, rows, strip);
          for (int64_t j = 0; j < nc; j += NR) {
            float *to = c + i * p + j0 + j;
            if (rows == MR && nc - j >= NR) tile(kc, strip, packed + j * KC, to, p);
            else edge(kc, strip, packed + j * KC, to, p, rows, least(NR, nc - j));
          }
        }
      }
  }
  free(packed);
}
