/* Rows are split among threads by their elements. A block of rows is multiplied as one sequence, so that gathers are full and
   do not wait for the ends of rows; then the rows of the block, which are in the first cache, are added up. */
#include "../vector.h"
#include <omp.h>

enum { BLOCK = 4096 };

/* The products of some elements. */
static void products(const int32_t *columns, const float *values, int64_t count, const float *x, float *out) {
  int64_t i = 0;
#ifdef __AVX512F__
  for (; i + LANES <= count; i += LANES) {
    __m512 there = _mm512_i32gather_ps(_mm512_loadu_si512(columns + i), x, 4);
    _mm512_storeu_ps(out + i, _mm512_mul_ps(there, _mm512_loadu_ps(values + i)));
  }
#endif
  for (; i < count; i++) out[i] = values[i] * x[columns[i]];
}

static inline float total(const float *xs, int64_t count) {
#ifdef __AVX512F__
  __m512 acc = _mm512_setzero_ps();
  for (; count > LANES; count -= LANES, xs += LANES) acc = _mm512_add_ps(acc, _mm512_loadu_ps(xs));
  return _mm512_reduce_add_ps(_mm512_add_ps(acc, _mm512_maskz_loadu_ps((__mmask16)((1u << count) - 1), xs)));
#else
  float sum = 0;
  for (int64_t i = 0; i < count; i++) sum += xs[i];
  return sum;
#endif
}

/* A row that is longer than a block. */
static float long_row(const int32_t *columns, const float *values, int64_t count, const float *x, float *buffer) {
  float sum = 0;
  for (int64_t i = 0; i < count; i += BLOCK) {
    int64_t now = count - i < BLOCK ? count - i : BLOCK;
    products(columns + i, values + i, now, x, buffer);
    sum += total(buffer, now);
  }
  return sum;
}

static void rows(const int64_t *offsets, const int32_t *columns, const float *values, const float *x, float *out, int64_t begin,
                 int64_t end) {
  float buffer[BLOCK] __attribute__((aligned(64)));
  for (int64_t i = begin; i < end;) {
    int64_t start = offsets[i], until = i;
    while (until < end && offsets[until + 1] - start <= BLOCK) until++;
    if (until == i) {
      out[i] = long_row(columns + start, values + start, offsets[i + 1] - start, x, buffer);
      i++;
      continue;
    }
    products(columns + start, values + start, offsets[until] - start, x, buffer);
    for (; i < until; i++) out[i] = total(buffer + (offsets[i] - start), offsets[i + 1] - offsets[i]);
  }
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
    rows(offsets, columns, values, x, out, begin, end);
  }
}
