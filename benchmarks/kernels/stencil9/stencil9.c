/* Time tiles: the steps are computed while a band of rows is in the cache. The weights are a product of weights for columns
   and for rows, so a row is first combined with its neighbours above and below. */
#include "../vector.h"

static inline v16f column(const float *above, const float *here, const float *below, int64_t j) {
  return 0.5f * load(here + j) + 0.25f * (load(above + j) + load(below + j));
}

static void update(float *restrict out, const float *above, const float *here, const float *below, int64_t m) {
  int64_t j = 1;
  out[0] = here[0];
  for (; j + LANES <= m - 1; j += LANES)
    store(out + j, 0.5f * column(above, here, below, j) +
                       0.25f * (column(above, here, below, j - 1) + column(above, here, below, j + 1)));
  for (; j < m - 1; j++) {
    float sides = above[j] + below[j] + here[j - 1] + here[j + 1];
    float corners = above[j - 1] + above[j + 1] + below[j - 1] + below[j + 1];
    out[j] = 0.25f * here[j] + 0.125f * sides + 0.0625f * corners;
  }
  out[m - 1] = here[m - 1];
}

#define UPDATE update
#include "../time_tiles.h"

void stencil9(int64_t steps, const float *a, float *to, int64_t n, int64_t m) { all_steps(steps, a, to, n, m); }
