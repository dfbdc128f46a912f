/* Text buffers, and numbers as programs write them. */
#include <stdio.h>

typedef struct {
  char *text; /* always ends in a zero byte, once there is any */
  size_t length, room;
  size_t note; /* where the current note begins */
  FILE *file;  /* where long text is written, or null */
} rv_text;

RV_FUN void rv_flush(rv_text *out) {
  if (out->file && out->length > 0) fwrite(out->text, 1, out->length, out->file);
  out->length = 0;
}

static void rv_append(rv_text *out, const char *words, size_t length) {
  if (out->file && out->length > 1 << 16) rv_flush(out);
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
  char digits[24];
  char *at = digits + sizeof digits;
  uint64_t left = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
  do *--at = (char)('0' + left % 10);
  while ((left /= 10) != 0);
  if (number < 0) *--at = '-';
  rv_append(out, at, (size_t)(digits + sizeof digits - at));
}

RV_FUN const char *rv_prim_name(int prim) {
  static const char *const names[] = {"bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64"};
  return names[prim];
}

static bool rv_reads_back(const char *text, double number, int prim) {
  switch (prim) {
  case RV_F16: return rv_f16_of_f64(strtod(text, NULL)) == rv_f16_of_f64(number);
  case RV_F32: return strtof(text, NULL) == (float)number;
  default: return strtod(text, NULL) == number;
  }
}

/* The digits as C writes them (`-1.25e+02`), put as `-125.0`; very large and very small numbers as `1.25e-7`. */
static void rv_digits(rv_text *out, const char *text, double size) {
  char digits[32];
  int count = 0, exponent = atoi(strchr(text, 'e') + 1);
  if (*text == '-') rv_words(out, "-");
  for (const char *c = text; *c != 'e'; c++)
    if (*c >= '0' && *c <= '9') digits[count++] = *c;
  while (count > 1 && digits[count - 1] == '0') count--;
  if (size != 0 && (size >= 1e16 || size < 1e-4)) {
    rv_append(out, digits, 1);
    if (count > 1) {
      rv_words(out, ".");
      rv_append(out, digits + 1, (size_t)(count - 1));
    }
    rv_words(out, "e");
    rv_number(out, exponent);
    return;
  }
  if (exponent < 0) rv_words(out, "0.");
  for (int i = -1; i > exponent; i--) rv_words(out, "0");
  for (int i = 0; i < count || i <= exponent; i++) {
    if (i == exponent + 1 && exponent >= 0) rv_words(out, ".");
    rv_append(out, i < count ? &digits[i] : "0", 1);
  }
  if (exponent >= 0 && count <= exponent + 1) rv_words(out, ".0");
}

/* The fewest digits that read back as the same number, without its type. */
static void rv_float(rv_text *out, double number, int prim) {
  char text[48];
  double size = number < 0 ? -number : number;
  if (number - number != 0) {
    snprintf(text, sizeof text, "%s%s.%s", number < 0 ? "-" : "", rv_prim_name(prim), number != number ? "nan" : "inf");
    rv_words(out, text);
    return;
  }
  /* This many digits always survive a conversion to binary and back, unless the number is subnormal. */
  int sure = prim == RV_F64 && size >= 0x1p-1022 ? 15 : prim == RV_F32 && size >= 0x1p-126 ? 6 : 1;
  int most = prim == RV_F64 ? 17 : prim == RV_F32 ? 9 : 5;
  for (int digits = sure; digits <= most; digits++) {
    snprintf(text, sizeof text, "%.*e", digits - 1, number);
    if (rv_reads_back(text, number, prim)) break;
  }
  rv_digits(out, text, size);
}

/* A scalar without its type. */
static void rv_scalar(rv_text *out, int prim, uint64_t bits) {
  float single;
  double number;
  uint32_t low = (uint32_t)bits;
  char digits[32];
  switch (prim) {
  case RV_BOOL: rv_words(out, bits ? "true" : "false"); break;
  case RV_I8: rv_number(out, (int8_t)bits); break;
  case RV_I16: rv_number(out, (int16_t)bits); break;
  case RV_I32: rv_number(out, (int32_t)bits); break;
  case RV_U64:
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)bits);
    rv_words(out, digits);
    break;
  case RV_F16: rv_float(out, rv_f32_of_f16((rv_f16)bits), prim); break;
  case RV_F32:
    memcpy(&single, &low, sizeof single);
    rv_float(out, (double)single, prim);
    break;
  case RV_F64:
    memcpy(&number, &bits, sizeof number);
    rv_float(out, number, prim);
    break;
  default: rv_number(out, (int64_t)bits); break;
  }
}
