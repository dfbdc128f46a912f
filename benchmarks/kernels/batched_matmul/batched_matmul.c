/* Matrices of 16 by 16: the rows of the second are 16 vectors in registers. */
#include "../vector.h"

enum { N = LANES };

void batched_matmul(const float *as, const float *bs, float *cs, int64_t count) {
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int64_t t = 0; t < count; t++) {
      const float *a = as + t * N * N;
      v16f b[N];
      for (int k = 0; k < N; k++) b[k] = load(bs + t * N * N + k * N);
      for (int i = 0; i < N; i++) {
        v16f low = {0}, high = {0};
        for (int k = 0; k < N; k += 2) {
          low += splat(a[i * N + k]) * b[k];
          high += splat(a[i * N + k + 1]) * b[k + 1];
        }
        float *to = cs + t * N * N + i * N;
        if ((uintptr_t)to & 63) store(to, low + high);
        else stream(to, low + high);
      }
    }
    stream_end();
  }
}
