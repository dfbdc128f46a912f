/* Calls the entry points of forms.rv: records, sums, any rank, arrays that are overwritten, failures. */
#include "forms.h"
#include <stdio.h>

static forms_context *context;

static int fine(int failed) {
  if (failed) printf("failed: %s", forms_context_error(context));
  return !failed;
}

static void records(void) {
  double x[] = {1, 2, 3};
  int32_t tag[] = {4, 5, 6};
  forms_f64_1d *xs = forms_f64_1d_new(context, x, 3), *fewer = forms_f64_1d_wrap(context, x, 2), *out_x;
  forms_i32_1d *tags = forms_i32_1d_wrap(context, tag, 3), *out_tag;
  if (fine(forms_entry_pts(context, tags, xs, &out_x, &out_tag))) {
    printf("points %g %d\n", forms_f64_1d_data(out_x)[2], (int)forms_i32_1d_data(out_tag)[2]);
    forms_f64_1d_free(context, out_x);
    forms_i32_1d_free(context, out_tag);
  }
  fine(forms_entry_pts(context, tags, fewer, &out_x, &out_tag));
  fine(forms_entry_pts(context, NULL, xs, &out_x, &out_tag));
  if (fine(forms_entry_mk(context, 3, &out_tag, &out_x))) {
    printf("made %g %d\n", forms_f64_1d_data(out_x)[2], (int)forms_i32_1d_data(out_tag)[1]);
    forms_f64_1d_free(context, out_x);
    forms_i32_1d_free(context, out_tag);
  }
  forms_f64_1d_free(context, xs);
  forms_f64_1d_free(context, fewer);
  forms_i32_1d_free(context, tags);
}

/* An overwritten argument is the result: our own memory, or the array's. */
static void in_place(void) {
  int64_t numbers[] = {1, 2};
  for (int copied = 0; copied < 2; copied++) {
    forms_i64_1d *out, *in = copied ? forms_i64_1d_new(context, numbers, 2) : forms_i64_1d_wrap(context, numbers, 2);
    const int64_t *before = forms_i64_1d_data(in);
    if (!fine(forms_entry_bump(context, in, &out))) return;
    int same = before == forms_i64_1d_data(out);
    forms_i64_1d_free(context, in);
    printf("bumped %d, in place %d\n", (int)forms_i64_1d_data(out)[0], same);
    forms_i64_1d_free(context, out);
  }
}

static void others(void) {
  double x[] = {1, 2, 3};
  int64_t shape[] = {1, 3}, number;
  float a;
  int32_t b;
  forms_f64_r *out, *in = forms_f64_r_wrap(context, x, 2, shape);
  if (fine(forms_entry_any(context, in, &out))) {
    printf("rank %d, %d columns, %g\n", (int)forms_f64_r_rank(out), (int)forms_f64_r_shape(out)[1], forms_f64_r_data(out)[2]);
    forms_f64_r_free(context, out);
  }
  forms_f64_r_free(context, in);
  if (fine(forms_entry_tup(context, 7, 1.5f, &a, &b))) printf("tuple %g %d\n", (double)a, (int)b);
  if (fine(forms_entry_sumt(context, 1, 9, &number))) printf("some %d\n", (int)number);
  if (fine(forms_entry_sumt(context, 0, 9, &number))) printf("none %d\n", (int)number);
  fine(forms_entry_sumt(context, 2, 9, &number));
  fine(!forms_f64_1d_new(context, x, -1));
  fine(!forms_f64_1d_new(context, NULL, 1));
}

int main(void) {
  context = forms_context_new(2, 0);
  if (!context) return 1;
  records();
  in_place();
  others();
  forms_context_free(context);
  return 0;
}
