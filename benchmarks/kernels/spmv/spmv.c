/* Rows are split among threads by their elements; a row is read 16 elements at a time, with a mask at its end. */
#include "../vector.h"
#include <omp.h>

static inline float row(const int32_t *columns, const float *values, int64_t count, const float *x) {
#ifdef __AVX512F__
  __m512 acc = _mm512_setzero_ps();
  for (; count > LANES; count -= LANES, columns += LANES, values += LANES) {
    __m512 there = _mm512_i32gather_ps(_mm512_loadu_si512(columns), x, 4);
    acc = _mm512_fmadd_ps(there, _mm512_loadu_ps(values), acc);
  }
  __mmask16 mask = (__mmask16)((1u << count) - 1);
  __m512i at = _mm512_maskz_loadu_epi32(mask, columns);
  __m512 there = _mm512_mask_i32gather_ps(_mm512_setzero_ps(), mask, at, x, 4);
  acc = _mm512_fmadd_ps(there, _mm512_maskz_loadu_ps(mask, values), acc);
  return _mm512_reduce_add_ps(acc);
#else
  float total = 0;
  for (int64_t i = 0; i < count; i++) total += values[i] * x[columns[i]];
  return total;
#endif
}

/* The first row whose elements begin at or after a place. */
static int64_t row_at(const int64_t *offsets, int64_t n, int64_t place) {
  int64_t low = 0, high = n;
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (offsets[middle] < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

void spmv(const int64_t *offsets, const int32_t *columns, const int64_t *same, const float *values, const float *x, float *out,
          int64_t n) {
  (void)same;
#pragma omp parallel
  {
    int64_t threads = omp_get_num_threads(), thread = omp_get_thread_num();
    int64_t begin = row_at(offsets, n, offsets[n] * thread / threads);
    int64_t end = thread + 1 == threads ? n : row_at(offsets, n, offsets[n] * (thread + 1) / threads);
    for (int64_t i = begin; i < end; i++)
      out[i] = row(columns + offsets[i], values + offsets[i], offsets[i + 1] - offsets[i], x);
  }
}
