/* Values in Futhark's binary format and its extension by jagged dimensions. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "binary values are read and written by machines that keep the lowest byte first"
#endif

/* Whether a binary value starts here, of any version: no text has `b` before a control character. */
static bool rv_is_binary(const rv_reader *r) {
  if (r->length - r->at < 2 || r->bytes[r->at] != 'b') return false;
  char version = r->bytes[r->at + 1];
  bool blank = version == '\t' || version == '\n' || version == '\f' || version == '\r';
  return version == 'J' || version == 127 || (version >= 0 && version < ' ' && !blank);
}

static const char *rv_take(rv_reader *r, int64_t count, int size, const char *what) {
  uint64_t left = r->length - r->at, bytes;
  if (__builtin_mul_overflow((uint64_t)count, (uint64_t)size, &bytes)) rv_wrong_byte(r, r->at, "%s are too many", what);
  if (bytes > left)
    rv_wrong_byte(r, r->at, "%s should take %llu bytes, but only %llu are left", what, (unsigned long long)bytes,
                  (unsigned long long)left);
  r->at += bytes;
  return r->bytes + r->at - bytes;
}

static int64_t rv_take_extent(rv_reader *r) {
  uint64_t extent;
  memcpy(&extent, rv_take(r, 1, 8, "an extent"), sizeof extent);
  if (extent > INT64_MAX) rv_wrong_byte(r, r->at - 8, "an extent is %llu, which is too large", (unsigned long long)extent);
  return (int64_t)extent;
}

/* A dimension as the file has it: an extent, or a copy of the offsets. */
typedef struct {
  int64_t extent, rows;
  int64_t *offsets;
} rv_found;

/* A value as a file has it. */
typedef struct {
  int prim, rank;
  int64_t count;    /* elements */
  const char *data; /* in row-major order */
  rv_found dims[256];
} rv_whole_value;

/* Computes how many rows the next dimension has; returns null, or an error message. */
static const char *rv_rows_of(const rv_found *dim, int64_t *rows) {
  static char words[128];
  if (!dim->offsets) {
    *rows = dim->rows;
    if (dim->extent < 0) snprintf(words, sizeof words, "negative extent %lld", (long long)dim->extent);
    else if (!__builtin_mul_overflow(dim->rows, dim->extent, rows)) return NULL;
    else snprintf(words, sizeof words, "%lld rows of %lld are too many", (long long)dim->rows, (long long)dim->extent);
    return words;
  }
  snprintf(words, sizeof words, "the first offset is %lld, not 0", (long long)dim->offsets[0]);
  if (dim->offsets[0] != 0) return words;
  for (int64_t i = 0; i < dim->rows; i++) {
    snprintf(words, dim->offsets[i + 1] < dim->offsets[i] ? sizeof words : 0, "offset %lld follows offset %lld",
             (long long)dim->offsets[i + 1], (long long)dim->offsets[i]);
    if (dim->offsets[i + 1] < dim->offsets[i]) return words;
  }
  *rows = dim->offsets[dim->rows];
  return NULL;
}

/* Rows without elements cost nothing in a file, so their number alone must not make us allocate. */
#define RV_MOST_EMPTY_ROWS (1 << 24)

static void rv_take_dim(rv_reader *r, size_t whole, bool jagged, rv_found *dim, int64_t *rows) {
  size_t start = r->at;
  char kind = jagged ? *rv_take(r, 1, 1, "the kind of a dimension") : 0;
  if (kind != 0 && kind != 1) rv_wrong_byte(r, start, "%d is not a kind of dimension, which is 0 or 1", (unsigned char)kind);
  *dim = (rv_found){.rows = *rows};
  if (kind == 0) {
    dim->extent = rv_take_extent(r);
  } else {
    if ((uint64_t)*rows >= UINT64_MAX / 8) rv_wrong_byte(r, r->at, "offsets for %lld rows are too many", (long long)*rows);
    const char *bytes = rv_take(r, *rows + 1, 8, "the offsets of a jagged dimension");
    dim->offsets = malloc((size_t)(*rows + 1) * 8);
    if (!dim->offsets) rv_wrong_byte(r, start, "there is not enough memory for %lld rows", (long long)*rows);
    memcpy(dim->offsets, bytes, (size_t)(*rows + 1) * 8);
  }
  const char *wrong = rv_rows_of(dim, rows);
  if (wrong) rv_wrong_byte(r, start, "%s", wrong);
  if (kind == 1 && *rows > RV_MOST_EMPTY_ROWS && (uint64_t)*rows > r->length - whole)
    rv_wrong_byte(r, start, "%lld rows are more than this file can hold", (long long)*rows);
}

/* Stores a dimension as the form requires it: a regular one fits a jagged one, and the reverse if all rows have the same
   length. */
