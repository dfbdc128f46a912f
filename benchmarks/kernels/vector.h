/* Vectors of 64 bytes, by the extensions that GCC and Clang share: AVX-512 where the processor has it, several shorter
   vectors elsewhere. What needs an instruction that has no portable name is behind __AVX512F__. */
#ifndef VECTOR_H
#define VECTOR_H
#include <stdint.h>
#include <string.h>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include <stdlib.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

enum { LANES = 16 };

/* Memory for large arrays, in large pages where the system has them. To be freed by free. */
static inline void *large(size_t bytes) {
  const size_t page = 2 << 20;
  if (bytes < page) return aligned_alloc(64, (bytes + 63) / 64 * 64);
  bytes = (bytes + page - 1) / page * page;
  void *made = aligned_alloc(page, bytes);
#ifdef MADV_HUGEPAGE
  if (made) madvise(made, bytes, MADV_HUGEPAGE);
#endif
  return made;
}

typedef float v16f __attribute__((vector_size(64)));
typedef int32_t v16i __attribute__((vector_size(64)));
typedef double v8d __attribute__((vector_size(64)));
/* The same anywhere in memory. */
typedef float v16f_any __attribute__((vector_size(64), aligned(4), may_alias));
typedef int32_t v16i_any __attribute__((vector_size(64), aligned(4), may_alias));
typedef double v8d_any __attribute__((vector_size(64), aligned(8), may_alias));

static inline v16f load(const float *p) { return *(const v16f_any *)p; }
static inline void store(float *p, v16f x) { *(v16f_any *)p = x; }
static inline v16i load_i(const int32_t *p) { return *(const v16i_any *)p; }
static inline v8d load_d(const double *p) { return *(const v8d_any *)p; }
static inline void store_d(double *p, v8d x) { *(v8d_any *)p = x; }
static inline v16f splat(float x) { return x + (v16f){0}; }
static inline v8d splat_d(double x) { return x + (v8d){0}; }

/* Where the mask is -1, x, elsewhere 0. */
static inline v16f only(v16i mask, v16f x) { return (v16f)((v16i)x & mask); }

static inline v16f smaller(v16f x, v16f y) {
#ifdef __AVX512F__
  return (v16f)_mm512_min_ps((__m512)x, (__m512)y);
#else
  v16i mask = x < y;
  return (v16f)(((v16i)x & mask) | ((v16i)y & ~mask));
#endif
}

static inline float sum(v16f x) {
#ifdef __AVX512F__
  return _mm512_reduce_add_ps((__m512)x);
#else
  float total = 0;
  for (int i = 0; i < LANES; i++) total += x[i];
  return total;
#endif
}

/* Stores past the caches; p is a multiple of 64. */
static inline void stream(float *p, v16f x) {
#ifdef __AVX512F__
  _mm512_stream_ps(p, (__m512)x);
#else
  store(p, x);
#endif
}

static inline void stream_i(int32_t *p, v16i x) { stream((float *)p, (v16f)x); }

/* To be called by each thread that has streamed, before others read. */
static inline void stream_end(void) {
#ifdef __AVX512F__
  _mm_sfence();
#endif
}

/* The part [*begin, *end) of 0 to n for a thread; parts begin at multiples of the step. */
static inline void part(int64_t n, int64_t step, int64_t thread, int64_t threads, int64_t *begin, int64_t *end) {
  int64_t blocks = (n + step - 1) / step;
  *begin = blocks * thread / threads * step;
  *end = blocks * (thread + 1) / threads * step;
  if (*end > n) *end = n;
  if (*begin > n) *begin = n;
}
#endif
