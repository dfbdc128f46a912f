/* Calls the entry points of names.rv, as C and as C++, beside another library, and from several threads. */
#include "forms.h"
#include "names.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* ThreadSanitizer cannot follow functions that call themselves very often. */
#ifdef SHALLOW
#define DEEP(context, result) (*(result) = 0, names_entry_int(context, 0, NULL))
#else
#define DEEP(context, result) names_entry_count(context, INT64_MAX, result)
#endif

static void failed(names_context *context, int status) {
  const char *text = names_context_error(context);
  if (!status || !text) printf("it did not fail\n");
  else printf("failed: %.*s\n", (int)strcspn(text, "\n"), text);
}

static void called(names_context *context) {
  int32_t a, b, c, d, e;
  double x;
  uint16_t half;
  names_entry_int(context, 1, &a);
  names_entry_f_(context, 1, &b);
  names_entry_f__2(context, 1, &c);
  names_entry_f__(context, 1, &d);
  names_entry_and(context, 1, 2, 3, 4, &e);
  names_entry_double(context, 1, 2, 3, &x);
  names_entry_unit(context, 1);
  names_entry_nothing(context, &half);
  printf("%d %d %d %d %d %g %x\n", (int)a, (int)b, (int)c, (int)d, (int)e, x, (unsigned)half);
}

/* A view is never changed, what is wrapped is. */
static void changed(names_context *context) {
  double numbers[] = {1, 2}, other[] = {7, 8};
  names_f64_1d *ys = names_f64_1d_view(context, other, 2), *out, *none;
  for (int view = 1; view >= 0; view--) {
    names_f64_1d *xs = view ? names_f64_1d_view(context, numbers, 2) : names_f64_1d_wrap(context, numbers, 2);
    if (names_entry_change(context, xs, ys, &out) != 0) failed(context, 1);
    printf("%s: %g, ours %g, %s\n", view ? "view" : "wrap", names_f64_1d_data(out)[0], numbers[0],
           names_f64_1d_data(out) == numbers ? "the same memory" : "a copy");
    failed(context, names_entry_change(context, xs, xs, &none));
    names_f64_1d_free(context, xs);
    names_f64_1d_free(context, out);
  }
  names_f64_1d_free(context, ys);
}

/* What a call has overwritten can only be freed, also if the call failed. */
static void overwritten(names_context *context) {
  double numbers[] = {1, 2}, x = 0;
  names_f64_1d *xs = names_f64_1d_new(context, numbers, 2), *ys = names_f64_1d_wrap(context, numbers, 2);
  names_f64_1d *zs = names_f64_1d_new(context, numbers, 2), *none, *first, *second, *third, *fourth;
  if (names_entry_twins(context, xs, &first, &second) != 0) failed(context, 1);
  printf("%s, %d numbers\n", names_f64_1d_data(xs) ? "data" : "no data", (int)names_f64_1d_count(xs));
  failed(context, names_entry_twins(context, xs, &third, &fourth));
  failed(context, names_entry_change(context, ys, xs, &none));
  failed(context, names_entry_last(context, xs, &x));
  if (names_entry_change(context, first, ys, &third) != 0) failed(context, 1);
  printf("%g %g\n", names_f64_1d_data(second)[0], names_f64_1d_data(third)[0]);
  if (names_entry_rest(context, third, &fourth) != 0) failed(context, 1);
  printf("%d %g\n", (int)names_f64_1d_count(fourth), names_f64_1d_data(fourth)[0]);
  failed(context, names_entry_put(context, zs, 2, &none));
  failed(context, names_entry_put(context, zs, 1, &none));
  names_f64_1d *all[] = {xs, ys, zs, first, second, third, fourth};
  for (int i = 0; i < 7; i++) names_f64_1d_free(context, all[i]);
  for (int view = 0; view < 2; view++) {
    names_f64_1d *empty = view ? names_f64_1d_view(context, NULL, 0) : names_f64_1d_wrap(context, NULL, 0);
    for (int i = 0; i < 2; i++) {
      int status = names_entry_twins(context, empty, &first, &second);
      printf("empty: %s\n", status ? "failed" : "fine");
      if (status) continue;
      names_f64_1d_free(context, first);
      names_f64_1d_free(context, second);
    }
    names_f64_1d_free(context, empty);
  }
}

static void wrong(names_context *context) {
  int32_t three[] = {1, 2, 3}, sum;
  int64_t numbers[] = {1, 2, 3}, deep;
  float parts[] = {1, 2};
  uint8_t tags[] = {1, 9};
  double x;
  names_i32_1d *threes = names_i32_1d_view(context, three, 3);
  names_i64_1d *xs = names_i64_1d_view(context, numbers, 3), *fewer = names_i64_1d_view(context, numbers, 2), *out;
  names_f64_1d *big;
  names_u8_1d *tag = names_u8_1d_view(context, tags, 2);
  names_f32_1d *part = names_f32_1d_view(context, parts, 2);
  failed(context, names_entry_two(context, threes, &sum));
  failed(context, names_entry_two(context, NULL, &sum));
  failed(context, names_entry_two(context, threes, NULL));
  failed(context, names_entry_same(context, xs, fewer, &out));
  failed(context, DEEP(context, &deep));
  failed(context, names_entry_big(context, -1, &big));
  failed(context, names_entry_big(context, INT64_C(1) << 40, &big));
  failed(context, names_entry_big(context, INT64_MAX, &big));
  failed(context, names_entry_options(context, tag, part, parts));
  failed(context, names_f64_1d_new(context, &x, -1) == NULL);
  failed(context, names_f64_1d_new(context, NULL, 3) == NULL);
  failed(context, names_f64_1d_new(context, &x, INT64_MAX / 4) == NULL);
  failed(context, names_f64_1d_new(context, &x, INT64_C(1) << 40) == NULL);
  failed(NULL, names_entry_two(NULL, threes, &sum));
  names_i32_1d_free(context, threes);
  names_i64_1d_free(context, xs);
  names_i64_1d_free(context, fewer);
  names_u8_1d_free(context, tag);
  names_f32_1d_free(context, part);
  names_f32_1d_free(context, NULL);
}

/* Each thread has a context of its own, and may fail by itself. */
static void *thread(void *failures) {
  names_context *context = names_context_new(2, 0);
  forms_context *other = forms_context_new(1, 0);
  names_f64_1d *big;
  int64_t deep, option;
  for (int i = 0; i < 20; i++) {
    if (names_entry_big(context, 100000, &big) != 0 || names_f64_1d_data(big)[99999] != 99999) return NULL;
    names_f64_1d_free(context, big);
    if (DEEP(context, &deep) != 0) ++*(int *)failures;
    if (names_entry_count(context, 1000, &deep) != 0 || deep != 1000) return NULL;
    if (forms_entry_sumt(other, 1, 4, &option) != 0) return NULL;
  }
  names_context_free(context);
  forms_context_free(other);
  return NULL;
}

int main(void) {
  names_context *context = names_context_new(0, INT64_C(1) << 32);
  pthread_t threads[3];
  int failures[3] = {0, 0, 0};
  called(context);
  changed(context);
  overwritten(context);
  wrong(context);
  names_context_free(context);
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, thread, &failures[i]);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  printf("%d %d %d\n", failures[0], failures[1], failures[2]);
  return 0;
}