static void rv_fit_dim(rv_reader *r, size_t start, const rv_whole_value *value, int level, const rv_reading *to) {
  const rv_found *dim = &value->dims[level];
  if (to->jagged) {
    if (!dim->offsets && dim->rows > RV_MOST_EMPTY_ROWS && dim->rows > value->count)
      rv_wrong_byte(r, start, "%lld rows without elements are too many for a jagged array", (long long)dim->rows);
    for (int64_t i = 0; i < dim->rows; i++)
      rv_push_row(r, to->column, dim->offsets ? dim->offsets[i + 1] - dim->offsets[i] : dim->extent);
    return;
  }
  int64_t first = dim->offsets ? (dim->rows > 0 ? dim->offsets[1] : 0) : dim->extent;
  for (int64_t i = 1; dim->offsets && i < dim->rows; i++) {
    int64_t other = dim->offsets[i + 1] - dim->offsets[i];
    if (other != first)
      rv_wrong_byte(r, start,
                    "rows of dimension %d must all have the same length, but row 0 has %lld elements and row %lld has %lld",
                    level, (long long)first, (long long)i, (long long)other);
  }
  to->column->count = first;
}

static void rv_value_type(rv_text *out, const rv_whole_value *value) {
  for (int i = 0; i < value->rank; i++) rv_words(out, value->dims[i].offsets ? "[~]" : "[]");
  rv_words(out, rv_prim_name(value->prim));
}

RV_COLD static _Noreturn void rv_other_type(rv_reader *r, const rv_form *form, size_t start, const rv_whole_value *value) {
  rv_text text = {0};
  rv_words(&text, "a value of type ");
  rv_type(&text, form, 0);
  rv_words(&text, " is expected, but this one is ");
  rv_value_type(&text, value);
  rv_wrong_byte(r, start, "%s", text.text);
}

static int rv_take_prim(rv_reader *r) {
  char name[5] = {0};
  memcpy(name, rv_take(r, 4, 1, "the type"), 4);
  int prim = rv_prim_of(name + strspn(name, " "));
  if (prim < 0) rv_wrong_byte(r, r->at - 4, "\"%.4s\" is not a type of the binary format", name);
  return prim;
}

/* The dimensions of the expected form, if the value has as many. */
static int rv_wanted(rv_reader *r, const rv_form *form, int rank, rv_reading *levels) {
  int before = form->count - 1, at = form->first;
  if (form->kind != RV_ARRAY || form->parts->kind != RV_SCALAR) return form->kind == RV_SCALAR ? 0 : -1;
  for (int i = 0; i < form->count; i++, at++) {
    if (form->dims[i] != '.') continue;
    rv_column *own = &r->columns[at];
    own->count = rank > before ? rank - before : 0;
    own[1].data = calloc((size_t)own->count + 1, sizeof(rv_column));
    if (!own[1].data) rv_wrong(r, r->line, "there is not enough memory");
  }
  return rv_readings(r, form, levels);
}

/* Stores a value, whose type is in the file, as the form requires it. */
static void rv_fit(rv_reader *r, const rv_form *form, size_t start, const rv_whole_value *value) {
  rv_reading levels[512];
  int wanted = rv_wanted(r, form, value->rank, levels), size = rv_sizes[value->prim];
  const rv_form *element = form->kind == RV_ARRAY ? form->parts : form;
  if (wanted != value->rank || element->kind != RV_SCALAR || element->prim != value->prim)
    rv_other_type(r, form, start, value);
  for (int i = 0; i < value->rank; i++) {
    rv_fit_dim(r, start, value, i, &levels[i]);
    free(value->dims[i].offsets);
  }
  int64_t count = value->count;
  if (count > 0) memcpy(rv_extend(r, &r->columns[element->first], count, size), value->data, (size_t)(count * size));
  for (int64_t i = 0; value->prim == RV_BOOL && i < count; i++) {
    char *truth = &r->columns[element->first].data[i];
    *truth = *truth != 0;
  }
}

static void rv_read_binary(rv_reader *r, const rv_form *form) {
  size_t start = r->at;
  rv_whole_value value = {.count = 1};
  char what[64];
  r->at++;
  unsigned char version = (unsigned char)*rv_take(r, 1, 1, "the version");
  if (version != 2 && version != 'J')
    rv_wrong_byte(r, start + 1, "version %d of the binary format is unknown; version 2 is known", version);
  value.rank = (unsigned char)*rv_take(r, 1, 1, "the number of dimensions");
  value.prim = rv_take_prim(r);
  size_t dims = r->at;
  for (int i = 0; i < value.rank; i++) rv_take_dim(r, start, version == 'J', &value.dims[i], &value.count);
  bool fits = (uint64_t)value.count <= UINT64_MAX / (uint64_t)rv_sizes[value.prim];
  snprintf(what, sizeof what, fits ? "%lld elements of type %s" : "%lld elements", (long long)value.count, rv_prim_name(value.prim));
  value.data = rv_take(r, value.count, rv_sizes[value.prim], what);
  if (value.rank > 0 && value.dims[0].offsets) rv_wrong_byte(r, dims, "the outermost dimension of an array must be regular");
  rv_fit(r, form, start, &value);
}
