/* Blocked elimination. The diagonal block is factored and its triangles are inverted, so that all other work is matrix
   products: the column below it by the inverse of u, the row beside it by the inverse of l, the rest by both. */
#include "../vector.h"
#include <stdlib.h>

enum { NB = 64, MR = 8, NR = 16 };

static int64_t least(int64_t x, int64_t y) { return x < y ? x : y; }

/* Factors a block of nb rows and columns. */
static void factor(double *a, int64_t stride, int64_t nb) {
  for (int64_t k = 0; k < nb; k++) {
    double scale = 1 / a[k * stride + k];
    for (int64_t i = k + 1; i < nb; i++) {
      double x = a[i * stride + k] *= scale;
      for (int64_t j = k + 1; j < nb; j++) a[i * stride + j] -= x * a[k * stride + j];
    }
  }
}

/* The inverses of the triangles of a factored block, row by row; the rest is zero. */
static void invert(const double *a, int64_t stride, int64_t nb, double (*l)[NB], double (*u)[NB]) {
  memset(l, 0, sizeof(double[NB][NB]));
  memset(u, 0, sizeof(double[NB][NB]));
  for (int64_t i = 0; i < nb; i++) {
    for (int64_t k = 0; k < i; k++)
      for (int64_t j = 0; j <= k; j++) l[i][j] -= a[i * stride + k] * l[k][j];
    l[i][i] = 1;
  }
  for (int64_t i = nb; i-- > 0;) {
    double scale = 1 / a[i * stride + i];
    for (int64_t k = i + 1; k < nb; k++)
      for (int64_t j = k; j < nb; j++) u[i][j] -= a[i * stride + k] * u[k][j];
    for (int64_t j = i + 1; j < nb; j++) u[i][j] *= scale;
    u[i][i] = scale;
  }
}

/* c = add * c + sign * a b for a tile of some rows and NR columns; b is packed in rows of NR. */
__attribute__((always_inline)) static inline void tile(int64_t kc, const double *restrict a, int64_t a_stride, const double *restrict b, double *restrict c,
                        int64_t stride, int rows, double add, double sign) {
  v8d acc[MR][2] = {0};
#pragma GCC unroll 8
  for (int i = 0; i < rows; i++) {
    __builtin_prefetch(c + i * stride, 1);
    __builtin_prefetch(c + i * stride + 15, 1);
  }
  for (int64_t k = 0; k < kc; k++) {
    v8d b0 = load_d(b + k * NR), b1 = load_d(b + k * NR + 8);
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++) {
      v8d x = splat_d(a[i * a_stride + k]);
      acc[i][0] += x * b0;
      acc[i][1] += x * b1;
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < rows; i++) {
    double *to = c + i * stride;
    store_d(to, add * load_d(to) + sign * acc[i][0]);
    store_d(to + 8, add * load_d(to + 8) + sign * acc[i][1]);
  }
}

/* The same for any number of rows and columns. */
static void product(int64_t kc, const double *a, int64_t a_stride, const double *b, double *c, int64_t stride, int64_t rows,
                    int64_t columns, double add, double sign) {
  if (columns == NR) {
    int64_t i = 0;
    for (; i + MR <= rows; i += MR) tile(kc, a + i * a_stride, a_stride, b, c + i * stride, stride, MR, add, sign);
    for (; i < rows; i++) tile(kc, a + i * a_stride, a_stride, b, c + i * stride, stride, 1, add, sign);
    return;
  }
  for (int64_t i = 0; i < rows; i++) {
    double row[NR] = {0};
    for (int64_t k = 0; k < kc; k++)
      for (int64_t j = 0; j < columns; j++) row[j] += a[i * a_stride + k] * b[k * NR + j];
    for (int64_t j = 0; j < columns; j++) c[i * stride + j] = add * c[i * stride + j] + sign * row[j];
  }
}

static void pack(const double *from, int64_t stride, int64_t rows, int64_t columns, double *to) {
  for (int64_t k = 0; k < rows; k++)
    for (int64_t j = 0; j < NR; j++) to[k * NR + j] = j < columns ? from[k * stride + j] : 0;
}

/* Some rows below a factored block: their first columns times the inverse of u, and the product with the row beside the
   block for the rest. */
static void below(double *a, int64_t n, int64_t nb, int64_t columns, int64_t rows, const double *inverse, const double *beside) {
  double old[MR * NB], l[MR * NB];
  for (int64_t r = 0; r < rows; r++) memcpy(old + r * NB, a + r * n, (size_t)nb * sizeof *a);
  for (int64_t j = 0; j < nb; j += NR) product(nb, old, NB, inverse + j * NB, a + j, n, rows, least(NR, nb - j), 0, 1);
  for (int64_t r = 0; r < rows; r++) memcpy(l + r * NB, a + r * n, (size_t)nb * sizeof *a);
  for (int64_t j = 0; j < columns; j += NR)
    product(nb, l, NB, beside + j * NB, a + nb + j, n, rows, least(NR, columns - j), 1, -1);
}

void lu(const double *from, double *a, int64_t n) {
  double l[NB][NB] __attribute__((aligned(64))), u[NB][NB], inverse[NB * NB] __attribute__((aligned(64)));
  double *beside = aligned_alloc(64, (size_t)((n + NR) * NB) * sizeof *beside);
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int64_t i = 0; i < n; i++) memcpy(a + i * n, from + i * n, (size_t)n * sizeof *a);
    for (int64_t k = 0; k < n; k += NB) {
      int64_t nb = least(NB, n - k), next = k + nb;
#pragma omp single
      {
        factor(a + k * n + k, n, nb);
        invert(a + k * n + k, n, nb, l, u);
        for (int64_t j = 0; j < nb; j += NR) pack(&u[0][j], NB, nb, least(NR, nb - j), inverse + j * NB);
      }
#pragma omp for schedule(static)
      for (int64_t j = 0; j < n - next; j += NR) {
        double *panel = beside + j * NB, *to = a + k * n + next + j;
        int64_t columns = least(NR, n - next - j);
        pack(to, n, nb, columns, panel);
        product(nb, &l[0][0], NB, panel, to, n, nb, columns, 0, 1);
        pack(to, n, nb, columns, panel);
      }
#pragma omp for schedule(static)
      for (int64_t i = next; i < n; i += MR) below(a + i * n + k, n, nb, n - next, least(MR, n - i), inverse, beside);
    }
  }
  free(beside);
}
