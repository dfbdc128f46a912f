/* One pass over memory: blocks are taken in order, a block is added up (which brings it into the cache), gets the sum of
   all before it from its predecessor, and is then scanned in registers and written past the caches. */
#include "../vector.h"
#include <stdatomic.h>
#include <stdlib.h>

enum { BLOCK = 32768 };

static int32_t block_sum(const int32_t *xs, int64_t n) {
  v16i acc[4] = {0};
  int64_t i = 0;
  for (; i + 4 * LANES <= n; i += 4 * LANES)
    for (int k = 0; k < 4; k++) acc[k] += load_i(xs + i + k * LANES);
  v16i all = (acc[0] + acc[1]) + (acc[2] + acc[3]);
  uint32_t total = 0;
  for (int k = 0; k < LANES; k++) total += (uint32_t)all[k];
  for (; i < n; i++) total += (uint32_t)xs[i];
  return (int32_t)total;
}

/* x moved up by some lanes, with zeros below. */
#define UP(x, k) \
  __builtin_shufflevector((v16i){0}, x, 16 - k, 17 - k, 18 - k, 19 - k, 20 - k, 21 - k, 22 - k, 23 - k, 24 - k, 25 - k, \
                          26 - k, 27 - k, 28 - k, 29 - k, 30 - k, 31 - k)

static inline v16i scan16(v16i x) {
  x += UP(x, 1);
  x += UP(x, 2);
  x += UP(x, 4);
  x += UP(x, 8);
  return x;
}

static void block_scan(const int32_t *xs, int32_t *ys, int64_t n, int32_t before) {
  uint32_t total = (uint32_t)before;
  int64_t i = 0;
  for (; i < n && ((uintptr_t)(ys + i) & 63); i++) ys[i] = (int32_t)(total += (uint32_t)xs[i]);
  v16i carry = (int32_t)total + (v16i){0};
  for (; i + LANES <= n; i += LANES) {
    v16i x = scan16(load_i(xs + i));
    stream_i(ys + i, x + carry);
    carry += __builtin_shufflevector(x, x, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15);
  }
  total = (uint32_t)carry[0];
  for (; i < n; i++) ys[i] = (int32_t)(total += (uint32_t)xs[i]);
}

void prefix_sum(const int32_t *xs, int32_t *ys, int64_t n) {
  int64_t blocks = (n + BLOCK - 1) / BLOCK;
  /* The sum before each block; -1 in the upper half until it is known. */
  _Atomic int64_t *before = malloc((size_t)(blocks + 1) * sizeof *before);
  for (int64_t b = 1; b <= blocks; b++) atomic_init(&before[b], -1);
  atomic_init(&before[0], 0);
  atomic_int_least64_t next = 0;
#pragma omp parallel
  {
    for (int64_t b; (b = atomic_fetch_add(&next, 1)) < blocks;) {
      const int32_t *from = xs + b * BLOCK;
      int64_t count = n - b * BLOCK < BLOCK ? n - b * BLOCK : BLOCK;
      uint32_t own = (uint32_t)block_sum(from, count);
      int64_t sum;
      while ((sum = atomic_load_explicit(&before[b], memory_order_acquire)) < 0) {
#ifdef __AVX512F__
        _mm_pause();
#endif
      }
      atomic_store_explicit(&before[b + 1], (int64_t)((uint32_t)sum + own), memory_order_release);
      block_scan(from, ys + b * BLOCK, count, (int32_t)(uint32_t)sum);
    }
    stream_end();
  }
  free(before);
}
