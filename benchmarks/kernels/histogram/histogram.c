/* Each thread counts in tables of its own: four if they fit into the first caches, so that neighbouring equal keys do not
   wait for each other. */
#include "../vector.h"
#include <omp.h>

enum { SMALL = 4096, AHEAD = 512 };

static void count(const int32_t *keys, int64_t n, int32_t *table, int64_t bins) {
  int64_t copies = bins <= SMALL ? 4 : 1, i = 0;
  int32_t *t0 = table, *t1 = table + 1 % copies * bins, *t2 = table + 2 % copies * bins, *t3 = table + 3 % copies * bins;
  for (; i + 8 <= n; i += 8) {
    /* Two keys with each load; the tables could otherwise change the keys, as far as the compiler knows. */
    uint64_t k[4];
    __builtin_prefetch(keys + i + AHEAD);
    memcpy(k, keys + i, sizeof k);
    t0[(uint32_t)k[0]]++;
    t1[k[0] >> 32]++;
    t2[(uint32_t)k[1]]++;
    t3[k[1] >> 32]++;
    t0[(uint32_t)k[2]]++;
    t1[k[2] >> 32]++;
    t2[(uint32_t)k[3]]++;
    t3[k[3] >> 32]++;
  }
  for (; i < n; i++) table[keys[i]]++;
}

void histogram(int64_t bins, const int32_t *keys, int32_t *out, int64_t n) {
  int64_t copies = bins <= SMALL ? 4 : 1, threads = omp_get_max_threads();
  int32_t *tables = large((size_t)(threads * copies * bins) * sizeof *tables);
#pragma omp parallel
  {
    int64_t thread = omp_get_thread_num(), all = omp_get_num_threads();
    memset(tables + thread * copies * bins, 0, (size_t)(copies * bins) * sizeof *tables);
    int64_t begin = n * thread / all, end = n * (thread + 1) / all;
    count(keys + begin, end - begin, tables + thread * copies * bins, bins);
#pragma omp barrier
#pragma omp for schedule(static)
    for (int64_t b = 0; b < bins; b++) {
      int32_t total = 0;
      for (int64_t t = 0; t < all * copies; t++) total += tables[t * bins + b];
      out[b] = total;
    }
  }
  free(tables);
}
