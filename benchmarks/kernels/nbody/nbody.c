/* Bodies as lanes: some vectors of bodies stay in registers while all others pass by. */
#include "../vector.h"
#include <math.h>

enum { VECTORS = 3, BODIES = VECTORS * LANES };
static const float SOFTENING = 0.05f;

/* 1 / sqrt(x): an estimate and a step of Newton's method. */
static inline v16f inverse_root(v16f x) {
#ifdef __AVX512F__
  v16f y = (v16f)_mm512_rsqrt14_ps((__m512)x);
  return y * (1.5f - 0.5f * x * y * y);
#else
  for (int i = 0; i < LANES; i++) x[i] = 1 / sqrtf(x[i]);
  return x;
#endif
}

static void some(const float *const *at, const float *xs, const float *ys, const float *zs, const float *ms, int64_t n,
                 float *const *out) {
  v16f px[VECTORS], py[VECTORS], pz[VECTORS], ax[VECTORS] = {0}, ay[VECTORS] = {0}, az[VECTORS] = {0};
  for (int v = 0; v < VECTORS; v++) {
    px[v] = load(at[0] + v * LANES);
    py[v] = load(at[1] + v * LANES);
    pz[v] = load(at[2] + v * LANES);
  }
  for (int64_t j = 0; j < n; j++) {
    v16f x = splat(xs[j]), y = splat(ys[j]), z = splat(zs[j]), m = splat(ms[j]);
    for (int v = 0; v < VECTORS; v++) {
      v16f dx = x - px[v], dy = y - py[v], dz = z - pz[v];
      v16f root = inverse_root(SOFTENING + dx * dx + dy * dy + dz * dz);
      v16f s = m * root * (root * root);
      ax[v] += s * dx;
      ay[v] += s * dy;
      az[v] += s * dz;
    }
  }
  for (int v = 0; v < VECTORS; v++) {
    store(out[0] + v * LANES, ax[v]);
    store(out[1] + v * LANES, ay[v]);
    store(out[2] + v * LANES, az[v]);
  }
}

void nbody(const float *xs, const float *ys, const float *zs, const float *ms, float *ax, float *ay, float *az, int64_t n) {
  const float *from[3] = {xs, ys, zs};
  float *to[3] = {ax, ay, az};
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < n; i += BODIES) {
    if (i + BODIES <= n) {
      some((const float *[]){xs + i, ys + i, zs + i}, xs, ys, zs, ms, n, (float *[]){ax + i, ay + i, az + i});
      continue;
    }
    float places[3][BODIES] = {{0}}, made[3][BODIES];
    for (int c = 0; c < 3; c++) memcpy(places[c], from[c] + i, (size_t)(n - i) * sizeof(float));
    some((const float *[]){places[0], places[1], places[2]}, xs, ys, zs, ms, n, (float *[]){made[0], made[1], made[2]});
    for (int c = 0; c < 3; c++) memcpy(to[c] + i, made[c], (size_t)(n - i) * sizeof(float));
  }
}
