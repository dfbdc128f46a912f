/* Numbers as people write them: radix, underscores, exponent, suffix. */
typedef struct {
  bool negative, whole, hex;
  uint64_t magnitude; /* of a whole number */
  double number;      /* of any other, at both precisions: going from one to the other would round twice */
  float single;
  int suffix;         /* a primitive type, or -1 */
} rv_literal;

static int rv_prim_of(const char *name) {
  for (int prim = RV_BOOL; prim <= RV_F64; prim++)
    if (strcmp(name, rv_prim_name(prim)) == 0) return prim;
  return -1;
}

/* The type at the end of a number; false if it is something else. */
static bool rv_suffix(const char *text, int *suffix) {
  *suffix = *text ? rv_prim_of(text) : -1;
  return !*text || *suffix > RV_BOOL;
}

/* Digits of a base without underscores, until something else comes; none if the number is too large. */
static const char *rv_whole(const char *text, int base, uint64_t *magnitude) {
  bool any = false;
  *magnitude = 0;
  for (;; text++) {
    int digit = *text >= '0' && *text <= '9' ? *text - '0' : (*text | 32) >= 'a' && (*text | 32) <= 'f' ? (*text | 32) - 'a' + 10 : 99;
    if (*text == '_') continue;
    if (digit >= base) return any ? text : NULL;
    if (*magnitude > (UINT64_MAX - (uint64_t)digit) / (uint64_t)base) return NULL;
    *magnitude = *magnitude * (uint64_t)base + (uint64_t)digit;
    any = true;
  }
}

/* Whether these are digits, a point and more digits, and an exponent, as C reads them too. */
static bool rv_is_fraction(const char *text, bool hex) {
  const char *digits = hex ? "0123456789abcdefABCDEF" : "0123456789";
  size_t before = strspn(text, digits), behind = 0;
  text += before;
  if (*text == '.') text++, behind = strspn(text, digits), text += behind;
  if (before + behind == 0) return false;
  if ((*text | 32) == (hex ? 'p' : 'e')) {
    text++;
    if (*text == '+' || *text == '-') text++;
    size_t exponent = strspn(text, "0123456789");
    if (exponent == 0) return false;
    text += exponent;
  }
  return *text == 0;
}

static bool rv_read_fraction(const char *word, rv_literal *out) {
  char text[512];
  size_t length = 0;
  bool hex = word[0] == '0' && (word[1] | 32) == 'x';
  const char *scale = hex ? strpbrk(word, "pP") : word;
  if (!scale) return false;
  const char *end = strpbrk(scale, hex ? "f" : "iuf");
  if (!end) end = word + strlen(word);
  for (const char *c = word; c < end; c++)
    if (*c != '_' && length + 1 < sizeof text) text[length++] = *c;
  text[length] = 0;
  if (!rv_is_fraction(hex ? text + 2 : text, hex) || !rv_suffix(end, &out->suffix)) return false;
  if (out->suffix >= 0 && out->suffix < RV_F16) return false;
  out->number = strtod(text, NULL);
  out->single = strtof(text, NULL);
  return true;
}

/* `nan`, `inf`, `f32.nan`, `f64.inf`. */
static bool rv_read_special(const char *word, rv_literal *out) {
  bool typed = word[0] == 'f' && strlen(word) == 7 && word[3] == '.';
  const char *special = typed ? word + 4 : word;
  bool nan = strcmp(special, "nan") == 0;
  if (!nan && strcmp(special, "inf") != 0) return false;
  if (typed) {
    char name[4] = {word[0], word[1], word[2], 0};
    out->suffix = rv_prim_of(name);
    if (out->suffix < RV_F16) return false;
  }
  out->number = nan ? __builtin_nan("") : __builtin_inf();
  out->single = (float)out->number;
  return true;
}

static bool rv_read_literal(const char *word, rv_literal *out) {
  *out = (rv_literal){.suffix = -1};
  if (*word == '-') out->negative = true, word++;
  if (rv_read_special(word, out)) return true;
  int base = word[0] != '0' ? 10 : (word[1] | 32) == 'x' ? 16 : (word[1] | 32) == 'b' ? 2 : 10;
  if (base == 16 && strpbrk(word, "pP")) return rv_read_fraction(word, out);
  const char *end = rv_whole(base == 10 ? word : word + 2, base, &out->magnitude);
  out->hex = base != 10;
  out->whole = end && rv_suffix(end, &out->suffix);
  return out->whole || (base == 10 && rv_read_fraction(word, out));
}

static uint64_t rv_bits_of(int prim, double number, float single) {
  uint64_t bits = 0;
  uint32_t low;
  if (prim == RV_F64) memcpy(&bits, &number, sizeof bits);
  if (prim == RV_F32) memcpy(&low, &single, sizeof low), bits = low;
  if (prim == RV_F16) bits = rv_f16_of_f64(number);
  return bits;
}

/* Whether an integer of this type can be the number. One written in another base than ten may use all bits. */
static bool rv_fits(const rv_literal *x, int prim) {
  int bits = 8 * rv_sizes[prim];
  bool is_signed = prim <= RV_I64;
  uint64_t most = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
  if (x->negative) return is_signed ? x->magnitude <= most / 2 + 1 : x->magnitude == 0;
  return x->magnitude <= (is_signed && !x->hex ? most / 2 : most);
}

/* The number at a type. */
static uint64_t rv_read_number(rv_reader *r, int prim, int64_t line) {
  char word[512];
  rv_literal x;
  rv_word(r, word, sizeof word);
  if (!rv_read_literal(word, &x)) rv_wrong(r, line, "%s is not a number", word);
  if (x.suffix >= 0 && x.suffix != prim)
    rv_wrong(r, line, "a number of type %s is expected, but this one is of type %s", rv_prim_name(prim),
             rv_prim_name(x.suffix));
  if (prim >= RV_F16) {
    double number = x.whole ? (double)x.magnitude : x.number;
    float single = x.whole ? (float)x.magnitude : x.single;
    return rv_bits_of(prim, x.negative ? -number : number, x.negative ? -single : single);
  }
  if (!x.whole) {
    rv_text number = {0};
    if (x.number - x.number == 0) rv_float(&number, x.negative ? -x.number : x.number, RV_F64);
    else rv_words(&number, x.number != x.number ? "nan" : x.negative ? "-inf" : "inf");
    rv_wrong(r, line, "a number of type %s is expected, but %s is not an integer", rv_prim_name(prim), number.text);
  }
  if (x.suffix < 0 && !rv_fits(&x, prim))
    rv_wrong(r, line, "%s%llu does not fit %s", x.negative ? "-" : "", (unsigned long long)x.magnitude, rv_prim_name(prim));
  return x.negative ? 0 - x.magnitude : x.magnitude;
}
