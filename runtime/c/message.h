/* Messages of failed checks, for executables and libraries, which print them themselves. */

/* The integer that an argument is. */
static int64_t rv_integer(const rv_arg *arg) {
  switch (arg->prim) {
  case RV_I8: return (int8_t)arg->bits;
  case RV_I16: return (int16_t)arg->bits;
  case RV_I32: return (int32_t)arg->bits;
  default: return (int64_t)arg->bits;
  }
}

RV_FUN bool rv_equals(const rv_arg *arg, int64_t number) {
  return arg->prim >= RV_I8 && arg->prim <= RV_U64 && rv_integer(arg) == number;
}

static void rv_show_numbers(rv_text *out, const rv_arg *arg) {
  int64_t shown = arg->count <= 12 ? arg->count : 10;
  rv_words(out, "[");
  for (int64_t i = 0; i < shown; i++) {
    if (i > 0) rv_words(out, ", ");
    rv_number(out, arg->numbers[i]);
  }
  if (shown < arg->count) {
    rv_words(out, ", \342\200\246 ");
    rv_number(out, arg->count);
    rv_words(out, " in all");
  }
  rv_words(out, "]");
}

RV_FUN void rv_show(rv_text *out, const rv_arg *arg) {
  if (arg->prim == RV_NUMBERS) rv_show_numbers(out, arg);
  else rv_scalar(out, (int)arg->prim, arg->bits);
}

/* A vector of indices as it would be written. */
RV_FUN void rv_show_index(rv_text *out, const rv_arg *arg) {
  if (arg->prim == RV_NUMBERS && arg->count == 1) rv_number(out, arg->numbers[0]);
  else rv_show(out, arg);
}

RV_FUN void rv_show_shape(rv_text *out, const rv_arg *arg) {
  for (int64_t i = 0; i < arg->count; i++) {
    rv_words(out, "[");
    rv_number(out, arg->numbers[i]);
    rv_words(out, "]");
  }
}

/* Row lengths as a dimension: regular if all are equal; otherwise they are listed, unless there are many. */
RV_FUN void rv_show_rows(rv_text *out, const rv_arg *arg) {
  int64_t first = arg->count > 0 ? arg->numbers[0] : 0;
  bool agree = true;
  for (int64_t i = 1; i < arg->count; i++) agree = agree && arg->numbers[i] == first;
  if (agree) {
    rv_words(out, "[");
    rv_number(out, first);
    rv_words(out, "]");
    return;
  }
  if (arg->count > 8) {
    rv_words(out, "[~]");
    return;
  }
  rv_words(out, "[~[");
  for (int64_t i = 0; i < arg->count; i++) {
    if (i > 0) rv_words(out, ", ");
    rv_number(out, arg->numbers[i]);
  }
  rv_words(out, "]]");
}

/* The first negative number of a vector, or its place. */
RV_FUN void rv_show_negative(rv_text *out, const rv_arg *arg, bool place) {
  for (int64_t i = 0; i < arg->count; i++) {
    if (arg->numbers[i] >= 0) continue;
    rv_number(out, place ? i : arg->numbers[i]);
    return;
  }
}

/* Which of several indices is wrong: the first that is out of bounds of its dimension. */
RV_FUN void rv_show_outside(rv_text *out, const rv_arg *indices, const rv_arg *extents) {
  for (int64_t k = 0; k < indices->count && k < extents->count; k++) {
    int64_t i = indices->numbers[k], n = extents->numbers[k];
    if (i >= 0 && i < n) continue;
    rv_number(out, i);
    rv_words(out, " is an index of a dimension with");
    if (n == 0) rv_words(out, "out elements, where no index is valid");
    if (n == 1) rv_words(out, " 1 element: only 0 is valid");
    if (n > 1) rv_words(out, " "), rv_number(out, n), rv_words(out, " elements: 0 to "), rv_number(out, n - 1), rv_words(out, " are valid");
    return;
  }
}

/* How the limit on memory is changed; libraries say something else. */
#ifndef RV_MEMORY_HELP
#define RV_MEMORY_HELP "`--memory MIB` sets another limit"
#endif

/* The limit on memory that a program would have exceeded, and how to change it. */
RV_FUN void rv_show_limit(rv_text *out, const rv_arg *limit) {
  if (limit->bits == 0) {
    rv_words(out, "  note: the system has no more memory\n");
    return;
  }
  rv_words(out, "  note: the program may take ");
  rv_number(out, (int64_t)(limit->bits >> 20));
  rv_words(out, " MiB of memory\n  help: " RV_MEMORY_HELP "\n");
}

/* Writes a note on a separate line; an empty one is removed again. */
RV_FUN void rv_begin_note(rv_text *out) {
  out->note = out->length;
  rv_words(out, "  note: ");
}

RV_FUN void rv_end_note(rv_text *out) {
  if (out->length != out->note + strlen("  note: ")) {
    rv_words(out, "\n");
  } else if (out->text) {
    out->length = out->note;
    out->text[out->length] = 0;
  }
}

/* A call that may be active: its number, whether it is the place of the failure itself, and its text. */
typedef struct {
  int32_t id;
  int32_t here;
  const char *text;
} rv_caller;

/* The innermost calls of which a check knows; one that repeats the one before it is not counted. */
static int rv_keep_call(const rv_caller **kept, int count, const rv_caller *call) {
  if (count == 4 || (count > 0 && kept[count - 1]->id == call->id)) return count;
  kept[count] = call;
  return count + 1;
}

/* Shows calls under way: the first `known` of `calls`, then those of the others that the last argument says: 16 bits for
   each, the innermost lowest. */
RV_FUN void rv_show_calls(rv_text *out, const rv_caller *calls, int known, int all, const rv_failure *failure) {
  const rv_caller *kept[4];
  int count = 0, shown = 0;
  uint64_t word = failure->count > 0 ? failure->args[failure->count - 1].bits : 0;
  for (int i = 0; i < known; i++) count = rv_keep_call(kept, count, &calls[i]);
  for (; word != 0; word >>= 16) {
    for (int i = known; i < all; i++) {
      if ((uint64_t)calls[i].id == (word & 0xffff)) count = rv_keep_call(kept, count, &calls[i]);
    }
  }
  for (int i = 0; i < count && shown < 3; i++) {
    bool again = kept[i]->here;
    for (int j = 0; j < i; j++) again = again || kept[j]->id == kept[i]->id;
    if (!again) rv_words(out, kept[i]->text), shown++;
  }
}

static void rv_message(rv_text *out, const rv_failure *failure);

/* The text of why the last call failed, to be freed by the caller; null if it did not fail. */
RV_EXPORT char *rv_failure_text(const rv_context *context);
char *rv_failure_text(const rv_context *context) {
  rv_text out = {0};
  if (context->threads[0].failure.kind != RV_FINE) rv_message(&out, &context->threads[0].failure);
  return out.text;
}
