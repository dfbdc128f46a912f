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

/* One text of a site: for which innermost call (0 for any), the text, the calls that may be under way. */
typedef struct {
  uint64_t caller;
  const char *text;
  const rv_caller *calls;
  int known, all;
} rv_variant;

/* A check: its texts, the one for any call last. */
typedef struct {
  const rv_variant *variants;
  int count;
} rv_site;

/* A number in a text, which moves past it. */
static int64_t rv_text_number(const char **text) {
  char *end;
  int64_t number = strtoll(*text, &end, 10);
  *text = end + 1;
  return number;
}

/* What the argument of a failure is, as the letter says. */
static void rv_show_as(rv_text *out, char letter, const rv_arg *arg) {
  switch (letter) {
  case 'v': rv_show(out, arg); break;
  case 's': rv_show_shape(out, arg); break;
  case 'i': rv_show_index(out, arg); break;
  case 'r': rv_show_rows(out, arg); break;
  case 'n': rv_show_negative(out, arg, false); break;
  case 'p': rv_show_negative(out, arg, true); break;
  }
}

/* Appends a text up to the end of its branch, if it is shown at all, with what stands behind bytes 1 in it filled in.
   Returns what comes after. */
static const char *rv_fill(rv_text *out, const char *text, const rv_failure *failure, bool shown) {
  for (;;) {
    const char *words = text;
    while (*text && *text != 1) text++;
    if (shown) rv_append(out, words, (size_t)(text - words));
    if (!*text) return text;
    char letter = text[1];
    text += 2;
    if (letter == '|' || letter == '.') return text;
    if (letter == '{' || letter == '}') {
      if (shown) letter == '{' ? rv_begin_note(out) : rv_end_note(out);
      continue;
    }
    int64_t first = rv_text_number(&text), second = letter == 'o' || letter == 'c' ? rv_text_number(&text) : 0;
    bool given = first < failure->count;
    const rv_arg *arg = failure->args + first;
    if (letter == 'c') {
      bool holds = given && rv_equals(arg, second);
      text = rv_fill(out, text, failure, shown && holds);
      text = rv_fill(out, text, failure, shown && !holds);
    } else if (letter == 'o') {
      if (shown && given && second < failure->count) rv_show_outside(out, arg, failure->args + second);
    } else if (shown && given) {
      rv_show_as(out, letter, arg);
    }
  }
}

/* All texts of a program: the places of allocations, the text for want of memory, the checks. */
typedef struct {
  const char *const *places;
  int32_t place_count;
  const char *memory;
  const rv_site *sites;
} rv_texts;

static const rv_texts *rv_own_texts(void);

/* Appends the text of a failure. */
static void rv_message(rv_text *out, const rv_failure *failure) {
  const rv_texts *texts = rv_own_texts();
  if (failure->kind == RV_MEMORY) {
    rv_fill(out, texts->memory, failure, true);
    if (failure->site >= 0 && failure->site < texts->place_count) rv_words(out, texts->places[failure->site]);
    rv_words(out, "\n");
    rv_show_limit(out, &failure->args[1]);
    return;
  }
  const rv_site *site = &texts->sites[failure->site];
  uint64_t caller = failure->count > 0 ? failure->args[failure->count - 1].bits & 0xffff : 0;
  const rv_variant *variant = site->variants;
  while (variant < site->variants + site->count - 1 && variant->caller != caller) variant++;
  rv_fill(out, variant->text, failure, true);
  if (variant->all > 0) rv_show_calls(out, variant->calls, variant->known, variant->all, failure);
}

/* The text of why the last call failed, to be freed by the caller; null if it did not fail. */
RV_EXPORT char *rv_failure_text(const rv_context *context);
char *rv_failure_text(const rv_context *context) {
  rv_text out = {0};
  if (context->threads[0].failure.kind != RV_FINE) rv_message(&out, &context->threads[0].failure);
  return out.text;
}
