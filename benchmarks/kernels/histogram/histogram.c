/* Each thread counts in tables of its own: four if they fit into the first caches, so that neighbouring equal keys do not
   wait for each other. */
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>

enum { SMALL = 4096 };

static void count(const int32_t *keys, int64_t n, int32_t *table, int64_t bins) {
  int32_t *others[3] = {table, table, table};
  for (int k = 0; k < 3 && bins <= SMALL; k++) others[k] = table + (k + 1) * bins;
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    table[keys[i]]++;
    others[0][keys[i + 1]]++;
    others[1][keys[i + 2]]++;
    others[2][keys[i + 3]]++;
  }
  for (; i < n; i++) table[keys[i]]++;
}

void histogram(int64_t bins, const int32_t *keys, int32_t *out, int64_t n) {
  int64_t copies = bins <= SMALL ? 4 : 1, threads = omp_get_max_threads();
  int32_t *tables = calloc((size_t)(threads * copies * bins), sizeof *tables);
#pragma omp parallel
  {
    int64_t thread = omp_get_thread_num(), all = omp_get_num_threads();
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
