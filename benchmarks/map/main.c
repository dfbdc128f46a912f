/* A map over many doubles: Ravel's library and a plain OpenMP loop, in turn, in one process. Both allocate their result
   anew in every round, as a program would. */
#include "map.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 9 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *times) {
  qsort(times, ROUNDS, sizeof *times, by_value);
  return times[ROUNDS / 2];
}

static void must(map_context *context, int failed) {
  if (!failed) return;
  fprintf(stderr, "%s", map_context_error(context));
  exit(1);
}

/* One round of the library; the time it took. */
static double with_ravel(map_context *context, map_f64_1d *xs, int64_t n, double *last) {
  map_f64_1d *ys;
  double start = now();
  must(context, map_entry_map_all(context, xs, &ys));
  double time = now() - start;
  *last = map_f64_1d_data(ys)[n - 1];
  map_f64_1d_free(context, ys);
  return time;
}

/* One round of the loop, written as one would by hand. */
static double with_openmp(const double *xs, int64_t n, double *last) {
  double start = now();
  double *ys = malloc((size_t)n * sizeof *ys);
  if (!ys) exit(1);
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < n; i++) ys[i] = 2.0 * xs[i] + 1.0;
  double time = now() - start;
  *last = ys[n - 1];
  free(ys);
  return time;
}

int main(int argc, char **argv) {
  int64_t n = argc > 1 ? atoll(argv[1]) : 100000000;
  double *numbers = malloc((size_t)n * sizeof *numbers), ravel[ROUNDS], openmp[ROUNDS], a, b;
  if (n < 1 || !numbers) return 1;
  for (int64_t i = 0; i < n; i++) numbers[i] = (double)i;
  map_context *context = map_context_new(0, 0);
  map_f64_1d *xs = map_f64_1d_wrap(context, numbers, n);
  for (int round = 0; round < ROUNDS; round++) {
    ravel[round] = with_ravel(context, xs, n, &a);
    openmp[round] = with_openmp(numbers, n, &b);
    if (a != b) return 1;
  }
  double r = median(ravel), o = median(openmp);
  printf("%lld doubles, median of %d rounds: ravel %.1f ms, openmp %.1f ms, ratio %.2f\n", (long long)n, ROUNDS, 1e3 * r,
         1e3 * o, r / o);
  map_f64_1d_free(context, xs);
  map_context_free(context);
  free(numbers);
  return 0;
}
