/* Steps of a stencil over the rows of a matrix, several at a time: each thread takes a band of rows and computes DEPTH
   steps of it while the rows are in its cache. Between steps only three rows of each are kept. Bands overlap by DEPTH rows,
   which both neighbours compute. The first and the last row never change.

   Before this file is included, UPDATE(out, above, here, below, m) is defined: it makes a row from the old row and its
   neighbours. */
#include "vector.h"
#include <omp.h>
#include <stdlib.h>

#ifndef DEPTH
#define DEPTH 10
#endif

/* Rows [begin, end) after some steps. */
static void band(const float *from, float *to, int64_t n, int64_t m, int64_t begin, int64_t end, int64_t steps, float *rings) {
  int64_t width = (m + LANES - 1) / LANES * LANES + LANES;
#define RING(step, row) (rings + ((step) * 3 + (row) % 3) * width)
#define ROW(step, row) ((step) == 0 ? from + (row) * m : (const float *)RING(step, row))
  for (int64_t r = begin - steps; r < end + steps; r++)
    for (int64_t step = 1; step <= steps; step++) {
      /* Step `step` follows the step before it one row behind. */
      int64_t row = r + 1 - step, margin = steps - step;
      if (row < 0 || row >= n || row < begin - margin || row >= end + margin) continue;
      float *out = step == steps ? to + row * m : RING(step, row);
      if (row == 0 || row == n - 1) memcpy(out, from + row * m, (size_t)m * sizeof *out);
      else UPDATE(out, ROW(step - 1, row - 1), ROW(step - 1, row), ROW(step - 1, row + 1), m);
    }
}

/* All steps; the result is in `to`. */
static void all_steps(int64_t steps, const float *a, float *to, int64_t n, int64_t m) {
  size_t bytes = (size_t)(n * m) * sizeof *to;
  if (steps == 0) {
    memcpy(to, a, bytes);
    return;
  }
  int64_t rounds = (steps + DEPTH - 1) / DEPTH;
  int64_t width = (m + LANES - 1) / LANES * LANES + LANES;
  float *other = rounds > 1 ? large(bytes) : NULL;
#pragma omp parallel
  {
    float *rings = large((size_t)((DEPTH + 1) * 3 * width) * sizeof *rings);
    int64_t begin, end;
    part(n, 1, omp_get_thread_num(), omp_get_num_threads(), &begin, &end);
    const float *from = a;
    for (int64_t round = 0; round < rounds; round++) {
      int64_t now = steps * (round + 1) / rounds - steps * round / rounds;
      float *next = (rounds - round) % 2 ? to : other;
      band(from, next, n, m, begin, end, now, rings);
      from = next;
#pragma omp barrier
    }
    free(rings);
  }
  free(other);
}
