/* Radix sort with three passes. Keys wait in a line of 16 for each bucket until a whole line of the cache can be written
   past the caches. */
#include "../vector.h"
#include <omp.h>
#include <stdlib.h>

enum { BITS = 11, BUCKETS = 1 << BITS, PASSES = 3, AHEAD = 512 };

typedef struct {
  uint32_t lines[BUCKETS][LANES];
  int64_t place[BUCKETS], start[BUCKETS];
} buffers;

/* Bits whose unsigned order is that of the numbers, and back. */
static inline uint32_t to_key(uint32_t x) { return x ^ ((uint32_t)-(int32_t)(x >> 31) | 0x80000000u); }
static inline uint32_t from_key(uint32_t x) { return x ^ (((x >> 31) - 1) | 0x80000000u); }
static inline uint32_t digit(uint32_t key, int pass) { return key >> (pass * BITS) & (BUCKETS - 1); }

/* Writes what waits for a bucket up to its place: keys from `first` on are its own. */
static inline void write_out(uint32_t *to, const uint32_t *line, int64_t first, int64_t end, int last) {
  for (int64_t i = first; i < end; i++) to[i] = last ? from_key(line[i & (LANES - 1)]) : line[i & (LANES - 1)];
}

static inline void write_line(uint32_t *to, const uint32_t *line, int last) {
  v16i keys = load_i((const int32_t *)line);
  if (last) keys ^= ~(keys >> 31) | INT32_MIN;
  stream_i((int32_t *)to, keys);
}

/* Moves keys to their buckets. Places count from `to`, which is a multiple of 64. */
__attribute__((always_inline)) static inline void move(const uint32_t *from, uint32_t *to, int64_t n, int pass, buffers *b) {
  int last = pass == PASSES - 1;
  for (int64_t i = 0; i < n; i++) {
    if (i % LANES == 0) __builtin_prefetch(from + i + AHEAD);
    uint32_t key = pass == 0 ? to_key(from[i]) : from[i];
    uint32_t d = digit(key, pass);
    int64_t place = b->place[d]++;
    b->lines[d][place & (LANES - 1)] = key;
    if ((place & (LANES - 1)) != LANES - 1) continue;
    int64_t line = place - (LANES - 1);
    if (line >= b->start[d]) write_line(to + line, b->lines[d], last);
    else write_out(to, b->lines[d], b->start[d], place + 1, last);
  }
  for (int d = 0; d < BUCKETS; d++) {
    int64_t line = b->place[d] & ~(int64_t)(LANES - 1);
    write_out(to, b->lines[d], line > b->start[d] ? line : b->start[d], b->place[d], last);
  }
  stream_end();
}

/* How many keys of each bucket there are. Four tables, so that equal digits do not wait for each other. */
__attribute__((always_inline)) static inline void count(const uint32_t *from, int64_t n, int pass, int64_t *counts) {
  uint32_t tables[4][BUCKETS] = {{0}};
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    __builtin_prefetch(from + i + AHEAD);
    uint32_t keys[LANES];
    memcpy(keys, from + i, sizeof keys);
#pragma GCC unroll 16
    for (int k = 0; k < LANES; k++) tables[k % 4][digit(pass == 0 ? to_key(keys[k]) : keys[k], pass)]++;
  }
  for (; i < n; i++) tables[0][digit(pass == 0 ? to_key(from[i]) : from[i], pass)]++;
  for (int d = 0; d < BUCKETS; d++) counts[d] = (int64_t)tables[0][d] + tables[1][d] + tables[2][d] + tables[3][d];
}

/* The two steps of a pass, with the number of the pass known to the compiler. */
static void count_pass(const uint32_t *from, int64_t n, int pass, int64_t *counts) {
  if (pass == 0) count(from, n, 0, counts);
  else if (pass == 1) count(from, n, 1, counts);
  else count(from, n, 2, counts);
}
static void move_pass(const uint32_t *from, uint32_t *to, int64_t n, int pass, buffers *b) {
  if (pass == 0) move(from, to, n, 0, b);
  else if (pass == 1) move(from, to, n, 1, b);
  else move(from, to, n, 2, b);
}

static void pass_over(const uint32_t *from, uint32_t *to, int64_t n, int pass, buffers *all) {
  int64_t shift = (int64_t)((uintptr_t)to / sizeof *to & (LANES - 1));
#pragma omp parallel
  {
    int threads = omp_get_num_threads(), thread = omp_get_thread_num();
    int64_t begin = n * thread / threads, end = n * (thread + 1) / threads;
    count_pass(from + begin, end - begin, pass, all[thread].place);
#pragma omp barrier
#pragma omp single
    {
      int64_t place = shift;
      for (int d = 0; d < BUCKETS; d++)
        for (int t = 0; t < threads; t++) {
          int64_t next = place + all[t].place[d];
          all[t].place[d] = all[t].start[d] = place;
          place = next;
        }
    }
    move_pass(from + begin, to - shift, end - begin, pass, &all[thread]);
  }
}

void sort(const float *xs, float *out, int64_t n) {
  uint32_t *other = large((size_t)n * sizeof *other);
  buffers *all = large((size_t)omp_get_max_threads() * sizeof *all);
  pass_over((const uint32_t *)xs, (uint32_t *)out, n, 0, all);
  pass_over((const uint32_t *)out, other, n, 1, all);
  pass_over(other, (uint32_t *)out, n, 2, all);
  free(all);
  free(other);
}
