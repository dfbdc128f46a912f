/* The filter is a mask; eight independent vector accumulators. */
#include "../vector.h"

enum { BLOCK = 8192 };

static float block(float least, const float *xs, int64_t n) {
  v16f acc[8] = {0}, bound = splat(least);
  int64_t i = 0;
  for (; i + 8 * LANES <= n; i += 8 * LANES)
    for (int k = 0; k < 8; k++) {
      v16f x = load(xs + i + k * LANES);
      acc[k] += only(x > bound, x);
    }
  float total = sum(((acc[0] + acc[1]) + (acc[2] + acc[3])) + ((acc[4] + acc[5]) + (acc[6] + acc[7])));
  for (; i < n; i++) total += xs[i] > least ? xs[i] : 0;
  return total;
}

void filter_reduce(float least, const float *xs, float *result, int64_t n) {
  double total = 0;
#pragma omp parallel for schedule(static) reduction(+ : total)
  for (int64_t i = 0; i < n; i += BLOCK) total += block(least, xs + i, n - i < BLOCK ? n - i : BLOCK);
  *result = (float)total;
}
