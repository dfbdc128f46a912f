/* Texts of failed checks, for programs that print them by themselves. */
#include <stdio.h>

typedef struct {
  char *text; /* always ends in a zero byte, once there is any */
  size_t length, room;
  size_t note; /* where the note under way begins */
} rv_text;

static void rv_append(rv_text *out, const char *words, size_t length) {
  if (out->length + length + 1 > out->room) {
    size_t room = 2 * (out->length + length + 1);
    char *text = realloc(out->text, room);
    if (!text) return;
    out->text = text;
    out->room = room;
  }
  memcpy(out->text + out->length, words, length);
  out->length += length;
  out->text[out->length] = 0;
}

static void rv_words(rv_text *out, const char *words) { rv_append(out, words, strlen(words)); }

static void rv_number(rv_text *out, int64_t number) {
  char digits[32];
  snprintf(digits, sizeof digits, "%lld", (long long)number);
  rv_words(out, digits);
}

/* The integer that an argument is. */
static int64_t rv_integer(const rv_arg *arg) {
  switch (arg->prim) {
  case RV_I8: return (int8_t)arg->bits;
  case RV_I16: return (int16_t)arg->bits;
  case RV_I32: return (int32_t)arg->bits;
  default: return (int64_t)arg->bits;
  }
}

static bool rv_equals(const rv_arg *arg, int64_t number) {
  return arg->prim >= RV_I8 && arg->prim <= RV_U64 && rv_integer(arg) == number;
}

/* The shortest digits that give the number back. */
static void rv_float(rv_text *out, double number, int digits, const char *type) {
  char text[64];
  if (number != number || number - number != 0) {
    snprintf(text, sizeof text, "%s%s.%s", number < 0 ? "-" : "", type, number != number ? "nan" : "inf");
  } else {
    for (int precision = 1; precision <= digits; precision++) {
      snprintf(text, sizeof text, "%.*g", precision, number);
      double back = strtod(text, NULL);
      if (digits < 10 ? (float)back == (float)number : back == number) break;
    }
    if (!strpbrk(text, ".e")) strcat(text, ".0");
  }
  rv_words(out, text);
}

static double rv_half(uint64_t bits) {
  double digits = (double)(bits & 1023), size = bits & 0x8000 ? -1 : 1;
  int exponent = (int)(bits >> 10 & 31);
  if (exponent == 31) return digits != 0 ? (double)__builtin_nanf("") : size * __builtin_inf();
  if (exponent == 0) return size * digits * 0x1p-24;
  for (int i = exponent; i < 25; i++) size /= 2;
  for (int i = exponent; i > 25; i--) size *= 2;
  return size * (1024 + digits);
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

static void rv_show(rv_text *out, const rv_arg *arg) {
  float single;
  double number;
  uint32_t low = (uint32_t)arg->bits;
  char digits[32];
  switch (arg->prim) {
  case RV_NUMBERS: rv_show_numbers(out, arg); break;
  case RV_BOOL: rv_words(out, arg->bits ? "true" : "false"); break;
  case RV_U64:
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)arg->bits);
    rv_words(out, digits);
    break;
  case RV_F16: rv_float(out, rv_half(arg->bits), 5, "f16"); break;
  case RV_F32:
    memcpy(&single, &low, sizeof single);
    rv_float(out, single, 9, "f32");
    break;
  case RV_F64:
    memcpy(&number, &arg->bits, sizeof number);
    rv_float(out, number, 17, "f64");
    break;
  default: rv_number(out, rv_integer(arg)); break;
  }
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

/* Row lengths as a jagged dimension; many of them are left out. */
RV_FUN void rv_show_rows(rv_text *out, const rv_arg *arg) {
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

/* A note stands on a line of its own; an empty one is taken back. */
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

static void rv_message(rv_text *out, const rv_failure *failure);

/* The text of why the last call failed, to be freed by the caller; null if it did not fail. */
RV_EXPORT char *rv_failure_text(const rv_context *context);
char *rv_failure_text(const rv_context *context) {
  rv_text out = {0};
  if (context->threads[0].failure.kind != RV_FINE) rv_message(&out, &context->threads[0].failure);
  return out.text;
}
