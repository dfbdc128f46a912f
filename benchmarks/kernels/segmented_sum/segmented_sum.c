/* Segments are split among threads by their elements; a segment is read 16 elements at a time, with a mask at its end. */
#include "../vector.h"
#include <omp.h>

static inline float segment(const float *xs, int64_t count) {
#ifdef __AVX512F__
  __m512 acc = _mm512_setzero_ps();
  for (; count > LANES; count -= LANES, xs += LANES) acc = _mm512_add_ps(acc, _mm512_loadu_ps(xs));
  return _mm512_reduce_add_ps(_mm512_add_ps(acc, _mm512_maskz_loadu_ps((__mmask16)((1u << count) - 1), xs)));
#else
  float total = 0;
  for (int64_t i = 0; i < count; i++) total += xs[i];
  return total;
#endif
}

/* The first segment that begins at or after a place. */
static int64_t segment_at(const int64_t *offsets, int64_t n, int64_t place) {
  int64_t low = 0, high = n;
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (offsets[middle] < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

void segmented_sum(const int64_t *offsets, const float *data, float *out, int64_t n) {
#pragma omp parallel
  {
    int64_t threads = omp_get_num_threads(), thread = omp_get_thread_num();
    int64_t begin = segment_at(offsets, n, offsets[n] * thread / threads);
    int64_t end = thread + 1 == threads ? n : segment_at(offsets, n, offsets[n] * (thread + 1) / threads);
    for (int64_t i = begin; i < end; i++) out[i] = segment(data + offsets[i], offsets[i + 1] - offsets[i]);
  }
}
