/* A C program that uses the library made of stats.rv: regular and jagged arrays, failures, several threads. */
#include "stats.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program if a function of the library failed. */
static void must(stats_context *context, int failed) {
  if (!failed) return;
  fprintf(stderr, "%s", stats_context_error(context));
  exit(1);
}

static void regular(stats_context *context) {
  double numbers[] = {1, 2, 3, 4}, mean;
  stats_f64_1d *doubled;
  /* The library reads our own array: nothing is copied. */
  stats_f64_1d *xs = stats_f64_1d_wrap(context, numbers, 4);
  must(context, stats_entry_mean(context, xs, &mean));
  printf("mean %g\n", mean);
  must(context, stats_entry_scale(context, 2, xs, &doubled));
  const double *data = stats_f64_1d_data(doubled);
  for (int64_t i = 0; i < stats_f64_1d_shape(doubled)[0]; i++) printf("doubled %g\n", data[i]);
  stats_f64_1d_free(context, doubled);
  stats_f64_1d_free(context, xs);
}

static void jagged(stats_context *context) {
  int64_t numbers[] = {1, 2, 3, 4, 5, 6}, offsets[] = {0, 2, 2, 6};
  stats_i64_nj *triangle, *rows = stats_i64_nj_new(context, numbers, 3, offsets);
  stats_i64_1d *sums;
  must(context, stats_entry_row_sums(context, rows, &sums));
  for (int64_t i = 0; i < stats_i64_1d_count(sums); i++) printf("row sum %lld\n", (long long)stats_i64_1d_data(sums)[i]);
  must(context, stats_entry_triangle(context, 4, &triangle));
  const int64_t *starts = stats_i64_nj_offsets(triangle, 1);
  for (int64_t row = 0; row < stats_i64_nj_shape(triangle)[0]; row++)
    printf("row %lld has %lld elements\n", (long long)row, (long long)(starts[row + 1] - starts[row]));
  stats_i64_1d_free(context, sums);
  stats_i64_nj_free(context, triangle);
  stats_i64_nj_free(context, rows);
}

/* A failure is a text, and the context can be used again. */
static void failing(stats_context *context) {
  double mean;
  stats_f64_1d *none = stats_f64_1d_wrap(context, NULL, 0);
  if (stats_entry_mean(context, none, &mean) != 0) printf("failed:\n%s", stats_context_error(context));
  stats_f64_1d_free(context, none);
}

/* Each thread has a context of its own. */
static void *thread(void *result) {
  stats_context *context = stats_context_new(1, 0);
  double numbers[1000];
  for (int i = 0; i < 1000; i++) numbers[i] = i;
  stats_f64_1d *xs = stats_f64_1d_wrap(context, numbers, 1000);
  for (int i = 0; i < 100; i++) must(context, stats_entry_mean(context, xs, result));
  stats_f64_1d_free(context, xs);
  stats_context_free(context);
  return NULL;
}

int main(void) {
  stats_context *context = stats_context_new(0, 0);
  if (!context) return 1;
  regular(context);
  jagged(context);
  failing(context);
  stats_context_free(context);
  pthread_t threads[4];
  double means[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, thread, &means[i]);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < 4; i++) printf("thread mean %g\n", means[i]);
  return 0;
}
