/* Eight independent vector accumulators hide the latency of additions; blocks are added in double precision. */
#include "../vector.h"

enum { BLOCK = 8192 };

static float block(const float *xs, const float *ys, int64_t n) {
  v16f acc[8] = {0};
  int64_t i = 0;
  for (; i + 8 * LANES <= n; i += 8 * LANES)
    for (int k = 0; k < 8; k++) acc[k] += load(xs + i + k * LANES) * load(ys + i + k * LANES);
  float total = sum(((acc[0] + acc[1]) + (acc[2] + acc[3])) + ((acc[4] + acc[5]) + (acc[6] + acc[7])));
  for (; i < n; i++) total += xs[i] * ys[i];
  return total;
}

void dot(const float *xs, const float *ys, float *result, int64_t n) {
  double total = 0;
#pragma omp parallel for schedule(static) reduction(+ : total)
  for (int64_t i = 0; i < n; i += BLOCK) total += block(xs + i, ys + i, n - i < BLOCK ? n - i : BLOCK);
  *result = (float)total;
}
