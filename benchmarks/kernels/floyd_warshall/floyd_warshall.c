/* Blocked: the diagonal block by itself, then the blocks of its row and column, then all others, as a product with minimum
   and plus whose tiles stay in registers. */
#include "../vector.h"
#include <stdlib.h>

enum { B = 64, MR = 8, NR = 2 * LANES };

/* c = min(c, a + b) for blocks that overlap: one k after the other. */
static void in_order(float *c, const float *a, const float *b, int64_t n) {
  for (int k = 0; k < B; k++)
    for (int i = 0; i < B; i++) {
      v16f x = splat(a[i * n + k]);
      for (int j = 0; j < B; j += LANES) store(c + i * n + j, smaller(load(c + i * n + j), x + load(b + k * n + j)));
    }
}

/* The same for blocks that do not overlap, tile by tile. */
static void disjoint(float *restrict c, const float *restrict a, const float *restrict b, int64_t n) {
  for (int j = 0; j < B; j += NR)
    for (int i = 0; i < B; i += MR) {
      v16f acc[MR][2];
#pragma GCC unroll 8
      for (int r = 0; r < MR; r++) {
        acc[r][0] = load(c + (i + r) * n + j);
        acc[r][1] = load(c + (i + r) * n + j + LANES);
      }
      for (int k = 0; k < B; k++) {
        v16f b0 = load(b + k * n + j), b1 = load(b + k * n + j + LANES);
#pragma GCC unroll 8
        for (int r = 0; r < MR; r++) {
          v16f x = splat(a[(i + r) * n + k]);
          acc[r][0] = smaller(acc[r][0], x + b0);
          acc[r][1] = smaller(acc[r][1], x + b1);
        }
      }
#pragma GCC unroll 8
      for (int r = 0; r < MR; r++) {
        store(c + (i + r) * n + j, acc[r][0]);
        store(c + (i + r) * n + j + LANES, acc[r][1]);
      }
    }
}

void floyd_warshall(const float *from, float *to, int64_t n) {
  int64_t blocks = (n + B - 1) / B;
  /* Whole blocks, and rows that do not all fall into the same lines of the cache. */
  int64_t s = blocks * B + LANES;
  float *d = large((size_t)(blocks * B * s) * sizeof *d);
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int64_t i = 0; i < blocks * B; i++)
      for (int64_t j = 0; j < s; j++) d[i * s + j] = i < n && j < n ? from[i * n + j] : 1e30f;
    for (int64_t k = 0; k < blocks; k++) {
      float *kk = d + k * B * s + k * B;
#pragma omp single
      in_order(kk, kk, kk, s);
#pragma omp for schedule(static)
      for (int64_t t = 0; t < 2 * blocks; t++) {
        float *row = d + k * B * s + t / 2 * B, *column = d + t / 2 * B * s + k * B;
        if (t / 2 == k) continue;
        if (t % 2) in_order(row, kk, row, s);
        else in_order(column, column, kk, s);
      }
#pragma omp for schedule(static)
      for (int64_t t = 0; t < blocks * blocks; t++) {
        int64_t i = t / blocks, j = t % blocks;
        if (i == k || j == k) continue;
        disjoint(d + i * B * s + j * B, d + i * B * s + k * B, d + k * B * s + j * B, s);
      }
    }
#pragma omp for schedule(static)
    for (int64_t i = 0; i < n; i++) memcpy(to + i * n, d + i * s, (size_t)n * sizeof *to);
  }
  free(d);
}
